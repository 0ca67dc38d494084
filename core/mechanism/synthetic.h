// Synthetic rows: a table like the one at hand, for people who may not ask it anything.
//
// Columns have public domains, 0 … size - 1 each. A model of d columns is fitted with epsilon in
// three equal shares, everything in integers:
//
//   1. one-way counts of all d columns, each with epsilon/(3 d): discrete Laplace noise of rate
//      epsilon/(6 d) on each count;
//   2. a tree of d - 1 pairs of columns, each pair with epsilon/(3 (d - 1)): among the pairs that
//      join a column to the tree so far, first the first column alone, permute-and-flip
//      (core/mechanism/mode.h) by the score
//        s(a, b) = sum over x, y of |c_ab(x, y) - e_ab(x, y)|,
//      c_ab the two-way counts and e_ab those that the noisy one-way counts of 1 foretell for
//      independent columns, rounded down: weights exp(-epsilon/(12 (d - 1)) times the gap to the
//      greatest score);
//   3. two-way counts of these pairs, each with epsilon/(3 (d - 1)): noise of rate epsilon/(6 (d -
//      1)) on each count.
//
// Why it is epsilon-DP. A record that is substituted moves the counts of one marginal by 2 in L1,
// one that is added or removed by 1: Theorem 5 for vectors with Delta = 2 gives 1 and 3. In 2, e_ab
// is made of what was released, so |s(a, b) - s'(a, b)| is at most 2, too, and permute-and-flip
// with exp(-epsilon' gap/(2 Delta)) is epsilon'-DP. No score is rounded, and none is a logarithm:
// unlike mutual information this one is an integer, with a sensitivity that does not depend on the
// number of rows. Shares add up by sequential composition, adaptively. A single column takes
// epsilon for 1.
//
// Where no record is substituted, one count of a marginal moves, by 1, and a score by 1 at most:
// Delta = 1 in all three steps, twice the rates.
//
// Rows are post-processing: a value of the first column by its counts, then along the tree the
// value of each column by its counts beside the value that is there; what is below 0 counts as 0,
// and where nothing is left the one-way counts decide, and then all values alike. Integer weights:
// exact.
//
// Source: McKenna, Miklau, Sheldon, "Winning the NIST Contest" (2021), MST: the score and the three
// steps, there with Gaussian noise and a graphical model; Zhang et al., "PrivBayes" (2017): rows
// from a tree.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random/bit_source.h"
#include "core/random/discrete_laplace.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

using Counts = std::vector<std::int64_t>;

// The table as counts.
class Marginals {
 public:
  virtual ~Marginals() = default;
  // The sizes of the domains, each at least 2; a cell of two columns fits in memory.
  virtual const std::vector<std::size_t>& sizes() const = 0;
  virtual Counts one_way(std::size_t column) const = 0;
  // The count of x in a and y in b is at x * size of b + y.
  virtual Counts two_way(std::size_t a, std::size_t b) const = 0;
};

// Noisy counts: public.
struct TreeModel {
  struct Edge {
    std::size_t parent, child;      // the parent is the first column or the child of an edge before
    std::vector<mpz_class> counts;  // of x in parent and y in child at x * size of child + y
  };
  std::vector<std::size_t> sizes;
  std::vector<std::vector<mpz_class>> one_way;
  std::vector<Edge> edges;
};

// The rates of the steps: of each count's noise in 1 and 3, and of a gap between scores in 2. Of
// one column only the first is used.
struct TreeRates {
  Rate one_way, choice, two_way;

  static TreeRates of(double epsilon, std::size_t columns,
                      Neighbours neighbours = Neighbours::kSubstitute);
};

// Throws std::invalid_argument without columns, for a domain of less than two values, or an epsilon
// that is not positive and finite.
TreeModel fit_tree(const Marginals& data, double epsilon, BitSource& bits,
                   Neighbours neighbours = Neighbours::kSubstitute);

// s(a, b), from the noisy one-way counts.
std::int64_t dependence(const Counts& two_way, const std::vector<mpz_class>& noisy_a,
                        const std::vector<mpz_class>& noisy_b);

std::vector<std::size_t> synthetic_row(const TreeModel& model, BitSource& bits);

}  // namespace idp
