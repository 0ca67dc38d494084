// Draws of noise: discrete Laplace, and the steps of a gradual release.
#include "bench/micro/common.h"
#include "core/gradual/process.h"
#include "core/random/discrete_laplace.h"

namespace idp::bench {
namespace {

constexpr double kDrawGoal = 2000;  // ns
constexpr double kStepGoal = 5000;

double epsilon(const benchmark::State& state) { return static_cast<double>(state.range(0)) / 1000; }
mpz_class sensitivity(const benchmark::State& state) {
  return mpz_class(static_cast<long>(state.range(1)));
}

template <class Bits>
void draw(benchmark::State& state) {
  Bits bits;
  const Rate rate = Rate::of(epsilon(state), sensitivity(state));
  for (auto _ : state) benchmark::DoNotOptimize(discrete_laplace(rate, bits));
  goal(state, kDrawGoal);
}

// From a draw at epsilon to one at twice that.
template <class Bits>
void relax_step(benchmark::State& state) {
  Bits bits;
  const Rate coarse = Rate::of(epsilon(state), sensitivity(state));
  const Rate fine = Rate::of(2 * epsilon(state), sensitivity(state));
  const mpz_class noise = discrete_laplace(coarse, bits);
  for (auto _ : state) benchmark::DoNotOptimize(relax(noise, coarse, fine, bits));
  goal(state, kStepGoal);
}

template <class Bits>
void tighten_step(benchmark::State& state) {
  Bits bits;
  const Rate coarse = Rate::of(epsilon(state), sensitivity(state));
  const Rate fine = Rate::of(2 * epsilon(state), sensitivity(state));
  const mpz_class noise = discrete_laplace(fine, bits);
  for (auto _ : state) benchmark::DoNotOptimize(tighten(noise, coarse, fine, bits));
  goal(state, kStepGoal);
}

template <class Bits>
void between_step(benchmark::State& state) {
  Bits bits;
  const Rate coarse = Rate::of(epsilon(state), sensitivity(state));
  const Rate middle = Rate::of(2 * epsilon(state), sensitivity(state));
  const Rate fine = Rate::of(4 * epsilon(state), sensitivity(state));
  const mpz_class at_fine = discrete_laplace(fine, bits);
  const mpz_class at_coarse = tighten(at_fine, coarse, fine, bits);
  for (auto _ : state) {
    benchmark::DoNotOptimize(between(at_coarse, at_fine, coarse, middle, fine, bits));
  }
  goal(state, kStepGoal);
}

// epsilon in thousandths; the sensitivity in steps of the grid, whose number for doubles is some
// 2^40.
constexpr std::int64_t kSensitivities[] = {1, 1000, std::int64_t{1} << 40};

void draws(benchmark::internal::Benchmark* b) {
  b->ArgNames({"milliepsilon", "sensitivity"});
  for (const std::int64_t e : {10, 1000, 10000}) {
    for (const std::int64_t s : kSensitivities) b->Args({e, s});
  }
}
void steps(benchmark::internal::Benchmark* b) {
  b->ArgNames({"milliepsilon", "sensitivity"});
  for (const std::int64_t s : kSensitivities) b->Args({500, s});
}

BENCHMARK(draw<FastBits>)->Name("discrete_laplace")->Apply(draws);
BENCHMARK(draw<SecureBits>)->Name("discrete_laplace, secure bits")->Apply(draws);
BENCHMARK(relax_step<FastBits>)->Name("relax")->Apply(steps);
BENCHMARK(relax_step<SecureBits>)->Name("relax, secure bits")->Apply(steps);
BENCHMARK(tighten_step<SecureBits>)->Name("tighten, secure bits")->Apply(steps);
BENCHMARK(between_step<SecureBits>)->Name("between, secure bits")->Apply(steps);

}  // namespace
}  // namespace idp::bench
