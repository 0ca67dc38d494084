// Which bucket of a histogram a value belongs to: what the server's width_bucket says, so that
// users can check it. The edges are as public as the bounds; which function of a value and public
// parameters names the bucket is of no consequence for privacy, so values stay as they are: no
// grid, and bounds as they were given.
//
//   numeric                  width_bucket(numeric, …), bit for bit
//   real, double precision   width_bucket(double precision, …), bit for bit: its computation in
//                            doubles rather than exact edges between the two doubles, which would
//                            put 3 of the tenths 0, 0.1, …, 0.9 into the bucket below their own.
//                            Where that overflows it is scaled by a power of two.
//   all others               exact edges lower + j (upper - lower) / buckets, as those of
//                            width_bucket(numeric, …) of the same numbers
//
// What lies outside counts in the first or the last bucket, the upper bound in the last. With
// lower = upper, where width_bucket is not defined, everything is in the last.
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/spec.h"
#include "core/collect/buckets.h"
#include "extension/types/types.h"

namespace idp {

// Plain data: it may lie in server memory.
class BucketFinder {
 public:
  // The buckets of a sound spec; lower and upper as SQL values of the column's type. Calls the
  // server.
  static BucketFinder of(const Spec& spec, Datum lower, Datum upper);

  // The bucket from 0, or -1 for NaN, which has none. lower and upper as above, every time.
  std::int64_t find(const Column& column, Datum value, Datum lower, Datum upper) const {
    if (column.grid.type == ValueType::kNumeric) return find_numeric(value, lower, upper);
    Key64 key;
    if (!narrow_key(column, value, key)) return -1;
    if (key >= upper_) return last_;
    if (key <= lower_) return 0;
    if (column.grid.is_float()) return find_float(from_ordered_bits(key));
    return buckets_.of(static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(lower_));
  }

 private:
  std::int64_t find_float(double x) const;
  std::int64_t find_numeric(Datum value, Datum lower, Datum upper) const;
  void scale_numeric(Datum lower, Datum upper);

  std::int64_t last_ = 0;
  Buckets buckets_;  // all but floats
  // all but numeric: beyond these the end buckets are meant
  Key64 lower_ = 0;
  Key64 upper_ = 0;  // below every value if lower = upper
  // floats: the server is asked about these multiples
  double factor_ = 1;
  double scaled_lower_ = 0;
  double scaled_upper_ = 0;
  // numeric
  bool is_point_ = false;   // lower = upper
  bool is_scaled_ = false;  // both bounds are whole multiples of 10^-scale_, these:
  int scale_ = 0;
  Int128 least_ = 0;
  Int128 most_ = 0;
  Uint128 margin_ = 0;  // what is farther below an edge is not rounded up to it by the server
};

}  // namespace idp
