#include "core/mechanism/frozen.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/grid/room.h"

namespace idp {

Frozen freeze_noisy(std::vector<mpz_class> values, std::vector<mpq_class> sensitivities) {
  Frozen frozen;
  frozen.kind = Frozen::Kind::kNoisy;
  frozen.values = std::move(values);
  frozen.sensitivities.reserve(sensitivities.size());
  for (mpq_class& s : sensitivities) {
    frozen.sensitivities.emplace_back().push_back(std::move(s));
  }
  return frozen;
}

void require_epsilons(std::span<const double> epsilons) {
  for (const double epsilon : epsilons) {
    if (std::isfinite(epsilon) && epsilon > 0) continue;
    throw std::invalid_argument("epsilon must be positive and finite");
  }
}

std::optional<Rate> group_rate(std::span<const double> epsilons,
                               std::span<const mpq_class> sensitivities) {
  if (epsilons.size() != sensitivities.size()) {
    throw std::invalid_argument("a release needs an epsilon for each of its distances");
  }
  std::optional<Rate> least;
  for (std::size_t j = 0; j < sensitivities.size(); ++j) {
    if (sensitivities[j] == 0) continue;
    Rate rate = Rate::of(epsilons[j], sensitivities[j].get_num());
    if (sensitivities[j].get_den() != 1) rate.numerator *= sensitivities[j].get_den();
    if (!least || rate < *least) least = std::move(rate);
  }
  return least;
}

std::optional<Rate> rate_of(const Frozen& frozen, std::size_t part,
                            std::span<const double> epsilons) {
  return group_rate(epsilons, frozen.sensitivities_of(part));
}

std::vector<mpz_class> draw_noise(const Frozen& frozen, std::span<const double> epsilons,
                                  BitSource& bits, StopCheck stop) {
  require_room(frozen.values.size() * kShortIntegerBytes);
  std::vector<mpz_class> noise(frozen.values.size());
  std::optional<Rate> rate;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    stop_if_asked(stop, i);
    if (i < frozen.sensitivities.size()) rate = rate_of(frozen, i, epsilons);
    if (rate) noise[i] = discrete_laplace(*rate, bits);
  }
  return noise;
}

}  // namespace idp
