#include "core/mechanism/global_quantile.h"

#include <algorithm>

namespace idp {

mpz_class order_statistic_or_middle(const RankedData& data, const BoundedRank& at) {
  if (data.size() > 0) return data.values_at({at.rank}).front();
  mpz_class middle = at.lower + at.upper;
  mpz_fdiv_q_2exp(middle.get_mpz_t(), middle.get_mpz_t(), 1);  // down, for negative ones too
  return middle;
}

Frozen freeze_global_quantile(const RankedData& data, const BoundedRank& at) {
  const mpz_class range = at.upper - at.lower;
  if (range == 0) return freeze_noisy({at.lower}, {0});
  return freeze_noisy({order_statistic_or_middle(data, at)}, {mpq_class(range)});
}

template <class Key>
Key answer_global_quantile(const PublicGrid<Key>& grid, const Frozen& frozen,
                           const mpz_class& noise) {
  const mpz_class noisy = frozen.values.front() + noise;
  return grid.answer(std::clamp(noisy, grid.lower(), grid.upper()));
}

template Key64 answer_global_quantile(const PublicGrid<Key64>&, const Frozen&, const mpz_class&);
template Key128 answer_global_quantile(const PublicGrid<Key128>&, const Frozen&, const mpz_class&);

}  // namespace idp
