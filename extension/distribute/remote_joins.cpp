#include "extension/distribute/remote_joins.h"

#include "extension/distribute/remote_rows.h"
#include "extension/distribute/sent_expressions.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "miscadmin.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

Relation table_of(const RemoteJoin& join, int part) {
  return static_cast<const ScanState*>(list_nth(join.parts, part))->ss_currentRelation;
}

int place_of(const RemoteJoin& join, const PlanState* node) {
  int place = 0;
  for (const auto* part : list<PlanState>(join.parts)) {
    if (part == node) return place;
    ++place;
  }
  return -1;
}

RemoteColumn column_of(const RemoteJoin& join, PlanState* node, const Node* expression) {
  const auto* column = maybe<Var>(expression);
  if (column == nullptr || column->varattno <= 0) return {};
  if (is_remote_rows(node)) return {place_of(join, node), column->varattno};
  PlanState* below = column->varno == OUTER_VAR   ? outerPlanState(node)
                     : column->varno == INNER_VAR ? innerPlanState(node)
                                                  : nullptr;
  return below == nullptr ? RemoteColumn{} : column_below(join, below, column->varattno);
}

bool read_equalities(PlanState* node, const List* conditions, RemoteJoin& join) {
  for (const auto* condition : list<Node>(conditions)) {
    if (!is_sent_equality(condition)) return false;
    const auto* call = reinterpret_cast<const OpExpr*>(condition);
    const auto side = [&](void* argument) {
      return column_of(join, node, without_relabels(static_cast<Node*>(argument)));
    };
    auto* equality = static_cast<RemoteEquality*>(palloc(sizeof(RemoteEquality)));
    *equality = {side(linitial(call->args)), side(lsecond(call->args))};
    if (equality->left.column == 0 || equality->right.column == 0) return false;
    join.joins = lappend(join.joins, equality);
  }
  return true;
}

// What a join compares, besides its joinqual; false if it is of a kind that is not known.
bool compared(const PlanState* node, List*& conditions) {
  conditions = NIL;
  if (IsA(node, HashJoinState)) {
    conditions = as<HashJoin>(node->plan)->hashclauses;
  } else if (IsA(node, MergeJoinState)) {
    conditions = as<MergeJoin>(node->plan)->mergeclauses;
  } else {
    return IsA(node, NestLoopState) && as<NestLoop>(node->plan)->nestParams == NIL;
  }
  return true;
}

bool read_nodes(PlanState* node, RemoteJoin& join) {
  check_stack_depth();
  if (is_remote_rows(node)) {
    join.parts = lappend(join.parts, node);
    return true;
  }
  if (IsA(node, HashState) || IsA(node, SortState) || IsA(node, MaterialState)) {
    return read_nodes(outerPlanState(node), join);
  }
  List* conditions = NIL;
  if (!compared(node, conditions)) return false;
  const auto* plan = reinterpret_cast<const Join*>(node->plan);
  return plan->jointype == JOIN_INNER && plan->plan.qual == NIL &&
         read_nodes(outerPlanState(node), join) && read_nodes(innerPlanState(node), join) &&
         read_equalities(node, conditions, join) && read_equalities(node, plan->joinqual, join);
}

// --- whether rows that are joined lie together ---

HashDistribution* distributions_of(const RemoteJoin& join) {
  const int count = list_length(join.parts);
  auto* all = static_cast<HashDistribution*>(palloc(sizeof(HashDistribution) * count));
  for (int i = 0; i < count; ++i) {
    all[i] = hash_distribution_of(RelationGetRelid(table_of(join, i)));
  }
  return all;
}

// Those that are joined to one another, by whatever tables: all have one number.
struct Connected {
  int* numbers;
  int count;

  explicit Connected(int parts)
      : numbers(static_cast<int*>(palloc(sizeof(int) * static_cast<Size>(parts)))), count(parts) {
    for (int i = 0; i < count; ++i) numbers[i] = i;
  }
  void connect(int one, int other) const {
    const int from = numbers[one];
    for (int i = 0; i < count; ++i) {
      if (numbers[i] == from) numbers[i] = numbers[other];
    }
  }
};

bool lie_together(const RemoteJoin& join) {
  const int count = list_length(join.parts);
  const HashDistribution* by = distributions_of(join);
  const auto is_distributed_by = [&](const RemoteColumn& column) {
    return by[column.part].column == column.column;
  };
  const Connected all(count);
  const Connected distributed(count);
  for (const auto* equality : list<RemoteEquality>(join.joins)) {
    all.connect(equality->left.part, equality->right.part);
    if (is_distributed_by(equality->left) && is_distributed_by(equality->right)) {
      distributed.connect(equality->left.part, equality->right.part);
    }
  }
  int first = -1;  // that is distributed
  for (int i = 0; i < count; ++i) {
    const Oid table = RelationGetRelid(table_of(join, i));
    if (all.numbers[i] != all.numbers[0]) return false;
    if (table_of(join, i)->rd_rel->relowner != table_of(join, 0)->rd_rel->relowner) return false;
    if (is_reference_table(table)) continue;
    if (by[i].column == 0 || by[i].group == 0) return false;
    if (first < 0) first = i;
    if (by[i].group != by[first].group || distributed.numbers[i] != distributed.numbers[first]) {
      return false;
    }
  }
  return true;
}

}  // namespace

RemoteColumn column_below(const RemoteJoin& join, PlanState* node, int output) {
  check_stack_depth();
  const auto* target =
      static_cast<const TargetEntry*>(list_nth(node->plan->targetlist, output - 1));
  return column_of(join, node, as<Node>(target->expr));
}

bool read_join(PlanState* node, RemoteJoin& join) {
  join = {NIL, NIL};
  return read_nodes(node, join) && (list_length(join.parts) == 1 || lie_together(join));
}

}  // namespace idp
