#include "tests/statistical/gradual_checks.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/gradual_law.h"
#include "tests/support/line.h"

namespace idp::test {

namespace {

// Counts of several numbers jointly, which should be independent.
class Table {
 public:
  void add(const Line& line, const std::vector<long double>& masses) {
    lines_.push_back(line);
    std::vector<Cell> product;
    for (const Cell& cell : cells_) {
      for (const long double mass : masses) product.push_back({cell.probability * mass, 0});
    }
    cells_ = std::move(product);
  }

  void count(const std::vector<const mpz_class*>& numbers) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      at = at * lines_[i].size() + lines_[i].index(*numbers[i]);
    }
    ++cells_[at].observed;
  }

  Verdict judge() const { return judge_cells(cells_); }

 private:
  std::vector<Line> lines_;
  std::vector<Cell> cells_{{1, 0}};
};

void join(Verdict& all, const Verdict& one, const std::string& what) {
  if (!one.rejected) return;
  all.rejected = true;
  all.why += what + ": " + one.why + "; ";
}

}  // namespace

ChainSampler in_order(const Levels& levels, const std::array<std::size_t, 3>& order) {
  return [=](BitSource& bits) {
    Chain chain;
    Noises noises;
    for (const std::size_t i : order) noises[i] = chain.at(levels.rate(i), bits);
    return noises;
  };
}

Verdict check_chain(const ChainSampler& sampler, const Levels& levels, std::int64_t draws) {
  const auto step = [&](std::size_t coarse, std::size_t fine) {
    return step_of(levels.lambda(coarse), levels.lambda(fine));
  };
  const auto noise = [&](Table& table, std::size_t level, int cells_per_scale, long reach) {
    const Line line(levels.lambda(level), cells_per_scale, reach);
    table.add(line, line.masses(levels.lambda(level), 0));
  };
  const auto move = [&](Table& table, std::size_t coarse, std::size_t fine, long reach) {
    const Line line(levels.lambda(coarse), 2, reach);
    table.add(line, line.masses(levels.lambda(coarse), step(coarse, fine).lazy()));
  };

  Table marginals[3], pairs[3], whole;
  const std::size_t ends[3][2] = {{0, 1}, {1, 2}, {0, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    noise(marginals[i], i, 8, 128);
    const auto [coarse, fine] = ends[i];
    noise(pairs[i], fine, 2, 10);
    move(pairs[i], coarse, fine, 10);
  }
  noise(whole, 2, 2, 5);
  move(whole, 1, 2, 5);
  move(whole, 0, 1, 5);

  std::int64_t equal[3] = {};
  OsBits bits;
  for (std::int64_t n = 0; n < draws; ++n) {
    const Noises v = sampler(bits);
    mpz_class moves[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [coarse, fine] = ends[i];
      marginals[i].count({&v[i]});
      moves[i] = v[coarse] - v[fine];
      pairs[i].count({&v[fine], &moves[i]});
      equal[i] += moves[i] == 0;
    }
    whole.count({&v[2], &moves[1], &moves[0]});
  }

  Verdict all;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [coarse, fine] = ends[i];
    join(all, marginals[i].judge(), "level " + std::to_string(i + 1));
    const std::string both = std::to_string(coarse + 1) + " and " + std::to_string(fine + 1);
    join(all, pairs[i].judge(), "levels " + both);
    join(all, judge_successes(equal[i], draws, step(coarse, fine).tighten(0)), both + " equal");
  }
  join(all, whole.judge(), "all levels");
  return all;
}

Verdict check_parts(const PartsSampler& sampler, const PartRates& rates, std::int64_t draws) {
  Table table;
  for (const auto& [coarse, fine] : rates) {
    const Line noise(fine, 2, 3), move(coarse, 2, 3);
    table.add(noise, noise.masses(fine, 0));
    table.add(move, move.masses(coarse, step_of(coarse, fine).lazy()));
  }
  OsBits bits;
  for (std::int64_t n = 0; n < draws; ++n) {
    const Parts v = sampler(bits);
    const mpz_class moves[] = {v[0][0] - v[0][1], v[1][0] - v[1][1]};
    table.count({&v[0][1], &moves[0], &v[1][1], &moves[1]});
  }
  return table.judge();
}

Verdict check_step(const StepSampler& sampler, const std::function<long double(long)>& law,
                   std::int64_t draws) {
  constexpr long kReach = 60;
  std::vector<Cell> cells;
  for (long v = -kReach; v <= kReach; ++v) cells.push_back({law(v), 0});
  OsBits bits;
  for (std::int64_t n = 0; n < draws; ++n) {
    const mpz_class v = sampler(bits);
    if (abs(v) > kReach) return {true, "a draw beyond the reach"};  // below 1e-12 for these laws
    ++cells[static_cast<std::size_t>(v.get_si() + kReach)].observed;
  }
  return judge_cells(cells);
}

Verdict check_pair_worlds(const ChainSampler& sampler, const Levels& levels, double epsilon,
                          std::int64_t draws) {
  constexpr long kLow = -3, kHigh = 4, kWidth = kHigh - kLow + 1;
  std::vector<Pair> answers(static_cast<std::size_t>(kWidth * kWidth));
  OsBits bits;
  for (std::int64_t n = 0; n < draws; ++n) {
    const bool first = bits.word() >> 63;
    const Noises v = sampler(bits);
    long at = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const mpz_class answer = v[i] + (first ? mpz_class(0) : levels.sensitivity);
      at = at * kWidth + std::clamp<mpz_class>(answer, kLow, kHigh).get_si() - kLow;
    }
    Pair& pair = answers[static_cast<std::size_t>(at)];
    ++(first ? pair.first : pair.second);
  }
  return judge_ratio(answers, epsilon);
}

Verdict check_average(const ChainSampler& sampler, std::int64_t draws) {
  const auto largest = static_cast<long double>(kLargestSquare);
  long double average = 0, last = 0;
  OsBits bits;
  for (std::int64_t n = 0; n < draws; ++n) {
    const Noises v = sampler(bits);
    const long double mean = to_long_double(v[0] + v[1] + v[2]) / 3, end = to_long_double(v[2]);
    average += std::min(mean * mean, largest);
    last += std::min(end * end, largest);
  }
  average /= static_cast<long double>(draws);
  last /= static_cast<long double>(draws);
  // one check for each of the two means
  const long double slack = largest * (dkw_bound(draws) + dkw_bound(draws));
  std::ostringstream why;
  why << "mean square of the average " << average << ", of the last answer " << last << ", at most "
      << slack << " more";
  return {average + slack < last, why.str()};
}

}  // namespace idp::test
