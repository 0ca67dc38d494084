#include "core/mechanism/floor.h"

#include <algorithm>
#include <cstdlib>

#include "core/mechanism/result_grid.h"

namespace idp {

namespace {

mpz_class power(unsigned long base, unsigned long exponent) {
  mpz_class v;
  mpz_ui_pow_ui(v.get_mpz_t(), base, exponent);
  return v;
}

// base^exponent
mpq_class scale(unsigned long base, long exponent) {
  const mpz_class v = power(base, static_cast<unsigned long>(std::abs(exponent)));
  return exponent >= 0 ? mpq_class(v) : mpq_class(1, v);
}

// How many steps of the answer's grid are one unit of the answer.
mpq_class steps_in_unit(const Spec& spec, const Frozen& frozen) {
  if (spec.collects() == Collects::kMoments) {
    const Number one = ResultGrid(spec).number(1);
    return scale(one.decimal ? 10 : 2, one.scale);
  }
  switch (spec.grid.type) {
    case ValueType::kFloat32:
    case ValueType::kFloat64:
      return scale(2, -(kFloatStepExponent + frozen.dropped));
    case ValueType::kNumeric:
      return scale(10, spec.grid.scale);
    case ValueType::kTimestamp:
    case ValueType::kTimestamptz:
      return 1000000;
    default:
      return 1;
  }
}

}  // namespace

void raise_to_floor(const Spec& spec, double floor, Frozen& frozen) {
  if (!(floor > 0) || mechanism(spec.statistic) != Mechanism::kLocal) return;
  if (frozen.kind == Frozen::Kind::kInfinite) frozen = Frozen{};
  if (frozen.kind == Frozen::Kind::kSuppressed) return;
  const mpq_class exact = mpq_class(floor) * steps_in_unit(spec, frozen);
  mpz_class least;
  mpz_cdiv_q(least.get_mpz_t(), exact.get_num_mpz_t(), exact.get_den_mpz_t());
  for (auto& distances : frozen.sensitivities) {
    for (mpq_class& sensitivity : distances) {
      sensitivity = std::max(sensitivity, mpq_class(least));
    }
  }
}

}  // namespace idp
