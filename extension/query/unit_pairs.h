// Pairs of rows of two sides, whatever puts them together. With a fixed relation each row stays its
// unit's, and is there as often as the other side has matches: once, if the joined columns are
// unique there. Two relations of units are joined only on a key that both hold, so that each pair
// is made of rows of one unit.
#pragma once

#include "extension/query/unit_rows.h"

namespace idp {

extern const Problem kJoin;
extern const Problem kReadAnew;

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

List* add_match(List* matches, const ColumnFacts& left, const ColumnFacts& right, Oid op,
                Oid collation);

// Turns the matches round, too.
void swap_sides(Sides* sides, JoinType type);

// What held of a side for each value of parameters only is no limit of all its rows together.
void forget_limits(Rows* rows);

// Rows that may be others each time: of them together nothing is known.
void forget_facts(UnitFacts& walk, Rows* rows);

struct Pairs {
  Rows rows;  // without columns
  Rows left;  // the sides as the pairs show them: their columns
  Rows right;
  bool right_once;  // whether a row of the left side has one partner at most
  bool left_once;
};

// sides: put in order by this: which of them are the left and the right one. filters: whether
// pairs are left out afterwards.
Pairs pairs_of(UnitFacts& walk, Sides* sides, JoinType type, bool filters);

}  // namespace idp
