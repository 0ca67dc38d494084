// Whether the time of a draw tells what was drawn: the correlation of |noise| with the time it
// took.
//
// Reported are Pearson's coefficient and Spearman's, of the ranks, over 10^5 draws each; ties share
// their middle rank. The hundredth of the draws that took longest is left out: there the machine
// did something else, or the source filled a block. Of draws whose time tells nothing a coefficient
// is below 0.01 in size 998 times of 1000.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

#include "bench/micro/common.h"
#include "core/gradual/process.h"
#include "core/random/discrete_laplace.h"
#include "core/random/short_geometric.h"

namespace idp::bench {
namespace {

constexpr std::size_t kDraws = 100000;

using Numbers = std::vector<double>;

double as_double(const mpz_class& noise) { return noise.get_d(); }
double as_double(const ShortDraw& noise) { return static_cast<double>(noise.value); }

double pearson(const Numbers& x, const Numbers& y) {
  const auto mean = [](const Numbers& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const double mx = mean(x), my = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

Numbers ranks(const Numbers& v) {
  std::vector<std::size_t> order(v.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return v[a] < v[b]; });
  Numbers rank(v.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && v[order[end]] == v[order[i]]) ++end;
    for (std::size_t j = i; j < end; ++j) rank[order[j]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return rank;
}

// draw() gives |noise| as a double.
template <class Draw>
void correlate(benchmark::State& state, Draw draw) {
  using Clock = std::chrono::steady_clock;
  for (auto _ : state) {
    std::vector<std::pair<double, double>> drawn;
    drawn.reserve(kDraws);
    for (std::size_t i = 0; i < kDraws; ++i) {
      const auto before = Clock::now();
      auto noise = draw();
      benchmark::DoNotOptimize(noise);
      const std::chrono::duration<double, std::nano> took = Clock::now() - before;
      drawn.emplace_back(took.count(), std::abs(as_double(noise)));
    }
    std::sort(drawn.begin(), drawn.end());
    drawn.resize(kDraws / 100 * 99);
    Numbers times, sizes;
    for (const auto& [time, size] : drawn) {
      times.push_back(time);
      sizes.push_back(size);
    }
    state.counters["pearson"] = pearson(sizes, times);
    state.counters["spearman"] = pearson(ranks(sizes), ranks(times));
    state.counters["median_ns"] = times[times.size() / 2];
  }
}

double epsilon(const benchmark::State& state) { return static_cast<double>(state.range(0)) / 1000; }

void one_answer(benchmark::State& state) {
  FastBits bits;
  const auto rate = ShortRate::of(epsilon(state), static_cast<Uint128>(state.range(1)));
  correlate(state, [&] { return short_discrete_laplace(*rate, bits); });
}

void refined_answer(benchmark::State& state) {
  FastBits bits;
  const mpz_class sensitivity(static_cast<long>(state.range(1)));
  const Rate coarse = Rate::of(epsilon(state), sensitivity);
  const Rate fine = Rate::of(2 * epsilon(state), sensitivity);
  const mpz_class noise = discrete_laplace(coarse, bits);
  correlate(state, [&] { return relax(noise, coarse, fine, bits); });
}

void coarser_answer(benchmark::State& state) {
  FastBits bits;
  const mpz_class sensitivity(static_cast<long>(state.range(1)));
  const Rate coarse = Rate::of(epsilon(state), sensitivity);
  const Rate fine = Rate::of(2 * epsilon(state), sensitivity);
  const mpz_class noise = discrete_laplace(fine, bits);
  correlate(state, [&] { return tighten(noise, coarse, fine, bits); });
}

void laws(benchmark::internal::Benchmark* b) {
  b->ArgNames({"milliepsilon", "sensitivity"})->Iterations(1)->Unit(benchmark::kMillisecond);
  b->Args({500, 1})->Args({100, 1})->Args({500, 1000})->Args({500, std::int64_t{1} << 40});
}

BENCHMARK(one_answer)->Name("time against noise: discrete_laplace")->Apply(laws);
BENCHMARK(refined_answer)->Name("time against noise: relax")->Apply(laws);
BENCHMARK(coarser_answer)->Name("time against noise: tighten")->Apply(laws);

}  // namespace
}  // namespace idp::bench
