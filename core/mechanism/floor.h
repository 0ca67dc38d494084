// A floor under the local sensitivities of individually private answers.
//
// Local sensitivities can be 0, and an answer is then exact. The owner of a table can ask for noise
// of at least that of a sensitivity `floor`. Every sensitivity below it becomes floor, rounded up
// to the grid. Noise for a larger sensitivity than needed keeps every promise
// (core/mechanism/frozen.h: the rate only falls). An infinite answer, which no noise can hide, is
// suppressed.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/mechanism/frozen.h"

namespace idp {

// floor > 0, in units of the grid of the values.
void raise_to_floor(const mpq_class& floor, Frozen& frozen);

}  // namespace idp
