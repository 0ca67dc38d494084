#include "extension/plan/question_writer.h"

#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "utils/regproc.h"
}

namespace idp::recorder {

namespace {

const char* name_of_operator(Oid number) {
  return number < FirstNormalObjectId ? get_opname(number) : format_operator_qualified(number);
}

void write_sort_clauses(Level& level, const char* before, List* clauses, List* targets) {
  ListCell* cell;
  foreach (cell, clauses) {
    const auto* clause = static_cast<SortGroupClause*>(lfirst(cell));
    write(level, foreach_current_index(cell) ? ", " : before);
    write_expression(level, node_of(get_sortgroupref_tle(clause->tleSortGroupRef, targets)->expr));
    if (OidIsValid(clause->sortop)) {
      write(level, psprintf(" %s%s", name_of_operator(clause->sortop),
                            clause->nulls_first ? " NULLS FIRST" : ""));
    }
  }
}

// Of a subquery that is planned already the planner has made lists of the keys of each set.
void write_grouping_sets(Level& level, List* sets) {
  for (const auto* node : list<Node>(sets)) {
    if (node == nullptr || IsA(node, IntList)) {
      write(level, " set (");
      for (const int number : ints(reinterpret_cast<const List*>(node))) {
        write(level, psprintf(" %d", number));
      }
      write(level, ")");
      continue;
    }
    const auto* set = as<GroupingSet>(node);
    write(level, psprintf(" set %d (", set->kind));
    if (set->kind == GROUPING_SET_SIMPLE) {
      for (const int number : ints(set->content)) write(level, psprintf(" %d", number));
    } else {
      write_grouping_sets(level, set->content);
    }
    write(level, ")");
  }
}

void write_windows(Level& level, const Query* query) {
  for (const auto* window : list<WindowClause>(query->windowClause)) {
    write(level, psprintf(" WINDOW %u %d", window->winref, window->frameOptions));
    write_sort_clauses(level, " PARTITION BY ", window->partitionClause, query->targetList);
    write_sort_clauses(level, " ORDER BY ", window->orderClause, query->targetList);
    if (window->startOffset) write_expressions(level, " FROM ", list_make1(window->startOffset));
    if (window->endOffset) write_expressions(level, " TO ", list_make1(window->endOffset));
  }
}

// Whether a LIMIT or OFFSET leaves all rows: NULL, and OFFSET 0.
bool is_no_limit(Node* limit, bool is_offset) {
  if (limit == nullptr) return true;
  Node* value = folded(limit);
  if (!IsA(value, Const)) return false;
  const auto* constant = as<Const>(value);
  return constant->constisnull || (is_offset && DatumGetInt64(constant->constvalue) == 0);
}

void write_limits(Level& level, const Query* query) {
  const bool counts = !is_no_limit(query->limitCount, false);
  const bool skips = !is_no_limit(query->limitOffset, true);
  if (counts || skips || query->hasDistinctOn) {
    write_sort_clauses(level, " ORDER BY ", query->sortClause, query->targetList);
  }
  if (counts) write_expressions(level, " LIMIT ", list_make1(query->limitCount));
  if (counts && query->limitOption == LIMIT_OPTION_WITH_TIES) write(level, " WITH TIES");
  if (skips) write_expressions(level, " OFFSET ", list_make1(query->limitOffset));
}

}  // namespace

List* describe(const Within& within, Columns columns, const Level& outer) {
  check_stack_depth();
  Query* const query = within.query;
  Level level{query, within.root, &outer, within.plan, outer.whole};
  begin(level);
  ListCell* entry_cell;
  foreach (entry_cell, query->rtable) {
    List* grouped = grouped_in(static_cast<const RangeTblEntry*>(lfirst(entry_cell)));
    if (grouped == NIL) continue;
    write_expressions(level, "GROUP ", grouped);
    (void)give_name(level, static_cast<Index>(foreach_current_index(entry_cell)) + 1, "g");
  }
  write(level, psprintf("%s%s", query->commandType == CMD_SELECT ? "SELECT" : "CHANGE",
                        query->distinctClause ? " DISTINCT" : ""));
  if (query->hasDistinctOn) {
    write_sort_clauses(level, " ON ", query->distinctClause, query->targetList);
  }
  const char* before = " ";
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (target->resjunk) continue;
    if (columns == Columns::kByName && passed_column(query, target) != nullptr) continue;
    write_expressions(level, before, list_make1(target->expr));
    write(level, psprintf(" AS c%d", target->resno));
    before = ", ";
  }
  List* conditions = NIL;
  write(level, " FROM ");
  if (query->setOperations) {
    write_set_operation(level, query->setOperations);
  } else {
    write_from(level, node_of(query->jointree), &conditions);
  }
  write_conditions(level, " WHERE ", conditions);
  write_sort_clauses(level, " GROUP BY ", query->groupClause, query->targetList);
  write_grouping_sets(level, query->groupingSets);
  List* having = NIL;
  collect_conditions(query->havingQual, level, &having);
  write_conditions(level, " HAVING ", having);
  write_windows(level, query);
  write_limits(level, query);
  return finish(level);
}

}  // namespace idp::recorder
