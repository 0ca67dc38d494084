// Temporary files that hidden rows need: how many, and how large, tells how many rows there are.
//
// They stay until their statement ends, or the cursor that reads it, and count towards the
// session's temp_file_limit: a sort of the session's own would fail by them. So there is no limit
// while such a statement is open. Files and temporary tables go round the temporary tablespaces:
// where they go on afterwards is drawn anew.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// While a statement over hidden rows is open: until its memory goes, however it ends.
void begin_unlimited_files(MemoryContext statement);

// Around what is done for one.
void begin_unlimited_files();
void end_unlimited_files();

// Runs work(), which reads hidden rows.
void with_temporary_files(void (*work)(void*), void* argument);

template <class Work>
void with_temporary_files(Work work) {
  with_temporary_files([](void* argument) { (*static_cast<Work*>(argument))(); },
                       static_cast<void*>(&work));
}

}  // namespace idp
