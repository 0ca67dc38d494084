// Functions of users that superusers trust with hidden rows.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a superuser trusts the function, and it still belongs to one: who owns a function can
// replace it.
bool is_trusted(Oid function);

}  // namespace idp
