// What every row costs: adding to a state, and selecting from it.
#include <array>
#include <memory_resource>
#include <span>

#include "bench/micro/common.h"
#include "core/aggregate/spec.h"
#include "core/collect/distinct_values.h"
#include "core/collect/moments.h"
#include "core/collect/ordered_values.h"
#include "core/select/select.h"

namespace idp::bench {
namespace {

void add_values(benchmark::State& state) {
  const auto keys = random_keys(state.range(0), 0);
  for (auto _ : state) {
    std::pmr::monotonic_buffer_resource memory(std::pmr::new_delete_resource());
    OrderedValues<Key64> values(&memory);
    for (const Key64 key : keys) values.add(key);
    benchmark::DoNotOptimize(values.size());
  }
  items(state, state.range(0));
}

// The median with its two neighbours.
void select_median(benchmark::State& state) {
  const auto keys = random_keys(state.range(0), state.range(1));
  const std::array<std::span<const Key64>, 1> runs{keys};
  std::array<Key64, 3> out;
  for (auto _ : state) {
    order_statistics<Key64>(runs, state.range(0) / 2 - 1, out, std::pmr::new_delete_resource(),
                            nullptr);
    benchmark::DoNotOptimize(out);
  }
  items(state, state.range(0));
}

void add_distinct(benchmark::State& state) {
  const auto keys = random_keys(state.range(0), state.range(1));
  for (auto _ : state) {
    std::pmr::unsynchronized_pool_resource memory(std::pmr::new_delete_resource());
    DistinctValues<Key64> values(&memory);
    for (const Key64 key : keys) values.add(key);
    benchmark::DoNotOptimize(values.size());
  }
  items(state, state.range(0));
}

// A chunk as it is put in order roughly before it goes to a file.
void divide_chunk(benchmark::State& state) {
  const auto keys = random_keys(state.range(0), 0);
  std::vector<Key64> area(DivisionSpace<Key64>::bytes(keys.size()) / sizeof(Key64) + 1);
  const auto space = DivisionSpace<Key64>::in(area.data(), keys.size());
  Splitter<Key64> splitters[kMostSplitters];
  std::int64_t loose;
  for (auto _ : state) {
    benchmark::DoNotOptimize(divide<Key64>(keys, space, splitters, loose));
  }
  items(state, state.range(0));
}

template <Statistic kStatistic>
void add_moments(benchmark::State& state) {
  const auto keys = random_keys(state.range(0), 1000000);
  Spec spec;
  spec.statistic = kStatistic;
  spec.grid.type = ValueType::kInt64;
  spec.epsilon = 1;
  spec.upper = widen(Key64{1000000});
  const MomentLayout layout = moment_layout(spec);
  for (auto _ : state) {
    std::vector<std::uint64_t> words(layout.words());
    std::int64_t count = 0;
    for (const Key64 key : keys) {
      add_to_moments(layout, words.data(), count++, static_cast<std::uint64_t>(key));
    }
    benchmark::DoNotOptimize(words.data());
  }
  items(state, state.range(0));
}

BENCHMARK(divide_chunk)->Name("divide")->ArgName("rows")->Arg(131070);
BENCHMARK(add_values)->Name("OrderedValues::add")->ArgName("rows")->Arg(1000000);
BENCHMARK(select_median)
    ->Name("order_statistics")
    ->ArgNames({"rows", "different"})
    ->Args({1000000, 0})
    ->Args({10000000, 0})
    ->Args({10000000, 100})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(add_distinct)
    ->Name("DistinctValues::add")
    ->ArgNames({"rows", "different"})
    ->Args({1000000, 100})
    ->Args({1000000, 0});
BENCHMARK(add_moments<Statistic::kPrivateSum>)
    ->Name("add_to_moments, dp_sum")
    ->ArgName("rows")
    ->Arg(1000000);
BENCHMARK(add_moments<Statistic::kAverage>)
    ->Name("add_to_moments, idp_avg")
    ->ArgName("rows")
    ->Arg(1000000);
BENCHMARK(add_moments<Statistic::kVariance>)
    ->Name("add_to_moments, idp_variance")
    ->ArgName("rows")
    ->Arg(1000000);

}  // namespace
}  // namespace idp::bench
