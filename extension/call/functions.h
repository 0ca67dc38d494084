// Which C functions of the library do what for an aggregate. extension/aggregate/ has them, and
// says so here to whoever meets one in a plan.
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/spec.h"

namespace idp {

// The statistic a transition function collects for; kNone for all functions that are none of ours.
Statistic statistic_of(PGFunction transition_function);

// The statistic whose answers a transition function refuses to release under a name, as they cannot
// be refined; kNone for all others.
Statistic refused_statistic_of(PGFunction transition_function);

// Whether a function is the combine function, or one of the final functions.
bool is_combine_function(PGFunction function);
bool is_final_function(PGFunction function);

// Whether a window function is idp.clip; and how many digits after the point the values have that
// it gives for a bound, which is finite.
bool is_clip_function(PGFunction function);
int scale_of_clip(Datum bound);

}  // namespace idp
