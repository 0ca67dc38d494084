#include "extension/rewrite/lifted_parts.h"

#include "extension/pg/outer_joins.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/versions.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/row_keys.h"
#include "extension/rewrite/spine_joins.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// --- what an expression names ---

struct Search {
  const LiftedParts* parts;
  bool is_of_rows;  // whether columns of the rows that stay are looked for
  Index depth = 0;  // of subqueries
};

// Answers, which hang on nothing around them; what reads some of them may.
bool is_answer(const QueryLevel& level, const SubLink* link) {
  return given_by({as<Query>(link->subselect), &level}) == Given::kAnswers;
}

bool find_named(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* search = static_cast<Search*>(context);
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    return column->varlevelsup == search->depth &&
           search->parts->is_lifted(static_cast<int>(column->varno)) != search->is_of_rows;
  }
  const bool is_own_link = search->depth == 0 && !search->is_of_rows && IsA(node, SubLink);
  if (is_own_link && is_answer(*search->parts->level, as<SubLink>(node))) return true;
  if (!IsA(node, Query)) return walk_expression(node, find_named, context);
  ++search->depth;
  const bool is_named = walk_query(as<Query>(node), find_named, context);
  --search->depth;
  return is_named;
}

// --- which entries ---

bool find_table(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_table, nullptr);
  auto* query = as<Query>(node);
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_RELATION) return true;
    if (entry->rtekind == RTE_CTE && !entry->self_reference) return true;
  }
  return walk_queries(query, find_table, nullptr);
}

// A subquery over functions and lists alone, as calendars are made. One row of constants is none:
// the planner puts these where they are read.
bool is_calendar(const QueryLevel& level, const RangeTblEntry* entry) {
  Query* query = entry->subquery;
  if (entry->rtekind == RTE_CTE) {
    const CommonTableExpr* cte = entry->self_reference ? nullptr : cte_of(level, entry).cte;
    query = cte == nullptr ? nullptr : maybe<Query>(cte->ctequery);
  }
  if (query == nullptr || query->commandType != CMD_SELECT) return false;
  const bool is_row =
      query->jointree->fromlist == NIL && query->setOperations == nullptr && !query->hasTargetSRFs;
  return !is_row && !find_table(as<Node>(query), nullptr);
}

bool is_entry_to_lift(const QueryLevel& level, const RangeTblEntry* entry) {
  if (entry->lateral) return false;
  switch (entry->rtekind) {
    case RTE_FUNCTION:
    case RTE_VALUES:
      return true;
    case RTE_SUBQUERY:
    case RTE_CTE:
      return is_calendar(level, entry) ||
             (!entry->self_reference && given_by_entry(level, entry) == Given::kAnswers);
    default:
      return false;
  }
}

// --- parts of FROM ---

struct Split {
  LiftedParts* parts;
  Query* query;
  bool gives_up = false;
};

RangeTblEntry* entry_of(const Split& split, const Node* reference) {
  return rt_fetch(as<RangeTblRef>(reference)->rtindex, split.query->rtable);
}

// Whether all entries of a part give nothing that is hidden: answers, lists, tables that everybody
// may know.
bool is_spine(const Split& split, const Node* from) {
  if (IsA(from, RangeTblRef)) {
    const RangeTblEntry* entry = entry_of(split, from);
    return is_entry_to_lift(*split.parts->level, entry) ||
           (!entry->lateral && given_by_entry(*split.parts->level, entry) == Given::kNothing);
  }
  const auto* join = as<JoinExpr>(from);
  return join->jointype == JOIN_INNER && is_spine(split, join->larg) && is_spine(split, join->rarg);
}

void add_entries(Split& split, const Node* from) {
  if (IsA(from, RangeTblRef)) {
    const int number = as<RangeTblRef>(from)->rtindex;
    split.parts->entries = bms_add_member(split.parts->entries, number);
    auto* join = static_cast<LiftedJoin*>(palloc0(sizeof(LiftedJoin)));
    join->entry = number;
    split.parts->joins = lappend(split.parts->joins, join);
    return;
  }
  const auto* join = as<JoinExpr>(from);
  add_entries(split, join->larg);
  add_entries(split, join->rarg);
  split.parts->conditions = list_concat(split.parts->conditions, conjuncts(join->quals));
}

// Marks the entries that are lifted, before conditions are looked at: left sides of outer joins
// that are spines, and whatever inner joins, and outer ones on their right side, alone stand above.
void mark_entries(Split& split, const Node* from, bool is_kept) {
  if (IsA(from, RangeTblRef)) {
    const int number = as<RangeTblRef>(from)->rtindex;
    if (!is_entry_to_lift(*split.parts->level, entry_of(split, from))) return;
    if (!is_kept) split.gives_up = true;
    split.parts->entries = bms_add_member(split.parts->entries, number);
    return;
  }
  const auto* join = as<JoinExpr>(from);
  const bool is_left = join->jointype == JOIN_LEFT;
  const bool is_inner = join->jointype == JOIN_INNER;
  mark_entries(split, join->larg, is_kept && (is_inner || is_left));
  mark_entries(split, join->rarg,
               is_kept && (is_inner || (is_left && IsA(join->rarg, RangeTblRef))));
}

// What inner joins alone join, with the left sides of outer ones above these, and the conditions.
void add_inner(const Node* from, List** conditions, List** entries) {
  if (IsA(from, RangeTblRef)) {
    *entries = lappend_int(*entries, as<RangeTblRef>(from)->rtindex);
    return;
  }
  const auto* join = as<JoinExpr>(from);
  if (join->jointype != JOIN_INNER && join->jointype != JOIN_LEFT) return;
  *conditions = list_concat(*conditions, conjuncts(join->quals));
  add_inner(join->larg, conditions, entries);
  if (join->jointype == JOIN_INNER) add_inner(join->rarg, conditions, entries);
}

struct Joined {
  List* entries = NIL;     // of int
  List* conditions = NIL;  // of Node
};

Joined joined_by(const Query* query) {
  Joined joined;
  joined.conditions = list_copy(conjuncts(query->jointree->quals));
  for (const auto* part : list<Node>(query->jointree->fromlist)) {
    add_inner(part, &joined.conditions, &joined.entries);
  }
  return joined;
}

// A table that everybody may know, or a query over such tables, of which the others may find
// several rows each: FROM orders o JOIN dim_date d ON o.day <= d.date.
bool repeats_rows(const QueryLevel& level, const Joined& joined, int number) {
  const RangeTblEntry* entry = rt_fetch(number, level.query->rtable);
  const bool may_be_table = entry->rtekind == RTE_RELATION || entry->rtekind == RTE_SUBQUERY ||
                            (entry->rtekind == RTE_CTE && !entry->self_reference);
  if (!may_be_table || entry->lateral || given_by_entry(level, entry) != Given::kNothing) {
    return false;
  }
  List* others = NIL;  // of Node
  for (const int other : ints(joined.entries)) {
    if (other != number) others = lappend(others, reference_to(other));
  }
  return !finds_one_row(level.query, joined.conditions, reference_to(number), others);
}

void mark_repeating_tables(Split& split, const Joined& joined) {
  for (const int number : ints(joined.entries)) {
    if (repeats_rows(*split.parts->level, joined, number)) {
      split.parts->entries = bms_add_member(split.parts->entries, number);
    }
  }
}

// What conditions that name an entry name besides.
Bitmapset* joined_to(const List* conditions, int number) {
  Bitmapset* joined = nullptr;
  for (auto* condition : list<Node>(conditions)) {
    Bitmapset* named = pull_varnos_of_level(nullptr, condition, 0);
    if (bms_is_member(number, named)) joined = bms_add_members(joined, named);
  }
  return bms_del_member(joined, number);
}

// Tables that everybody may know go with what they are joined to, if no condition joins them to
// rows: left below, without their condition, they would repeat all rows.
void mark_joined_tables(Split& split, const Joined& joined) {
  LiftedParts& parts = *split.parts;
  if (parts.entries == nullptr) return;
  Bitmapset* tables = nullptr;
  for (const int number : ints(joined.entries)) {
    const RangeTblEntry* entry = rt_fetch(number, split.query->rtable);
    const bool is_table = entry->rtekind == RTE_RELATION && !parts.is_lifted(number) &&
                          given_by_entry(*parts.level, entry) == Given::kNothing;
    if (is_table) tables = bms_add_member(tables, number);
  }
  const auto each = [&](auto changes) {
    for (bool any = true; any;) {
      any = false;
      for (const int number : ints(joined.entries)) {
        any |=
            bms_is_member(number, tables) && changes(number, joined_to(joined.conditions, number));
      }
    }
  };
  each([&](int number, Bitmapset* besides) {
    if (bms_is_subset(besides, bms_union(tables, parts.entries))) return false;
    tables = bms_del_member(tables, number);
    return true;
  });
  each([&](int number, Bitmapset* besides) {
    if (!bms_overlap(besides, parts.entries)) return false;
    tables = bms_del_member(tables, number);
    parts.entries = bms_add_member(parts.entries, number);
    return true;
  });
}

void drop_join(Split& split, JoinExpr* join) {
  if (join->rtindex == 0) return;
  list_nth_cell(split.query->rtable, join->rtindex - 1)->ptr_value =
      new_entry(RTE_RESULT, "*RESULT*", NIL);
}

// Conditions that name what is lifted go up, the others to WHERE.
void split_conditions(Split& split, Node* conditions, Node** of_rows) {
  for (auto* condition : list<Node>(conjuncts(conditions))) {
    if (names_lifted(*split.parts, condition)) {
      split.parts->conditions = lappend(split.parts->conditions, condition);
    } else {
      *of_rows = make_and_qual(*of_rows, condition);
    }
  }
}

// What is left of a part; null if that is nothing.
Node* without_lifted(Split& split, Node* from) {
  check_stack_depth();
  LiftedParts& parts = *split.parts;
  if (IsA(from, RangeTblRef)) {
    const int number = as<RangeTblRef>(from)->rtindex;
    if (!parts.is_lifted(number)) return from;
    auto* lifted = static_cast<LiftedJoin*>(palloc0(sizeof(LiftedJoin)));
    lifted->entry = number;
    parts.joins = lappend(parts.joins, lifted);
    return nullptr;
  }
  auto* join = as<JoinExpr>(from);
  if (join->jointype == JOIN_INNER) {
    join->larg = without_lifted(split, join->larg);
    join->rarg = without_lifted(split, join->rarg);
    if (join->larg != nullptr && join->rarg != nullptr) {
      Node* left = nullptr;
      split_conditions(split, join->quals, &left);
      join->quals = left;
      return from;
    }
    split_conditions(split, join->quals, &split.query->jointree->quals);
    drop_join(split, join);
    return join->larg != nullptr ? join->larg : join->rarg;
  }
  if (join->jointype == JOIN_LEFT && IsA(join->rarg, RangeTblRef) &&
      parts.is_lifted(as<RangeTblRef>(join->rarg)->rtindex)) {
    join->larg = without_lifted(split, join->larg);
    auto* lifted = static_cast<LiftedJoin*>(palloc0(sizeof(LiftedJoin)));
    *lifted = {as<RangeTblRef>(join->rarg)->rtindex, true, join->quals};
    parts.joins = lappend(parts.joins, lifted);
    drop_join(split, join);
    return join->larg;
  }
  if (join->jointype == JOIN_LEFT) join->larg = without_lifted(split, join->larg);
  const bool is_known =
      join->larg != nullptr && (join->quals == nullptr || !names_lifted(parts, join->quals));
  split.gives_up |= !is_known;
  return from;
}

// The only part of FROM, if it is an outer join with a spine on its left side; rows on its right.
JoinExpr* join_with_spine(const Split& split) {
  const List* from = split.query->jointree->fromlist;
  if (list_length(from) != 1) return nullptr;
  auto* join = maybe<JoinExpr>(static_cast<Node*>(linitial(from)));
  const bool has_spine =
      join != nullptr && join->jointype == JOIN_LEFT && is_spine(split, join->larg);
  return has_spine ? join : nullptr;
}

// Rows are chosen by what the condition of the join says of them alone; WHERE comes after it.
void lift_spine(Split& split) {
  const int nulls = join_with_spine(split)->rtindex;
  if (nulls > 0) forget_nulls_of(split.query, nulls);  // which makes FROM anew
  JoinExpr* join = join_with_spine(split);
  LiftedParts& parts = *split.parts;
  FromExpr* from = split.query->jointree;
  parts.has_spine = true;
  add_entries(split, join->larg);
  parts.conditions = list_concat(parts.conditions, conjuncts(from->quals));
  from->quals = nullptr;
  for (auto* condition : list<Node>(conjuncts(join->quals))) {
    Node** place = names_lifted(parts, condition) ? &parts.spine_condition : &from->quals;
    *place = make_and_qual(*place, condition);
  }
  from->fromlist = list_make1(join->rarg);
  drop_join(split, join);
}

Node* without_subqueries(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return nullptr;
  return map_expression(node, without_subqueries, nullptr);
}

bool has_rows(const Split& split, const Node* from) {
  if (from == nullptr) return false;
  if (IsA(from, RangeTblRef)) {
    return given_by_entry(*split.parts->level, entry_of(split, from)) == Given::kRows;
  }
  const auto* join = as<JoinExpr>(from);
  return has_rows(split, join->larg) || has_rows(split, join->rarg);
}

// Whether what stays of FROM and WHERE names something that is lifted, from within subqueries too.
bool has_broken_names(const Split& split) {
  const LiftedParts& parts = *split.parts;
  auto* from = as<Node>(split.query->jointree);
  if (bms_overlap(pull_varnos_of_level(nullptr, from, 0), parts.entries)) return true;
  for (const int number : ints(entries_read(from))) {
    const RangeTblEntry* entry = rt_fetch(number, split.query->rtable);
    if (!entry->lateral) continue;
    const bool is_query = entry->rtekind == RTE_SUBQUERY;
    auto* read = is_query ? as<Node>(entry->subquery) : as<Node>(entry->functions);
    if (bms_overlap(pull_varnos_of_level(nullptr, read, is_query ? 1 : 0), parts.entries))
      return true;
  }
  return false;
}

}  // namespace

bool names_lifted(const LiftedParts& parts, Node* expression) {
  Search search{&parts, false};
  return find_named(expression, &search);
}

bool names_rows(const LiftedParts& parts, Node* expression) {
  Search search{&parts, true};
  return find_named(expression, &search);
}

bool is_volatile(Node* expression) {
  return contain_volatile_functions(without_subqueries(expression, nullptr));
}

bool joins_repeating_tables(const QueryLevel& level) {
  const Joined joined = joined_by(level.query);
  if (list_length(joined.entries) < 2) return false;
  for (const int number : ints(joined.entries)) {
    if (repeats_rows(level, joined, number)) return true;
  }
  return false;
}

bool lift_parts(const QueryLevel& level, LiftedParts* parts) {
  parts->level = &level;
  Split split{parts, level.query};
  bool any_rows = false;
  for (const auto* part : list<Node>(level.query->jointree->fromlist)) {
    any_rows |= has_rows(split, part);
  }
  if (!any_rows) return false;
  move_joins_of_spine(level.query, [&](const Node* from) { return is_spine(split, from); });
  if (join_with_spine(split) != nullptr) {
    lift_spine(split);
    return !has_broken_names(split);
  }
  FromExpr* from = level.query->jointree;
  for (const auto* part : list<Node>(from->fromlist)) mark_entries(split, part, true);
  if (split.gives_up) return false;
  const Joined joined = joined_by(level.query);
  mark_repeating_tables(split, joined);
  mark_joined_tables(split, joined);
  List* left = NIL;
  Node* conditions = from->quals;
  from->quals = nullptr;
  for (auto* part : list<Node>(from->fromlist)) {
    Node* rest = without_lifted(split, part);
    if (rest != nullptr) left = lappend(left, rest);
  }
  from->fromlist = left;
  split_conditions(split, conditions, &from->quals);
  return !split.gives_up && !has_broken_names(split);
}

}  // namespace idp
