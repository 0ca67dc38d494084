// How many digits the values of a numeric expression may have: as follows from the types of columns,
// from constants and from what is computed of these, never from data. Sums of numbers that may have
// very many overflow, which is an error.
#pragma once

#include "extension/pg/pg.h"

#include <functional>
#include <optional>

#include "extension/plan/plan_trace.h"

namespace idp {

// At most so many before the point and behind it. NaN and the infinities have none.
struct Digits {
  int before;
  int behind;
};

// None: there may be any number, or very many.
using MaybeDigits = std::optional<Digits>;

// Of a column whose type does not say it.
using DigitsOfColumn = std::function<MaybeDigits(const Var* column)>;

MaybeDigits digits_of(Node* expression, const DigitsOfColumn& of_column);

// Whether a sum of the values, or of their squares, stays far below what a numeric holds, however
// many rows there are. reader: the plan node that computes the expression.
bool has_few_digits(Node* expression, const PlanNode& reader);

}  // namespace idp
