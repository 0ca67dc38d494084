// Randomised response: its laws in exact fractions, and that these are what is drawn.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "core/random/draws/response.h"
#include "tests/support/bits.h"
#include "tests/support/layers.h"

namespace idp::test {
namespace {

// The process by definition: replaced with probability alpha, or not. Shares no code with the
// library. Number is a rational for any q, or an enclosure for q = exp(-epsilon).
template <class Number>
struct Process {
  unsigned long k;

  Number count(long n) const { return Number(n); }
  Number alpha(const Number& q) const {
    return count(static_cast<long>(k)) * q / (Number(1) + count(static_cast<long>(k - 1)) * q);
  }
  Number replaced(const Number& alpha, bool same) const {
    const Number share = alpha / count(static_cast<long>(k));
    return same ? Number(1) - alpha + share : share;
  }
  // Pr[V = v | x]
  Number first(Response x, Response v, const Number& q) const { return replaced(alpha(q), v == x); }
  // Pr[V_1 = y | V_2 = v]
  Number step(Response v, Response y, const Number& coarse, const Number& fine) const {
    const Number stays = (Number(1) - alpha(coarse)) / (Number(1) - alpha(fine));
    return replaced(Number(1) - stays, v == y);
  }
};

const unsigned long kSizes[] = {2, 3, 7};
using Three = std::array<Response, 3>;

template <class Visit>
void for_each_vector(unsigned long k, Visit visit) {
  for (Response a = 0; a < k; ++a) {
    for (Response b = 0; b < k; ++b) {
      for (Response c = 0; c < k; ++c) visit(Three{a, b, c});
    }
  }
}

// From coarse to fine.
template <class Number>
Number joint(const Process<Number>& process, Response x, const Three& v,
             const std::array<Number, 3>& q) {
  return process.first(x, v[2], q[2]) * process.step(v[2], v[1], q[1], q[2]) *
         process.step(v[1], v[0], q[0], q[1]);
}

const std::array<mpq_class, 3> kRatios[] = {
    {mpq_class(1, 2), mpq_class(1, 3), mpq_class(1, 10)},
    {ratio(99, 100), ratio(98, 100), ratio(97, 100)},
    {mpq_class(1, 2), mpq_class(1, 1000), mpq_class(1, 1001)},
};

TEST(ResponseProcess, EveryLevelHasTheMarginalOfOneThatIsAlone) {
  for (const unsigned long k : kSizes) {
    const Process<mpq_class> process{k};
    for (const auto& q : kRatios) {
      std::array<std::map<Response, mpq_class>, 3> marginal;
      for_each_vector(k, [&](const Three& v) {
        const mpq_class p = joint(process, 0, v, q);
        for (std::size_t i = 0; i < 3; ++i) marginal[i][v[i]] += p;
      });
      for (std::size_t i = 0; i < 3; ++i) {
        for (Response v = 0; v < k; ++v) EXPECT_EQ(marginal[i][v], process.first(0, v, q[i]));
        EXPECT_EQ(marginal[i][0], marginal[i][1] / q[i]);
      }
    }
  }
}

// All levels together: every vector, every pair of values.
TEST(ResponseProcess, LevelsTogetherAreAsPrivateAsTheFinest) {
  for (const unsigned long k : kSizes) {
    const Process<mpq_class> process{k};
    for (const auto& q : kRatios) {
      mpq_class worst = 0;
      for_each_vector(k, [&](const Three& v) {
        for (Response x = 0; x < k; ++x) {
          for (Response other = 0; other < k; ++other) {
            worst =
                std::max<mpq_class>(worst, joint(process, x, v, q) / joint(process, other, v, q));
          }
        }
      });
      EXPECT_EQ(worst, 1 / q[2]);
    }
  }
}

TEST(ResponseProcess, IndependentAnswersWouldCostTheirSum) {
  const Process<mpq_class> process{3};
  const auto& q = kRatios[0];
  mpq_class ratio = 1;
  for (const mpq_class& level : q) ratio *= process.first(0, 0, level) / process.first(1, 0, level);
  EXPECT_EQ(ratio, 1 / (q[0] * q[1] * q[2]));
}

// --- what is drawn ---

using Source = Exact<kGeometrics>;

std::string judge(const ResponseLaw& law, const std::vector<Mass>& exact) {
  const auto drawn = walk<Source>([&](Source& s) { return draws::draw_response(law, s); });
  std::vector<Response> all;
  for (Response v = 0; v < exact.size(); ++v) all.push_back(v);
  return drawn.differs([&](Response v) { return v < exact.size() ? exact[v] : Mass(0); }, all);
}

Rate rate_at(const mpq_class& rate) { return {rate.get_num(), rate.get_den()}; }

// Levels from coarse to fine; at[i] is what was released there.
struct Levels {
  std::array<mpq_class, 3> rates;

  Mass q(std::size_t i) const { return Mass::exp_minus(rates[i]); }
  ResponseLevel level(std::size_t i, Response v) const { return {rate_at(rates[i]), v}; }
};
const Levels kLevels[] = {{{1, 2, 3}},
                          {{mpq_class(1, 10), mpq_class(1, 2), 8}},
                          {{1, mpq_class(1001, 1000), mpq_class(1002, 1000)}},
                          {{mpq_class(1, 3), 30, 50}}};

// The conditional of level i given others, from the joint law by summing: all kinds of steps.
std::vector<Mass> conditional(unsigned long k, Response x, const Levels& levels,
                              std::size_t missing, const std::map<std::size_t, Response>& given) {
  const Process<Mass> process{k};
  const std::array<Mass, 3> q{levels.q(0), levels.q(1), levels.q(2)};
  std::vector<Mass> weights(k);
  Mass total;
  for_each_vector(k, [&](const Three& v) {
    for (const auto& [i, response] : given) {
      if (v[i] != response) return;
    }
    const Mass p = joint(process, x, v, q);
    weights[v[missing]] += p;
    total += p;
  });
  for (Mass& w : weights) w = w / total;
  return weights;
}

TEST(LawOfResponse, FirstTightenRelaxBetween) {
  for (const unsigned long k : kSizes) {
    for (const Levels& levels : kLevels) {
      for (const Response x : {Response{0}, Response{k - 1}}) {
        EXPECT_EQ(judge(next_response(x, k, {}, levels.level(1, 0).rate),
                        conditional(k, x, levels, 1, {})),
                  "");
        for (Response y = 0; y < std::min(k, 3ul); ++y) {
          const ResponseLevel coarse = levels.level(0, y), fine = levels.level(2, y);
          EXPECT_EQ(judge(next_response(x, k, {&fine, 1}, levels.level(1, 0).rate),
                          conditional(k, x, levels, 1, {{2, y}})),
                    "");
          EXPECT_EQ(judge(next_response(x, k, {&coarse, 1}, levels.level(1, 0).rate),
                          conditional(k, x, levels, 1, {{0, y}})),
                    "");
          // only the finest of several matters
          const ResponseLevel two[] = {coarse, levels.level(1, (y + 1) % k)};
          EXPECT_EQ(judge(next_response(x, k, two, levels.level(2, 0).rate),
                          conditional(k, x, levels, 2, {{0, y}, {1, (y + 1) % k}})),
                    "");
          for (Response z = 0; z < std::min(k, 3ul); ++z) {
            const ResponseLevel ends[] = {coarse, levels.level(2, z)};
            EXPECT_EQ(judge(next_response(x, k, ends, levels.level(1, 0).rate),
                            conditional(k, x, levels, 1, {{0, y}, {2, z}})),
                      "");
          }
        }
      }
    }
  }
}

TEST(LawOfResponse, AChainRepeatsAndKeepsTheOrder) {
  SeededBits bits(1);
  for (int i = 0; i < 200; ++i) {
    ResponseChain chain(3, 5);
    std::map<int, Response> drawn;
    for (const int rate : {4, 1, 8, 2, 6}) drawn[rate] = chain.at({rate, 4}, bits);
    for (const auto& [rate, v] : drawn) {
      EXPECT_EQ(chain.at({3 * rate, 12}, bits), v);  // the same fraction
      EXPECT_LT(v, 5u);
    }
    ASSERT_EQ(chain.levels().size(), 5u);
    ResponseChain stored(3, 5, chain.levels());
    EXPECT_EQ(stored.at({1, 1}, bits), drawn[4]);
  }
}

TEST(LawOfResponse, ALargeDomainAndAnyEpsilon) {
  SeededBits bits(2);
  for (const unsigned long k : {2ul, 1000003ul, kMostResponses}) {
    for (const double epsilon : {1e-18, 0.1, 1e5}) {
      ResponseChain chain(k - 1, k);
      const Rate coarse = Rate::of(epsilon, 1), fine = Rate::of(2 * epsilon, 1),
                 middle = Rate::of(1.5 * epsilon, 1);
      EXPECT_LT(chain.at(coarse, bits), k);
      EXPECT_LT(chain.at(fine, bits), k);
      EXPECT_LT(chain.at(middle, bits), k);
      if (epsilon == 1e5) {
        EXPECT_EQ(chain.levels().front().response, k - 1);
      }
    }
  }
}

TEST(LawOfResponse, WhatIsNotADomainOrALevelIsRefused) {
  const Rate one{1, 1};
  const std::vector<ResponseLevel> descending{{{2, 1}, 0}, {{1, 1}, 0}};
  EXPECT_THROW(next_response(0, 1, {}, one), std::invalid_argument);
  EXPECT_THROW(next_response(0, kMostResponses + 1, {}, one), std::invalid_argument);
  EXPECT_THROW(next_response(3, 3, {}, one), std::invalid_argument);
  EXPECT_THROW(next_response(0, 3, {}, {0, 1}), std::invalid_argument);
  EXPECT_THROW(next_response(0, 3, descending, {3, 1}), std::invalid_argument);
  const ResponseLevel level{one, 1}, outside{one, 3};
  EXPECT_THROW(next_response(0, 3, {&level, 1}, {2, 2}), std::invalid_argument);
  EXPECT_THROW(next_response(0, 3, {&outside, 1}, {2, 1}), std::invalid_argument);
  EXPECT_THROW(ResponseChain(0, 3, {outside}), std::invalid_argument);
}

// --- laws that are wrong ---

TEST(LawControl, Response) {
  const unsigned long k = 3;
  const Levels levels = kLevels[0];
  const Rate rate = levels.level(1, 0).rate;
  const ResponseLevel coarse = levels.level(0, 1), fine = levels.level(2, 1);
  // the keeping probability without the share of alpha: epsilon is another one
  EXPECT_NE(
      judge(next_response(0, k, {}, levels.level(2, 0).rate), conditional(k, 0, levels, 1, {})),
      "");
  // a level on its own where one was released
  EXPECT_NE(judge(next_response(0, k, {}, rate), conditional(k, 0, levels, 1, {{0, 1}})), "");
  EXPECT_NE(judge(next_response(0, k, {}, rate), conditional(k, 0, levels, 1, {{2, 1}})), "");
  // the coarser level is forgotten when a finer one is there
  const ResponseLevel two[] = {coarse, fine};
  EXPECT_NE(
      judge(next_response(0, k, {&fine, 1}, rate), conditional(k, 0, levels, 1, {{0, 1}, {2, 1}})),
      "");
  EXPECT_EQ(judge(next_response(0, k, two, rate), conditional(k, 0, levels, 1, {{0, 1}, {2, 1}})),
            "");
  // off by one value of the domain
  EXPECT_NE(
      judge(next_response(0, k + 1, {&fine, 1}, rate), conditional(k, 0, levels, 1, {{2, 1}})), "");
}

}  // namespace
}  // namespace idp::test
