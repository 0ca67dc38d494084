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
// A record that moves from one group to another changes two coins: p = pi(n) and p' = pi(n - 1) of
// the group that it leaves, q = pi(k) and q' = pi(k + 1) of the one that it enters. They are
// independent and each is (epsilon, delta)-DP, so together they are (2 epsilon, 2 delta -
// delta^2)-DP (Kairouz, Oh and Viswanath 2015). Less is enough: the greatest sum, over all n and k,
// of the positive parts of
//
//   K = p q - x^2 p' q'                          both are kept
//   M = p (1 - q) - x^2 p' (1 - q')              the one that is left, alone
//   N = (1 - p)(1 - q) - x^2 (1 - p')(1 - q')    none
//
// as the fourth is never positive, and moving back exchanges p and 1 - q'. Let P = 1 - q, P' = 1 -
// q'.
//   1. K + M = p - x^2 p' <= delta. M + N = P - x^2 P' <= r, where r = max(R, delta - x (x - 1) R)
//   <=
//      delta and R is the least 1 - pi(n) > 0: if P' = 0, P is R at most; else P' >= R.
//   2. K > 0 and N > 0: K + N <= q (p - x^2 p') + (1 - p)(P - x^2 P') <= delta + r; if M > 0, K + M
//   +
//      N = (p - x^2 p') + (P - x^2 P') - M <= delta + r.
//   3. K > 0 or N > 0 alone: at most delta, by 1, with M or without.
//   4. M alone: F(p', P'), with F(u, v) = g(u) g(v) - x^2 u v, g(u) the least of x u + delta, 1 - y
//   (1
//      - u - delta) and 1: of both groups one probability is g of the other, or less where P' = 0.
//      g is linear up to e = (1 - delta)/(1 + x). Let y <= 1 - delta, and t = delta/(x^3 - x).
//        v <= t   F(u, v) <= g(u) (x v + delta) - x^2 u v, greatest at u = 1 - delta: delta - v x
//        (x -
//                 1 - x delta) <= delta
//        v >= t   F does not grow with u beyond e: its slope is y g(v) - x^2 v at most, and g(v) <=
//        x
//                 v + delta <= x^3 v. Up to e it is linear in u: at most what it is for u <= t, or
//                 for the last p' up to e.
//      The same holds of v. So M is at most delta, or what it is next to e: p' is pi(a - 1) or
//      pi(a), P' is 1 - pi(a) or 1 - pi(a + 1). s is the greatest of these four.
// So both coins are (2 epsilon, max(delta + r, s))-DP.
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

  // Where a record leaves one group and enters another, the two coins are (2 epsilon, this)-DP:
  // between delta and 2 delta, rounded up.
  mpq_class delta_of_move() const;

 private:
  mpq_class epsilon_;
  mpq_class delta_;
  mpz_class bend_;  // a
};

}  // namespace idp
