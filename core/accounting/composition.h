// What several answers about one table cost together.
//
// Neighbours differ in one record. An answer computed from rows among which that record is not is
// the same on both data sets, so only the answers that see it count, and their epsilons add up
// (sequential composition). A GROUP BY computes one answer per group from disjoint rows:
//
//   add or remove   the record is in one group of one data set and in none of the other: the answer
//                   of that group changes. The groups together cost the greatest epsilon of one.
//   substitute      the record can leave one group and enter another: two answers change. The
//                   groups together cost twice that.
//
// Without GROUP BY there is one group, and each relation costs its epsilon once. Every grouping set
// divides the rows anew, so each counts by itself.
//
// The chains of gradual release (core/gradual/chain.h) that were born in one GROUP BY of one
// statement are answers about disjoint rows too, whatever levels they were refined to since: the
// largest epsilon among them counts, as above. A group that a later statement adds may hold rows
// that were in another group then, so it does not belong to them.
//
// Where each part of a table has a budget of its own (block composition), the parts are groups that
// all answers are divided by: a record that is added or removed is in one part, and its budget
// bounds what is lost; one that is substituted can leave a part for another. Answers about either
// part then count, one about both at most twice. So an answer is charged to each part that it reads
// as if it had groups: half of what two parts were charged, which is at most one budget, is what
// the move reveals.
//
// Source: privacy.md, section 1; McSherry, "Privacy Integrated Queries" (2009), Theorems 3 and 4;
// Lécuyer, Spahn, Vodrahalli, Geambasu, Hsu, "Privacy Accounting and Quality Control in the Sage
// Differentially Private ML Platform" (2019).
#pragma once

#include "core/no_postgres.h"

#include <utility>

#include "core/accounting/measure.h"
#include "core/accounting/unit.h"

namespace idp {

// How often the loss of an aggregate counts in one grouping set.
constexpr int cost_factor(Neighbours neighbours, bool grouped) {
  return grouped && neighbours == Neighbours::kSubstitute ? 2 : 1;
}

// What was lost so far of a budget, in one measure.
template <Measure M>
class Budget {
 public:
  using Loss = typename M::Loss;

  Budget(Neighbours neighbours, Loss total) : neighbours_(neighbours), total_(std::move(total)) {}

  const Loss& total() const { return total_; }
  const Loss& spent() const { return spent_; }

  // Charges an answer; or those of a GROUP BY, whose groups lose in_parallel(). False, and nothing
  // charged, if the budget does not suffice.
  [[nodiscard]] bool charge(const Loss& loss, bool grouped = false) {
    Loss after = spent_;
    for (int i = 0; i < cost_factor(neighbours_, grouped); ++i) after = M::in_sequence(after, loss);
    if (!(after <= total_)) return false;
    spent_ = std::move(after);
    return true;
  }

  // Charges a level of an answer that has cost `before` so far: what it then loses more. Of all its
  // levels the greatest counts (core/gradual/release.h), so one that is not finer is free.
  [[nodiscard]] bool refine(const Loss& before, const Loss& level, bool grouped = false) {
    return charge(M::further(before, level), grouped);
  }

  // The same in a period that begins with a budget of its own, where `before` was charged in
  // earlier ones (period.h says why that counts again).
  [[nodiscard]] bool refine_in_new_period(const Loss& before, const Loss& level,
                                          bool grouped = false) {
    return charge(level <= before ? M::none() : M::in_sequence(before, level), grouped);
  }

 private:
  Neighbours neighbours_;
  Loss total_;
  Loss spent_ = M::none();
};

}  // namespace idp
