// Arguments that break their rule: the one home of what is said about them.
#pragma once

#include "core/no_postgres.h"

#include <cmath>

namespace idp {

// Nothing here holds a value: a message may be read by anyone.
struct Violation {
  const char* argument;       // "epsilon"
  const char* rule;           // "must be a finite number greater than 0"
  bool out_of_range = false;  // the error is that of a number out of range
};

inline constexpr const char* kMustBePositive = "must be a finite number greater than 0";
inline constexpr const char* kMustNotBeNegative = "must be a finite number not less than 0";

// Also written as "not less or equal", so that NaN is neither.
inline bool is_positive(double x) { return std::isfinite(x) && x > 0; }
inline bool is_not_negative(double x) { return std::isfinite(x) && x >= 0; }

inline constexpr Violation kBadEpsilon{"epsilon", kMustBePositive};
inline constexpr Violation kSmallEpsilon{"epsilon", "must be at least 1e-18"};
inline constexpr Violation kSmallEpsilons{"epsilons", "must be at least 1e-18"};
inline constexpr Violation kBadEpsilons{"epsilons", "must be finite numbers greater than 0"};
inline constexpr Violation kBadGroups{"epsilons", "must have between 1 and 32 elements"};
inline constexpr Violation kBadFraction{"fraction", "must be between 0 and 1", true};
inline constexpr Violation kBadTrimming{"fraction", "must be at least 0 and less than 0.5", true};
inline constexpr Violation kBadDelta{"delta", "must be at least 1e-30 and less than 1"};
inline constexpr Violation kBadK{"k", "must be at least 1"};
inline constexpr Violation kGreatK{"k", "must be at most 2147483647"};
inline constexpr Violation kBadBuckets{"buckets", "must be between 1 and 100000"};
inline constexpr Violation kBadGamma{"gamma", "must be 2, 3 or 4"};
inline constexpr Violation kInfiniteLower{"lower", "must be finite"};
inline constexpr Violation kInfiniteUpper{"upper", "must be finite"};
inline constexpr Violation kCrossedBounds{"lower", "must not be greater than upper"};
inline constexpr Violation kBadSensitivity{"sensitivity", kMustNotBeNegative};
inline constexpr Violation kBadConfidence{"confidence", "must be greater than 0 and less than 1"};
inline constexpr Violation kBadStep{"step", kMustNotBeNegative};
inline constexpr Violation kBadError{"error", kMustNotBeNegative};
inline constexpr Violation kErrorWithoutStep{"error", "must be greater than 0 if step is 0"};

}  // namespace idp
