// Settings of a session that Citus carries to its workers.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether SET LOCAL of this transaction would be repeated on the workers, also on connections of
// other roles: names would stand for other things there, and values be written in other ways.
bool carries_settings();

}  // namespace idp
