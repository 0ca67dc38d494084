#include "core/random/discrete_laplace.h"

#include <utility>

#include "core/random/bernoulli.h"
#include "core/random/draws/discrete_laplace.h"
#include "core/random/short_geometric.h"

namespace idp {

mpz_class geometric(const Rate& rate, BitSource& source) {
  auto drawn = short_geometric(rate.numerator, rate.denominator, source);
  return drawn ? *std::move(drawn) : long_geometric(rate, source);
}

mpz_class long_geometric(const Rate& rate, BitSource& source) {
  return draws::long_geometric(rate, source);
}

mpz_class discrete_laplace(const Rate& rate, BitSource& source) {
  return draws::discrete_laplace(rate, source);
}

}  // namespace idp
