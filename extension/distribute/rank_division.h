// How a column is divided to ask for the values near some ranks: values within a few open gaps are
// asked for one by one; of those below, between and above the gaps it is asked how many there are.
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/near_ranks.h"
#include "extension/distribute/known_values.h"

namespace idp {

// Strictly between two keys.
struct Gap {
  bool has_low;
  bool has_high;
  Key128 low;
  Key128 high;
};

// Gaps ascend, and none begins before the last one ends. Between two that meet lies a single value,
// often a frequent one.
struct RankDivision {
  static constexpr int kMostGaps = 24;
  int count;
  Gap gaps[kMostGaps];
  double listed;  // how many values are within, as far as is known
  int frequent;   // how many values lie between gaps that meet
};

// Those of calls whose ranks matter.
struct WantedRanks {
  const Spec* const* specs;
  int count;
};

// How what is known was come by.
struct Sampling {
  double share;        // of the rows, each with that chance; 1: from all of them
  double independent;  // of the values in it, how many stand for as many that were drawn by chance
};
constexpr Sampling kAllRows = {1, 1};

// The gaps that have the values at all ranks that matter: certainly, if all rows were counted and
// none has changed; of a sample, nearly certainly. share: of the rows that will be asked for them,
// most: how many values may then be listed, for which frequent ones are counted instead.
RankDivision divide_near_ranks(const KnownValues& known, const Sampling& sampling,
                               const WantedRanks& wanted, double share, double most);

// All values in one gap.
RankDivision one_gap();

// The share of the rows to sample so that no more than so many values are near the ranks then, of n
// rows with that many independent ones in each sampled.
double share_for(double n, double most, double independent);

// Whether the values at all ranks that matter are known.
bool has_wanted(const KnownValues& known, const WantedRanks& wanted);

}  // namespace idp
