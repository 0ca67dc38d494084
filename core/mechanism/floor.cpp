#include "core/mechanism/floor.h"

#include <algorithm>

namespace idp {

void raise_to_floor(const mpq_class& floor, Frozen& frozen) {
  if (frozen.kind == Frozen::Kind::kInfinite) frozen = Frozen{};
  mpz_class least;
  mpz_cdiv_q(least.get_mpz_t(), floor.get_num_mpz_t(), floor.get_den_mpz_t());
  for (auto& distances : frozen.sensitivities) {
    for (mpq_class& sensitivity : distances) {
      sensitivity = std::max(sensitivity, mpq_class(least));
    }
  }
}

}  // namespace idp
