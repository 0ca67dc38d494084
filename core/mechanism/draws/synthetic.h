// The draws of core/mechanism/synthetic.h over any source (core/random/draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <span>
#include <vector>

#include "core/mechanism/synthetic.h"
#include "core/random/bernoulli.h"

namespace idp::draws {

// An index by its weight, what is below 0 as 0; nothing drawn and the number of weights where none
// is left.
template <class Source>
std::size_t by_weight(std::span<const mpz_class> weights, Source& source) {
  mpz_class total;
  for (const mpz_class& w : weights) {
    if (w > 0) total += w;
  }
  if (total == 0) return weights.size();
  mpz_class left = uniform_below(total, source);
  for (std::size_t i = 0;; ++i) {
    if (weights[i] <= 0) continue;
    if (left < weights[i]) return i;
    left -= weights[i];
  }
}

template <class Source>
std::size_t by_one_way(const TreeModel& model, std::size_t column, Source& source) {
  const std::size_t value = by_weight(std::span(model.one_way[column]), source);
  if (value < model.sizes[column]) return value;
  const mpz_class any = uniform_below(static_cast<unsigned long>(model.sizes[column]), source);
  return any.get_ui();
}

template <class Source>
std::vector<std::size_t> synthetic_row(const TreeModel& model, Source& source) {
  std::vector<std::size_t> row(model.sizes.size());
  row[0] = by_one_way(model, 0, source);
  for (const TreeModel::Edge& edge : model.edges) {
    const std::size_t size = model.sizes[edge.child];
    const std::span beside(edge.counts.data() + row[edge.parent] * size, size);
    const std::size_t value = by_weight(beside, source);
    row[edge.child] = value < size ? value : by_one_way(model, edge.child, source);
  }
  return row;
}

}  // namespace idp::draws
