#include "core/gradual/release.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/gradual/chain.h"
#include "core/grid/room.h"

namespace idp {

namespace {

// The released levels as one value sees them.
class Ladder {
 public:
  Ladder(const Frozen& frozen, std::size_t part, std::span<const ReleasedLevel> levels,
         std::span<const double> epsilons)
      : rate_(rate_of(frozen, part, epsilons)) {
    for (const ReleasedLevel& level : levels) {
      // a value that needs no noise needs none at any level
      rungs_.push_back({rate_of(frozen, part, level.epsilons).value_or(Rate{}), &level});
    }
    if (!rate_) return;
    std::stable_sort(rungs_.begin(), rungs_.end(),
                     [](const Rung& a, const Rung& b) { return a.rate < b.rate; });
  }

  mpz_class noise(std::size_t part, BitSource& bits) const {
    if (!rate_) return no_noise(part);
    std::vector<Level> levels;
    levels.reserve(rungs_.size() + 1);
    for (const auto& [rate, level] : rungs_) {
      if (levels.empty() || levels.back().rate != rate) {
        levels.push_back({rate, level->noise[part]});
      } else if (levels.back().noise != level->noise[part]) {
        throw std::invalid_argument("two levels of one rate have different noise");
      }
    }
    return Chain(std::move(levels)).at(*rate_, bits);
  }

 private:
  struct Rung {
    Rate rate;
    const ReleasedLevel* level;
  };

  mpz_class no_noise(std::size_t part) const {
    for (const Rung& rung : rungs_) {
      if (rung.level->noise[part] != 0) {
        throw std::invalid_argument("a value that needs no noise was given some");
      }
    }
    return 0;
  }

  std::optional<Rate> rate_;  // asked for
  std::vector<Rung> rungs_;   // from coarse to fine, some of the same rate
};

}  // namespace

std::vector<mpz_class> noise_at(const Frozen& frozen, std::span<const ReleasedLevel> levels,
                                std::span<const double> epsilons, BitSource& bits, StopCheck stop) {
  require_epsilons(epsilons);
  for (const ReleasedLevel& level : levels) {
    require_epsilons(level.epsilons);
    if (level.noise.size() != frozen.values.size()) {
      throw std::invalid_argument("a level needs a noise for each value of its release");
    }
  }
  require_room(frozen.values.size() * kShortIntegerBytes);
  std::vector<mpz_class> noise(frozen.values.size());
  std::optional<Ladder> ladder;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    stop_if_asked(stop, i);
    if (i < frozen.sensitivities.size()) ladder.emplace(frozen, i, levels, epsilons);
    noise[i] = ladder->noise(i, bits);
  }
  return noise;
}

}  // namespace idp
