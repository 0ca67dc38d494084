// Window functions over partitions of one unit each: they add columns, and their ranks can bound
// how many rows of a unit are kept.
#include "extension/query/walk.h"

#include "extension/pg/nodes.h"
#include "extension/plan/group_functions.h"

namespace idp {

namespace {

bool find_window(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, WindowFunc) &&
      reinterpret_cast<WindowFunc*>(node)->winref == *static_cast<Index*>(context)) {
    return true;
  }
  return walk_expression(node, find_window, context);
}

}  // namespace

// columns: those of the targets, without what the functions add. ranks: for each target, of
// ColumnFacts, what it counts or adds up to; or null.
const Problem* LevelWalk::add_windows(Rows* rows, const List* targets, const Rows& columns,
                                      Inputs* over, List** ranks) {
  const Rows below = *rows;
  for (int i = 0; i < list_length(targets); ++i) *ranks = lappend(*ranks, nullptr);
  Bitmapset* ordered = nullptr;
  rows->slices = NIL;
  for (auto* window : list<WindowClause>(query()->windowClause)) {
    Index number = window->winref;
    if (!find_window(as<Node>(const_cast<List*>(targets)), &number)) continue;
    WindowFunctions functions{nullptr, false, frames_hold_peers(window->frameOptions), false,
                              number};
    add_functions(as<Node>(const_cast<List*>(targets)), &functions);
    if (functions.problem != nullptr) return functions.problem;
    if (window->startOffset != nullptr || window->endOffset != nullptr) return &kFrame;
    const Keys parts = keys_of_clauses(window->partitionClause, targets, columns);
    const Keys order = keys_of_clauses(window->orderClause, targets, columns);
    if (tells_forms(parts, window->partitionClause, targets) ||
        tells_forms(order, window->orderClause, targets)) {
      return &kFormShown;
    }
    const Partition partition = partition_of(parts);
    List* equals = list_concat(equalities_by(parts), equalities_by(order));
    const bool are_ordered = covers_unique(below, equals, false);
    if (are_ordered) ordered = bms_add_member(ordered, static_cast<int>(number));
    if (below.is_fixed) {
      if (!are_ordered) rows->is_settled &= !functions.needs_order && !functions.gives_any_form;
      continue;
    }
    if (!partition.any || below.has_absent) return &kMixedPartitions;
    if (functions.needs_order && !are_ordered) return &kPeers;
    if (!partition.of_unit) continue;
    ListCell* cell;
    foreach (cell, targets) {
      const auto* target = static_cast<const TargetEntry*>(lfirst(cell));
      if (!IsA(target->expr, WindowFunc)) continue;
      const auto* call = reinterpret_cast<const WindowFunc*>(target->expr);
      if (call->winref != number) continue;
      auto* rank = static_cast<ColumnFacts*>(palloc(sizeof(ColumnFacts)));
      *rank = rank_of(call, order);
      Rows given = below;
      given.is_lateral |= !bms_is_empty(given_);
      rank->mass = mass_of_window(call, given);
      list_nth_cell(*ranks, foreach_current_index(cell))->ptr_value = rank;
    }
  }
  over->ordered = ordered;
  return nullptr;
}

}  // namespace idp
