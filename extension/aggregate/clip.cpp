// idp.clip(v, bound) OVER (PARTITION BY …): the values of a partition, made smaller in proportion
// so that their absolute values add up to at most the bound.
//
// With T the sum of |v| over the partition, v stays where T <= bound, and becomes v * bound / T,
// rounded towards zero, elsewhere. So the sum of |clip(v)| is at most T * min(1, bound / T) <=
// bound, whatever the rows are: a unit all of whose rows are one partition adds at most the bound
// to all sums together (extension/query/windows.cpp). The arithmetic is that of integers:
// numeric values are first cut off, towards zero, to whole steps of the last digit that the bound
// is written with. A partition with NaN, an infinity or a value of 2^63 steps or more becomes 0.
// NULL stays NULL, and all is NULL where the bound is NULL, negative or no such number. Neither the
// order nor the frame of the window change anything. It never fails.
//
// A value is computed twice, for T and for its own row, and what it is made of may change in
// between, as a setting does while a cursor waits. So what was given of a partition is counted, and
// no more than the bound is, whatever T was.
#include "extension/pg/pg.h"

#include <algorithm>

#include "core/grid/key.h"
#include "extension/call/functions.h"
#include "extension/pg/sql_function.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "utils/builtins.h"
#include "windowapi.h"
}

namespace idp {

namespace {

constexpr Int128 kBeyond = Int128{1} << 63;

bool is_beyond(Int128 steps) { return steps >= kBeyond || steps <= -kBeyond; }

// The value in steps of 10^-scale, cut off towards zero.
Int128 steps_of(Datum value, int scale) {
  const NumericUnits found = units_of_numeric(value, scale, kBeyond, Rounding::kFloor);
  if (found.kind != NumericKind::kFinite) return kBeyond;
  const bool is_cut_off = !found.exact && !is_beyond(found.units);
  return found.units < 0 && is_cut_off ? found.units + 1 : found.units;
}

Int128 magnitude(Int128 steps) { return steps < 0 ? -steps : steps; }

// What the rows of a partition have in common.
struct Partition {
  bool is_known;
  bool is_beyond;
  int scale;
  Key128 total;  // memory of the server is not aligned for Int128
  Key128 given;  // of the rows before: what their magnitudes add up to, at most kBeyond
};

// A magnitude in steps of another scale, rounded up.
Int128 rescaled(Int128 steps, int from, int to) {
  for (; from < to && steps > 0 && !is_beyond(steps); ++from) steps *= 10;
  for (; from > to && steps > 1; --from) steps = (steps + 9) / 10;
  return steps;
}

void add_up(WindowObject window, int scale, Partition* partition) {
  const int64 rows = WinGetPartitionRowCount(window);
  const Int128 given = rescaled(int128(partition->given), partition->scale, scale);
  *partition = {true, rows > PG_INT32_MAX, scale, key128(0), key128(given)};
  Int128 total = 0;  // 2^31 magnitudes of 2^63 at most
  for (int64 row = 0; row < rows && !partition->is_beyond; ++row) {
    CHECK_FOR_INTERRUPTS();
    bool is_null = false;
    const Datum value = WinGetFuncArgInPartition(window, 0, static_cast<int>(row), WINDOW_SEEK_HEAD,
                                                 false, &is_null, nullptr);
    if (is_null) continue;
    const Int128 steps = steps_of(value, scale);
    partition->is_beyond = is_beyond(steps);
    total += magnitude(steps);
  }
  partition->total = key128(total);
}

// As much of it as the bound leaves.
Int128 give(Partition* partition, Int128 steps, Int128 bound) {
  const Int128 given = int128(partition->given);
  const Int128 most = std::min(magnitude(steps), std::max(bound - given, Int128{0}));
  partition->given = key128(std::min(given + most, kBeyond));
  return steps < 0 ? -most : most;
}

Datum clip(FunctionCallInfo fcinfo) {
  WindowObject window = PG_WINDOW_OBJECT();
  if (!WindowObjectIsValid(window)) {  // an operator may be made of any function
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("window function idp.clip requires an OVER clause")));
  }
  bool is_null = false;
  const Datum limit = WinGetFuncArgCurrent(window, 1, &is_null);
  if (is_null || !is_finite_numeric(limit)) PG_RETURN_NULL();
  const int scale = scale_of_clip(limit);
  const Int128 bound = steps_of(limit, scale);
  if (bound < 0 || is_beyond(bound)) PG_RETURN_NULL();
  auto* partition = static_cast<Partition*>(WinGetPartitionLocalMemory(window, sizeof(Partition)));
  if (!partition->is_known || partition->scale != scale) add_up(window, scale, partition);
  const Datum value = WinGetFuncArgCurrent(window, 0, &is_null);
  if (is_null) PG_RETURN_NULL();
  if (partition->is_beyond) return numeric_of_units(0, scale);
  const Int128 steps = steps_of(value, scale);
  const Int128 total = int128(partition->total);
  if (is_beyond(steps)) return numeric_of_units(0, scale);
  const Int128 share = total <= bound ? steps : steps * bound / total;
  return numeric_of_units(give(partition, share, bound), scale);
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_clip, clip);

}  // extern "C"
#pragma GCC visibility pop

namespace idp {

int scale_of_clip(Datum bound) { return std::max(4, scale_of_numeric(bound)); }

bool is_clip_function(PGFunction function) { return function == idp_clip; }

}  // namespace idp
