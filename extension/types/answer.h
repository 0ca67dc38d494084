// Answers of the core as SQL values, in two steps: the core's numbers become plain ones while C++
// may throw, and values of the server afterwards, when it may report errors.
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/answer.h"
#include "core/mechanism/short_moments.h"

namespace idp {

struct PlainAnswer {
  bool suppressed = true;
  Key64 narrow = 0;         // values of narrow grids; counts; sums of integers
  Key128 wide{0, 0};        // values of wide grids
  Datum* counts = nullptr;  // a histogram
  int buckets = 0;
  char* digits = nullptr;  // sums and averages that are numeric: as numeric_in reads them,
  int scale = 0;           // or null, and what is in wide is in units of 10^-scale
  double real = 0;         // those that are not
  char* string = nullptr;  // of text
  std::size_t length = 0;
};

// Of an answer whose SQL type is result. Allocates in the current memory context; throws.
PlainAnswer plain_answer(const Answer& answer, Oid result);
PlainAnswer plain_answer(const ShortNumber& number, Oid result);

Datum datum_of_answer(const Spec& spec, const PlainAnswer& answer, Oid result);

}  // namespace idp
