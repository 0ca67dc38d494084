// What answers that were paid for under one rule mean under another.
//
// That s was spent says: between two data sets that are neighbours under the rule of then, the
// answers change the odds by e^s at most. Where two that are neighbours under the rule of now are k
// such steps apart, the odds change by e^(k s) at most, step by step. That holds for dp_ answers,
// which are calibrated on no data set. One of idp_ answers says nothing of a second step: the same
// factor is shown for each call, of which no answer is two records away.
//
// The table of all changes is in docs/privacy.md, "Rules that change", and extension/budget/past.h
// does what it says.
#pragma once

#include "core/no_postgres.h"

#include "core/accounting/unit.h"

namespace idp {

// Whoever is substituted is removed, and then added: two steps. So a count in groups, of which two
// change, and a sum whose noise is that of one value more or less. An idp_ answer sees a record
// more, a record less, or one in place of another: one record away, at epsilon; of the answers of a
// GROUP BY two do. The other way a charge is at least what it is under add_remove, as noise is that
// of all three kinds of neighbours: an added record is one in place of another that no condition
// passes.
constexpr int factor_between(Neighbours before, Neighbours now) {
  return before == Neighbours::kAddRemove && now == Neighbours::kSubstitute ? 2 : 1;
}

// Answers that were about units, each of any number of rows, and are about each row now. A row more
// or less makes another of the unit that it belongs to: one step where units are substituted, two
// (removed, added) where they come or go. A row in place of another one makes others of two units,
// because it may belong to another one. So it does where rows come or go and factor_between()
// follows: of the four numbers the last two are the first two times that.
constexpr int factor_of_rows(Neighbours of_units, Neighbours of_rows) {
  return factor_between(of_units, Neighbours::kSubstitute) *
         factor_between(Neighbours::kAddRemove, of_rows);
}
static_assert(factor_of_rows(Neighbours::kSubstitute, Neighbours::kAddRemove) == 1);
static_assert(factor_of_rows(Neighbours::kSubstitute, Neighbours::kSubstitute) == 2);
static_assert(factor_of_rows(Neighbours::kAddRemove, Neighbours::kAddRemove) == 2);
static_assert(factor_of_rows(Neighbours::kAddRemove, Neighbours::kSubstitute) == 4);

}  // namespace idp
