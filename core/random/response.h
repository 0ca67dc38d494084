// Randomised response over k values, and its gradual release: exact steps from one level of privacy
// to another.
//
// A record's own value x, one of k that everyone may know, is answered at level epsilon by
//
//   V = x with probability 1 - alpha, else one of all k values, each alike;
//   alpha = k/(e^epsilon + k - 1) = k q/(1 + (k - 1) q),   q = exp(-epsilon),
//
// so that Pr[V = x] : Pr[V = v] = 1 : q for every v != x. A release of any value x' instead of x
// has probabilities that differ by a factor of e^epsilon at most, and by just that for V = x:
// epsilon-DP for the record, without anybody to be trusted. Levels have q_1 > q_2 from coarse to
// fine.
//
// The process. Going down from the finest level, V stays with a probability and is replaced by one
// of the k values, each alike, otherwise; replacing twice is replacing. With 1 - alpha_1 =
// (1 - alpha_2)(1 - alpha'), V_1 from V_2 = v is
//
//   tighten   v with weight S_12, each other value with weight D_12:
//             S_12 = 1 + (k - 2) q_2 - (k - 1) q_1 q_2,    D_12 = q_1 - q_2
//
// as Pr[V_1 = v]/Pr[V_1 = w] = (1 + (k - 1)(1 - alpha'))/alpha', 1 - alpha' = (1 - q_1)(1 + (k - 1)
// q_2)/((1 + (k - 1) q_1)(1 - q_2)); both weights add up to S_12 + (k - 1) D_12 =
// (1 + (k - 1) q_1)(1 - q_2). V is a Markov chain, in both directions. By Bayes
//
//   relax     V_2 given V_1 = y:   weight of v = Pr[V_2 = v] (S_12 if v = y, else D_12)
//   between   V given V_a = y (coarse) and V_b = z (fine):
//             weight of v = (S_a if v = y, else D_a)(S_b if v = z, else D_b),
//             S_a, D_a from V to V_a, and S_b, D_b from V_b to V
//
// so levels can be asked for in any order, and their joint law is that of the process.
//
// Privacy. The levels are the finest followed by steps that do not depend on x: all answers
// together have the ratio of the finest alone, e^epsilon. A chain costs its largest epsilon.
//
// A law is a weight for each of at most two special values and one for all others together: chosen
// exactly, by enclosures of q that are refined until the choice is certain
// (core/random/weighted_choice.h), and then one of the others, each alike. No alpha is computed.
//
// Source: Koufogiannis, Han, Pappas, "Gradual Release of Sensitive Data under Differential Privacy"
// (2015), section 4.1, of which this is the form for k values.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <span>
#include <vector>

#include "core/random/bit_source.h"
#include "core/random/discrete_laplace.h"
#include "core/random/weighted_choice.h"

namespace idp {

// A value is its number in the domain: 0 … k - 1, 2 <= k < 2^32.
using Response = unsigned long;
inline constexpr unsigned long kMostResponses = (1ul << 32) - 1;

// The law of one response.
struct ResponseLaw {
  Enclose weights;                // of the special values, and of all others together
  std::vector<Response> special;  // one or two, ascending
  unsigned long k;
};

struct ResponseLevel {
  Rate rate;  // epsilon as a fraction
  Response response;
};

// The law of the response at a rate, given those released: from coarse to fine, ascending strictly,
// the rate not among them. Throws std::invalid_argument, with a message that holds no number, for a
// k out of range, a value or response that is not below k, or a rate that is not positive or out of
// order.
ResponseLaw next_response(Response value, unsigned long k, std::span<const ResponseLevel> released,
                          const Rate& rate);

Response draw_response(const ResponseLaw& law, BitSource& source);

// The responses of one record. Each level is drawn once and then repeated.
class ResponseChain {
 public:
  ResponseChain(Response value, unsigned long k, std::vector<ResponseLevel> levels = {});

  // Throws std::invalid_argument as next_response() does, and passes on what the source throws; the
  // chain is then unchanged.
  Response at(const Rate& rate, BitSource& source);

  const std::vector<ResponseLevel>& levels() const { return levels_; }

 private:
  Response value_;
  unsigned long k_;
  std::vector<ResponseLevel> levels_;
};

}  // namespace idp
