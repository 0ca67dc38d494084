// What PostgreSQL 14 to 19 call differently, or have only some of. Others ask here, so that they
// read the same for all versions. groups.h and rights.h have what differs of those.
#pragma once

#include "extension/pg/pg.h"

// Headers of ICU, which pg_locale.h includes, are C++ otherwise. Later minor versions of the server
// say so themselves.
#define U_SHOW_CPLUSPLUS_API 0
#define U_SHOW_CPLUSPLUS_HEADER_API 0

extern "C" {
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_namespace.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#if PG_VERSION_NUM >= 160000
#include "nodes/multibitmapset.h"
#endif
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "optimizer/prep.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/pg_locale.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"
}

namespace idp {

// --- settings of the planner ---

// Joins of a table with itself that the planner leaves out are in the query and not in the plan.
// Returns what was set before.
inline bool set_self_join_elimination(bool may) {
#if PG_VERSION_NUM >= 180000
  const bool before = enable_self_join_elimination;
  enable_self_join_elimination = may;
  return before;
#else
  return may;
#endif
}

// --- nodes of plans ---

// The join with its sides exchanged that keeps rows of the left one; the same for other kinds.
inline JoinType as_left_join(JoinType type) {
  switch (type) {
    case JOIN_RIGHT:
      return JOIN_LEFT;
#if PG_VERSION_NUM >= 160000
    case JOIN_RIGHT_ANTI:
      return JOIN_ANTI;
#endif
#if PG_VERSION_NUM >= 180000
    case JOIN_RIGHT_SEMI:
      return JOIN_SEMI;
#endif
    default:
      return type;
  }
}

// Calls visit(List*&) for the conditions over its own functions that a node of windows has.
template <class Visit>
void for_each_run_condition(WindowAgg* plan, Visit& visit) {
#if PG_VERSION_NUM >= 150000
  visit(plan->runCondition);
  visit(plan->runConditionOrig);
#else
  (void)plan;
  (void)visit;
#endif
}

// Those by which it leaves rows out itself: by others it only stops counting.
inline List* conditions_on_windows(const WindowAgg* plan) {
#if PG_VERSION_NUM >= 150000
  return plan->topWindow ? plan->runConditionOrig : NIL;
#else
  (void)plan;
  return NIL;
#endif
}

// By what an Append or a MergeAppend leaves members out; or null.
template <class Members>
PartitionPruneInfo* pruning_in(const Members* node, const PlannedStmt* statement) {
#if PG_VERSION_NUM >= 180000
  if (node->part_prune_index < 0) return nullptr;
  return static_cast<PartitionPruneInfo*>(
      list_nth(statement->partPruneInfos, node->part_prune_index));
#else
  (void)statement;
  return node->part_prune_info;
#endif
}

inline const Oid* equalities_of(const SetOp* plan) {
#if PG_VERSION_NUM >= 180000
  return plan->cmpOperators;
#else
  return plan->dupOperators;
#endif
}
inline const Oid* collations_of(const SetOp* plan) {
#if PG_VERSION_NUM >= 180000
  return plan->cmpCollations;
#else
  return plan->dupCollations;
#endif
}

// Calls visit(List*) for what a node that changes tables evaluates for MERGE and later commands.
template <class Visit>
void for_each_merge_list(const ModifyTable* plan, Visit visit) {
#if PG_VERSION_NUM >= 150000
  visit(plan->mergeActionLists);
#endif
#if PG_VERSION_NUM >= 170000
  visit(plan->mergeJoinConditions);
#endif
#if PG_VERSION_NUM >= 190000
  visit(reinterpret_cast<List*>(plan->forPortionOf));
#endif
  (void)plan;
  (void)visit;
}

inline void forget_estimates(Memoize* plan) {
  plan->est_entries = 0;
#if PG_VERSION_NUM >= 190000
  plan->est_calls = 0;
  plan->est_unique_keys = 0;
  plan->est_hit_ratio = 0;
#endif
}

// Whether how a table is scanned was chosen, when its node was set up, by whether it has
// conditions.
constexpr bool kScansByConditions = PG_VERSION_NUM >= 180000;

// --- planning and executing ---

// Whether the planner has left a relation out, and kept what it knew of it.
inline bool is_dead(const RelOptInfo* relation) {
#if PG_VERSION_NUM >= 160000
  (void)relation;
  return false;
#else
  return relation->reloptkind == RELOPT_DEADREL;
#endif
}

// Whether the planner leaves out a table that is joined with itself on a unique key.
constexpr bool kRemovesSelfJoins = PG_VERSION_NUM >= 180000;

// Settings that switch off ways to execute a query advise against them: paths cost very much more;
// from PostgreSQL 18 on they count what is switched off instead, which weighs more than any cost.
inline void disable_path(Path* path) {
  path->startup_cost += disable_cost;
  path->total_cost += disable_cost;
#if PG_VERSION_NUM >= 180000
  ++path->disabled_nodes;
#endif
}
// Counts for a path what another one counts.
inline void count_disabled_of(Path* path, const Path* other) {
#if PG_VERSION_NUM >= 180000
  path->disabled_nodes = other->disabled_nodes;
#else
  (void)path;
  (void)other;
#endif
}

// Whether groups that are sorted would be sorted by nothing.
inline bool sorts_no_groups(const PlannerInfo* root) {
#if PG_VERSION_NUM >= 160000
  return root->num_groupby_pathkeys == 0;
#else
  return root->group_pathkeys == NIL;
#endif
}

// Of a btree.
inline int strategy_of(const PathKey* pathkey) {
#if PG_VERSION_NUM >= 180000
  return pathkey->pk_cmptype == COMPARE_GT ? BTGreaterStrategyNumber : BTLessStrategyNumber;
#else
  return pathkey->pk_strategy;
#endif
}

#if PG_VERSION_NUM >= 150000
constexpr uint32 kProjects = CUSTOMPATH_SUPPORT_PROJECTION;  // it computes what is asked of it
constexpr int kNoSortOptions = TUPLESORT_NONE;
#else
constexpr uint32 kProjects = 0;
constexpr bool kNoSortOptions = false;
#endif

// What the server keeps of a setting of its own.
inline config_generic* setting_of(const char* name) {
#if PG_VERSION_NUM >= 160000
  return find_option(name, false, false, ERROR);
#else
  config_generic** settings = get_guc_variables();
  const int count = GetNumConfigOptions();
  for (int i = 0; i < count; ++i) {
    if (strcmp(settings[i]->name, name) == 0) return settings[i];
  }
  elog(ERROR, "there is no setting %s", name);
  pg_unreachable();
#endif
}

// Null if there is no memory.
inline void* allocate_for_setting(size_t size) {
#if PG_VERSION_NUM >= 160000
  return guc_malloc(LOG, size);
#else
  return malloc(size);
#endif
}

// --- expressions and queries ---

// Whether a column is among those that find_nonnullable_vars() has found.
inline bool is_among_nonnullable(const Var* column, List* found) {
#if PG_VERSION_NUM >= 160000
  return mbms_is_member(column->varno, column->varattno - FirstLowInvalidHeapAttributeNumber,
                        found);
#else
  ListCell* cell;
  foreach (cell, found) {
    const auto* other = static_cast<const Var*>(lfirst(cell));
    if (other->varno == column->varno && other->varattno == column->varattno) return true;
  }
  return false;
#endif
}

// Whether a node is what the planner noted for itself, of which nothing is executed.
inline bool is_note_of_planner(const Node* node) {
#if PG_VERSION_NUM >= 170000
  return IsA(node, WindowFuncRunCondition);
#else
  (void)node;
  return false;
#endif
}

// A copy of a query that has, in place of the columns of an entry, the values of these targets,
// also in the queries within.
inline Query* with_values(Query* query, int entry, List* targets) {
  auto* node = reinterpret_cast<Node*>(query);
  RangeTblEntry* columns_of = rt_fetch(entry, query->rtable);
#if PG_VERSION_NUM >= 180000
  node = ReplaceVarsFromTargetList(node, entry, 0, columns_of, targets, 0, REPLACEVARS_REPORT_ERROR,
                                   0, nullptr);
#else
  node = ReplaceVarsFromTargetList(node, entry, 0, columns_of, targets, REPLACEVARS_REPORT_ERROR, 0,
                                   nullptr);
#endif
  return reinterpret_cast<Query*>(node);
}

// Has a column name entries by other numbers, which stand at those that they had.
inline void change_entries_of(Var* column, const int* numbers) {
  column->varno = numbers[column->varno];
  column->varnosyn = static_cast<Index>(numbers[column->varnosyn]);
#if PG_VERSION_NUM >= 160000
  Relids joins = nullptr;
  for (int join = -1; (join = bms_next_member(column->varnullingrels, join)) >= 0;) {
    joins = bms_add_member(joins, numbers[join]);
  }
  column->varnullingrels = joins;
#endif
}

// Has a column be NULL by the joins that another column of its entry is NULL by.
inline void be_absent_with(Var* column, const Var* other) {
#if PG_VERSION_NUM >= 160000
  column->varnullingrels = bms_copy(other->varnullingrels);
#else
  (void)column;
  (void)other;
#endif
}

// Has a column be NULL by one join.
inline void be_absent_by(Var* column, int join) {
#if PG_VERSION_NUM >= 160000
  column->varnullingrels = bms_make_singleton(join);
#else
  (void)column;
  (void)join;
#endif
}

// From PostgreSQL 16 on columns say which joins may have put NULL into them: in all of a query,
// those in conditions of other joins and in the queries within too, one does so no more. It may
// still in columns of that part of FROM.
inline void forget_nulls_of(Query* query, int join, Node* from = nullptr) {
#if PG_VERSION_NUM >= 160000
  Relids kept = from == nullptr ? nullptr : get_relids_in_jointree(from, true, true);
  *query = *reinterpret_cast<Query*>(
      remove_nulling_relids(reinterpret_cast<Node*>(query), bms_make_singleton(join), kept));
#else
  (void)query;
  (void)join;
  (void)from;
#endif
}

// The same of an expression alone, and the other way for the columns of some entries.
inline Node* not_nulled_by(Node* expression, int join) {
#if PG_VERSION_NUM >= 160000
  return remove_nulling_relids(expression, bms_make_singleton(join), nullptr);
#else
  (void)join;
  return expression;
#endif
}
inline Node* nulled_by_too(Node* expression, const Bitmapset* entries, int join) {
#if PG_VERSION_NUM >= 160000
  return add_nulling_relids(expression, entries, bms_make_singleton(join));
#else
  (void)entries;
  (void)join;
  return expression;
#endif
}

// From PostgreSQL 18 on keys of grouping sets say that these may put NULL into them, but where
// groups are sorted they do not.
inline Node* not_nulled_by_groups(const PlannerInfo* root, Node* expression) {
#if PG_VERSION_NUM >= 180000
  if (root->group_rtindex == 0) return expression;
  return remove_nulling_relids(expression, bms_make_singleton(root->group_rtindex), nullptr);
#else
  (void)root;
  return expression;
#endif
}

// An expression of a query without the columns of its joins: with those of what these join.
inline Node* without_join_columns(Query* query, Node* expression) {
#if PG_VERSION_NUM >= 160000
  return flatten_join_alias_vars(nullptr, query, expression);
#else
  return flatten_join_alias_vars(query, expression);
#endif
}

// The names and the columns, as Var, of an entry.
inline void columns_of_entry(RangeTblEntry* entry, int number, List** names, List** columns) {
#if PG_VERSION_NUM >= 180000
  expandRTE(entry, number, 0, VAR_RETURNING_DEFAULT, -1, false, names, columns);
#else
  expandRTE(entry, number, 0, -1, false, names, columns);
#endif
}

// Puts what is grouped by where a query names columns of the entry that stands for it, and takes
// that out.
inline void put_groups_in_place(Query* query) {
#if PG_VERSION_NUM >= 180000
  if (!query->hasGroupRTE) return;
  query->targetList = reinterpret_cast<List*>(
      flatten_group_exprs(nullptr, query, reinterpret_cast<Node*>(query->targetList)));
  query->havingQual = flatten_group_exprs(nullptr, query, query->havingQual);
  ListCell* cell;
  foreach (cell, query->rtable) {
    auto* entry = static_cast<RangeTblEntry*>(lfirst(cell));
    if (entry->rtekind != RTE_GROUP) continue;
    auto* nothing = makeNode(RangeTblEntry);
    nothing->rtekind = RTE_RESULT;
    nothing->eref = makeAlias("*RESULT*", NIL);
    lfirst(cell) = nothing;
  }
  query->hasGroupRTE = false;
#else
  (void)query;
#endif
}

// Whether an operator of an ORDER BY puts the greatest values first.
inline bool sorts_descending(Oid op) {
  Oid family = InvalidOid;
  Oid type = InvalidOid;
#if PG_VERSION_NUM >= 180000
  CompareType direction = COMPARE_INVALID;
  return get_ordering_op_properties(op, &family, &type, &direction) && direction == COMPARE_GT;
#else
  int16 direction = InvalidStrategy;
  return get_ordering_op_properties(op, &family, &type, &direction) &&
         direction == BTGreaterStrategyNumber;
#endif
}

inline List* analyze_and_rewrite(RawStmt* statement, const char* text) {
#if PG_VERSION_NUM >= 150000
  return pg_analyze_and_rewrite_fixedparams(statement, text, nullptr, 0, nullptr);
#else
  return pg_analyze_and_rewrite(statement, text, nullptr, 0, nullptr);
#endif
}

inline PlannedStmt* plan_in_parallel(Query* query, const char* text) {
#if PG_VERSION_NUM >= 190000
  return pg_plan_query(query, text, CURSOR_OPT_PARALLEL_OK, nullptr, nullptr);
#else
  return pg_plan_query(query, text, CURSOR_OPT_PARALLEL_OK, nullptr);
#endif
}

// --- catalogs ---

// In which part of the transaction the storage of a table was made anew first.
inline SubTransactionId first_rewrite_of(Relation relation) {
#if PG_VERSION_NUM >= 160000
  return relation->rd_firstRelfilelocatorSubid;
#else
  return relation->rd_firstRelfilenodeSubid;
#endif
}

inline bool owns_relation(Oid relation, Oid role) {
#if PG_VERSION_NUM >= 160000
  return object_ownercheck(RelationRelationId, relation, role);
#else
  return pg_class_ownercheck(relation, role);
#endif
}

// Whether being a member of another role gives rights or SET ROLE: from PostgreSQL 16 on it may
// give neither, such as that of who created a role.
inline bool membership_counts(Oid role, Oid of) {
#if PG_VERSION_NUM >= 160000
  return has_privs_of_role(role, of) || member_can_set_role(role, of);
#else
  (void)role;
  (void)of;
  return true;
#endif
}

inline bool may_use_schema(Oid schema, Oid role) {
#if PG_VERSION_NUM >= 160000
  return object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE) == ACLCHECK_OK;
#else
  return pg_namespace_aclcheck(schema, role, ACL_USAGE) == ACLCHECK_OK;
#endif
}

inline bool is_enforced(const FormData_pg_constraint* constraint) {
#if PG_VERSION_NUM >= 180000
  return constraint->conenforced;
#else
  (void)constraint;
  return true;
#endif
}

// The columns of a foreign key, those that it refers to, and what compares the two.
inline void read_foreign_key(HeapTuple constraint, int* count, AttrNumber* from, AttrNumber* to,
                             Oid* operators) {
#if PG_VERSION_NUM >= 150000
  DeconstructFkConstraintRow(constraint, count, from, to, operators, nullptr, nullptr, nullptr,
                             nullptr);
#else
  DeconstructFkConstraintRow(constraint, count, from, to, operators, nullptr, nullptr);
#endif
}

// Whether a collation needs no locale of the system, as far as that is known without opening it.
inline bool is_without_locale(Oid collation) {
#if PG_VERSION_NUM < 180000
  return lc_collate_is_c(collation) && lc_ctype_is_c(collation);
#else
  (void)collation;
  return false;
#endif
}

}  // namespace idp
