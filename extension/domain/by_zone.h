// Functions of the server that are STABLE because they follow the zone of the session, and hang on
// nothing else: timestamp < timestamptz, date_trunc('month', at) of an instant, at::date. While a
// statement is executed they give the same for the same value, as IMMUTABLE ones do.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

bool follows_zone(Oid function);

// Whether a node itself is one of these, to_char, with a format that may show names of months and
// days in the language of a setting.
bool shows_words_of_locale(const Node* node);

// Whether an expression may have another value when the query is executed, for the same columns,
// but for the zone of the session: then by_zone is set.
bool may_change(Node* expression, bool* by_zone);

}  // namespace idp
