#include "core/mechanism/count.h"

#include <algorithm>

#include "core/grid/grid.h"
#include "core/random/discrete_laplace.h"

namespace idp {

namespace {

mpz_class count_noise(double epsilon, BitSource& bits, int sensitivity = 1) {
  return discrete_laplace(Rate::of(epsilon, sensitivity), bits);
}

std::int64_t saturate(const mpz_class& count) {
  return Grid{ValueType::kInt64}.nearest<Key64>(count);
}

}  // namespace

std::int64_t release_count(std::int64_t count, double epsilon, BitSource& bits) {
  return saturate(count_noise(epsilon, bits) + mpz_class(static_cast<long>(count)));
}

std::int64_t release_bucket(std::int64_t count, double epsilon, BitSource& bits) {
  return saturate(count_noise(epsilon, bits, 2) + mpz_class(static_cast<long>(count)));
}

std::int64_t release_truncated_count(std::int64_t count, double epsilon, BitSource& bits) {
  const mpz_class noise = std::clamp<mpz_class>(count_noise(epsilon, bits), -1, 1);
  return saturate(noise + mpz_class(static_cast<long>(count)));
}

}  // namespace idp
