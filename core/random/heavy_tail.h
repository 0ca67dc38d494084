// Noise with polynomial tails, as an exact real number.
//
// Draws Z with density proportional to h(z) = 1/(1 + |z|^gamma), gamma in {2, 3, 4}: the noise of
// smooth sensitivity (Nissim, Raskhodnikova, Smith 2007, section 2). gamma = 2 is Cauchy's law.
//
// How: |Z| is drawn by rejection from the density (gamma-1)/gamma * min(1, z^-gamma), a mixture of
//   body, with probability (gamma-1)/gamma:  z = V
//   tail, with probability 1/gamma:          z = V^(-1/(gamma-1)), V uniform on (0, 1):
//                                            Pr[z > t] = t^-(gamma-1), density (gamma-1) t^-gamma
// and kept with probability h(z) / min(1, z^-gamma), which is at least 1/2:
//   body  1/(1 + V^gamma)             tail  1/(1 + z^-gamma) = 1/(1 + V^(gamma/(gamma-1))).
//
// The coin: W uniform, keep if W is below that. With e = 1 for the body and gamma - 1 for the tail,
//   W < 1/(1 + V^(gamma/e))   if and only if   W^e V^gamma < (1 - W)^e,
// which grows in V and W on the left and falls on the right: integer powers of the ends of the
// intervals known so far decide it, or 64 more bits of both are revealed. Equality has probability
// 0. Given the decision, the bits of V not revealed are still uniform and independent: they are
// drawn when they are asked for. No double and no rounding decides anything.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/bit_source.h"
#include "core/random/weighted_choice.h"

namespace idp {

// A uniform real in [digits, digits + 1) * 2^-bits, more of it revealed on demand.
struct UniformReal {
  mpz_class digits;
  unsigned long bits = 0;
};

// What is decided of Z when it is drawn.
struct DrawnTail {
  bool negative;
  unsigned long root;  // gamma - 1 in the tail, 0 in the body
  UniformReal v;
};

class HeavyTail {
 public:
  // Draws. The source must outlive the number, of which it holds the bits not revealed yet.
  HeavyTail(int gamma, BitSource& source);

  bool negative() const { return z_.negative; }

  // |Z| * 2^precision. The width of the interval over 2^precision goes to 0 as the precision grows.
  // Enclosures at different precisions are of the same number.
  Enclosure magnitude(unsigned long precision);

 private:
  BitSource& source_;
  DrawnTail z_;
};

}  // namespace idp
