// What answers lose about one record, by their laws over all neighbours of small groups, against
// what they are charged: no less than is lost, and less than one epsilon more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "core/aggregate/times_lost.h"
#include "core/mechanism/count.h"
#include "core/mechanism/mode.h"
#include "core/mechanism/private_moments.h"
#include "tests/support/brute_force.h"
#include "tests/support/data.h"
#include "tests/support/exponential_law.h"

namespace idp::test {
namespace {

constexpr Neighbours kMoved = Neighbours::kSubstitute, kAdded = Neighbours::kAddRemove;

// The greatest |log of Pr[answer | D] / Pr[answer | D']|, in epsilons, where both are answered with
// noise for the neighbours `drawn`.
using Loss = std::function<double(const Data&, const Data&, Neighbours drawn)>;

struct Answered {
  std::string name;
  Spec spec;
  std::int64_t lower, upper;  // of the values of its records
  Loss loss;
};

// --- values plus noise: exp(-rate |x|) each, so that the greatest ratio is that of the sums ---

using Freeze = std::function<Frozen(const Data&, Neighbours drawn)>;

Loss of_noise(Freeze freeze) {
  return [freeze](const Data& one, const Data& other, Neighbours drawn) {
    const Frozen a = freeze(one, drawn), b = freeze(other, drawn);
    mpq_class loss = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      EXPECT_EQ(a.sensitivities_of(i), b.sensitivities_of(i));
      const mpz_class moved = abs(a.values[i] - b.values[i]);
      if (moved != 0) loss += moved / a.sensitivities_of(i).front();
    }
    return loss.get_d();
  };
}

std::vector<std::uint64_t> counts_of(const Data& data, std::size_t domain) {
  std::vector<std::uint64_t> counts(domain);
  for (const auto x : data) ++counts[static_cast<std::size_t>(x)];
  return counts;
}

Answered additive(Statistic statistic, std::int64_t lower, std::int64_t upper, Freeze freeze) {
  Spec spec = spec_of(statistic, kInt64Grid);
  spec.lower = widen(Key64{lower});
  spec.upper = widen(Key64{upper});
  std::ostringstream name;
  name << row_of(statistic).name << ' ' << lower << ' ' << upper;
  return {name.str(), spec, lower, upper, of_noise(std::move(freeze))};
}

Answered moment(Statistic statistic, std::int64_t lower, std::int64_t upper) {
  const StepBounds bounds{mpz_class(static_cast<long>(lower)), mpz_class(static_cast<long>(upper))};
  return additive(statistic, lower, upper, [=](const Data& data, Neighbours drawn) {
    MomentTotals totals;
    for (const auto x : data) {
      const mpz_class offset(static_cast<long>(x - lower));
      totals.count += 1;
      totals.sum += offset;
      totals.squares += offset * offset;
    }
    return freeze_private_moments(row_of(statistic).moment, totals, bounds, drawn);
  });
}

// --- the mode of a domain: permute-and-flip, exactly, with e^(-epsilon/2) = 1/3 ---

const mpq_class kRoot(1, 3);
const double kEpsilonOfMode = 2 * std::log(3);

std::vector<mpq_class> flip_law(const std::vector<std::uint64_t>& counts, Neighbours drawn) {
  const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
  const mpq_class q = drawn == kAdded ? mpq_class(kRoot * kRoot) : kRoot;
  std::vector<mpq_class> p, law;
  for (const std::uint64_t count : counts) {
    p.emplace_back(1);
    for (std::uint64_t i = count; i < most; ++i) p.back() *= q;
  }
  for (std::size_t v = 0; v < p.size(); ++v) {
    std::vector<mpq_class> product{1};  // of 1 - t p_w, by powers of t
    for (std::size_t w = 0; w < p.size(); ++w) {
      if (w == v) continue;
      product.emplace_back(0);
      for (std::size_t i = product.size() - 1; i > 0; --i) product[i] -= product[i - 1] * p[w];
    }
    mpq_class integral = 0;
    for (std::size_t i = 0; i < product.size(); ++i)
      integral += product[i] / mpq_class(static_cast<long>(i + 1));
    law.push_back(p[v] * integral);
  }
  return law;
}

double greatest_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  double loss = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    loss = std::max(loss, std::abs(std::log(a[i]) - std::log(b[i])));
  return loss;
}

Answered mode(std::size_t domain) {
  const auto law = [=](const Data& data, Neighbours drawn) {
    std::vector<double> doubles;
    for (const mpq_class& p : flip_law(counts_of(data, domain), drawn))
      doubles.push_back(p.get_d());
    return doubles;
  };
  return {"dp_mode", spec_of(Statistic::kPrivateMode, kInt64Grid), 0,
          static_cast<std::int64_t>(domain) - 1,
          [=](const Data& one, const Data& other, Neighbours drawn) {
            return greatest_ratio(law(one, drawn), law(other, drawn)) / kEpsilonOfMode;
          }};
}

// --- order statistics: the exponential mechanism, with an epsilon that outweighs a short domain
// ---

Answered quantile(Statistic statistic, std::int64_t upper) {
  constexpr double kEpsilon = 30;
  const Spec spec = private_quantile<Key64>(statistic, row_of(statistic).fraction, 0, upper,
                                            kInt64Grid, kEpsilon);
  const auto law = [=](const Data& data) {
    std::vector<double> p;
    double total = 0;
    const std::int64_t rank = brute_rank(spec, static_cast<std::int64_t>(data.size()));
    for (std::int64_t y = 0; y <= upper; ++y) {
      p.push_back(std::exp(-kEpsilon / 2 * static_cast<double>(brute_distance(data, rank, y))));
      total += p.back();
    }
    for (double& v : p) v /= total;
    return p;
  };
  return {row_of(statistic).name, spec, 0, upper,
          [=](const Data& one, const Data& other, Neighbours) {
            return greatest_ratio(law(one), law(other)) / kEpsilon;
          }};
}

std::vector<Answered> all() {
  std::vector<Answered> answered{
      additive(Statistic::kCount, 0, 1,
               [](const Data& data, Neighbours) {
                 return freeze_count(static_cast<std::int64_t>(data.size()));
               }),
      additive(Statistic::kDistinct, 0, 2,
               [](const Data& data, Neighbours) {
                 const auto counts = counts_of(data, 3);
                 return freeze_count(3 - std::count(counts.begin(), counts.end(), 0));
               }),
      additive(Statistic::kHistogram, 0, 3,
               [](const Data& data, Neighbours drawn) {
                 return freeze_histogram(counts_of(data, 4), drawn);
               }),
      mode(2),
      mode(3),
      mode(4),
      quantile(Statistic::kPrivateMedian, 3),
      quantile(Statistic::kPrivateMax, 3),
      quantile(Statistic::kPrivateMin, 3)};
  for (const Statistic statistic : {Statistic::kPrivateSum, Statistic::kPrivateAverage,
                                    Statistic::kPrivateVariance, Statistic::kPrivateStddev}) {
    for (const auto& [lower, upper] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {-2, 2}, {0, 4}, {-4, 0}, {-1, 3}, {-3, 1}, {2, 4}, {-4, -3}, {1, 2}}) {
      answered.push_back(moment(statistic, lower, upper));
    }
  }
  return answered;
}

// --- all neighbours ---

struct Needed {
  double added = 0;     // of a record that is added, or removed
  double replaced = 0;  // of one that is another one, in the same group
};

Needed needed(const Answered& answered, Neighbours drawn) {
  Data domain;
  for (std::int64_t x = answered.lower; x <= answered.upper; ++x) domain.push_back(x);
  Needed worst;
  for (const Data& data : data_sets(domain, 4)) {
    const auto with = [&](std::int64_t x) {
      Data more = data;
      more.push_back(x);
      return more;
    };
    for (const std::int64_t x : domain) {
      worst.added = std::max(worst.added, answered.loss(data, with(x), drawn));
      for (const std::int64_t y : domain) {
        if (y <= x) continue;
        worst.replaced = std::max(worst.replaced, answered.loss(with(x), with(y), drawn));
      }
    }
  }
  return worst;
}

// Of neighbours that substitute, one that does not pass WHERE stands for one that is not there. In
// two groups, whose answers are independent, the losses add up.
double lost(const Needed& needed, Neighbours neighbours, bool grouped) {
  if (neighbours == kAdded) return needed.added;
  const double once = std::max(needed.added, needed.replaced);
  return grouped ? std::max(once, 2 * needed.added) : once;
}

TEST(TimesLost, AreEnoughForAllNeighboursAndNoneTooMany) {
  constexpr double kSlack = 1e-9;
  int once_in_groups = 0, cases = 0;
  for (const Answered& answered : all()) {
    for (const Neighbours drawn : {kMoved, kAdded}) {
      const Needed need = needed(answered, drawn);
      for (const Neighbours neighbours : {kMoved, kAdded}) {
        for (const bool grouped : {false, true}) {
          const int times = times_lost(answered.spec, drawn, neighbours, grouped);
          const double is = lost(need, neighbours, grouped);
          const bool is_clumsy = answered.spec.mechanism() == Mechanism::kExponential;
          EXPECT_LE(is, times + kSlack) << answered.name << ' ' << name_of(drawn) << ' '
                                        << name_of(neighbours) << ' ' << grouped;
          EXPECT_GT(is, times - 1 + (is_clumsy ? -0.1 : kSlack))
              << answered.name << ' ' << name_of(drawn) << ' ' << name_of(neighbours) << ' '
              << grouped;
          once_in_groups += times == 1 && grouped && neighbours == kMoved;
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(once_in_groups, 5);  // the histogram, three modes, and the sum from -2 to 2
  EXPECT_GT(cases, 300);
}

// The noise for records that are added or removed is used up, and is half of the other.
TEST(TimesLost, NoiseOfAddedRecordsIsUsedUp) {
  for (const Answered& answered : all()) {
    if (answered.spec.mechanism() == Mechanism::kExponential) continue;
    const double added = needed(answered, kAdded).added;
    if (answered.spec.mechanism() == Mechanism::kPermuteAndFlip) {
      EXPECT_GT(added, 0.8) << answered.name;
      EXPECT_LE(added, 1 + 1e-9) << answered.name;
    } else {
      EXPECT_NEAR(added, 1, 1e-12) << answered.name;
    }
  }
}

// Negative control: with the noise for added records, substituted ones lose up to twice.
TEST(TimesLost, NoiseOfAddedRecordsIsNotEnoughForOthers) {
  int twice = 0;
  for (const Answered& answered : all()) {
    twice += needed(answered, kAdded).replaced > 1.25;
  }
  EXPECT_EQ(twice, 7);  // the histogram, modes, and sums over bounds of both signs
}

// --- what a release was drawn for ---

TEST(DrawnFor, IsToldByTheSensitivities) {
  for (const Answered& answered : all()) {
    if (!row_of(answered.spec.statistic).is_additive()) continue;
    const Needed moved = needed(answered, kMoved), added = needed(answered, kAdded);
    const auto drawn_for_of = [&](Neighbours drawn) {
      Frozen frozen;
      if (answered.spec.collects() == Collects::kBuckets) {
        const std::uint64_t buckets[] = {1, 2};
        frozen = freeze_histogram(buckets, drawn);
      } else if (answered.spec.collects() == Collects::kMoments) {
        frozen = freeze_private_moments(
            row_of(answered.spec.statistic).moment, {},
            step_bounds(answered.spec.grid, answered.spec.lower, answered.spec.upper), drawn);
      } else {
        frozen = freeze_count(1);
      }
      return drawn_for(answered.spec, frozen);
    };
    const bool differs = added.added > moved.added;
    EXPECT_EQ(drawn_for_of(kMoved), kMoved) << answered.name;
    EXPECT_EQ(drawn_for_of(kAdded), differs ? kAdded : kMoved) << answered.name;
  }
}

}  // namespace
}  // namespace idp::test
