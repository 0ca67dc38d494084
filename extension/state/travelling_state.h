// The flat form of a large state on its way from a parallel worker to its leader: splitters and
// counts, while the values stay in a file both can read (extension/state/storage.h). It never
// leaves the parallel query: no other flat form refers to anything.
//
//   FlatState    version kTravellingVersion, count of values
//   words        epsilons if there are several
//   file         TravellingFile
//   runs         how many; then for each: loose, at, how many splitters; the splitters
#pragma once

#include "extension/pg/pg.h"

#include "extension/state/state.h"

namespace idp {

// Fewer values travel as they are.
inline constexpr std::int64_t kLeastTravelling = 8192;

// Whether a state's flat form is to be this one. Puts its values into the file if so.
bool prepare_to_travel(ExpandedState* state);

// For a state that is prepared. The server may report an error.
Size travelling_bytes(const ExpandedState* state);
void write_travelling(const ExpandedState* state, FlatState* to, Size bytes);

// Adds the values of such a form.
void add_travelling(ExpandedState* into, const FlatState* from);

}  // namespace idp
