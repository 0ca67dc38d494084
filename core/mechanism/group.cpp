#include "core/mechanism/group.h"

namespace idp {

std::optional<Rate> group_rate(std::span<const double> epsilons,
                               std::span<const mpz_class> sensitivities) {
  std::optional<Rate> least;
  for (std::size_t j = 0; j < sensitivities.size(); ++j) {
    if (sensitivities[j] == 0) continue;
    Rate rate = Rate::of(epsilons[j], sensitivities[j]);
    if (!least || rate.numerator * least->denominator < least->numerator * rate.denominator) {
      least = std::move(rate);
    }
  }
  return least;
}

mpz_class group_noise(std::span<const double> epsilons, std::span<const mpz_class> sensitivities,
                      BitSource& bits) {
  const std::optional<Rate> rate = group_rate(epsilons, sensitivities);
  return rate ? discrete_laplace(*rate, bits) : mpz_class(0);
}

}  // namespace idp
