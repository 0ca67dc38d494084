// Quotients of answers: where noise, or a group without rows, makes the divisor 0, they are NULL. A
// plain statement has no such groups, and so tools do not provide for them.
//
//   SELECT status, sum(amount) / count(*) FROM orders GROUP BY status
//
// divides by nullif(greatest(dp_count(ε), 0), 0).
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// Changes divisions by what holds an answer, of the level or of a subquery that it reads.
void guard_quotients(const QueryLevel& level);

}  // namespace idp
