#include "core/gradual/process.h"

#include "core/gradual/draws/process.h"

namespace idp {

mpz_class tighten(const mpz_class& fine, const Rate& coarse_rate, const Rate& fine_rate,
                  BitSource& source) {
  return draws::tighten(fine, coarse_rate, fine_rate, source);
}

mpz_class relax(const mpz_class& coarse, const Rate& coarse_rate, const Rate& fine_rate,
                BitSource& source) {
  return draws::relax(coarse, coarse_rate, fine_rate, source);
}

mpz_class between(const mpz_class& coarse, const mpz_class& fine, const Rate& coarse_rate,
                  const Rate& rate, const Rate& fine_rate, BitSource& source) {
  return draws::between(coarse, fine, coarse_rate, rate, fine_rate, source);
}

}  // namespace idp
