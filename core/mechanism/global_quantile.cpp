#include "core/mechanism/global_quantile.h"

#include <algorithm>

#include "core/accumulator/ranked_runs.h"
#include "core/grid/public_grid.h"
#include "core/random/discrete_laplace.h"

namespace idp {

mpz_class order_statistic_or_middle(const RankedData& data, std::int64_t rank,
                                    const mpz_class& lower, const mpz_class& upper) {
  if (data.size() > 0) return data.values_at({rank}).front();
  mpz_class middle = lower + upper;
  mpz_fdiv_q_2exp(middle.get_mpz_t(), middle.get_mpz_t(), 1);  // down, for negative ones too
  return middle;
}

mpz_class global_quantile(const RankedData& data, std::int64_t rank, const mpz_class& lower,
                          const mpz_class& upper, double epsilon, BitSource& bits) {
  const mpz_class range = upper - lower;
  if (range == 0) return lower;
  const mpz_class at = order_statistic_or_middle(data, rank, lower, upper);
  const mpz_class noise = discrete_laplace(Rate::of(epsilon, range), bits);
  return std::clamp<mpz_class>(at + noise, lower, upper);
}

template <class Key>
Key release_global_quantile(const Grid& grid, Key lower, Key upper, std::int64_t rank,
                            Runs<Key> runs, double epsilon, std::pmr::memory_resource* memory,
                            StopCheck stop, BitSource& bits) {
  const PublicGrid<Key> steps(grid, lower, upper);
  const RankedRuns<Key> data(runs, steps, memory, stop);
  return steps.answer(global_quantile(data, rank, steps.lower(), steps.upper(), epsilon, bits));
}

template Key64 release_global_quantile(const Grid&, Key64, Key64, std::int64_t, Runs<Key64>, double,
                                       std::pmr::memory_resource*, StopCheck, BitSource&);
template Key128 release_global_quantile(const Grid&, Key128, Key128, std::int64_t, Runs<Key128>,
                                        double, std::pmr::memory_resource*, StopCheck, BitSource&);

}  // namespace idp
