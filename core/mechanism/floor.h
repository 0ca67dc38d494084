// A floor under the local sensitivities of individually private answers.
//
// Local sensitivities can be 0, and an answer is then exact. The owner of a table can ask for noise
// of at least that of a sensitivity `floor`, in the units of the answer: those of the column, days
// for dates, seconds for timestamps. Every sensitivity below it becomes floor, rounded up to the
// grid. Noise for a larger sensitivity than needed keeps every promise (core/mechanism/frozen.h:
// the rate only falls). An infinite answer, which no noise can hide, is suppressed. Counts have
// sensitivity 1 whatever the data, and epsilon-DP answers do not depend on it: they stay.
#pragma once

#include "core/no_postgres.h"

#include "core/accumulator/spec.h"
#include "core/mechanism/frozen.h"

namespace idp {

// floor is finite, and 0 if there is none.
void raise_to_floor(const Spec& spec, double floor, Frozen& frozen);

}  // namespace idp
