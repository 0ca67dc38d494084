// Whether a group may be shown: (epsilon, delta)-DP, and no other rule keeps groups more often.
//
// Draws from: kept with probability pi(n), n the number of records in the group,
//
//   pi(0) = 0,   pi(n + 1) = min(x pi(n) + delta, 1 - y (1 - pi(n) - delta), 1),
//   x = e^epsilon, y = e^-epsilon, 0 < delta < 1.
//
// Why it is private. A record more or less changes n by one. (epsilon, delta)-DP asks, for each of
// "kept" and "not kept" and in both directions,
//
//   pi(n + 1) <= x pi(n) + delta                  pi(n) <= x pi(n + 1) + delta
//   1 - pi(n) <= x (1 - pi(n + 1)) + delta        1 - pi(n + 1) <= x (1 - pi(n)) + delta
//
// The left ones are the recursion, met with equality until pi is 1; the right ones hold because pi
// does not fall. A group without records is never shown, so keys that nobody has are not told. By
// induction no other rule with pi(0) = 0 has a greater pi(n) anywhere.
//
// In closed form. The first term is the least one while pi(n) <= (1 - delta)/(1 + x), so that
//
//   n <= a:   pi(n) = delta (x^n - 1)/(x - 1) = delta x^(n - 1) (1 - y^n)/(1 - y)
//   n > a:    pi(n) = min(1, (1 - z) (1 + delta y/(1 - y)) + z pi(a)),   z = y^(n - a)
//   a = 1 + floor(ln(1 + (1 - delta)(1 - y)/(delta (1 + y)))/epsilon)
//
// a is the first n at which pi(n) is above that. As e^epsilon is transcendental for a rational
// epsilon other than 0 (Hermite, Lindemann), and for no n >= 1 is delta (1 + x + ... + x^(n - 1))
// (1 + x) = 1 - delta for all x, the logarithm over epsilon is no integer but perhaps 0, where
// delta would be 1: enclosures that are refined find a. Then they enclose pi(n), and a uniform real
// is revealed until it lies on one side of all of them (core/random/weighted_choice.h): the coin
// has exactly the probability above, and what it takes does not grow with n.
//
// Source: Desfontaines, Voss, Gipson and Mandayam, "Differentially private partition selection"
// (PoPETs 2022), Theorem 1.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>

#include "core/random/bit_source.h"
#include "core/random/weighted_choice.h"

namespace idp {

class GroupSelection {
 public:
  // epsilon finite and > 0, delta > 0 and < 1: the rational numbers that they are.
  GroupSelection(double epsilon, double delta);

  // pi(count) * 2^precision, count >= 0
  Enclosure probability(std::int64_t count, unsigned long precision) const;

  bool keep(std::int64_t count, BitSource& bits) const;

 private:
  mpq_class epsilon_;
  mpq_class delta_;
  mpz_class bend_;  // a
};

}  // namespace idp
