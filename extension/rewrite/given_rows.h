// What a level gives the one that reads it: hidden rows, what is computed of those of one unit, or
// answers alone.
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// Whether a group of the level is of one unit. DISTINCT groups too.
bool groups_by_unit(const QueryLevel& level);

// In this order: what reads several things gives the last of them.
enum class Given {
  kNothing,  // that is hidden
  kAnswers,  // of private aggregates, once plain ones have become these; keys that all may know
  kRows,
};
Given given_by(const QueryLevel& level);
// The same of an entry of the level.
Given given_by_entry(const QueryLevel& level, const RangeTblEntry* entry);
// Whether the FROM of a level gives it rows.
bool reads_rows(const QueryLevel& level);

}  // namespace idp
