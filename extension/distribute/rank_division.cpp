#include "extension/distribute/rank_division.h"

#include <algorithm>
#include <cmath>

namespace idp {

namespace {

// A rank in a sample strays farther than so many standard deviations about once in 700 times; then
// other gaps are asked for.
constexpr double kDeviations = 3.2;

// A frequent value is counted from so many on: that part of those that may be listed.
constexpr double kFrequent = 1.0 / 2;

constexpr int kMostWanted = 16;

// Places of ranges, from the first to the last one.
struct Window {
  int64 first;
  int64 last;
};

// How far the rank of a value that has `below` of `all` values of a sample below it may be off, in
// values of the sample: some standard deviations of a binomial law, and of Poisson's at the ends.
double stray(double below, double all, const Sampling& sampling) {
  if (sampling.share >= 1) return 0;
  const double inside = Min(Max(below, 0.0), all);
  const double clump = all / sampling.independent;
  return kDeviations * std::sqrt(clump * inside * (all - inside) / all) +
         kDeviations * kDeviations * clump;
}

Window window_of(const KnownValues& known, const Sampling& sampling, const RankRange& ranks) {
  const auto all = static_cast<double>(known.total);
  const double first = static_cast<double>(ranks.first) * sampling.share;
  const double last = static_cast<double>(ranks.last) * sampling.share;
  const double low = std::floor(first - stray(first, all, sampling));
  const double high = std::ceil(last + stray(last, all, sampling));
  const auto rank = [&](double at) { return static_cast<int64>(std::clamp(at, 1.0, all)); };
  Window window = {place_of_rank(known, rank(low)), place_of_rank(known, rank(high))};
  if (sampling.share >= 1) return window;
  const Window middle = {place_of_rank(known, rank(std::floor(first))),
                         place_of_rank(known, rank(std::ceil(last)))};
  // beyond the ends of a sample there may be more
  if (low < 1) window.first = -1;
  if (high > all) window.last = known.count;
  // beyond the gaps that were sampled are none, as the sample before said
  for (int64 i = Max(window.first, 0); i < middle.first; ++i) {
    if (!known.ranges[i].is_value()) window.first = i + 1;
  }
  for (int64 i = Min(window.last, known.count - 1); i > middle.last; --i) {
    if (!known.ranges[i].is_value()) window.last = i - 1;
  }
  return window;
}

int windows_of(const KnownValues& known, const Sampling& sampling, const WantedRanks& wanted,
               Window* windows) {
  const double n = std::round(static_cast<double>(known.total) / sampling.share);
  int count = 0;
  for (int i = 0; i < wanted.count; ++i) {
    RankRange ranges[kMostRankRanges];
    const int some = near_ranks(*wanted.specs[i], static_cast<int64>(n), ranges);
    for (int k = 0; k < some; ++k) {
      const Window window = window_of(known, sampling, ranges[k]);
      if (count < kMostWanted) {
        windows[count++] = window;
      } else {
        windows[count - 1] = {Min(windows[count - 1].first, window.first),
                              Max(windows[count - 1].last, window.last)};
      }
    }
  }
  std::sort(windows, windows + count,
            [](const Window& a, const Window& b) { return a.first < b.first; });
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    // between two there has to be a range that both their gaps end at
    if (kept > 0 && windows[i].first <= windows[kept - 1].last + 1) {
      windows[kept - 1].last = Max(windows[kept - 1].last, windows[i].last);
    } else {
      windows[kept++] = windows[i];
    }
  }
  return kept;
}

void add_gap(RankDivision& division, const Gap& gap) { division.gaps[division.count++] = gap; }

// The gaps of a window: more than one where a frequent value is within. room: for how many.
void add_window(RankDivision& division, const KnownValues& known, const Window& window, int room,
                double weight, double most) {
  Gap gap = {};
  const int64 first = Max(window.first, 0);
  const int64 last = Min(window.last, known.count - 1);
  if (first > 0 && window.first >= 0) {
    gap.has_low = true;
    gap.low = known.ranges[first - 1].greatest;
  }
  for (int64 i = first; i <= last; ++i) {
    const ValueRange& range = known.ranges[i];
    const double listed = static_cast<double>(range.count) * weight;
    if (!range.is_value() || listed <= most * kFrequent || room < 2) {
      division.listed += listed;
      continue;
    }
    --room;
    ++division.frequent;
    gap.has_high = true;
    gap.high = range.least;
    add_gap(division, gap);
    gap = {true, false, range.least, {}};
  }
  if (last + 1 < known.count && window.last < known.count) {
    gap.has_high = true;
    gap.high = known.ranges[last + 1].least;
  }
  add_gap(division, gap);
}

}  // namespace

RankDivision one_gap() {
  RankDivision division = {};
  division.count = 1;
  return division;
}

RankDivision divide_near_ranks(const KnownValues& known, const Sampling& sampling,
                               const WantedRanks& wanted, double share, double most) {
  if (known.count == 0) return one_gap();
  Window windows[kMostWanted];
  const int count = windows_of(known, sampling, wanted, windows);
  RankDivision division = {};
  // no ranks matter: any gap will do
  if (count == 0) windows[0] = {0, 0};
  for (int i = 0; i < Max(count, 1); ++i) {
    const int left = Max(count, 1) - i - 1;
    add_window(division, known, windows[i], RankDivision::kMostGaps - division.count - left,
               share / sampling.share, most);
  }
  return division;
}

// Half way at worst, in the middle of the ranks.
double share_for(double n, double most, double independent) {
  const double deviations = 2 * kDeviations / most;
  return n / 4 * deviations * deviations / independent;
}

bool has_wanted(const KnownValues& known, const WantedRanks& wanted) {
  for (int i = 0; i < wanted.count; ++i) {
    RankRange ranges[kMostRankRanges];
    const int some = near_ranks(*wanted.specs[i], known.total, ranges);
    for (int k = 0; k < some; ++k) {
      if (!has_values_of(known, ranges[k].first, ranges[k].last)) return false;
    }
  }
  return true;
}

}  // namespace idp
