#include "extension/query/unit_pairs.h"

#include <algorithm>

#include "extension/pg/keys.h"
#include "extension/pg/versions.h"

namespace idp {

const Problem kJoin = {
    "a join",
    "Join tables that are not protected on a unique key of theirs, tables of one unit on its key "
    "or along a link, and answers with anything, in an outer query.",
    "join on a unique key of a public table, or along a link"};

const Problem kReadAnew = {
    "rows that may be others each time that they are read",
    "Compute what hangs on the order in which public rows come, as LIMIT does, once: WITH … AS "
    "MATERIALIZED.",
    "compute LIMIT over public rows in WITH … AS MATERIALIZED"};

List* add_match(List* matches, const ColumnFacts& left, const ColumnFacts& right, Oid op,
                Oid collation) {
  auto* match = static_cast<Match*>(palloc(sizeof(Match)));
  *match = {left, right, op, collation};
  return lappend(matches, match);
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

// Rows that may be others each time: of them together nothing is known.
void forget_facts(UnitFacts& walk, Rows* rows) {
  const Rows bare = after(walk, *rows, {true, true});
  rows->columns = bare.columns;
  rows->unique = rows->pins = rows->limits = NIL;
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

namespace {

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
Rows with_nulls(UnitFacts& walk, const Rows& side, bool of_absent) {
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
Multiplicity count_of_pairs(const Sides& sides, bool right_once, bool left_once) {
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

Pairs pairs_of(UnitFacts& walk, Sides* sides_in_order, JoinType type, bool filters) {
  Sides& sides = *sides_in_order;
  Pairs pairs{};
  Rows& rows = pairs.rows;
  if (!order_sides(&sides, type)) {
    rows.problem = &kJoin;
    return pairs;
  }
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
    if (!is_known || has_absent) {
      rows.problem = &kJoin;
      return pairs;
    }
  }
  pairs.right_once = sides.type == JOIN_SEMI || sides.type == JOIN_ANTI ||
                     is_met_once(sides.right, sides.left, equals_of(sides.matches, &Match::right));
  pairs.left_once = is_met_once(sides.left, sides.right, equals_of(sides.matches, &Match::left));

  rows.is_fixed = is_fixed;
  rows.is_settled = of_left.is_settled && of_right.is_settled;
  rows.has_absent = of_left.has_absent;
  rows.keeps_public = of_left.keeps_public && sides.type == JOIN_LEFT && !filters;
  pairs.left = after(walk, of_left, {!pairs.right_once, sides.type == JOIN_FULL});
  // The kinds that need no partner put NULL in its place, that which gives those without one, too.
  pairs.right = after(walk, of_right, {!pairs.left_once, false});
  if (sides.type != JOIN_INNER && sides.type != JOIN_SEMI) {
    pairs.right = with_nulls(walk, of_right, keeps_domain);
  } else if (of_right.is_fixed && sides.right.is_steady && matches_are_of_unit(sides.matches) &&
             pairs.right_once && !is_fixed) {
    set_of_unit(&pairs.right);
  }
  if (keeps_domain) {
    for (int i = 0; i < pairs.left.count; ++i) pairs.left.columns[i].of_public = true;
    rows.has_absent = true;
    rows.keeps_public = !filters;
    rows.most = pairs.left_once ? of_right.most : Multiplicity::unbounded();
  } else if (!is_fixed) {
    rows.most = count_of_pairs(sides, pairs.right_once, pairs.left_once);
  }
  if (!rows.most.is_bounded()) {
    rows.unbounded = of_left.unbounded    ? of_left.unbounded
                     : of_right.unbounded ? of_right.unbounded
                                          : &kJoin;
  }
  rows.unique = unique_of_pairs(sides, pairs.right_once, pairs.left_once);
  rows.pins = list_concat_copy(pairs.left.pins, pairs.right.pins);
  rows.limits = list_concat_copy(pairs.left.limits, pairs.right.limits);
  if (of_right.is_fixed && pairs.right_once && !of_left.has_absent) {
    rows.slices = of_left.slices;
    rows.whole = of_left.whole;
    rows.is_by_row = of_left.is_by_row;
  }
  return pairs;
}

}  // namespace idp
