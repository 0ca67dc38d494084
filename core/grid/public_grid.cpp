#include "core/grid/public_grid.h"

#include <algorithm>

namespace idp {

template <class Key>
PublicGrid<Key>::PublicGrid(const Grid& grid, Key lower, Key upper)
    : grid_(grid), lower_key_(lower), upper_key_(upper) {
  const mpz_class low = grid_.units(lower);
  const mpz_class high = grid_.units(upper);
  if (grid_.is_float()) {
    const mpz_class magnitude = std::max<mpz_class>(abs(low), abs(high));
    const std::size_t bits = mpz_sizeinbase(magnitude.get_mpz_t(), 2);
    dropped_ = bits > 53 ? bits - 53 : 0;
  }
  upper_ = floor_steps(upper);
  mpz_cdiv_q_2exp(lower_.get_mpz_t(), low.get_mpz_t(), dropped_);  // ceiling
}

template <class Key>
mpz_class PublicGrid<Key>::floor_steps(Key key) const {
  mpz_class v = grid_.units(key);
  mpz_fdiv_q_2exp(v.get_mpz_t(), v.get_mpz_t(), dropped_);
  return v;
}

template <class Key>
mpz_class PublicGrid<Key>::steps(Key key) const {
  return std::clamp(floor_steps(std::clamp(key, lower_key_, upper_key_)), lower_, upper_);
}

template <class Key>
Key PublicGrid<Key>::key(const mpz_class& steps) const {
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid_.is_float()) {
      // As a double even for real columns: 2^53 steps need it to be exact.
      return ordered_bits(nearest_float(steps, kFloatStepExponent + static_cast<long>(dropped_),
                                        ValueType::kFloat64));
    }
  }
  return grid_.nearest<Key>(steps);
}

template <class Key>
Key PublicGrid<Key>::answer(const mpz_class& steps) const {
  const Key exact = key(steps);
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid_.type == ValueType::kFloat32) {
      return ordered_bits(static_cast<double>(static_cast<float>(from_ordered_bits(exact))));
    }
  }
  return exact;
}

template class PublicGrid<Key64>;
template class PublicGrid<Key128>;

}  // namespace idp
