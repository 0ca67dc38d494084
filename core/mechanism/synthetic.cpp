#include "core/mechanism/synthetic.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/mechanism/draws/permute_and_flip.h"
#include "core/mechanism/draws/synthetic.h"

namespace idp {

namespace {

std::vector<mpz_class> with_noise(const Counts& counts, const Rate& rate, BitSource& bits) {
  std::vector<mpz_class> noisy;
  noisy.reserve(counts.size());
  for (const std::int64_t count : counts) {
    noisy.push_back(mpz_class(static_cast<long>(count)) + discrete_laplace(rate, bits));
  }
  return noisy;
}

mpz_class positive_part(const mpz_class& v) { return v > 0 ? v : mpz_class(0); }

mpz_class total_of(const std::vector<mpz_class>& noisy) {
  mpz_class total;
  for (const mpz_class& v : noisy) total += positive_part(v);
  return total;
}

void require(bool sound, const char* message) {
  if (!sound) throw std::invalid_argument(message);
}

struct Pair {
  std::size_t a, b;
};

}  // namespace

std::int64_t dependence(const Counts& two_way, const std::vector<mpz_class>& noisy_a,
                        const std::vector<mpz_class>& noisy_b) {
  const mpz_class total = std::max<mpz_class>(1, total_of(noisy_a));
  mpz_class score;
  for (std::size_t x = 0; x < noisy_a.size(); ++x) {
    for (std::size_t y = 0; y < noisy_b.size(); ++y) {
      const mpz_class foretold = positive_part(noisy_a[x]) * positive_part(noisy_b[y]) / total;
      score += abs(static_cast<long>(two_way[x * noisy_b.size() + y]) - foretold);
    }
  }
  // A clamp moves no two scores apart. Only noise of 2^60 comes here.
  const mpz_class most = mpz_class(1) << 61;
  return static_cast<std::int64_t>(std::min(score, most).get_si());
}

TreeRates TreeRates::of(double epsilon, std::size_t columns, Neighbours neighbours) {
  const unsigned long sensitivity = neighbours == Neighbours::kAddRemove ? 1 : 2;
  if (columns == 1) return {Rate::of(epsilon, sensitivity), {}, {}};
  constexpr unsigned long kShares = 3;
  const unsigned long edges = columns - 1;
  return {Rate::of(epsilon, sensitivity * kShares * columns),
          Rate::of(epsilon, 2 * sensitivity * kShares * edges),
          Rate::of(epsilon, sensitivity * kShares * edges)};
}

TreeModel fit_tree(const Marginals& data, double epsilon, BitSource& bits, Neighbours neighbours) {
  TreeModel model{data.sizes(), {}, {}};
  const std::size_t columns = model.sizes.size();
  require(columns > 0, "a synthetic table needs a column");
  for (const std::size_t size : model.sizes) require(size >= 2, "a domain needs two values");
  require(std::isfinite(epsilon) && epsilon > 0, "epsilon must be positive and finite");

  const TreeRates rates = TreeRates::of(epsilon, columns, neighbours);
  for (std::size_t column = 0; column < columns; ++column) {
    model.one_way.push_back(with_noise(data.one_way(column), rates.one_way, bits));
  }
  if (columns == 1) return model;

  std::vector<Pair> pairs;
  Counts scores;
  for (std::size_t a = 0; a < columns; ++a) {
    for (std::size_t b = a + 1; b < columns; ++b) {
      pairs.push_back({a, b});
      scores.push_back(dependence(data.two_way(a, b), model.one_way[a], model.one_way[b]));
    }
  }
  // From the first column on: each pair joins a column to the tree.
  std::vector<bool> reached(columns);
  reached[0] = true;
  while (model.edges.size() + 1 < columns) {
    std::vector<Pair> open;
    Counts of_open;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (reached[pairs[i].a] == reached[pairs[i].b]) continue;
      open.push_back(pairs[i]);
      of_open.push_back(scores[i]);
    }
    auto [parent, child] = open[draws::permute_and_flip(of_open, rates.choice, bits)];
    if (!reached[parent]) std::swap(parent, child);
    reached[child] = true;
    model.edges.push_back(
        {parent, child, with_noise(data.two_way(parent, child), rates.two_way, bits)});
  }
  return model;
}

std::vector<std::size_t> synthetic_row(const TreeModel& model, BitSource& bits) {
  return draws::synthetic_row(model, bits);
}

}  // namespace idp
