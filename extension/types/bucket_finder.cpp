#include "extension/types/bucket_finder.h"

#include <algorithm>
#include <cmath>

#include "extension/types/numeric_grid.h"

namespace idp {

namespace {

constexpr int kMostDigits = 36;   // of a scaled bound: leaves room in 128 bits
constexpr int kExtraDigits = 16;  // of values, beyond those of the bounds
constexpr Uint128 kFastWidth = Uint128{1} << 62;

// width_bucket(numeric, …) rounds (x - lower) * buckets / (upper - lower), which is below 10^5, to
// at least 12 fraction digits: an edge less than 10^-12 above is taken for reached.
constexpr std::uint64_t kRoundingParts = 100000000000U;

constexpr Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

constexpr Int128 kLimit = power_of_ten(kMostDigits);

Int128 scaled(Datum value, int scale) {
  return units_of_numeric(value, scale, kLimit, Rounding::kFloor).units;
}

bool fits(Int128 units) { return units > -kLimit && units < kLimit; }

// What width_bucket said, as a bucket from 0: it calls what lies outside 0 and buckets + 1.
std::int64_t bucket_from(Datum answer, std::int64_t last) {
  return std::clamp<std::int64_t>(std::int64_t{DatumGetInt32(answer)} - 1, 0, last);
}

}  // namespace

BucketFinder BucketFinder::of(const Spec& spec, Datum lower, Datum upper) {
  BucketFinder finder;
  finder.last_ = spec.buckets - 1;
  if (spec.grid.type == ValueType::kNumeric) {
    finder.scale_numeric(lower, upper);
    return finder;
  }
  finder.lower_ = narrow(spec.lower);
  finder.upper_ = narrow(spec.upper);
  if (spec.grid.is_float()) {
    const double low = from_ordered_bits(finder.lower_);
    const double high = from_ordered_bits(finder.upper_);
    // The server computes buckets * (x - lower) / (upper - lower), with buckets < 2^17. Bounds that
    // far apart lose nothing that counts by being scaled down.
    finder.factor_ = std::isfinite(static_cast<double>(spec.buckets) * (high - low)) ? 1 : 0x1p-20;
    finder.scaled_lower_ = low * finder.factor_;
    finder.scaled_upper_ = high * finder.factor_;
  } else {
    finder.buckets_ = Buckets(
        static_cast<std::uint64_t>(finder.upper_) - static_cast<std::uint64_t>(finder.lower_),
        spec.buckets);
  }
  if (finder.lower_ == finder.upper_) finder.upper_ = KeyLimits<Key64>::kMin;
  return finder;
}

std::int64_t BucketFinder::find_float(double x) const {
  const Datum answer = DirectFunctionCall4(
      width_bucket_float8, Float8GetDatum(x * factor_), Float8GetDatum(scaled_lower_),
      Float8GetDatum(scaled_upper_), Int32GetDatum(static_cast<int32>(last_ + 1)));
  return bucket_from(answer, last_);
}

// Whole numbers are a hundred times as fast as the server's arithmetic: a scale is chosen on which
// both bounds are whole, and as many values as possible.
void BucketFinder::scale_numeric(Datum lower, Datum upper) {
  is_point_ = DatumGetBool(DirectFunctionCall2(numeric_eq, lower, upper));
  const int digits = std::max(DatumGetInt32(DirectFunctionCall1(numeric_min_scale, lower)),
                              DatumGetInt32(DirectFunctionCall1(numeric_min_scale, upper)));
  for (int extra = kExtraDigits; extra >= 0 && !is_scaled_; --extra) {
    scale_ = digits + extra;
    least_ = scaled(lower, scale_);
    most_ = scaled(upper, scale_);
    if (!fits(least_) || !fits(most_)) continue;
    const auto width = static_cast<Uint128>(most_ - least_);
    if (width >= kFastWidth && extra > 0) continue;
    is_scaled_ = true;
    buckets_ = Buckets(width, last_ + 1);
    // Below that width, two whole numbers of steps differ by more than the rounding.
    margin_ = width < kRoundingParts ? 0 : width / kRoundingParts + 1;
  }
}

std::int64_t BucketFinder::find_numeric(Datum value, Datum lower, Datum upper) const {
  const NumericUnits n = units_of_numeric(value, scale_, kLimit, Rounding::kFloor);
  if (n.kind == NumericKind::kNaN) return -1;
  if (is_point_ || n.kind == NumericKind::kPositiveInfinity) return last_;
  if (n.kind == NumericKind::kNegativeInfinity) return 0;
  if (is_scaled_) {
    // A value that was rounded lies less than a step above n.units.
    if (n.units >= most_) return last_;
    if (n.units < least_) return 0;
    const auto offset = static_cast<Uint128>(n.units - least_);
    const std::int64_t bucket = buckets_.of(offset);
    const Uint128 reach = n.exact ? margin_ : 1 + std::max<Uint128>(margin_, 1);
    if (bucket == last_ || offset + reach < buckets_.edge(bucket + 1)) return bucket;
  }
  const Datum answer = DirectFunctionCall4(width_bucket_numeric, value, lower, upper,
                                           Int32GetDatum(static_cast<int32>(last_ + 1)));
  return bucket_from(answer, last_);
}

}  // namespace idp
