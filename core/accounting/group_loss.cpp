#include "core/accounting/group_loss.h"

#include <gmpxx.h>

#include <algorithm>
#include <vector>

namespace idp {

void costliest_division(std::span<const double> epsilons, std::int32_t m, bool grouped,
                        std::span<std::int32_t> times) {
  std::ranges::fill(times, 0);
  const auto size = static_cast<std::size_t>(m);
  if (!grouped) {
    const auto largest = std::ranges::max_element(epsilons.first(size));
    ++times[static_cast<std::size_t>(largest - epsilons.begin())];
    return;
  }
  // best[n] is the greatest loss of n records, last[n] the size of one part of such a division
  std::vector<mpq_class> best(size + 1, 0);
  std::vector<std::size_t> last(size + 1, 0);
  for (std::size_t n = 1; n <= size; ++n) {
    for (std::size_t part = 1; part <= n; ++part) {
      const mpq_class loss = best[n - part] + mpq_class(epsilons[part - 1]);
      if (last[n] != 0 && loss <= best[n]) continue;
      best[n] = loss;
      last[n] = part;
    }
  }
  for (std::size_t n = size; n > 0; n -= last[n]) ++times[last[n] - 1];
}

}  // namespace idp
