// Joins. With a fixed relation each row stays its unit's, and is there as often as the other side
// has matches: once, if the joined columns are unique there. Two relations of units are joined only
// on a key that both hold, so that each pair is made of rows of one unit.
#include "extension/plan/unit_rows.h"

#include "extension/pg/keys.h"
#include "extension/pg/versions.h"
#include "extension/plan/input.h"
#include "extension/plan/node_rules.h"

namespace idp {

namespace {

constexpr Problem kJoin = {
    "a join",
    "Join tables that are not protected on a unique key of theirs, tables of one unit on its key "
    "or along a link, and answers with anything, in an outer query.",
    "join on a unique key of a public table, or along a link"};

constexpr Problem kReadAnew = {
    "rows that may be others each time that they are read",
    "Compute what hangs on the order in which public rows come, as LIMIT does, once: WITH … AS "
    "MATERIALIZED.",
    "compute LIMIT over public rows in WITH … AS MATERIALIZED"};

struct Match {
  ColumnFacts left;
  ColumnFacts right;
  Oid op;
  Oid collation;
};

// One input of a join.
struct Side {
  Rows rows;
  bool is_inner;
  // Whether it is the same for all rows of a unit on the other side: it depends on no parameter but
  // on those of this join that are the same in all of them.
  bool is_steady;
};

struct Sides {
  Side left;  // the one that an outer join keeps, or a semi-join gives
  Side right;
  List* matches;       // of Match
  Bitmapset* of_loop;  // the parameters that the join sets for its inner side
  JoinType type;       // JOIN_INNER, JOIN_LEFT, JOIN_SEMI, JOIN_ANTI or JOIN_FULL
};

bool is_inner_column(const Node* expression) {
  while (IsA(expression, RelabelType)) {
    expression =
        reinterpret_cast<const Node*>(reinterpret_cast<const RelabelType*>(expression)->arg);
  }
  return IsA(expression, Var) && reinterpret_cast<const Var*>(expression)->varno == INNER_VAR;
}

bool is_outer_column(const Node* expression) {
  while (IsA(expression, RelabelType)) {
    expression =
        reinterpret_cast<const Node*>(reinterpret_cast<const RelabelType*>(expression)->arg);
  }
  return IsA(expression, Var) && reinterpret_cast<const Var*>(expression)->varno != INNER_VAR;
}

List* add_match(List* matches, const ColumnFacts& outer, const ColumnFacts& inner, Oid op,
                Oid collation) {
  auto* match = static_cast<Match*>(palloc(sizeof(Match)));
  *match = {outer, inner, op, collation};
  return lappend(matches, match);
}

// Outer columns that equal inner ones in each pair: of clauses, not of what filters pairs later.
List* matches_in(UnitWalk& walk, const List* clauses, const NodeInputs& inputs, List* matches) {
  ListCell* cell;
  foreach (cell, clauses) {
    const auto* clause = static_cast<const OpExpr*>(lfirst(cell));
    if (!IsA(clause, OpExpr) || list_length(clause->args) != 2) continue;
    const auto* first = static_cast<const Node*>(linitial(clause->args));
    const auto* second = static_cast<const Node*>(lsecond(clause->args));
    if (is_inner_column(first)) std::swap(first, second);
    if (!is_outer_column(first) || !is_inner_column(second)) continue;
    matches = add_match(matches, facts_of(walk, first, inputs), facts_of(walk, second, inputs),
                        clause->opno, clause->inputcollid);
  }
  return matches;
}

const List* clauses_of(const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_HashJoin:
      return reinterpret_cast<const HashJoin*>(plan)->hashclauses;
    case T_MergeJoin:
      return reinterpret_cast<const MergeJoin*>(plan)->mergeclauses;
    default:
      return NIL;
  }
}

const List* parameters_of(const Plan* plan) {
  return IsA(plan, NestLoop) ? reinterpret_cast<const NestLoop*>(plan)->nestParams : NIL;
}

// A side that the join executes anew for each value of parameters it sets. What held for each of
// them only is no limit of all its rows together.
void forget_limits(Rows* rows) {
  rows->limits = NIL;
  for (int i = 0; i < rows->count; ++i) {
    rows->columns[i].rank = Rank::kNone;
    rows->columns[i].ranked = NIL;
    rows->columns[i].mass = nullptr;
  }
}

// Whether the inner child is read once: not by a nested loop, for each outer row, unless what it
// gave is kept, nor by processes that work in parallel, each for itself. They read no CTE.
bool is_read_once(const UnitWalk& walk, const PlanState* node) {
  const Plan* inner = innerPlanState(node)->plan;
  const bool is_the_same = bms_is_empty(walk.given_to(inner));
  if (IsA(inner, CteScan) && is_the_same) return true;
  if (node->state->es_plannedstmt->parallelModeNeeded) return false;
  return !IsA(node, NestLoopState) || (IsA(inner, Material) && is_the_same);
}

// Rows that may be others each time: of them together nothing is known.
void forget_facts(UnitWalk& walk, Rows* rows) {
  const Rows bare = after(walk, *rows, {true, true});
  rows->columns = bare.columns;
  rows->unique = rows->pins = rows->limits = NIL;
}

// The inner child, with the parameters that a nested loop sets for it. Its columns that are equal
// to one match the outer column that the parameter is.
Side inner_side(UnitWalk& walk, PlanState* node, Sides* sides) {
  const NodeInputs outer{&sides->left.rows, nullptr};
  const Plan* inner = innerPlanState(node)->plan;
  Side side{{}, true, bms_is_empty(walk.given_to(inner))};
  ListCell* cell;
  foreach (cell, parameters_of(node->plan)) {
    const auto* parameter = static_cast<const NestLoopParam*>(lfirst(cell));
    const ColumnFacts facts =
        facts_of(walk, reinterpret_cast<const Node*>(parameter->paramval), outer);
    if (!walk.bind(parameter->paramno, facts)) {
      side.rows = rows_with_problem(&kJoin);
      return side;
    }
    sides->of_loop = bms_add_member(sides->of_loop, parameter->paramno);
    side.is_steady &= facts.of_unit || !bms_is_member(parameter->paramno, inner->extParam);
  }
  side.rows = walk.rows_of(innerPlanState(node));
  if (side.rows.problem == nullptr && !side.rows.is_settled && !is_read_once(walk, node)) {
    if (side.rows.is_fixed) {
      forget_facts(walk, &side.rows);
      side.is_steady = false;
    } else {
      side.rows = rows_with_problem(&kReadAnew);
    }
  }
  List* others = NIL;
  foreach (cell, side.rows.pins) {
    auto* pin = static_cast<Pin*>(lfirst(cell));
    if (bms_is_member(pin->parameter, sides->of_loop)) {
      sides->matches = add_match(sides->matches, *walk.bound(pin->parameter), pin->column, pin->op,
                                 pin->collation);
    } else {
      others = lappend(others, pin);
    }
  }
  side.rows.pins = others;
  if (bms_overlap(inner->extParam, sides->of_loop)) forget_limits(&side.rows);
  for (int i = -1; (i = bms_next_member(sides->of_loop, i)) >= 0;) walk.unbind(i);
  return side;
}

Sides sides_of(UnitWalk& walk, PlanState* node) {
  const auto* plan = reinterpret_cast<const Join*>(node->plan);
  Sides sides{};
  sides.left = {walk.rows_of(outerPlanState(node)), false,
                bms_is_empty(walk.given_to(outerPlan(plan)))};
  if (sides.left.rows.problem != nullptr) return sides;
  sides.right = inner_side(walk, node, &sides);
  if (sides.right.rows.problem != nullptr) return sides;
  const NodeInputs inputs{&sides.left.rows, &sides.right.rows};
  sides.matches = matches_in(walk, clauses_of(node->plan), inputs, sides.matches);
  sides.matches = matches_in(walk, plan->joinqual, inputs, sides.matches);
  return sides;
}

void swap_sides(Sides* sides, JoinType type) {
  std::swap(sides->left, sides->right);
  ListCell* cell;
  foreach (cell, sides->matches) {
    auto* match = static_cast<Match*>(lfirst(cell));
    std::swap(match->left, match->right);
  }
  sides->type = type;
}

// False for a kind that is not known.
bool order_sides(Sides* sides, JoinType type) {
  sides->type = type;
  if (const JoinType left = as_left_join(type); left != type) {
    swap_sides(sides, left);
    return true;
  }
  switch (type) {
    case JOIN_INNER:
      // the fixed side, if there is one, on the right
      if (sides->left.rows.is_fixed && !sides->right.rows.is_fixed) swap_sides(sides, JOIN_INNER);
      return true;
    case JOIN_LEFT:
    case JOIN_SEMI:
    case JOIN_ANTI:
    case JOIN_FULL:
      return true;
    default:
      return false;
  }
}

List* equals_of(const List* matches, ColumnFacts Match::*side) {
  List* equals = NIL;
  ListCell* cell;
  foreach (cell, matches) {
    const auto* match = static_cast<const Match*>(lfirst(cell));
    auto* equal = static_cast<Equal*>(palloc(sizeof(Equal)));
    *equal = {(match->*side).id, match->op, match->collation};
    equals = lappend(equals, equal);
  }
  return equals;
}

bool is_of_one_unit(const UnitKey* left, const UnitKey* right, Oid op, Oid collation) {
  return left != nullptr && left == right && is_equality_of(left->family, op, collation);
}

// Whether each pair is made of rows of one unit: both hold the same key, compared with each other
// or with the same parameter.
bool pairs_are_of_one_unit(const Sides& sides) {
  ListCell* cell;
  foreach (cell, sides.matches) {
    const auto* match = static_cast<const Match*>(lfirst(cell));
    if (is_of_one_unit(match->left.key, match->right.key, match->op, match->collation)) return true;
  }
  ListCell* inner;
  foreach (cell, sides.left.rows.pins) {
    const auto* left = static_cast<const Pin*>(lfirst(cell));
    foreach (inner, sides.right.rows.pins) {
      const auto* right = static_cast<const Pin*>(lfirst(inner));
      if (left->parameter == right->parameter &&
          is_of_one_unit(left->column.key, right->column.key, left->op, left->collation) &&
          is_of_one_unit(left->column.key, right->column.key, right->op, right->collation)) {
        return true;
      }
    }
  }
  return false;
}

bool matches_are_of_unit(const List* matches) {
  ListCell* cell;
  foreach (cell, matches) {
    const auto* match = static_cast<const Match*>(lfirst(cell));
    if (!agrees_within_unit(match->left, match->op, match->collation)) return false;
  }
  return true;
}

// A side in rows that may have none of it: those of a table are NULL together.
Rows with_nulls(UnitWalk& walk, const Rows& side, bool of_absent) {
  Rows rows = after(walk, side, {true, true});
  for (int i = 0; i < side.count; ++i) {
    rows.columns[i].scan = side.columns[i].scan;
    rows.columns[i].attribute = side.columns[i].attribute;
    rows.columns[i].of_absent = of_absent;
  }
  return rows;
}

void set_of_unit(Rows* rows) {
  for (int i = 0; i < rows->count; ++i) rows->columns[i].of_unit = true;
}

// Pairs that agree on what tells both sides' rows apart. If the outer rows are the same, so are the
// parameters that the inner ones were given.
UniqueSet* united(const UniqueSet& a, const UniqueSet& b, const Bitmapset* of_loop) {
  auto* set = static_cast<UniqueSet*>(palloc0(sizeof(UniqueSet)));
  set->columns = list_concat_copy(a.columns, b.columns);
  set->without_nulls = a.without_nulls && b.without_nulls;
  set->given = bms_difference(bms_union(a.given, b.given), of_loop);
  return set;
}

// Of the sets of a side whose rows are in one pair each, those that hold for all values of the
// parameters that the join sets.
List* unique_of_side(const Side& side, const Bitmapset* of_loop) {
  List* unique = NIL;
  ListCell* cell;
  foreach (cell, side.rows.unique) {
    auto* set = static_cast<UniqueSet*>(lfirst(cell));
    if (!bms_overlap(set->given, of_loop)) unique = lappend(unique, set);
  }
  return unique;
}

constexpr int kMostSets = 16;

List* unique_of_pairs(const Sides& sides, bool right_once, bool left_once) {
  if (sides.type == JOIN_FULL) return NIL;  // either side is NULL in several rows
  List* unique = right_once ? unique_of_side(sides.left, sides.of_loop) : NIL;
  ListCell* cell;
  ListCell* inner;
  if (sides.type != JOIN_INNER) return unique;
  if (left_once) unique = list_concat(unique, unique_of_side(sides.right, sides.of_loop));
  foreach (cell, sides.left.rows.unique) {
    foreach (inner, sides.right.rows.unique) {
      if (list_length(unique) >= kMostSets) return unique;
      unique =
          lappend(unique, united(*static_cast<const UniqueSet*>(lfirst(cell)),
                                 *static_cast<const UniqueSet*>(lfirst(inner)), sides.of_loop));
    }
  }
  return unique;
}

// Whether each row of the other side has one partner at most on this one. A side that is another
// one for each row of the outer side, and bounded for each alone, says nothing of all.
bool is_met_once(const Side& side, const Side& other, const List* equals) {
  return covers_unique(side.rows, equals, true) && (side.is_inner || !other.rows.is_lateral);
}

// How many pairs a unit has, if a row of each side has one partner at most, or any number.
Multiplicity pairs_of(const Sides& sides, bool right_once, bool left_once) {
  const Rows& left = sides.left.rows;
  const Rows& right = sides.right.rows;
  if (sides.type == JOIN_SEMI || sides.type == JOIN_ANTI) return left.most;
  Multiplicity most = Multiplicity::unbounded();
  if (right_once) most = left.most;
  if (left_once && sides.type == JOIN_INNER && !right.is_fixed) most = std::min(most, right.most);
  if (right.is_fixed) return most;
  const Multiplicity partners =
      sides.type == JOIN_LEFT ? std::max(right.most, Multiplicity::of(1)) : right.most;
  return std::min(most, left.most * partners);
}

}  // namespace

Rows rows_of_join(UnitWalk& walk, PlanState* node) {
  const auto* plan = reinterpret_cast<const Join*>(node->plan);
  Sides sides = sides_of(walk, node);
  if (sides.left.rows.problem != nullptr) return sides.left.rows;
  if (sides.right.rows.problem != nullptr) return sides.right.rows;
  if (!order_sides(&sides, plan->jointype)) return rows_with_problem(&kJoin);
  const Rows& of_left = sides.left.rows;
  const Rows& of_right = sides.right.rows;
  const bool is_fixed = of_left.is_fixed && of_right.is_fixed;
  const bool keeps_domain = sides.type == JOIN_LEFT && of_left.is_fixed && !of_right.is_fixed;
  if (!is_fixed) {
    const bool is_known = of_right.is_fixed ? sides.type != JOIN_FULL
                          : of_left.is_fixed
                              ? keeps_domain
                              : sides.type != JOIN_FULL && pairs_are_of_one_unit(sides);
    const bool has_absent = of_right.has_absent || (of_left.has_absent && !of_right.is_fixed);
    if (!is_known || has_absent) return rows_with_problem(&kJoin);
  }

  const bool right_once =
      sides.type == JOIN_SEMI || sides.type == JOIN_ANTI ||
      is_met_once(sides.right, sides.left, equals_of(sides.matches, &Match::right));
  const bool left_once =
      is_met_once(sides.left, sides.right, equals_of(sides.matches, &Match::left));

  // The executor looks no further than the first partner where the planner expects one. If there
  // may be several, the order of rows, those of other units among them, decides which.
  const Side& inner = sides.right.is_inner ? sides.right : sides.left;
  const bool is_proved = sides.right.is_inner ? right_once : left_once;
  if (plan->inner_unique && !inner.rows.is_fixed && !is_proved) return rows_with_problem(&kJoin);

  Rows rows;
  rows.is_fixed = is_fixed;
  rows.is_settled = of_left.is_settled && of_right.is_settled;
  rows.has_absent = of_left.has_absent;
  rows.keeps_public = of_left.keeps_public && sides.type == JOIN_LEFT && plan->plan.qual == NIL;
  Rows left = after(walk, of_left, {!right_once, sides.type == JOIN_FULL});
  // The kinds that need no partner put NULL in its place, that which gives those without one, too.
  Rows right = after(walk, of_right, {!left_once, false});
  if (sides.type != JOIN_INNER && sides.type != JOIN_SEMI) {
    right = with_nulls(walk, of_right, keeps_domain);
  } else if (of_right.is_fixed && sides.right.is_steady && matches_are_of_unit(sides.matches) &&
             right_once && !is_fixed) {
    set_of_unit(&right);
  }
  if (keeps_domain) {
    for (int i = 0; i < left.count; ++i) left.columns[i].of_public = true;
    rows.has_absent = true;
    rows.keeps_public = plan->plan.qual == NIL;
    rows.most = left_once ? of_right.most : Multiplicity::unbounded();
  } else if (!is_fixed) {
    rows.most = pairs_of(sides, right_once, left_once);
  }
  if (!rows.most.is_bounded()) {
    rows.unbounded = of_left.unbounded    ? of_left.unbounded
                     : of_right.unbounded ? of_right.unbounded
                                          : &kJoin;
  }
  rows.unique = unique_of_pairs(sides, right_once, left_once);
  rows.pins = list_concat_copy(left.pins, right.pins);
  rows.limits = list_concat_copy(left.limits, right.limits);
  rows.is_lateral = !bms_is_empty(walk.given_to(node->plan));
  if (of_right.is_fixed && right_once && !of_left.has_absent) {
    rows.slices = of_left.slices;
    rows.whole = of_left.whole;
    rows.is_by_row = of_left.is_by_row;
  }
  const NodeInputs inputs =
      sides.right.is_inner ? NodeInputs{&left, &right} : NodeInputs{&right, &left};
  give_columns(walk, node, inputs, &rows);
  apply_limits(walk, plan->plan.qual, inputs, &rows);
  return rows;
}

}  // namespace idp
