// Nodes of one statement that ask for the same numbers: one draws them, the others give its rows.
//
//   SELECT status, sum(amount) FROM orders GROUP BY status
//   HAVING sum(amount) >= (SELECT max(s) FROM (SELECT sum(amount) AS s … GROUP BY status) q)
//
// A number has one answer (repeated.h), so it has one in all of a statement, too: else the greatest
// of the sums would be none of them, and be paid twice.
#pragma once

#include "extension/pg/pg.h"

#include "extension/answers/numbers.h"

namespace idp {

// Of AskedNode: those that are left to be drawn, in their order. Each of the others has all of its
// numbers from one of them, and costs nothing.
List* share_draws(const List* nodes);

// Whether one of these nodes draws all numbers of another, which has them from there then.
bool shares_draw(const List* drawing, const AskedNode& wanted);

}  // namespace idp
