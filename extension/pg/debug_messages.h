// Messages of the levels DEBUG1 to DEBUG5, which a session asks for by client_min_messages.
//
// They tell what the session's caches of the catalogs hold: a cache that grows says how many
// entries it has. What rows have the server look up, such as the name of an enum's value, or how
// values of a type are compared, is among these entries, and stays there after the rows were read.
// So a session that reads hidden rows gets no such messages any more, whatever is asked of it
// afterwards.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// When the library is loaded: from now on each value of the setting is looked at.
void watch_debug_messages();

// For the rest of the session. What it was set to, or may go back to, becomes LOG.
void end_debug_messages();

// The level, or LOG in its place where that one has ended: for those who set the variable of the
// setting themselves, and give it back.
int level_that_is_sent(int level);

}  // namespace idp
