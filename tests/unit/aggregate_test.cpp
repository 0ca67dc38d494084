// The facade of a program without a server: it gives what the functions behind it give.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/aggregate/aggregate.h"
#include "core/gradual/refined_answer.h"
#include "core/random/system_bits.h"
#include "tests/support/data.h"
#include "tests/support/moments.h"
#include "tests/support/release.h"

#include <sys/wait.h>
#include <unistd.h>

namespace idp::test {
namespace {

constexpr Key64 kMost = 1000;

// A call of the statistic on integers between 0 and kMost.
Spec call_of(Statistic statistic) {
  Spec spec = spec_of(statistic);
  const StatisticRow& row = row_of(statistic);
  spec.grid = row.columns == Columns::kNone ? Grid{} : kInt64Grid;
  spec.epsilon = 0.3;
  spec.fraction = row.has(Parameter::kFraction) ? 0.3 : row.fraction;
  if (row.has(Parameter::kK)) spec.k = 3;
  if (row.has(Parameter::kGamma)) spec.gamma = 3;
  if (row.has(Parameter::kDelta)) spec.delta = 1e-6;
  if (row.has(Parameter::kBuckets)) spec.buckets = 7;
  if (row.has(Parameter::kUpper)) spec.upper = widen(kMost);
  return spec;
}

std::vector<Key64> some_keys(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Key64> keys(200);
  for (Key64& key : keys) key = static_cast<Key64>(random() % 1300) - 150;
  return keys;
}

void add_all(Aggregate& aggregate, std::span<const Key64> keys) {
  for (const Key64 key : keys) {
    if (aggregate.spec().grid.type == ValueType::kNone) {
      aggregate.add();
    } else {
      aggregate.add(key);
    }
  }
}

// The same without the facade.
Answer expected(const Spec& spec, const std::vector<Key64>& keys, BitSource& bits) {
  const Workspace space{std::pmr::new_delete_resource()};
  const std::span<const double> epsilons(&spec.epsilon, 1);
  const std::span<const Key64> run(keys);
  switch (spec.collects()) {
    case Collects::kValues:
      return answer_once(spec, epsilons, collected(in_memory<Key64>({&run, 1})), space, bits);
    case Collects::kMoments: {
      const State state = state_of(spec, keys);
      return answer_once(spec, epsilons, {.count = state.count, .words = state.words.data()}, space,
                         bits);
    }
    case Collects::kDistinct: {
      auto sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      const auto count = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
      return answer_once(spec, epsilons, {.count = count}, space, bits);
    }
    case Collects::kBuckets: {
      std::vector<std::uint64_t> buckets(static_cast<std::size_t>(spec.buckets));
      for (const Key64 key : keys) {
        const Key64 offset = std::clamp<Key64>(key, 0, kMost);
        ++buckets[static_cast<std::size_t>(
            std::min(offset * spec.buckets / kMost, spec.buckets - 1))];
      }
      return answer_once(spec, epsilons, {.words = buckets.data()}, space, bits);
    }
    default: {
      const bool all = spec.grid.type == ValueType::kNone;
      const auto count = std::count_if(
          keys.begin(), keys.end(), [&](Key64 key) { return all || (key >= 0 && key <= kMost); });
      return answer_once(spec, epsilons, {.count = count}, space, bits);
    }
  }
}

TEST(Aggregate, AnswersAsTheFunctionsBehindIt) {
  for (int i = 1; i < kStatistics; ++i) {
    const Spec spec = call_of(static_cast<Statistic>(i));
    if (spec.has(Parameter::kDomain)) {
      EXPECT_THROW(Aggregate{spec}, std::invalid_argument);
      continue;
    }
    SCOPED_TRACE(row_of(spec.statistic).name);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const std::vector<Key64> keys = some_keys(seed);
      Aggregate whole(spec), half(spec), other(spec);
      add_all(whole, keys);
      add_all(half, std::span(keys).first(80));
      add_all(other, std::span(keys).subspan(80));
      half.merge(other);
      SeededBits one(seed), two(seed), three(seed);
      const Answer answer = whole.answer(one);
      EXPECT_EQ(answer, expected(spec, keys, two));
      EXPECT_EQ(answer, half.answer(three));
      EXPECT_EQ(one.word(), two.word());
    }
  }
}

TEST(Aggregate, RefusesWhatNoCallCouldAsk) {
  const auto refused = [](Spec spec, const std::string& why) {
    try {
      const Aggregate aggregate(spec);
      ADD_FAILURE() << why;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()).substr(0, why.size()), why);
    }
  };
  Spec spec = call_of(Statistic::kMedian);
  spec.epsilon = 0;
  refused(spec, "epsilon must be a finite number greater than 0");
  spec = call_of(Statistic::kSum);
  spec.grid = {ValueType::kDate};
  refused(spec, "the statistic is not of columns of this type");
  spec = call_of(Statistic::kSum);
  std::swap(spec.lower, spec.upper);
  refused(spec, "lower must not be greater than upper");
  refused({}, "no such statistic");
  spec = call_of(Statistic::kMedian);
  spec.groups = 2;
  refused(spec, "epsilons must be as many as the groups");

  Aggregate median(call_of(Statistic::kMedian)), maximum(call_of(Statistic::kMax));
  EXPECT_THROW(median.merge(maximum), std::invalid_argument);
  EXPECT_THROW(median.add(0.5), std::invalid_argument);
  EXPECT_THROW(median.add(Key128{0, 1}), std::invalid_argument);
  EXPECT_THROW(median.add(), std::invalid_argument);
}

TEST(Aggregate, ValuesBecomeThoseOfTheColumn) {
  Spec spec = call_of(Statistic::kMax);
  spec.grid = {ValueType::kInt16};
  spec.upper = widen(Key64{32767});
  spec.epsilon = 1e15;
  Aggregate narrow(spec);
  for (int i = 0; i < 2; ++i) narrow.add(Key64{100000});  // the largest smallint
  SeededBits bits(1);
  EXPECT_EQ(std::get<Key64>(narrow.answer(bits)), 32767);

  spec = median(Grid{ValueType::kFloat32});
  Aggregate floats(spec);
  for (const double x : {0.1, std::numeric_limits<double>::quiet_NaN(), 0.1}) floats.add(x);
  EXPECT_EQ(floats.size(), 2);
}

TEST(RefinedAnswer, IsTheChainOfItsLevels) {
  Aggregate count(call_of(Statistic::kCount));
  for (int i = 0; i < 42; ++i) count.add();
  SeededBits bits(7), same(7);
  const Frozen frozen = count.freeze(bits);
  RefinedAnswer refined(count.spec(), frozen);
  const Answer coarse = refined.at(0.1, bits), fine = refined.at(1, bits);
  const double epsilons[] = {0.1, 1};
  const auto noise = noise_at(frozen, {}, {&epsilons[0], 1}, same, nullptr);
  EXPECT_EQ(coarse, answer(count.spec(), frozen, {&epsilons[0], 1}, noise));
  const std::vector<ReleasedLevel> levels{{{0.1}, noise}};
  EXPECT_EQ(fine, answer(count.spec(), frozen, {&epsilons[1], 1},
                         noise_at(frozen, levels, {&epsilons[1], 1}, same, nullptr)));
  // a level that is there draws nothing
  EXPECT_EQ(refined.at(0.1, bits), coarse);
  EXPECT_EQ(refined.at(1, bits), fine);
  EXPECT_EQ(bits.word(), same.word());
  EXPECT_EQ(refined.levels().size(), 2u);
  EXPECT_THROW(refined.at(0, bits), std::invalid_argument);
}

// Words that a parent has not used yet are not a child's.
TEST(SystemBits, AreNotSharedAcrossAFork) {
  (void)system_bits().word();  // fills the block
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t word = system_bits().word();
    _exit(write(ends[1], &word, sizeof word) == sizeof word ? 0 : 1);
  }
  std::uint64_t theirs = 0;
  ASSERT_EQ(read(ends[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_NE(theirs, system_bits().word());
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace idp::test
