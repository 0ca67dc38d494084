// A whole release of a median from values that were collected: selection, sensitivity and draw.
#include <array>
#include <memory_resource>
#include <span>

#include "bench/micro/common.h"
#include "core/aggregate/answer.h"
#include "core/grid/public_grid.h"
#include "core/select/ranked_values.h"
#include "core/sensitivity/smooth.h"

namespace idp::bench {
namespace {

constexpr Key64 kUpper = 1000000000;
const Workspace kSpace{std::pmr::new_delete_resource()};

struct Column {
  std::vector<Key64> keys;
  std::array<std::span<const Key64>, 1> runs;
  Spec spec;

  ValuesInMemory<Key64> values() const { return {runs, std::pmr::new_delete_resource(), nullptr}; }

  Column(Statistic statistic, std::int64_t n) : keys(random_keys(n, kUpper)), runs{keys} {
    spec.statistic = statistic;
    spec.grid.type = ValueType::kInt64;
    spec.epsilon = 0.5;
    spec.fraction = 0.5;
    if (statistic != Statistic::kMedian) spec.upper = widen(kUpper);
  }
};

void local_median(benchmark::State& state) {
  const Column column(Statistic::kMedian, state.range(0));
  SecureBits bits;
  const std::span<const double> epsilons(&column.spec.epsilon, 1);
  for (auto _ : state) {
    const ValuesInMemory<Key64> values = column.values();
    const Frozen frozen = freeze(column.spec, epsilons, {.narrow = &values}, kSpace, bits);
    const auto noise = draw_noise(frozen, epsilons, bits, nullptr);
    benchmark::DoNotOptimize(answer(column.spec, frozen, epsilons, noise));
  }
}

void answer_from(benchmark::State& state, const Column& column) {
  SecureBits bits;
  const std::span<const double> epsilons(&column.spec.epsilon, 1);
  for (auto _ : state) {
    const ValuesInMemory<Key64> values = column.values();
    benchmark::DoNotOptimize(answer_once(column.spec, epsilons, {.narrow = &values}, kSpace, bits));
  }
}

void exponential_median(benchmark::State& state) {
  answer_from(state, Column(Statistic::kPrivateMedian, state.range(0)));
}

void smooth_median(benchmark::State& state) {
  Column column(Statistic::kSmoothMedian, state.range(0));
  column.spec.gamma = 3;
  answer_from(state, column);
}

void sensitivity(benchmark::State& state) {
  const Column column(Statistic::kSmoothMedian, state.range(0));
  const PublicGrid<Key64> grid(column.spec.grid, 0, kUpper);
  const ValuesInMemory<Key64> values = column.values();
  const RankedValues<Key64> data(values, grid, kSpace);
  const BoundedRank at{state.range(0) / 2, grid.lower(), grid.upper()};
  const Rate beta = Rate::of(column.spec.epsilon, 3);
  for (auto _ : state) {
    benchmark::DoNotOptimize(smooth_sensitivity(data, at, beta, nullptr));
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgName("rows")->Arg(100)->Arg(10000)->Arg(1000000)->Unit(benchmark::kMicrosecond);
}

BENCHMARK(local_median)->Name("idp_median: selection, noise, answer")->Apply(sizes);
BENCHMARK(exponential_median)->Name("dp_median: exponential mechanism")->Apply(sizes);
BENCHMARK(smooth_median)->Name("dp_median_smooth: sensitivity, noise, answer")->Apply(sizes);
BENCHMARK(sensitivity)->Name("smooth_sensitivity")->Apply(sizes);

}  // namespace
}  // namespace idp::bench
