// The cost factor against the definition: over all small data sets and all their neighbours, what
// the counts of all groups together reveal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/accounting/composition.h"

namespace idp::test {
namespace {

using Groups = std::vector<int>;  // the group of each record

// Counts with discrete Laplace noise of rate epsilon: the log of the ratio of the probabilities of
// any answer on two data sets is at most epsilon times this, and reaches it.
int distance(const Groups& a, const Groups& b, int groups) {
  int sum = 0;
  for (int g = 0; g < groups; ++g) {
    sum += std::abs(
        static_cast<int>(std::count(a.begin(), a.end(), g) - std::count(b.begin(), b.end(), g)));
  }
  return sum;
}

void for_all(int records, int groups, Groups& data, auto&& visit) {
  if (static_cast<int>(data.size()) == records) return visit(data);
  for (int g = 0; g < groups; ++g) {
    data.push_back(g);
    for_all(records, groups, data, visit);
    data.pop_back();
  }
}

int worst(Neighbours neighbours, int groups) {
  int most = 0;
  for (int records = 1; records <= 4; ++records) {
    Groups empty;
    for_all(records, groups, empty, [&](const Groups& data) {
      for (int i = 0; i < records; ++i) {
        Groups other = data;
        if (neighbours == Neighbours::kAddRemove) {
          other.erase(other.begin() + i);
          most = std::max(most, distance(data, other, groups));
          continue;
        }
        for (int g = 0; g < groups; ++g) {
          other[static_cast<std::size_t>(i)] = g;
          most = std::max(most, distance(data, other, groups));
        }
      }
    });
  }
  return most;
}

TEST(Composition, CostFactorIsTheWorstOverAllNeighbours) {
  for (int groups = 2; groups <= 3; ++groups) {
    EXPECT_EQ(worst(Neighbours::kSubstitute, groups), cost_factor(Neighbours::kSubstitute, true));
    EXPECT_EQ(worst(Neighbours::kAddRemove, groups), cost_factor(Neighbours::kAddRemove, true));
  }
  // One group, of which WHERE may keep a record or not: two groups of which one is not looked at.
  EXPECT_EQ(cost_factor(Neighbours::kSubstitute, false), 1);
  EXPECT_EQ(cost_factor(Neighbours::kAddRemove, false), 1);
}

}  // namespace
}  // namespace idp::test
