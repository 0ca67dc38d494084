// What instants are compared with, where everybody may know them by cells alone (grain.h).
//
// A condition sees each instant as the one that its cell begins with. So that the same question is
// asked all day, and the time up to now is one:
//
//   ordered_at >= now() - interval '30 days'       ordered_at >= the first midnight after that
//   ordered_at BETWEEN '… 09:15' AND '… 17:30'     ordered_at >= midnight AND ordered_at < midnight
//
// What a cell begins with stays as it is: ordered_at < '2025-07-01', date_trunc('month', now()).
//
// Days are compared with times likewise, which is what the server does: day >= now() is
// day > current_date.
#pragma once

#include "extension/domain/levels.h"
#include "extension/pg/pg.h"

namespace idp {

// Of comparisons of columns of hidden tables in the level, but not in its subqueries. Tells by a
// NOTICE what is compared so.
void compare_by_cells(const QueryLevel& level);

// Of a comparison of such an instant with what is no constant, at >= d or at < d for the days of a
// calendar, and of any with an answer: the same of the cell, which groups may be made by. Any other
// comparison itself.
OpExpr* compared_by_cell(const QueryLevel& level, OpExpr* call);

}  // namespace idp
