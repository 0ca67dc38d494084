// What plain counts, sums and averages add up of the rows of a unit, and how they are answered once
// that is bounded (clipped_sums.h).
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// The arguments of idp.clip, of type numeric.
struct ClippedValue {
  // Over the columns of the level; NULL in rows that do not count. Or over plain aggregates, of the
  // rows of one unit in a group: where units are counted, 1 or 0; where rows are that a column
  // tells, how many there are; where values of units are added up, the greatest, as all are the
  // same.
  Node* value;
  Const* bound;   // what those of one unit add up to at most, in all groups together
  bool is_found;  // whether the sum of a unit is left as it is, and bounds of these sums are found
  bool is_of_units = false;  // whether units are counted, or values of theirs added up
};

struct Clipping {
  int64 most;  // how many rows a unit may have
  // In how many groups, where its rows in each are added up before they are clipped; 0: they are
  // not, and nor are units counted.
  int64 most_groups;
  // Whether bounds may be found: where a unit has one sum altogether. Those that were declared are
  // as many times the greatest value as it may have rows, which few have.
  bool finds;
  // What stands for idp.clip of a value, or for the sum, where answers are computed.
  Node* (*clip)(const ClippedValue& value, void* context);
  void* context;
};

// How far off a number of rows may be, of which a unit may have so many: 95 of 100 times noise is
// within this. A number that is not greater may be of no rows.
double margin_of_rows(int64 most);

// The answer of a plain aggregate of a level, of its type. Null if it is no count, sum or average,
// or nobody may know between which numbers its argument is.
Node* answer_of_clipped(const QueryLevel& level, const Aggref* plain, const Clipping& clipping);

// The same of values of units, each of which is added up once, whatever joins repeat it.
Node* sum_of_clipped_units(const QueryLevel& level, const struct SumByKey& sum,
                           const Clipping& clipping);

}  // namespace idp
