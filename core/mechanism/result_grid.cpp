#include "core/mechanism/result_grid.h"

#include <cstdlib>
#include <utility>

#include "core/grid/public_grid.h"

namespace idp {

namespace {

constexpr long kDigits = 16;  // further decimal digits
constexpr long kBits = 40;    // further binary digits

mpz_class power(unsigned long base, long exponent) {
  mpz_class v;
  mpz_ui_pow_ui(v.get_mpz_t(), base, static_cast<unsigned long>(exponent));
  return v;
}

}  // namespace

ResultGrid::ResultGrid(const MomentQuestion& question) {
  const Grid& column = question.grid;
  const bool sum = question.moment == Moment::kSum;
  const bool variance = question.moment == Moment::kVariance;
  root_ = question.moment == Moment::kStddev;
  decimal_ = !column.is_float();

  // the scale of a step or its square, and how many digits this grid has beyond it
  long scale, finer;
  if (decimal_) {
    const bool plain = column.type == ValueType::kNumeric && column.precision == 0;
    scale = column.type == ValueType::kNumeric ? column.scale : 0;
    finer = sum || plain ? 0 : kDigits;
    if (variance) {
      finer = plain ? -scale : kDigits;
      scale *= 2;
    }
  } else {
    const PublicGrid<Key64> grid(column, narrow(question.lower), narrow(question.upper));
    scale = -grid.step_exponent() * (variance ? 2 : 1);
    finer = sum ? 0 : kBits;
  }
  scale_ = scale + finer;
  const mpz_class factor = power(decimal_ ? 10 : 2, std::abs(finer) * (root_ ? 2 : 1));
  (finer >= 0 ? numerator_ : denominator_) = factor;
}

mpz_class ResultGrid::units(const mpq_class& value) const {
  mpz_class v;
  mpz_fdiv_q(v.get_mpz_t(), mpz_class(value.get_num() * numerator_).get_mpz_t(),
             mpz_class(value.get_den() * denominator_).get_mpz_t());
  return root_ ? sqrt(v) : v;
}

Number ResultGrid::number(mpz_class units) const { return {std::move(units), decimal_, scale_}; }

}  // namespace idp
