// Which release a name stands for where no query says of which table: among those the current role
// may read, or owns.
#pragma once

#include "extension/pg/pg.h"

#include "extension/release/chain_rows.h"

namespace idp {

enum class Right { kRead, kOwn };

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
