// SELECT: GROUP BY, HAVING, windows, what is computed of each row, DISTINCT, LIMIT; in this order.
#include "extension/query/walk.h"

#include <algorithm>

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/input.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/tlist.h"
}

namespace idp {

namespace {

constexpr Problem kLimit = {"LIMIT",
                            "Say with WHERE, over columns of the row itself, which rows count.",
                            "choose rows with WHERE"};
constexpr Problem kForUpdate = {"FOR UPDATE", "Leave the locking clause out.", "leave it out"};
constexpr Problem kChanging = {
    "the rows of a statement that changes the table",
    "Change the table and ask for answers in two statements, outside triggers.",
    "ask in a statement of its own"};
constexpr Problem kOfAnswers = {
    "another aggregate, or DISTINCT",
    "Apply the private aggregate to the table; dp_count_distinct counts different values.",
    "apply it to the table"};
constexpr Problem kSetReturning = {"a function that returns sets",
                                   "Apply the private aggregate to the rows of the table.",
                                   "apply it to the table"};

ColumnFacts* new_columns(int count) {
  return static_cast<ColumnFacts*>(palloc0(sizeof(ColumnFacts) * static_cast<Size>(count + 1)));
}

// What groups are made by, as columns of a relation of its own behind the others.
struct GroupedBy {
  const List* expressions;
  int relation;
};

Node* put_keys(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* keys = static_cast<const GroupedBy*>(context);
  ListCell* cell;
  foreach (cell, keys->expressions) {
    if (!equal(node, lfirst(cell))) continue;
    const auto number = static_cast<AttrNumber>(foreach_current_index(cell) + 1);
    return as<Node>(column_like(keys->relation, number, node));
  }
  if (IsA(node, Aggref) || IsA(node, GroupingFunc)) return node;  // over the rows below
  return map_expression(node, put_keys, context);
}

// Whether a group shows a column that is of any of its rows.
bool find_open(Node* node, void* context) {
  if (node == nullptr || IsA(node, Aggref) || IsA(node, GroupingFunc)) return false;
  if (IsA(node, Var)) {
    const NamedColumns named = columns_of(as<Var>(node), *static_cast<const Inputs*>(context));
    return named.first == nullptr || std::any_of(named.first, named.first + named.count,
                                                 [](const auto& facts) { return facts.is_open; });
  }
  return walk_expression(node, find_open, context);
}

bool find_aggregates(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) {
    auto** found = static_cast<List**>(context);
    *found = lappend(*found, node);
    return false;
  }
  return walk_expression(node, find_aggregates, context);
}

bool is_no_limit(const Node* limit, bool is_offset) {
  if (limit == nullptr) return true;
  if (!IsA(limit, Const)) return false;
  const auto* value = reinterpret_cast<const Const*>(limit);
  return value->constisnull || (is_offset && DatumGetInt64(value->constvalue) == 0);
}

}  // namespace

Layout layout_of(const Level& level) {
  Layout layout;
  const int relations = level.relations();
  layout.relations = relations + 1;  // and what groups are made by
  layout.first = static_cast<int*>(palloc0(sizeof(int) * static_cast<Size>(relations + 2)));
  layout.count = static_cast<int*>(palloc0(sizeof(int) * static_cast<Size>(relations + 2)));
  for (int i = 1; i <= relations; ++i) {
    const RangeTblEntry* entry = level.entry(i);
    int count = entry->eref == nullptr ? 0 : list_length(entry->eref->colnames);
    if (entry->rtekind == RTE_RELATION) count = column_count(entry->relid);
    if (entry->rtekind == RTE_JOIN) count = 0;
    const Level below = level.below(i);
    if (below.is_known()) count = Max(count, list_length(below.query()->targetList));
    layout.count[i] = count;
    layout.first[i + 1] = layout.first[i] + count;
  }
  layout.count[relations + 1] = list_length(level.query()->groupClause);
  return layout;
}

namespace {

bool find_hashed_otherwise(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, List) && !IsA(node, TargetEntry) && !IsA(node, RowExpr) &&
      !is_hashed_as_equal(exprType(node), exprCollation(node))) {
    return true;
  }
  switch (nodeTag(node)) {
    case T_List:
    case T_TargetEntry:
    case T_BoolExpr:
    case T_OpExpr:
    case T_DistinctExpr:
    case T_ScalarArrayOpExpr:
    case T_RowCompareExpr:
    case T_RowExpr:
      return walk_expression(node, find_hashed_otherwise, context);
    default:
      return false;  // what its value is computed from is not compared
  }
}

}  // namespace

const Problem kHashedOtherwise = {"a name under a collation that takes different texts for equal",
                                  "Cast it to text, or choose a deterministic collation.",
                                  "cast it to text"};

bool is_hashed_otherwise(const Node* expression) {
  return find_hashed_otherwise(const_cast<Node*>(expression), nullptr);
}

LevelWalk::LevelWalk(UnitFacts& facts, const Level& level)
    : facts_(facts), level_(level), layout_(layout_of(level)) {
  given_ = bms_intersect(parameters_in(level), facts.all_bound());
  beside_.count = layout_.width();
  beside_.columns = new_columns(beside_.count);
}

Inputs LevelWalk::inputs(const Rows& rows) const { return {&rows, &layout_}; }

const Problem* LevelWalk::problem_of(const Node* expression, const Inputs& over) {
  const Problem* problem = problem_of_shown(expression, over);
  return problem == nullptr && is_hashed_otherwise(expression) ? &kHashedOtherwise : problem;
}

const Problem* LevelWalk::problem_of_shown(const Node* expression, const Inputs& over,
                                           bool windows) {
  auto* node = const_cast<Node*>(expression);
  if (const Problem* problem = expression_problem(node, facts_.all_known(), windows)) {
    return problem;
  }
  return form_of(facts_, node, over) == Form::kShown ? &kFormShown : nullptr;
}

Keys keys_of_clauses(const List* clauses, const List* targets, const Rows& columns) {
  Keys keys;
  keys.count = list_length(clauses);
  const auto size = static_cast<Size>(keys.count + 1);
  keys.columns = static_cast<const ColumnFacts**>(palloc0(sizeof(ColumnFacts*) * size));
  auto* operators = static_cast<Oid*>(palloc0(sizeof(Oid) * size));
  auto* collations = static_cast<Oid*>(palloc0(sizeof(Oid) * size));
  ListCell* cell;
  foreach (cell, clauses) {
    const int i = foreach_current_index(cell);
    const auto* clause = static_cast<const SortGroupClause*>(lfirst(cell));
    const TargetEntry* target =
        get_sortgroupref_tle(clause->tleSortGroupRef, const_cast<List*>(targets));
    if (target->resno <= columns.count) keys.columns[i] = columns.columns + target->resno - 1;
    operators[i] = clause->eqop;
    collations[i] = exprCollation(as<Node>(target->expr));
  }
  keys.operators = operators;
  keys.collations = collations;
  return keys;
}

bool tells_forms(const Keys& keys, const List* clauses, const List* targets) {
  ListCell* cell;
  foreach (cell, clauses) {
    const int i = foreach_current_index(cell);
    if (keys.columns[i] == nullptr || !keys.columns[i]->is_of_any_form) continue;
    const auto* clause = static_cast<const SortGroupClause*>(lfirst(cell));
    const TargetEntry* target =
        get_sortgroupref_tle(clause->tleSortGroupRef, const_cast<List*>(targets));
    if (!compares_values(keys.operators[i], keys.collations[i], as<Node>(target->expr))) {
      return true;
    }
  }
  return false;
}

// Groups of rows that agree on a key are made of rows of one unit. What is grouped by are columns
// behind the others from here on, in targets and HAVING, too.
Rows LevelWalk::grouped(Rows* below, List** targets, Node** having) {
  const Inputs over = inputs(*below);
  List* aggregates = NIL;
  (void)find_aggregates(as<Node>(*targets), &aggregates);
  (void)find_aggregates(*having, &aggregates);
  const bool has_sets = query()->groupingSets != NIL;
  for (const auto* aggregate : list<Aggref>(aggregates)) {
    if (is_own_function(aggregate->aggfnoid)) return rows_with_problem(&kOfAnswers);
  }
  if (!below->is_fixed && (query()->groupClause == NIL || has_sets)) {
    return rows_with_problem(&kMixedGroups);
  }
  List* expressions = NIL;
  for (auto* clause : list<SortGroupClause>(query()->groupClause)) {
    expressions = lappend(expressions, get_sortgroupclause_expr(clause, *targets));
  }
  if (const Problem* problem = problem_of(as<Node>(expressions), over)) {
    return rows_with_problem(problem);
  }
  if (expression_returns_set(as<Node>(expressions)) && !below->is_fixed) {
    return rows_with_problem(&kSetReturning);
  }
  const int first = layout_.first[layout_.relations];
  const Rows keys_alone = projected(facts_, expressions, over);
  std::copy_n(keys_alone.columns, keys_alone.count, below->columns + first);
  Keys keys = keys_of_clauses(query()->groupClause, *targets, {});
  for (int i = 0; i < keys.count; ++i) keys.columns[i] = below->columns + first + i;

  Rows rows = groups_of(facts_, *below, keys, given_);
  if (rows.problem != nullptr) return rows;
  if (tells_forms(keys, query()->groupClause, *targets)) return rows_with_problem(&kFormShown);
  for (const auto* aggregate : list<Aggref>(aggregates)) {
    const Problem* problem = problem_of_function(aggregate, below->is_fixed);
    if (problem != nullptr) return rows_with_problem(problem);
    if (below->is_fixed) rows.is_settled &= is_settled_in_groups(facts_, aggregate, over);
  }
  Rows shown = shown_by_groups(facts_, *below, keys);
  shown = after(facts_, shown, {has_sets, has_sets});  // the groups of each set by themselves
  if (has_sets) rows.unique = NIL;
  rows.columns = shown.columns;
  rows.count = shown.count;
  rows.pins = shown.pins;
  rows.limits = shown.limits;
  GroupedBy by{expressions, layout_.relations};
  *targets = as<List>(put_keys(as<Node>(*targets), &by));
  *having = put_keys(*having, &by);
  Inputs over_groups = inputs(rows);
  over_groups.grouped = below;
  if (find_open(as<Node>(*targets), &over_groups) || find_open(*having, &over_groups)) {
    return rows_with_problem(&kAnyRow);
  }
  rows.problem = problem_of(*having, over_groups);
  set_columns_of_one_row(&rows, !bms_is_empty(given_));
  return rows;
}

// What is computed of each row. The order of rows matters to window functions alone.
Rows LevelWalk::columns_of_targets(const List* targets, const Inputs& over) {
  Rows rows;
  for (const auto* target : list<TargetEntry>(targets)) rows.count = Max(rows.count, target->resno);
  rows.columns = new_columns(rows.count);
  for (const auto* target : list<TargetEntry>(targets)) {
    rows.columns[target->resno - 1] = facts_of(facts_, as<Node>(target->expr), over);
  }
  return rows;
}

Rows LevelWalk::rows_of_select() {
  Rows below = rows_of_from();
  if (below.problem != nullptr) return below;
  List* targets = query()->targetList;
  Node* having = query()->havingQual;
  Rows rows = below;
  Inputs over = inputs(rows);
  if (query()->groupClause != NIL || query()->groupingSets != NIL || query()->hasAggs ||
      having != nullptr) {
    rows = grouped(&below, &targets, &having);
    over.grouped = &below;
  }
  if (rows.problem != nullptr) return rows;
  const Rows base = rows;
  over.rows = &base;
  const Rows columns = columns_of_targets(targets, over);
  List* ranks = NIL;
  if (query()->hasWindowFuncs) rows.problem = add_windows(&rows, targets, columns, &over, &ranks);
  if (rows.problem != nullptr) return rows;
  rows.problem = problem_of_shown(as<Node>(targets), over, query()->hasWindowFuncs);
  if (rows.problem != nullptr) return rows;
  // The planner has sets returned after DISTINCT ON, whose rows they repeat.
  if (query()->hasTargetSRFs && (!rows.is_fixed || query()->hasDistinctOn)) {
    return rows_with_problem(&kSetReturning);
  }

  rows.columns = columns.columns;
  rows.count = columns.count;
  ListCell* cell;
  foreach (cell, query()->hasWindowFuncs ? targets : NIL) {
    const auto* target = static_cast<const TargetEntry*>(lfirst(cell));
    if (!contain_window_function(as<Node>(target->expr))) continue;
    ColumnFacts& facts = rows.columns[target->resno - 1];
    facts = facts_of(facts_, as<Node>(target->expr), over);
    const auto* rank =
        static_cast<const ColumnFacts*>(list_nth(ranks, foreach_current_index(cell)));
    if (rank == nullptr) continue;
    facts.rank = rank->rank;
    facts.ranked = rank->ranked;
    facts.mass = rank->mass;
  }
  if (query()->hasTargetSRFs) {
    const Rows repeated = after(facts_, rows, {true, false});
    rows.columns = repeated.columns;
    rows.unique = repeated.unique;
    rows.slices = NIL;
  }
  set_columns_of_one_row(&rows, !bms_is_empty(given_));
  return rows;
}

// Of rows that agree the first, which is settled if the order is; where all columns agree,
// whichever.
Rows LevelWalk::distinct(const Rows& below, const List* targets) {
  const List* clauses = query()->distinctClause;
  const Keys keys = keys_of_clauses(clauses, targets, below);
  Rows rows = groups_of(facts_, below, keys, given_);
  if (rows.problem != nullptr) return rows;
  const Keys order = keys_of_clauses(query()->sortClause, targets, below);
  for (const auto* clause : list<SortGroupClause>(clauses)) {
    if (is_hashed_otherwise(get_sortgroupclause_expr(const_cast<SortGroupClause*>(clause),
                                                     const_cast<List*>(targets)))) {
      return rows_with_problem(&kHashedOtherwise);
    }
  }
  if (tells_forms(keys, clauses, targets) || tells_forms(order, query()->sortClause, targets)) {
    return rows_with_problem(&kFormShown);
  }
  List* equals = list_concat(equalities_by(keys), equalities_by(order));
  const bool is_settled = query()->hasDistinctOn && covers_unique(below, equals, false);
  if (query()->hasDistinctOn) {
    if (!below.is_fixed && !is_settled) return rows_with_problem(&kFirstOfPeers);
    rows.is_settled = is_settled && below.is_settled;
  }
  const Rows shown = is_settled ? below : shown_by_groups(facts_, below, keys);
  rows.unique = list_concat_copy(rows.unique, below.unique);
  rows.pins = below.pins;
  rows.limits = below.limits;
  rows.columns = shown.columns;
  rows.count = shown.count;
  set_columns_of_one_row(&rows, !bms_is_empty(given_));
  return rows;
}

// Some of the rows, the first to come.
Rows LevelWalk::limited(Rows rows) {
  if (is_no_limit(query()->limitCount, false) && is_no_limit(query()->limitOffset, true)) {
    return rows;
  }
  if (!rows.is_fixed) return rows_with_problem(&kLimit);
  const Inputs over = inputs(rows);
  for (const Node* limit : {query()->limitCount, query()->limitOffset}) {
    if (rows.problem == nullptr) rows.problem = problem_of(limit, over);
  }
  rows.is_settled = false;
  return rows;
}

Rows LevelWalk::rows() {
  check_stack_depth();
  if (query()->commandType != CMD_SELECT) return rows_with_problem(&kChanging);
  if (query()->rowMarks != NIL) return rows_with_problem(&kForUpdate);
  Rows rows =
      query()->setOperations != nullptr ? rows_of_sets(query()->setOperations) : rows_of_select();
  if (rows.problem == nullptr && query()->distinctClause != NIL) {
    rows = distinct(rows, query()->targetList);
  }
  if (rows.problem == nullptr) rows = limited(rows);
  rows.is_lateral |= !bms_is_empty(given_);
  return rows;
}

}  // namespace idp
