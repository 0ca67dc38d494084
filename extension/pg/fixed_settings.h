// Settings that a session may change at any time, and that must not matter while rows of a
// protected table are read.
//
// gin_fuzzy_search_limit leaves out rows of a GIN index depending on how many others there are:
// no sensitivity holds. trace_sort tells how much was sorted, and where a scan of many begins, with
// synchronize_seqscans, how far the last one came. temp_file_limit is not the session's,
// but whether a query keeps to it tells how many rows there are, by an error.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Runs work() without them. It may report errors. is_silent: and nothing else. Where rows are
// hidden, a message below that would come when the first row is met.
void with_fixed_settings(bool is_silent, void (*work)(void*), void* argument);

template <class Work>
void with_fixed_settings(bool is_silent, Work work) {
  with_fixed_settings(
      is_silent, [](void* argument) { (*static_cast<Work*>(argument))(); },
      static_cast<void*>(&work));
}

// For the rest of a parallel worker's life, which ends with its part of a query over hidden rows.
void fix_settings_of_worker();

}  // namespace idp
