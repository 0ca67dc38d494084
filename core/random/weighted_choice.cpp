#include "core/random/weighted_choice.h"

#include <map>
#include <utility>

#include "core/random/bernoulli.h"
#include "core/random/draws/weighted_choice.h"

namespace idp {

Enclose remembered(Enclose weights) {
  return [weights = std::move(weights), known = std::map<unsigned long, std::vector<Enclosure>>()](
             unsigned long precision) mutable {
    auto at = known.find(precision);
    if (at == known.end()) at = known.emplace(precision, weights(precision)).first;
    return at->second;
  };
}

std::size_t choose_weighted(const Enclose& weights, BitSource& source) {
  return draws::choose_weighted(weights, source);
}

}  // namespace idp
