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
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/rights.h"
#include "extension/pg/versions.h"
#include "extension/rewrite/counted_units.h"
#include "extension/rewrite/listed_rows.h"
#include "extension/rewrite/lift.h"
#include "extension/rewrite/lifted_groups.h"
#include "extension/rewrite/lifted_parts.h"
#include "extension/rewrite/private_call.h"
#include "extension/rewrite/simplify.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// --- which levels ---

bool answers(Query* query) {
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kHaving | step::kWindows |
                              step::kDistinct | step::kDistinctOn | step::kLimit | step::kOffset |
                              step::kWith | step::kSubLinks;
  return (query->hasAggs || query->groupClause != NIL) && takes_only(query, kSteps) &&
         query->jointree->fromlist != NIL;
}

// Whether there may be something to lift: tables that are joined by inner joins have nothing,
// unless they repeat rows.
bool may_have_parts(const Query* query) {
  if (query->hasSubLinks) return true;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    const bool is_join = entry->rtekind == RTE_JOIN;
    if (is_join ? entry->jointype != JOIN_INNER : entry->rtekind != RTE_RELATION) return true;
  }
  return false;
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
  groups->hasAggs =
      contain_aggs_of_level(as<Node>(lift.targets), 0) || contain_aggs_of_level(having, 0);
  groups = copy_of(groups);
  for (auto* entry : list<RangeTblEntry>(groups->rtable)) {
    if (entry->rtekind != RTE_JOIN) continue;
    auto* columns = as<Node>(entry->joinaliasvars);
    columns = without_lifted_columns(without_join_columns(groups, columns), &lift.parts);
    entry->joinaliasvars = reinterpret_cast<List*>(columns);
  }
  drop_entries(groups, entries_gone(lift, groups));
  groups->hasSubLinks = checkExprHasSubLink(as<Node>(groups));
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
    // policies name the columns of the table by its number
    ChangeVarNodes(as<Node>(entry->securityQuals), join->entry, list_length(outer->rtable), 0);
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
Query* lifted_query(const QueryLevel& level, Query* copy, LiftedParts* found) {
  copy->targetList =
      reinterpret_cast<List*>(without_join_columns(copy, as<Node>(copy->targetList)));
  copy->havingQual = without_join_columns(copy, copy->havingQual);
  copy->jointree = as<FromExpr>(without_join_columns(copy, as<Node>(copy->jointree)));
  const QueryLevel of_copy{copy, level.outer};
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
    for (auto* condition : list<Node>(conjuncts(copy->havingQual))) {
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
  outer->hasSubLinks = checkExprHasSubLink(as<Node>(outer));
  return outer;
}

}  // namespace

bool lift_conditions(const QueryLevel& level) {
  Query* query = level.query;
  if (!answers(query) || !(may_have_parts(query) || joins_repeating_tables(level)) ||
      names_outer_columns(query)) {
    return false;
  }
  auto* copy = copy_of(query);
  put_groups_in_place(copy);
  LiftedParts found;
  const Query* changed = lifted_query(level, copy, &found);
  if (changed == nullptr) {
    if (answer_calendar_by_rows(query)) return true;
    refuse_calendars(found, query);
    return false;
  }
  *query = *changed;
  count_units({rt_fetch(kGroups, query->rtable)->subquery, &level});
  return false;
}

}  // namespace idp
