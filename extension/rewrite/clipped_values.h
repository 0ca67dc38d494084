// What plain counts, sums and averages add up of the rows of a unit, and how they are answered once
// that is bounded (clipped_sums.h).
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// The arguments of idp.clip, of type numeric.
struct ClippedValue {
  Node* value;   // over the columns of the level; NULL in rows that do not count
  Const* bound;  // what those of one unit add up to at most, in all groups together
};

// What stands for idp.clip of it where answers are computed.
using ClipValue = Node* (*)(const ClippedValue& value, void* context);

// The answer of a plain aggregate of a level, of its type, over values that clip() makes smaller.
// Null if it is no count, sum or average, or nobody may know between which numbers its argument
// is. most: how many rows a unit may have.
Node* answer_of_clipped(const Level& level, const Aggref* plain, int64 most, ClipValue clip,
                        void* context);

}  // namespace idp
