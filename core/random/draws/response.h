// The draw of core/random/response.h over any source (draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <cstddef>

#include "core/random/response.h"
#include "core/random/bernoulli.h"
#include "core/random/weighted_choice.h"

namespace idp::draws {

template <class Source>
Response draw_response(const ResponseLaw& law, Source& source) {
  const std::size_t chosen = choose_weighted(law.weights, source);
  if (chosen < law.special.size()) return law.special[chosen];
  const mpz_class other = uniform_below(law.k - law.special.size(), source);
  Response response = other.get_ui();
  for (const Response special : law.special) response += response >= special;
  return response;
}

}  // namespace idp::draws
