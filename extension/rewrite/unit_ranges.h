// Between which values what a person adds up to may be known to be:
//
//   SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total)
//   FROM (SELECT customer, sum(amount) AS total FROM orders GROUP BY customer) o
//
// is a quantile of values from 0 to 20 · 2000, where idp.link says max_rows => 20 and a domain says
// that amounts are from 0 to 2000. A person who has more counts as the bound. For order statistics,
// and for what has several rows of a person: noise of sums and averages grows with the bounds,
// which are found for these instead where each person has one.
#pragma once

#include <optional>

#include "extension/domain/ranges.h"

namespace idp {

// Of a column of a subquery, or a CTE, with a row for each unit, in which it is count(), sum(),
// min(), max() or avg(); constants of its type.
std::optional<Range> range_of_summary(const QueryLevel& level, Node* value);

// Of min(), max() and avg() alone, whose values are no more where joins repeat rows.
std::optional<Range> range_of_extreme(const QueryLevel& level, Node* value);

// Of count() and sum() alone: what a unit has in several such rows, by months, is no more together.
std::optional<Range> range_of_total(const QueryLevel& level, Node* value);

}  // namespace idp
