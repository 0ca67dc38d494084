#include "extension/query/tables.h"

#include "extension/pg/outer_joins.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_class.h"
}

namespace idp {

namespace {

// What has its value from a subquery, or from rows of an outer query.
bool find_value_of_plan(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) || IsA(node, SubLink)) return true;
  if (IsA(node, Param) && as<Param>(node)->paramkind == PARAM_EXEC) return true;
  return walk_expression(node, find_value_of_plan, nullptr);
}

// The same, in what an aggregate reads.
bool find_value_in_aggregate(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) return walk_expression(node, find_value_of_plan, nullptr);
  return walk_expression(node, find_value_in_aggregate, nullptr);
}

// What is shown beside answers and keys of groups is read by itself.
bool reads_values_of_plans(const Query* query) {
  Query rows = *query;
  rows.targetList = NIL;
  if (walk_query(&rows, find_value_of_plan, nullptr)) return true;
  for (auto* target : list<TargetEntry>(query->targetList)) {
    const bool is_beside = query->hasAggs && target->ressortgroupref == 0;
    const auto find = is_beside ? find_value_in_aggregate : find_value_of_plan;
    if (find(as<Node>(target->expr), nullptr)) return true;
  }
  return false;
}

bool add_tables_of_relation(const Level& level, int relation, List** tables) {
  for (int number = 0; number < level.members(relation); ++number) {
    const int member = level.member(relation, number).relation;
    if (!add_tables_of_relation(level, member, tables)) return false;
  }
  const RangeTblEntry* entry = level.entry(relation);
  switch (entry->rtekind) {
    case RTE_RELATION:
      *tables = list_append_unique_oid(*tables, entry->relid);
      return true;
    case RTE_SUBQUERY:
      return level.members(relation) > 0 || add_tables_of(level.below(relation), tables);
    case RTE_CTE:
      return add_tables_of(level.below(relation), tables);
    case RTE_FUNCTION:
    case RTE_VALUES:
    case RTE_RESULT:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool add_tables_of(const Level& level, List** tables) {
  check_stack_depth();
  if (!level.is_known()) return false;
  const auto* query = level.query();
  if (reads_values_of_plans(query)) return false;
  List* relations = entries_read(as<Node>(query->jointree));
  if (query->setOperations != nullptr) {
    for (int relation = 1; relation <= level.relations(); ++relation) {
      relations = lappend_int(relations, relation);
    }
  }
  for (const int relation : ints(relations)) {
    if (!add_tables_of_relation(level, relation, tables)) return false;
  }
  return true;
}

}  // namespace idp
