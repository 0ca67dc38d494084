// Conditions that a loop decides for all rows of a page: a column beside a constant. They can
// neither fail nor tell anything, whatever the values are; NULL fits none of them but IS NULL.
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>

#include "extension/batch/page.h"

namespace idp {

// Where a value lies, seen from the constant.
enum class Side : std::uint8_t { kBelow, kNotAbove, kAt, kNotBelow, kAbove, kElsewhere };

// How values are compared.
enum class Comparison : std::uint8_t {
  kInt16,
  kInt32,
  kInt64,
  kFloat64,
  kNumeric,
  kText,     // kAt and kElsewhere
  kAmong32,  // whether it is one of several; kAt
  kAmong64,  // likewise
  kNull,     // whether it is NULL; kAt and kElsewhere
};

struct Condition {
  AttrNumber number;  // of the column
  Comparison comparison;
  Side side;
  Datum constant;
  Oid collation;          // of a text
  bool is_quick;          // numeric: whether the constant is that many of the smallest units
  std::int64_t units;     // likewise
  int count;              // of several: how many
  std::int64_t* several;  // ascending
  int place;              // of the column among those of a page
};

// Whether an expression over the rows of a table, which has this number in its query, is such a
// condition; then it is described. Allocates in the current memory context.
bool read_condition(const Node* expression, Index table, Condition& condition);

// Leaves those of `count` rows of a page, whose numbers are given, that fit; returns how many.
int keep_fitting(const Condition& condition, const PageRows& page, std::uint16_t* rows, int count);

}  // namespace idp
