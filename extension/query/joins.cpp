// FROM and WHERE. Inner joins are taken in whatever order lets the rules say most: they give the
// same rows in any, and each rule is true of what it is given. The sides of outer joins stay as
// they are named, and say which of them may be NULL.
#include "extension/query/walk.h"

#include <algorithm>

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/plan/gate.h"
#include "extension/plan/input.h"
#include "extension/query/equalities.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace idp {

namespace {

constexpr Problem kUnknownJoin = {
    "a join of an unknown kind",
    "Compute the private answers of the table by itself, in a subquery, and combine the answers.",
    "join the answers"};

constexpr Problem kOtherTexts = {
    "a join by a collation that takes different texts for equal",
    "Compare under a deterministic collation: a.name = b.name COLLATE \"C\".",
    "compare under another one"};

constexpr Problem kManyOrders = {
    "joins that may be computed in too many orders",
    "Use fewer LATERAL subqueries inside LATERAL subqueries.", "nest fewer LATERAL subqueries"};

bool find_relations(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Var) && as<Var>(node)->varlevelsup == 0) {
    auto** found = static_cast<Bitmapset**>(context);
    *found = bms_add_member(*found, as<Var>(node)->varno);
  }
  if (IsA(node, PlaceHolderVar)) {
    auto** found = static_cast<Bitmapset**>(context);
    *found = bms_add_members(*found, reinterpret_cast<PlaceHolderVar*>(node)->phrels);
  }
  return walk_expression(node, find_relations, context);
}

// The relations of a part of the join tree.
void add_relations(const Node* node, List** relations) {
  check_stack_depth();
  if (IsA(node, RangeTblRef)) {
    *relations = lappend_int(*relations, reinterpret_cast<const RangeTblRef*>(node)->rtindex);
  } else if (IsA(node, JoinExpr)) {
    add_relations(reinterpret_cast<const JoinExpr*>(node)->larg, relations);
    add_relations(reinterpret_cast<const JoinExpr*>(node)->rarg, relations);
  } else {
    for (const auto* item : list<Node>(reinterpret_cast<const FromExpr*>(node)->fromlist)) {
      add_relations(item, relations);
    }
  }
}

// With the members that they are put together of.
void add_members(const Level& level, int relation, List** relations) {
  check_stack_depth();
  *relations = lappend_int(*relations, relation);
  for (int i = 0; i < level.members(relation); ++i) {
    add_members(level, level.member(relation, i).relation, relations);
  }
}

List* all_relations(const Level& level, const Node* node) {
  List* named = NIL;
  add_relations(node, &named);
  List* all = NIL;
  ListCell* cell;
  foreach (cell, named) add_members(level, lfirst_int(cell), &all);
  return all;
}

Bitmapset* as_set(const List* numbers) {
  Bitmapset* set = nullptr;
  ListCell* cell;
  foreach (cell, numbers) set = bms_add_member(set, lfirst_int(cell));
  return set;
}

// What a part of the join tree is computed from: columns of relations, and parameters.
struct Needs {
  Bitmapset* relations = nullptr;
  Bitmapset* parameters = nullptr;
};

Needs needs_of(const Level& level, const List* relations) {
  Needs needs;
  ListCell* cell;
  foreach (cell, relations) {
    const int relation = lfirst_int(cell);
    needs.relations =
        bms_join(needs.relations, relations_in(as<Node>(made_of(level.entry(relation)))));
    for (int i = 0; i < level.parameters(relation); ++i) {
      needs.relations = bms_join(needs.relations, relations_in(level.parameter(relation, i).value));
    }
    const Level below = level.below(relation);
    if (below.is_known()) needs.parameters = bms_join(needs.parameters, parameters_in(below));
    add_parameters(as<Node>(made_of(level.entry(relation))), &needs.parameters);
  }
  needs.relations = bms_del_members(needs.relations, as_set(relations));
  return needs;
}

// Whether an expression is made of columns of those relations, and of nothing else that changes.
bool is_of(const Node* expression, const Bitmapset* relations) {
  Bitmapset* named = relations_in(expression);
  return !bms_is_empty(named) && bms_is_subset(named, relations);
}

struct PublicSearch {
  const Inputs* over;
  bool any;  // whether it names columns at all
};

bool find_not_public(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* search = static_cast<PublicSearch*>(context);
  if (IsA(node, PlaceHolderVar)) return true;
  if (!IsA(node, Var)) return walk_expression(node, find_not_public, context);
  search->any = true;
  const NamedColumns named = columns_of(as<Var>(node), *search->over);
  return named.count != 1 || !named.first->of_public;
}

// Whether conditions speak of nothing but columns of a fixed relation all of whose rows are kept:
// the rows of each are all let pass, or none.
bool are_of_public(const List* conditions, const Inputs& over) {
  for (auto* condition : list<Node>(conditions)) {
    PublicSearch search{&over, false};
    if (find_not_public(condition, &search) || !search.any) return false;
  }
  return true;
}

// Those that speak of some relations alone. rest: the others.
List* conditions_of(const List* conditions, const Bitmapset* relations, List** rest = nullptr) {
  List* found = NIL;
  List* others = NIL;
  for (auto* condition : list<Node>(conditions)) {
    Bitmapset* named = relations_in(condition);
    const bool is_of = !bms_is_empty(named) && bms_is_subset(named, relations);
    List*& to = is_of ? found : others;
    to = lappend(to, condition);
  }
  if (rest != nullptr) *rest = others;
  return found;
}

void collect_inner(Node* node, List** nodes, List** conditions) {
  check_stack_depth();
  if (IsA(node, FromExpr)) {
    auto* from = as<FromExpr>(node);
    for (auto* item : list<Node>(from->fromlist)) collect_inner(item, nodes, conditions);
    *conditions = list_concat(*conditions, conditions_in(from->quals));
  } else if (IsA(node, JoinExpr) && as<JoinExpr>(node)->jointype == JOIN_INNER) {
    auto* join = as<JoinExpr>(node);
    collect_inner(join->larg, nodes, conditions);
    collect_inner(join->rarg, nodes, conditions);
    *conditions = list_concat(*conditions, conditions_in(join->quals));
  } else {
    *nodes = lappend(*nodes, node);
  }
}

}  // namespace

// Without gates: rows of tables that they hide are read by those alone for whom they are open.
List* conditions_in(const Node* condition) {
  if (condition == nullptr || is_gate(condition)) return NIL;
  const List* parts = nullptr;
  if (IsA(condition, List)) {
    parts = reinterpret_cast<const List*>(condition);
  } else if (is_andclause(condition)) {
    parts = as<BoolExpr>(condition)->args;
  } else {
    return list_make1(const_cast<Node*>(condition));
  }
  List* all = NIL;
  for (const auto* part : list<Node>(parts)) all = list_concat(all, conditions_in(part));
  return all;
}

bool are_never(const List* conditions) {
  for (const auto* condition : list<Node>(conditions)) {
    const auto* constant = maybe<Const>(condition);
    if (constant != nullptr && (constant->constisnull || !DatumGetBool(constant->constvalue))) {
      return true;
    }
  }
  return false;
}

Bitmapset* relations_in(const Node* expression) {
  Bitmapset* found = nullptr;
  (void)find_relations(const_cast<Node*>(expression), &found);
  return found;
}

Bitmapset* parameters_in(const Level& level) {
  check_stack_depth();
  Bitmapset* found = nullptr;
  add_parameters(as<Node>(level.query()), &found);
  for (int i = 1; i <= level.relations(); ++i) {
    const Level below = level.below(i);
    if (below.is_known()) found = bms_join(found, parameters_in(below));
    for (int k = 0; k < level.members(i); ++k) {
      add_parameters(as<Node>(level.member(i, k).columns), &found);
    }
  }
  return found;
}

List* made_of(const RangeTblEntry* entry) {
  if (entry->rtekind == RTE_VALUES) return entry->values_lists;
  if (entry->rtekind != RTE_FUNCTION) return NIL;
  List* parts = NIL;
  for (const auto* function : list<RangeTblFunction>(entry->functions)) {
    parts = lappend(parts, function->funcexpr);
  }
  return parts;
}

// Each row once, or not at all: what is true of all that came is true of those that are left.
void LevelWalk::filter(Part* part, List* conditions) {
  Rows& rows = part->rows;
  if (rows.problem != nullptr || conditions == NIL) return;
  const Rows before = rows;
  const Inputs over = inputs(before);
  rows.problem = problem_of(as<Node>(conditions), over);
  if (rows.problem != nullptr) return;
  rows.columns =
      static_cast<ColumnFacts*>(palloc0(sizeof(ColumnFacts) * static_cast<Size>(rows.count + 1)));
  std::copy(before.columns, before.columns + before.count, rows.columns);
  rows.keeps_public = rows.keeps_public && are_of_public(conditions, over);
  apply_pins(facts_, conditions, over, &rows);
  apply_limits(facts_, conditions, over, &rows);
  set_columns_of_one_row(&rows, part->is_given);
}

Part LevelWalk::part_of_relation(int relation) {
  CHECK_FOR_INTERRUPTS();
  if (!facts_.may_look()) return {rows_with_problem(&kManyOrders), nullptr, false};
  List* relations = NIL;
  add_members(level_, relation, &relations);
  const Needs needs = needs_of(level_, relations);
  Part part{in_level(relation, rows_of_relation(relation)), bms_make_singleton(relation),
            !bms_is_empty(given_) || !bms_is_empty(needs.relations) ||
                bms_overlap(needs.parameters, facts_.all_bound())};
  part.rows.is_lateral |= part.is_given;
  set_columns_of_one_row(&part.rows, part.is_given);
  filter(&part, conditions_in(as<Node>(level_.entry(relation)->securityQuals)));
  return part;
}

Part LevelWalk::part_of(Node* node) {
  check_stack_depth();
  if (IsA(node, RangeTblRef)) return part_of_relation(as<RangeTblRef>(node)->rtindex);
  if (IsA(node, JoinExpr) && as<JoinExpr>(node)->jointype != JOIN_INNER) {
    return outer_join(as<JoinExpr>(node));
  }
  return inner_join(node);
}

// Whether all that a part is computed from is there: among those relations, or beside all of them.
bool LevelWalk::may_come_now(Node* node, const Bitmapset* relations) {
  Bitmapset* others =
      bms_difference(needs_of(level_, all_relations(level_, node)).relations, relations);
  for (int i = -1; (i = bms_next_member(others, i)) >= 0;) {
    if (i > layout_.relations || layout_.count[i] == 0) return false;
    if (beside_.columns[layout_.first[i]].id == 0) return false;
  }
  return true;
}

Part LevelWalk::inner_join(Node* node) {
  List* nodes = NIL;
  List* conditions = NIL;
  collect_inner(node, &nodes, &conditions);
  conditions = with_derived(conditions);
  List* parts = NIL;  // of Part; null for those that are computed from others
  Part whole{};
  const Part* chosen = nullptr;
  for (auto* item : list<Node>(nodes)) {
    Part* part = nullptr;
    if (may_come_now(item, nullptr)) {
      part = static_cast<Part*>(palloc(sizeof(Part)));
      *part = part_of(item);
      conditions = list_concat(conditions, part->pending);
      part->pending = NIL;
      filter(part, conditions_of(conditions, part->relations, &conditions));
      if (part->rows.problem != nullptr) return *part;
      if (chosen == nullptr || (chosen->rows.is_fixed && !part->rows.is_fixed)) chosen = part;
    }
    parts = lappend(parts, part);
  }
  if (chosen == nullptr) {
    whole.rows.problem = &kUnknownJoin;
    return whole;
  }
  whole = *chosen;
  const auto leave_out = [&](int place) {
    nodes = list_delete_nth_cell(nodes, place);
    parts = list_delete_nth_cell(parts, place);
  };
  for (int i = 0; i < list_length(parts); ++i) {
    if (list_nth(parts, i) == chosen) {
      leave_out(i);
      break;
    }
  }
  while (nodes != NIL) {
    Part best{};
    int place = -1;
    for (int i = 0; i < list_length(nodes); ++i) {
      const auto* known = static_cast<const Part*>(list_nth(parts, i));
      auto* next = static_cast<Node*>(list_nth(nodes, i));
      if (known == nullptr && !may_come_now(next, whole.relations)) continue;
      Part joined = join(whole, next, known, JOIN_INNER, conditions);
      if (place < 0 || joined.fitness > best.fitness) {
        best = joined;
        place = i;
      }
    }
    if (place < 0) {
      whole.rows.problem = &kUnknownJoin;
      return whole;
    }
    whole = best;
    if (whole.rows.problem != nullptr) return whole;
    conditions = list_concat(conditions, whole.pending);
    whole.pending = NIL;
    leave_out(place);
    filter(&whole, conditions_of(conditions, whole.relations, &conditions));
  }
  // of the rest some are of no relation, others of those beside
  List* constant = NIL;
  for (auto* condition : list<Node>(conditions)) {
    Bitmapset* named = relations_in(condition);
    if (bms_is_empty(named)) constant = lappend(constant, condition);
    if (!bms_is_subset(named, whole.relations)) whole.pending = lappend(whole.pending, condition);
  }
  filter(&whole, constant);
  return whole;
}

Part LevelWalk::outer_join(const JoinExpr* join) {
  Part left = part_of(join->larg);
  if (left.rows.problem == nullptr && left.pending != NIL) left.rows.problem = &kUnknownJoin;
  if (left.rows.problem != nullptr) return left;
  const bool keeps_left = join->jointype == JOIN_LEFT || join->jointype == JOIN_ANTI;
  if (keeps_left && are_never(conditions_in(join->quals))) return without_partners(left, join);
  return this->join(left, join->rarg, nullptr, join->jointype, conditions_in(join->quals));
}

// Each row on the left as it is, with NULL in all columns of the right side, which is not read.
Part LevelWalk::without_partners(Part left, const JoinExpr* join) {
  List* relations = NIL;
  add_relations(join->rarg, &relations);
  left.relations = bms_union(left.relations, as_set(relations));
  ListCell* cell;
  foreach (cell, relations) {
    ColumnFacts* columns = left.rows.columns + layout_.first[lfirst_int(cell)];
    for (int i = 0; i < layout_.count[lfirst_int(cell)]; ++i) {
      columns[i] = ColumnFacts{};
      columns[i].id = facts_.new_id();
    }
  }
  return left;
}

// Columns of rows on the left, from which what follows may be computed.
Rows LevelWalk::beside(const Rows& rows, const Bitmapset* relations) {
  Rows all = beside_;
  all.columns =
      static_cast<ColumnFacts*>(palloc0(sizeof(ColumnFacts) * static_cast<Size>(all.count + 1)));
  std::copy(beside_.columns, beside_.columns + beside_.count, all.columns);
  for (int i = -1; (i = bms_next_member(relations, i)) >= 0;) {
    std::copy_n(rows.columns + layout_.first[i], layout_.count[i], all.columns + layout_.first[i]);
  }
  return all;
}

// A nested loop hands over what a row on the left has, and forgets it afterwards. So of all that is
// computed on the right, what held for each value only is forgotten, too (unit_pairs.h).
Part LevelWalk::join(const Part& left, Node* node, const Part* known, JoinType type,
                     List* conditions) {
  List* relations = all_relations(level_, node);
  const Needs needs = needs_of(level_, relations);
  const bool was_given = !bms_is_empty(given_) ||
                         bms_overlap(needs.parameters, facts_.all_bound()) ||
                         !bms_is_subset(needs.relations, left.relations);
  bool is_steady = !was_given;
  if (known != nullptr) {
    return join(left, *known, type, conditions, nullptr, is_steady, was_given);
  }
  Bitmapset* of_loop = nullptr;
  const Inputs over = inputs(left.rows);
  Bitmapset* named_by_parameters = nullptr;
  ListCell* cell;
  foreach (cell, relations) {
    const int relation = lfirst_int(cell);
    for (int i = 0; i < level_.parameters(relation); ++i) {
      const Level::Parameter parameter = level_.parameter(relation, i);
      if (facts_.bound(parameter.number) != nullptr) continue;
      if (!bms_is_subset(relations_in(parameter.value), left.relations)) continue;
      const ColumnFacts facts = facts_of(facts_, parameter.value, over);
      (void)facts_.bind(parameter.number, facts);
      of_loop = bms_add_member(of_loop, parameter.number);
      is_steady &= facts.of_unit;
    }
    named_by_parameters =
        bms_join(named_by_parameters, relations_in(as<Node>(made_of(level_.entry(relation)))));
  }
  is_steady &= !bms_overlap(named_by_parameters, left.relations);
  const Rows before = beside_;
  beside_ = beside(left.rows, left.relations);
  Part right = part_of(node);
  beside_ = before;
  Part joined{};
  if (right.rows.problem != nullptr) {
    joined = right;
  } else {
    conditions = list_concat_copy(conditions, right.pending);
    if (type != JOIN_FULL) filter(&right, conditions_of(conditions, right.relations));
    joined = join(left, right, type, conditions, of_loop, is_steady, was_given);
  }
  for (int i = -1; (i = bms_next_member(of_loop, i)) >= 0;) facts_.unbind(i);
  return joined;
}

namespace {

constexpr int kFits = 1000;  // without a problem
constexpr int kBounded = 100;
constexpr int kOnMatches = 10;
constexpr int kOnce = 1;

}  // namespace

Part LevelWalk::join(const Part& left, const Part& right, JoinType type, List* conditions,
                     Bitmapset* of_loop, bool is_steady, bool is_given) {
  Part joined{};
  joined.relations = bms_union(left.relations, right.relations);
  joined.is_given = left.is_given || is_given;
  Rows& rows = joined.rows;
  Sides sides{};
  sides.left = {left.rows, false, !left.is_given};
  sides.right = {right.rows, true, is_steady};
  sides.of_loop = of_loop;
  for (Side* side : {&sides.left, &sides.right}) {
    // Either may be the inner side of a nested loop, or be read by several processes.
    if (side->rows.is_settled) continue;
    if (!side->rows.is_fixed) {
      rows.problem = &kReadAnew;
      return joined;
    }
    forget_facts(facts_, &side->rows);
    side->is_steady = false;
  }

  // what each pair agrees on
  const Inputs over_left = inputs(sides.left.rows);
  const Inputs over_right = inputs(sides.right.rows);
  const bool are_fixed = sides.left.rows.is_fixed && sides.right.rows.is_fixed;
  List* pending = NIL;
  List* on_pairs = NIL;
  for (auto* condition : list<OpExpr>(conditions)) {
    Bitmapset* named = relations_in(as<Node>(condition));
    if (!bms_is_subset(named, joined.relations)) {
      pending = lappend(pending, condition);
      continue;
    }
    on_pairs = lappend(on_pairs, condition);
    const bool is_of_sides =
        bms_is_subset(named, left.relations) || bms_is_subset(named, right.relations);
    if (!is_of_sides && !are_fixed && is_of_several_texts(condition)) {
      rows.problem = &kOtherTexts;
      return joined;
    }
    if (!IsA(condition, OpExpr) || list_length(condition->args) != 2) continue;
    const auto* first = static_cast<const Node*>(linitial(condition->args));
    const auto* second = static_cast<const Node*>(lsecond(condition->args));
    if (is_of(first, right.relations)) std::swap(first, second);
    if (!is_of(first, left.relations) || !is_of(second, right.relations)) continue;
    sides.matches =
        add_match(sides.matches, facts_of(facts_, first, over_left),
                  facts_of(facts_, second, over_right), condition->opno, condition->inputcollid);
  }
  List* others = NIL;
  for (auto* pin : list<Pin>(sides.right.rows.pins)) {
    if (bms_is_member(pin->parameter, of_loop)) {
      sides.matches = add_match(sides.matches, *facts_.bound(pin->parameter), pin->column, pin->op,
                                pin->collation);
    } else {
      others = lappend(others, pin);
    }
  }
  sides.right.rows.pins = others;
  if (of_loop != nullptr) forget_limits(&sides.right.rows);
  const int on_matches = sides.matches == NIL ? 0 : kOnMatches;
  const auto merged = [&](const Rows& of_left, const Rows& of_right) {
    Rows all;
    all.count = layout_.width();
    all.columns =
        static_cast<ColumnFacts*>(palloc0(sizeof(ColumnFacts) * static_cast<Size>(all.count + 1)));
    for (int i = -1; (i = bms_next_member(joined.relations, i)) >= 0;) {
      const Rows& from = bms_is_member(i, left.relations) ? of_left : of_right;
      std::copy_n(from.columns + layout_.first[i], layout_.count[i],
                  all.columns + layout_.first[i]);
    }
    return all;
  };
  Rows before = merged(sides.left.rows, sides.right.rows);
  before.is_fixed = sides.left.rows.is_fixed && sides.right.rows.is_fixed;

  const Pairs pairs = pairs_of(facts_, &sides, type, false);
  rows = pairs.rows;
  if (rows.problem == nullptr && type != JOIN_INNER) {
    rows.problem = problem_of(as<Node>(on_pairs), inputs(before));
    if (rows.problem == nullptr && pending != NIL) rows.problem = &kUnknownJoin;
  }
  if (rows.problem != nullptr) return joined;
  const bool is_swapped = !sides.right.is_inner;
  const Rows all = is_swapped ? merged(pairs.right, pairs.left) : merged(pairs.left, pairs.right);
  rows.columns = all.columns;
  rows.count = all.count;
  rows.is_lateral = joined.is_given;
  if (type == JOIN_SEMI) {
    for (int i = -1; (i = bms_next_member(right.relations, i)) >= 0;) {
      std::fill_n(rows.columns + layout_.first[i], layout_.count[i], ColumnFacts{});
    }
  }
  set_columns_of_one_row(&rows, joined.is_given);
  const bool is_bounded = rows.is_fixed || rows.most.is_bounded();
  joined.fitness = kFits + (is_bounded ? kBounded : 0) + on_matches +
                   (pairs.right_once || pairs.left_once ? kOnce : 0);
  return joined;
}

Rows LevelWalk::rows_of_from() {
  Part part = part_of(as<Node>(const_cast<FromExpr*>(query()->jointree)));
  if (part.rows.problem == nullptr && part.pending != NIL) part.rows.problem = &kUnknownJoin;
  return part.rows;
}

}  // namespace idp
