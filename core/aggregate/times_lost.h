// How often an answer loses its epsilon about one record.
//
// An answer that is drawn for neighbours where a record is substituted loses epsilon once about any
// record that changes within its data. A record that leaves one group of a GROUP BY and enters
// another is removed from the data of one answer and added to those of another:
//
//   histogram      one count of each group moves by one, 2 in L1 over all groups together, as
//   within
//                  one: once in all (core/mechanism/count.h)
//   mode of a      half of epsilon in each group: once in all (core/mechanism/mode.h)
//   domain
//   sum            |x| of one and |y| of the other, for noise of max(W, |L|, |U|): once in all if
//                  twice max(|L|, |U|) is no more than that, so if L = -U
//   all others     once in each group, so twice: a count moves by its whole sensitivity, an average
//                  and a variance lose epsilon about a value at a bound, order statistics and local
//                  sensitivities promise no less about one record than about two
//
// Where records are added or removed alone, each of them is in one group: once. An answer drawn for
// such neighbours only (core/sensitivity/neighbours.h) loses up to twice about a record that is
// substituted: that is one removed and one added. So a release does whose table declares other
// neighbours after it has begun.
//
// tests/unit/times_lost_test.cpp holds this against all neighbours of small groups.
#pragma once

#include "core/no_postgres.h"

#include "core/aggregate/spec.h"
#include "core/mechanism/frozen.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

// drawn: what the noise is for; neighbours: what is to be told of. grouped: whether the record can
// leave the data of one answer and enter those of another. 1 or 2.
int times_lost(const Spec& spec, Neighbours drawn, Neighbours neighbours, bool grouped);

// What the noise of a release is for, as its sensitivities tell; kSubstitute where all are served
// by the same.
Neighbours drawn_for(const Spec& spec, const Frozen& frozen);

}  // namespace idp
