// What was found out of expressions over the values of a domain, kept for this session: a query
// asks for the same several times while it is planned, and a dashboard again and again. They are of
// functions of the server that are immutable, or follow the time zone of the session.
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// By what it is kept: the expression, the values and the zone. Null if that takes longer than to
// find it out, or says too little. what: which of several questions it is.
const char* name_of_known(const char* what, const KeyColumn& base, const Node* expression);

// False if it is not known. The values are copies.
bool known_values(const char* name, Keys* values, bool* has_null);
void keep_values(const char* name, const Keys& values, bool has_null);

bool known_truth(const char* name, bool* truth);
void keep_truth(const char* name, bool truth);

}  // namespace idp
