// Between which values everybody may know those of an expression to be: as the domains of its
// columns say, its constants and its form. A private aggregate clamps to them, so that a value
// beyond is no error, and tells nothing.
#pragma once

#include "extension/pg/pg.h"

#include <optional>

#include "extension/domain/levels.h"

namespace idp {

// Constants of the type of the expression.
struct Range {
  Const* lower;
  Const* upper;
};

// Of numbers: of columns with domains, fields of those, constants, sums, differences and products
// of such, casts, CASE and coalesce.
std::optional<Range> range_of_number(const QueryLevel& level, Node* expression);

// Of any type: of a column with a domain, or of a number.
std::optional<Range> range_of(const QueryLevel& level, Node* expression);

// Whether no value is negative.
bool is_never_negative(const Range& range);

// The keys of a column with a domain that can be listed, as an array; null if there are none.
Const* listed_keys(const QueryLevel& level, Node* expression);

}  // namespace idp
