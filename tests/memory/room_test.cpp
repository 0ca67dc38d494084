// When memory ends, an answer ends with std::bad_alloc: never the process. What other tests freed
// would be room of which a limit knows nothing, so these are a program of their own.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <new>

#include "core/gradual/release.h"
#include "tests/support/data.h"
#include "tests/support/exponential_law.h"
#include "tests/support/release.h"

namespace idp::test {
namespace {

enum Outcome { kAnswered = 0, kOutOfMemory = 7 };

std::size_t address_space() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Takes what earlier tests freed: it stays in the address space, where a limit does not see it.
void fill_holes() {
  constexpr std::size_t kMost = std::size_t{1} << 26;
  for (std::size_t bytes = kMost; bytes >= 16; bytes /= 2) {
    while (malloc(bytes) != nullptr) continue;
  }
}

// Computes in a process that may take so many bytes more; how that ends, or minus its signal.
int outcome_with(std::size_t more, const std::function<void()>& compute) {
  const pid_t child = fork();
  if (child == 0) {
    (void)freopen("/dev/null", "w", stderr);  // where GMP says its last words
    const auto set_limit = [](std::size_t bytes) {
      const rlimit limit{address_space() + bytes, RLIM_INFINITY};
      return setrlimit(RLIMIT_AS, &limit) == 0;
    };
    int outcome = 1;
    if (set_limit(0)) fill_holes();
    if (set_limit(more)) {
      try {
        compute();
        outcome = kAnswered;
      } catch (const std::bad_alloc&) {
        outcome = kOutOfMemory;
      }
    }
    _exit(outcome);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// From no memory to enough in small steps: whatever there is, it is answered or runs out of memory.
void expect_no_abort(std::size_t most, std::size_t steps, const std::function<void()>& compute) {
  std::map<int, int> outcomes;
  for (std::size_t i = 0; i <= steps; ++i) ++outcomes[outcome_with(most / steps * i, compute)];
  EXPECT_GT(outcomes[kAnswered], 0);
  EXPECT_GT(outcomes[kOutOfMemory], 0);
  EXPECT_EQ(outcomes[kAnswered] + outcomes[kOutOfMemory], static_cast<int>(steps) + 1)
      << "ended by signal " << -outcomes.begin()->first;
}

// A level whose noise nobody copies: that would be long integers of the test's own.
std::vector<ReleasedLevel> level_of(const Frozen& frozen, double epsilon, BitSource& bits) {
  std::vector<ReleasedLevel> levels(1);
  levels[0].epsilons = {epsilon};
  levels[0].noise = draw_noise(frozen, {&epsilon, 1}, bits, nullptr);
  return levels;
}

TEST(Room, Histogram) {
  Spec spec = spec_of(Statistic::kHistogram);
  spec.buckets = kMaxBuckets;
  spec.upper = widen(Key64{kMaxBuckets});
  const std::vector<std::uint64_t> buckets(static_cast<std::size_t>(kMaxBuckets), 5);
  expect_no_abort(std::size_t{48} << 20, 48, [&] {
    SeededBits bits(1);
    const Frozen frozen = freeze(spec, {&spec.epsilon, 1}, {.words = buckets.data()},
                                 {std::pmr::new_delete_resource()}, bits);
    const double finer = 2;
    const auto levels = level_of(frozen, spec.epsilon, bits);
    (void)answer(spec, frozen, {&finer, 1}, noise_at(frozen, levels, {&finer, 1}, bits, nullptr));
  });
}

TEST(Room, ExponentialMechanism) {
  Data keys(40000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key64>(i) * 7919;
  const SortedData data(keys);
  expect_no_abort(std::size_t{16} << 20, 256, [&] {
    SeededBits bits(1);
    (void)draw_exponential(data, {20000, 0, 40000 * 7919L}, 0.01, bits, kMostContiguousBorders);
  });
}

}  // namespace
}  // namespace idp::test
