#include "core/gradual/refined_answer.h"

#include <algorithm>
#include <utility>

namespace idp {

Answer RefinedAnswer::at(std::span<const double> epsilons, BitSource& bits, StopCheck stop) {
  const auto same = std::find_if(levels_.begin(), levels_.end(), [&](const ReleasedLevel& level) {
    return std::ranges::equal(level.epsilons, epsilons);
  });
  if (same != levels_.end()) return answer(spec_, frozen_, epsilons, same->noise);
  ReleasedLevel level{{epsilons.begin(), epsilons.end()},
                      noise_at(frozen_, levels_, epsilons, bits, stop)};
  levels_.push_back(std::move(level));
  return answer(spec_, frozen_, epsilons, levels_.back().noise);
}

}  // namespace idp
