#include "core/mechanism/private_quantile.h"

#include "core/grid/public_grid.h"
#include "core/mechanism/exponential_quantile.h"
#include "core/select/ranked_values.h"
#include "core/sensitivity/order_statistic.h"

namespace idp {

template <class Key>
Key release_private_quantile(const Spec& spec, const Values<Key>& values,
                             std::pmr::memory_resource* memory, StopCheck stop, BitSource& bits,
                             std::int64_t reach) {
  const PublicGrid<Key> grid(spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>());
  const RankedValues<Key> data(values, grid, memory, stop);
  const mpz_class answer = exponential_quantile(data, rank_of(spec, data.size()), grid.lower(),
                                                grid.upper(), spec.epsilon, bits, reach);
  return grid.answer(answer);
}

template Key64 release_private_quantile(const Spec&, const Values<Key64>&,
                                        std::pmr::memory_resource*, StopCheck, BitSource&,
                                        std::int64_t);
template Key128 release_private_quantile(const Spec&, const Values<Key128>&,
                                         std::pmr::memory_resource*, StopCheck, BitSource&,
                                         std::int64_t);

}  // namespace idp
