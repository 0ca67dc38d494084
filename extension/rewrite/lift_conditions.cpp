// What a level that answers for groups asks of its rows, but could ask of groups of them, is asked
// of groups: other answers are joined to these, or choose among them, and are not drawn below them.
//
//   SELECT status, rank() OVER (ORDER BY count(*)) FROM orders
//   WHERE status NOT IN (SELECT status FROM orders GROUP BY 1 ORDER BY count(*) DESC LIMIT 5)
//   GROUP BY status
//
// becomes
//
//   SELECT status, rank() OVER (ORDER BY n) FROM (SELECT status, count(*) AS n FROM orders GROUP BY
//   status) groups WHERE status NOT IN (SELECT status …)
//
// Where one group is not made of one alone, the aggregates of the level are totals of those of the
// finer groups (lifted_totals.h), all of which have to be there: everybody may know their keys.
//
//   SELECT CASE WHEN status IN (SELECT …) THEN status ELSE 'others' END, count(*) FROM orders …
//   SELECT d, count(o.id) FROM generate_series(…) d LEFT JOIN orders o ON o.day = d GROUP BY d
#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/domain/all_groups.h"
#include "extension/domain/new_query.h"
#include "extension/domain/used_columns.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"
#include "extension/pg/versions.h"
#include "extension/rewrite/cell_comparisons.h"
#include "extension/rewrite/counted_units.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/lifted_parts.h"
#include "extension/rewrite/lifted_totals.h"
#include "extension/rewrite/private_call.h"
#include "extension/rewrite/simplify.h"

extern "C" {
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// --- which levels ---

bool answers(Query* query) {
  return query->commandType == CMD_SELECT && query->hasAggs && query->groupingSets == NIL &&
         !query->hasTargetSRFs && !query->hasModifyingCTE && query->setOperations == nullptr &&
         query->rowMarks == NIL && query->constraintDeps == NIL && query->jointree != nullptr &&
         query->jointree->fromlist != NIL;
}

// Whether there may be something to lift: tables that are joined by inner joins have nothing.
bool may_have_parts(const Query* query) {
  if (query->hasSubLinks) return true;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    const bool is_join = entry->rtekind == RTE_JOIN;
    if (is_join ? entry->jointype != JOIN_INNER : entry->rtekind != RTE_RELATION) return true;
  }
  return false;
}

// --- the query of the groups, and the one around it ---

struct Lift {
  LiftedParts parts;
  Query* level;            // a copy of what is changed, whose FROM is what stays of it
  List* keys = NIL;        // of Node: what it groups by
  List* targets = NIL;     // of TargetEntry: the columns of the groups
  List* grouped = NIL;     // of SortGroupClause: of the groups
  bool is_inside = false;  // the condition of a join is at work, which puts no NULL in itself
  bool is_of_one = false;  // an aggregate has to be that of one of the groups
  bool fails = false;
};

// Where the entries of the outer query stand: the groups, what is lifted, and the outer joins.
constexpr int kGroups = 1;

int place_of(const Lift& lift, int entry) {
  int place = kGroups;
  for (const auto* join : list<LiftedJoin>(lift.parts.joins)) {
    ++place;
    if (join->entry == entry) return place;
  }
  elog(ERROR, "entry %d is not lifted", entry);
}

// Of the outer join that may put NULL in an entry, which is none otherwise; kGroups for the groups.
int join_above(const Lift& lift, int entry) {
  int place = kGroups + list_length(lift.parts.joins);
  if (lift.parts.has_spine) return entry == kGroups ? place + 1 : 0;
  for (const auto* join : list<LiftedJoin>(lift.parts.joins)) {
    if (!join->is_outer) continue;
    ++place;
    if (entry != kGroups && join->entry == entry) return place;
  }
  return 0;
}

Node* with_nulls_of(const Lift& lift, Var* column, int join) {
#if PG_VERSION_NUM >= 160000
  column->varnullingrels = join > 0 && !lift.is_inside ? bms_make_singleton(join) : nullptr;
#else
  (void)lift;
  (void)join;
#endif
  return as<Node>(column);
}

Node* column_with(Lift& lift, const TargetEntry* target) {
  auto* value = as<Node>(target->expr);
  Var* column =
      makeVar(kGroups, target->resno, exprType(value), exprTypmod(value), exprCollation(value), 0);
  return with_nulls_of(lift, column, join_above(lift, kGroups));
}

// A column of the groups.
Node* shown(Node* value, void* context) {
  auto& lift = *static_cast<Lift*>(context);
  for (const auto* target : list<TargetEntry>(lift.targets)) {
    // of two that are equal but for being a part of a total one is no such part
    const bool is_same = equal(target->expr, value) &&
                         (!IsA(value, Aggref) || is_part_of_total(as<Aggref>(value)) ==
                                                     is_part_of_total(as<Aggref>(target->expr)));
    if (is_same) return column_with(lift, target);
  }
  TargetEntry* target = output(value, list_length(lift.targets) + 1,
                               psprintf("value %d", list_length(lift.targets) + 1));
  lift.targets = lappend(lift.targets, target);
  return column_with(lift, target);
}

// A column of the groups by which they are grouped.
Node* shown_key(Lift& lift, Node* key) {
  Oid ignored;
  Node* column = shown(key, &lift);
  auto* target = static_cast<TargetEntry*>(list_nth(lift.targets, as<Var>(column)->varattno - 1));
  if (target->ressortgroupref != 0) return column;
  auto* clause = makeNode(SortGroupClause);
  clause->tleSortGroupRef = target->ressortgroupref = target->resno;
  get_sort_group_operators(exprType(key), false, true, false, &ignored, &clause->eqop, nullptr,
                           &clause->hashable);
  get_sort_group_operators(exprType(key), false, false, false, &clause->sortop, &ignored, nullptr,
                           nullptr);
  lift.grouped = lappend(lift.grouped, clause);
  return column;
}

bool find_subquery(Node* node, void*) {
  if (node == nullptr) return false;
  return IsA(node, SubLink) || walk_expression(node, find_subquery, nullptr);
}

// What stands for the rows of a subquery, where something is compared with these: it is nothing
// without the subquery.
bool find_row_of_subquery(Node* node, void*) {
  if (node == nullptr || IsA(node, SubLink)) return false;
  const bool is_row =
      IsA(node, Param) && reinterpret_cast<Param*>(node)->paramkind == PARAM_SUBLINK;
  return is_row || walk_expression(node, find_row_of_subquery, nullptr);
}

// Whether a node is a value by itself: others are parts of what has one.
bool is_value(const Node* node) {
  return !IsA(node, List) && !IsA(node, TargetEntry) && !IsA(node, CaseWhen);
}

Node* lifted(Node* node, void* context);

struct Within {
  Lift* lift;
  bool are_keys;  // whether columns have to be keys of the level
  Index depth;
};

// What a subquery names of the level: what is lifted, and keys.
Node* lifted_within(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto& within = *static_cast<Within*>(context);
  Lift& lift = *within.lift;
  if (IsA(node, Query)) {
    ++within.depth;
    auto* query = as<Node>(map_query(as<Query>(node), lifted_within, context));
    --within.depth;
    return query;
  }
  if (IsA(node, Aggref)) lift.fails |= as<Aggref>(node)->agglevelsup == within.depth;
  if (!IsA(node, Var) || as<Var>(node)->varlevelsup != within.depth) {
    return map_expression(node, lifted_within, context);
  }
  auto* column = static_cast<Var*>(copyObjectImpl(node));
  column->varlevelsup = 0;
  const bool is_lifted = lift.parts.is_lifted(static_cast<int>(column->varno));
  lift.fails |= !(is_lifted && !within.are_keys) && !list_member(lift.keys, column);
  if (lift.fails) return node;
  Node* value = lifted(as<Node>(column), &lift);
  as<Var>(value)->varlevelsup = within.depth;
  return value;
}

// A subquery that hangs on columns of the level. One over hidden rows would be asked for each.
Node* lifted_link(Lift& lift, const Node* node, bool are_keys) {
  auto* link = static_cast<SubLink*>(copyObjectImpl(node));
  auto* query = as<Query>(link->subselect);
  if (!contain_vars_of_level(as<Node>(query), 1) && !contain_aggs_of_level(as<Node>(query), 1)) {
    return as<Node>(link);
  }
  lift.fails |= given_by({query, lift.parts.level}) != Given::kNothing;
  if (lift.fails) return as<Node>(link);
  Within within{&lift, are_keys, 0};
  link->subselect = lifted_within(as<Node>(query), &within);
  return as<Node>(link);
}

// An expression over what is lifted and over rows, as one over what is lifted and keys of groups.
Node* lifted(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& lift = *static_cast<Lift*>(context);
  const LiftedParts& parts = lift.parts;
  if (IsA(node, Var)) {
    const auto* old = as<Var>(node);
    if (old->varlevelsup > 0) return node;
    if (!parts.is_lifted(static_cast<int>(old->varno))) {
      lift.fails |= old->varattno <= 0;
      return lift.fails ? node : shown_key(lift, static_cast<Node*>(copyObjectImpl(node)));
    }
    auto* column = static_cast<Var*>(copyObjectImpl(node));
    column->varno = place_of(lift, static_cast<int>(old->varno));
    column->varnosyn = 0;
    column->varattnosyn = 0;
    return with_nulls_of(lift, column, join_above(lift, static_cast<int>(old->varno)));
  }
  if (is_value(node) && !names_lifted(parts, node)) {
    if (!names_rows(parts, node)) return node;
    const bool is_key = !find_subquery(node, nullptr) && !find_row_of_subquery(node, nullptr) &&
                        (!parts.has_spine || lift.is_inside || is_null_of_no_row(parts, node));
    if (is_key) {
      lift.fails |= contain_volatile_functions(node);
      return shown_key(lift, static_cast<Node*>(copyObjectImpl(node)));
    }
  }
  if (IsA(node, SubLink)) node = lifted_link(lift, node, false);
  if (IsA(node, OpExpr)) node = as<Node>(compared_by_cell(*parts.level, as<OpExpr>(node)));
  return map_expression(node, lifted, context);
}

// --- one group for each ---

const Query* query_of(const Lift& lift, int entry) {
  const RangeTblEntry* read = rt_fetch(entry, lift.parts.level->query->rtable);
  if (read->rtekind == RTE_SUBQUERY) return read->subquery;
  if (read->rtekind != RTE_CTE) return nullptr;
  const FoundCte found = cte_of(*lift.parts.level, read);
  return found.cte == nullptr ? nullptr : as<Query>(found.cte->ctequery);
}

// Whether each of its rows has other values in the columns: it groups by some of them.
bool has_row_for_each(const Query* query, const Bitmapset* columns) {
  if (query->groupingSets != NIL || query->setOperations != nullptr || query->hasTargetSRFs) {
    return false;
  }
  if (query->groupClause == NIL) return query->hasAggs;  // it has one row
  for (const auto* clause : list<SortGroupClause>(query->groupClause)) {
    bool is_among = false;
    for (const auto* target : list<TargetEntry>(query->targetList)) {
      is_among |= target->ressortgroupref == clause->tleSortGroupRef &&
                  bms_is_member(target->resno, columns);
    }
    if (!is_among) return false;
  }
  return true;
}

// The column of the entry that a condition says to be equal to something of rows; 0 if none.
AttrNumber column_compared(const Lift& lift, const Node* condition, int entry) {
  if (!IsA(condition, OpExpr)) return 0;
  const auto* comparison = as<OpExpr>(condition);
  if (list_length(comparison->args) != 2) return 0;
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  if (names_lifted(lift.parts, left)) std::swap(left, right);
  if (names_lifted(lift.parts, left) || !IsA(right, Var)) return 0;
  const auto* column = as<Var>(right);
  const bool is_equality =
      order_strategy(comparison->opno, column->vartype) == BTEqualStrategyNumber;
  return is_equality && static_cast<int>(column->varno) == entry ? column->varattno : 0;
}

bool finds_one_row(const Lift& lift, const LiftedJoin* join) {
  const Query* query = query_of(lift, join->entry);
  if (query == nullptr) return false;
  Bitmapset* columns = nullptr;
  const List* conditions =
      join->is_outer ? make_ands_implicit(as<Expr>(join->condition)) : lift.parts.conditions;
  for (const auto* condition : list<Node>(conditions)) {
    const AttrNumber column = column_compared(lift, condition, join->entry);
    if (column > 0) columns = bms_add_member(columns, column);
  }
  return has_row_for_each(query, columns);
}

// min(x) and max(x) of what is the same for all rows of a group are that.
Node* same_for_all(const Lift& lift, const Aggref* call) {
  const bool is_known = list_length(call->args) == 1 && call->aggfilter == nullptr;
  if (!is_known) return nullptr;
  const char* name = get_func_name(call->aggfnoid);
  auto* argument = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  const bool is_same =
      (strcmp(name, "min") == 0 || strcmp(name, "max") == 0) && !names_rows(lift.parts, argument);
  return is_same ? argument : nullptr;
}

bool find_aggregate_of_both(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  auto& lift = *static_cast<Lift*>(context);
  if (IsA(node, Aggref)) {
    return names_lifted(lift.parts, node) && same_for_all(lift, as<Aggref>(node)) == nullptr;
  }
  return walk_expression(node, find_aggregate_of_both, context);
}

bool has_group_for_each(Lift& lift) {
  const LiftedParts& parts = lift.parts;
  if (parts.has_spine || find_aggregate_of_both(as<Node>(lift.level->targetList), &lift) ||
      find_aggregate_of_both(lift.level->havingQual, &lift)) {
    return false;
  }
  // without groups there is one row, whatever the conditions say
  if (lift.level->groupClause == NIL && parts.conditions != NIL) return false;
  for (const auto* join : list<LiftedJoin>(parts.joins)) {
    if (!finds_one_row(lift, join)) return false;
  }
  return true;
}

bool find_window(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  return IsA(node, WindowFunc) || walk_expression(node, find_window, nullptr);
}

// What comes after the groups; all else is a column of theirs.
Node* of_one_group(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& lift = *static_cast<Lift*>(context);
  if (is_value(node) && !names_lifted(lift.parts, node) && !find_window(node, nullptr) &&
      !find_row_of_subquery(node, nullptr)) {
    const bool is_of_groups = names_rows(lift.parts, node) || contain_aggs_of_level(node, 0);
    return is_of_groups ? shown(static_cast<Node*>(copyObjectImpl(node)), context) : node;
  }
  if (IsA(node, Aggref)) return lifted(same_for_all(lift, as<Aggref>(node)), context);
  if (IsA(node, Var)) return lifted(node, context);
  if (IsA(node, SubLink)) node = lifted_link(lift, node, false);
  return map_expression(node, of_one_group, context);
}

// --- totals of several groups ---

Node* of_groups(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& lift = *static_cast<Lift*>(context);
  if (list_member(lift.keys, node)) return lifted(node, context);
  if (IsA(node, Aggref)) {
    Node* total = total_of(lift.parts, as<Aggref>(node), {context, shown, lifted, &lift.is_of_one});
    lift.fails |= total == nullptr;
    return total;
  }
  if (IsA(node, Var)) lift.fails |= as<Var>(node)->varlevelsup == 0;
  if (IsA(node, SubLink)) node = lifted_link(lift, node, true);
  return map_expression(node, of_groups, context);
}

// The key that a condition says to be equal to something that is the same for a group of the level;
// null if none. Of timestamps two may be the same instant.
Node* key_of_group(const Lift& lift, const Node* condition) {
  if (!IsA(condition, OpExpr) || list_length(as<OpExpr>(condition)->args) != 2) return nullptr;
  auto* key = static_cast<Node*>(linitial(as<OpExpr>(condition)->args));
  auto* other = static_cast<Node*>(lsecond(as<OpExpr>(condition)->args));
  if (names_lifted(lift.parts, key)) std::swap(key, other);
  const Oid type = exprType(key);
  const int strategy = order_strategy(as<OpExpr>(condition)->opno, type);
  const bool is_known = strategy == BTEqualStrategyNumber && !names_rows(lift.parts, other) &&
                        !(type == TIMESTAMPOID && exprType(other) == TIMESTAMPTZOID);
  if (!is_known) return nullptr;
  if (list_member(lift.keys, other)) return key;
  for (const auto* column : list<Node>(pull_var_clause(other, PVC_RECURSE_AGGREGATES))) {
    if (!list_member(lift.keys, column)) return nullptr;
  }
  return key;
}

// Whether a group of the level is made of one of the groups at most: it says all their keys.
bool is_of_one_at_most(const Lift& lift) {
  List* known = list_copy(lift.keys);
  const List* conditions = list_concat_copy(
      lift.parts.conditions, make_ands_implicit(as<Expr>(lift.parts.spine_condition)));
  for (const auto* condition : list<Node>(conditions)) {
    known = lappend(known, key_of_group(lift, condition));
  }
  for (const auto* target : list<TargetEntry>(lift.targets)) {
    if (target->ressortgroupref != 0 && !list_member(known, target->expr)) return false;
  }
  return true;
}

// --- the two queries ---

// CTEs of the level, and of those around it, are one level further up for the groups.
bool move_references(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, move_references, context);
  auto* depth = static_cast<Index*>(context);
  auto* query = as<Query>(node);
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_CTE && entry->ctelevelsup >= *depth) ++entry->ctelevelsup;
  }
  ++*depth;
  (void)walk_query(query, move_references, context);
  --*depth;
  return false;
}

// Joins that stay name columns of what is gone, which nobody reads.
Node* without_lifted_columns(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    const bool is_gone =
        static_cast<const LiftedParts*>(context)->is_lifted(static_cast<int>(column->varno));
    if (!is_gone || column->varlevelsup > 0) return node;
    return as<Node>(makeNullConst(column->vartype, column->vartypmod, column->varcollid));
  }
  return map_expression(node, without_lifted_columns, context);
}

bool add_join(Node* node, void* joins) {
  if (node == nullptr) return false;
  if (IsA(node, JoinExpr)) {
    auto** found = static_cast<Bitmapset**>(joins);
    *found = bms_add_member(*found, as<JoinExpr>(node)->rtindex);
  }
  return walk_expression(node, add_join, joins);
}

// What is lifted, and the joins that are gone with it: the question is the one that somebody asks
// of the rows alone.
Bitmapset* entries_gone(const Lift& lift, Query* groups) {
  Bitmapset* gone = bms_copy(lift.parts.entries);
  Bitmapset* joins = nullptr;
  (void)add_join(as<Node>(groups->jointree), &joins);
  int number = 0;
  for (const auto* entry : list<RangeTblEntry>(groups->rtable)) {
    ++number;
    const bool is_gone = entry->rtekind == RTE_JOIN && !bms_is_member(number, joins);
    if (is_gone) gone = bms_add_member(gone, number);
  }
  return gone;
}

Query* groups_of(Lift& lift, Node* having) {
  Query* groups = rows_of(lift.level);
  groups->cteList = NIL;
  groups->hasRecursive = false;
  groups->targetList = lift.targets;
  groups->groupClause = lift.grouped;
  groups->havingQual = having;
  groups->hasAggs = true;
  groups = static_cast<Query*>(copyObjectImpl(groups));
  for (auto* entry : list<RangeTblEntry>(groups->rtable)) {
    if (entry->rtekind != RTE_JOIN) continue;
    auto* columns = as<Node>(entry->joinaliasvars);
    columns = without_lifted_columns(without_join_columns(groups, columns), &lift.parts);
    entry->joinaliasvars = reinterpret_cast<List*>(columns);
  }
  drop_entries(groups, entries_gone(lift, groups));
  groups->hasSubLinks = walk_query(groups, find_subquery, nullptr, QTW_IGNORE_RT_SUBQUERIES);
  return groups;
}

// Whether everybody may know all keys of the groups, so that none is left out.
bool has_all_groups(Lift& lift) {
  if (lift.grouped == NIL) return true;
  List* targets = lift.targets;
  lift.targets = NIL;
  for (auto* target : list<TargetEntry>(targets)) {
    if (target->ressortgroupref != 0) lift.targets = lappend(lift.targets, target);
  }
  Aggref* count = private_call("dp_count", list_make1(float_constant(1)));
  if (count == nullptr) return false;
  lift.targets = lappend(lift.targets, output(as<Node>(count), list_length(targets) + 1, "number"));
  Query* probe = groups_of(lift, nullptr);
  lift.targets = targets;
  int number = 0;
  for (auto* target : list<TargetEntry>(probe->targetList)) {
    target->resno = static_cast<AttrNumber>(++number);
  }
  return give_groups_of(probe);
}

Node* inner_join(Node* left, int right) {
  if (left == nullptr) return reference_to(right);
  auto* join = makeNode(JoinExpr);
  join->jointype = JOIN_INNER;
  join->larg = left;
  join->rarg = reference_to(right);
  return as<Node>(join);
}

void move_entries(const Lift& lift, Query* outer) {
  for (const auto* join : list<LiftedJoin>(lift.parts.joins)) {
    RangeTblEntry* entry = rt_fetch(join->entry, lift.level->rtable);
    move_rights(outer, lift.level, entry);
    outer->rtable = lappend(outer->rtable, entry);
  }
}

// FROM of the outer query. conditions: of the outer joins, in their order.
void read_groups(const Lift& lift, Query* outer, List* conditions) {
  const bool has_spine = lift.parts.has_spine;
  Node* from = has_spine ? nullptr : reference_to(kGroups);
  int place = kGroups;
  ListCell* condition = list_head(conditions);
  for (const auto* join : list<LiftedJoin>(lift.parts.joins)) {
    ++place;
    if (join->is_outer) {
      from = left_join(outer, from, place, static_cast<Node*>(lfirst(condition)));
      condition = lnext(conditions, condition);
    } else {
      from = inner_join(from, place);
    }
  }
  if (has_spine) {
    from = left_join(outer, from, kGroups, static_cast<Node*>(lfirst(condition)));
  }
  outer->jointree->fromlist = list_make1(from);
}

struct Conditions {
  Node* where = nullptr;
  List* joins = NIL;  // of Node: those of outer joins
};

Conditions lifted_conditions(Lift& lift) {
  Conditions found;
  for (auto* condition : list<Node>(lift.parts.conditions)) {
    lift.fails |= is_volatile(condition);
    found.where = make_and_qual(found.where, lifted(condition, &lift));
  }
  lift.is_inside = true;
  for (const auto* join : list<LiftedJoin>(lift.parts.joins)) {
    if (join->is_outer) found.joins = lappend(found.joins, lifted(join->condition, &lift));
  }
  if (lift.parts.has_spine) {
    found.joins = lappend(found.joins, lifted(lift.parts.spine_condition, &lift));
  }
  lift.is_inside = false;
  for (auto* condition : list<Node>(found.joins)) {
    lift.fails |= is_volatile(condition);
  }
  return found;
}

bool has_something_to_lift(Lift& lift) {
  LiftedParts& parts = lift.parts;
  if (parts.entries != nullptr || parts.conditions != NIL) return true;
  return names_lifted(parts, as<Node>(lift.level->targetList)) ||
         names_lifted(parts, lift.level->havingQual);
}

// Rows joined to a calendar can be asked for in no other way.
void refuse_calendars(const LiftedParts& parts, const Query* query) {
  if (!parts.has_spine) return;
  bool is_calendar = false;
  Oid table = InvalidOid;
  int number = 0;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    is_calendar |= parts.is_lifted(++number) && entry->rtekind == RTE_FUNCTION;
    if (entry->rtekind == RTE_RELATION && is_hidden(entry->relid)) table = entry->relid;
  }
  if (is_calendar && OidIsValid(table)) refuse_calendar(table);
}

// The level in place of which the two stand; null if it is left as it is.
Query* lifted_query(const Level& level, Query* copy, LiftedParts* found) {
  copy->targetList =
      reinterpret_cast<List*>(without_join_columns(copy, as<Node>(copy->targetList)));
  copy->havingQual = without_join_columns(copy, copy->havingQual);
  copy->jointree = as<FromExpr>(without_join_columns(copy, as<Node>(copy->jointree)));
  const Level of_copy{copy, level.outer};
  Lift lift;
  lift.level = copy;
  const bool is_known = lift_parts(of_copy, &lift.parts);
  *found = lift.parts;
  if (!is_known) return nullptr;
  lift.keys = get_sortgrouplist_exprs(copy->groupClause, copy->targetList);
  if (!has_something_to_lift(lift)) return nullptr;
  for (auto* key : list<Node>(lift.keys)) {
    if (!names_lifted(lift.parts, key)) (void)lifted(key, &lift);
  }
  const int own_keys = list_length(lift.grouped);
  for (auto* key : list<Node>(lift.keys)) (void)lifted(key, &lift);
  const Conditions conditions = lifted_conditions(lift);
  if (lift.fails) return nullptr;

  auto* outer = static_cast<Query*>(palloc(sizeof(Query)));
  *outer = *copy;
  const bool is_one = list_length(lift.grouped) == own_keys && has_group_for_each(lift);
  const auto map = is_one ? of_one_group : of_groups;
  outer->targetList = reinterpret_cast<List*>(map(as<Node>(copy->targetList), &lift));
  Node* having_of_groups = nullptr;
  Node* where = conditions.where;
  if (is_one) {
    for (auto* condition : list<Node>(make_ands_implicit(as<Expr>(copy->havingQual)))) {
      if (names_lifted(lift.parts, condition)) {
        where = make_and_qual(where, map(condition, &lift));
      } else {
        having_of_groups = make_and_qual(having_of_groups, condition);
      }
    }
    outer->havingQual = nullptr;
    outer->groupClause = NIL;
    outer->hasAggs = false;
  } else {
    outer->havingQual = map(copy->havingQual, &lift);
  }
  lift.fails |= lift.is_of_one && !is_of_one_at_most(lift);
  if (lift.fails || (!is_one && !has_all_groups(lift))) return nullptr;

  Query* groups = groups_of(lift, having_of_groups);
  Index depth = 0;
  (void)move_references(as<Node>(groups), &depth);
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, "groups", names_of(groups));
  entry->subquery = groups;
  outer->rtable = list_make1(entry);
  drop_rights(outer);
  move_entries(lift, outer);
  outer->jointree = makeFromExpr(NIL, where);
  read_groups(lift, outer, conditions.joins);
  outer->hasSubLinks = walk_query(outer, find_subquery, nullptr,
                                  QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
  return outer;
}

}  // namespace

void lift_conditions(const Level& level) {
  Query* query = level.query;
  if (!answers(query) || !may_have_parts(query) || names_outer_columns(query)) return;
  auto* copy = static_cast<Query*>(copyObjectImpl(query));
  put_groups_in_place(copy);
  LiftedParts found;
  const Query* changed = lifted_query(level, copy, &found);
  if (changed == nullptr) return refuse_calendars(found, query);
  *query = *changed;
  count_units({rt_fetch(kGroups, query->rtable)->subquery, &level});
}

}  // namespace idp
