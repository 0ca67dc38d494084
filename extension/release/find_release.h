// Which release a name stands for where no query says of which table: among those the current role
// may read, or owns, or was given a level of.
#pragma once

#include "extension/pg/pg.h"

#include "extension/release/chain_rows.h"

namespace idp {

// kRefine: those it may read, or, where none has the name, was given.
enum class Right { kRead, kRefine, kOwn, kGiven };

// Where to look: among all tables, or in one; in an invalid one: among the releases of the role
// that are over no table, or several.
struct Place {
  bool is_given;
  Oid table;
};

// Reports an error, which tells of nothing else, unless there is one such release. Releases of
// tables there are, and one's own, come before others.
StoredChain* find_release(const char* name, Place place, Right right);

}  // namespace idp
