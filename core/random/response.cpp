#include "core/random/response.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "core/random/draws/response.h"

namespace idp {

namespace {

void require(bool sound, const char* message) {
  if (!sound) throw std::invalid_argument(message);
}

void require_positive(const Rate& rate) {
  require(rate.numerator > 0 && rate.denominator > 0, "a rate must be positive");
}

// A number >= 0 at a precision.
Enclosure at_least_0(mpz_class low, mpz_class high) {
  if (low < 0) low = 0;
  return {std::move(low), std::move(high)};
}
Enclosure times(const Enclosure& e, unsigned long n) { return {e.low * n, e.high * n}; }

// How a level follows from a finer one.
struct Step {
  Rate coarse, fine;
  unsigned long k;

  struct Weights {
    Enclosure same, other;  // S and D
  };
  Weights weights(unsigned long precision) const {
    const Enclosure q_coarse = enclose_exp(coarse.numerator, coarse.denominator, precision);
    const Enclosure q_fine = enclose_exp(fine.numerator, fine.denominator, precision);
    const Enclosure both = multiply(q_coarse, q_fine, precision);
    const mpz_class one = mpz_class(1) << precision;
    return {at_least_0(one + (k - 2) * q_fine.low - (k - 1) * both.high,
                       one + (k - 2) * q_fine.high - (k - 1) * both.low),
            at_least_0(q_coarse.low - q_fine.high, q_coarse.high - q_fine.low)};
  }
};

// weight(v, precision) of the special values, which may be one twice, and of any other.
template <class Weight>
ResponseLaw law_of(Response one, Response two, unsigned long k, Weight weight) {
  std::vector<Response> special{std::min(one, two)};
  if (one != two) special.push_back(std::max(one, two));
  Response other = 0;
  while (std::find(special.begin(), special.end(), other) != special.end()) ++other;
  const unsigned long others = k - special.size();
  Enclose weights = [=](unsigned long precision) {
    std::vector<Enclosure> enclosures;
    for (const Response v : special) enclosures.push_back(weight(v, precision));
    if (others > 0) enclosures.push_back(times(weight(other, precision), others));
    return enclosures;
  };
  return {remembered(std::move(weights)), std::move(special), k};
}

// Pr[V = v] : Pr[V = x] at a rate
Enclosure alone(bool is_value, const Rate& rate, unsigned long precision) {
  if (!is_value) return enclose_exp(rate.numerator, rate.denominator, precision);
  const mpz_class one = mpz_class(1) << precision;
  return {one, one};
}

ResponseLaw first(Response value, unsigned long k, const Rate& rate) {
  return law_of(value, value, k, [=](Response v, unsigned long precision) {
    return alone(v == value, rate, precision);
  });
}

ResponseLaw tightened(const ResponseLevel& fine, unsigned long k, const Rate& rate) {
  const Step step{rate, fine.rate, k};
  return law_of(fine.response, fine.response, k,
                [=, z = fine.response](Response v, unsigned long precision) {
                  const Step::Weights weights = step.weights(precision);
                  return v == z ? weights.same : weights.other;
                });
}

ResponseLaw relaxed(Response value, const ResponseLevel& coarse, unsigned long k,
                    const Rate& rate) {
  const Step step{coarse.rate, rate, k};
  return law_of(value, coarse.response, k,
                [=, y = coarse.response](Response v, unsigned long precision) {
                  const Step::Weights weights = step.weights(precision);
                  return multiply(alone(v == value, rate, precision),
                                  v == y ? weights.same : weights.other, precision);
                });
}

ResponseLaw between(const ResponseLevel& coarse, const ResponseLevel& fine, unsigned long k,
                    const Rate& rate) {
  const Step down{coarse.rate, rate, k}, up{rate, fine.rate, k};
  return law_of(coarse.response, fine.response, k,
                [=, y = coarse.response, z = fine.response](Response v, unsigned long precision) {
                  const Step::Weights a = down.weights(precision), b = up.weights(precision);
                  return multiply(v == y ? a.same : a.other, v == z ? b.same : b.other, precision);
                });
}

auto first_at_least(std::span<const ResponseLevel> levels, const Rate& rate) {
  return std::lower_bound(levels.begin(), levels.end(), rate,
                          [](const ResponseLevel& level, const Rate& r) { return level.rate < r; });
}

void require_levels(Response value, unsigned long k, std::span<const ResponseLevel> levels) {
  require(k >= 2 && k <= kMostResponses, "a domain needs between two and 2^32 - 1 values");
  require(value < k, "a value is not of its domain");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    require_positive(levels[i].rate);
    require(levels[i].response < k, "a response is not of its domain");
    require(i == 0 || levels[i - 1].rate < levels[i].rate, "levels must ascend strictly");
  }
}

}  // namespace

ResponseLaw next_response(Response value, unsigned long k, std::span<const ResponseLevel> released,
                          const Rate& rate) {
  require_levels(value, k, released);
  require_positive(rate);
  const auto finer = first_at_least(released, rate);
  const bool has_finer = finer != released.end(), has_coarser = finer != released.begin();
  require(!has_finer || finer->rate != rate, "a level that was released is repeated, not drawn");
  if (has_finer && has_coarser) return between(*std::prev(finer), *finer, k, rate);
  if (has_finer) return tightened(*finer, k, rate);
  if (has_coarser) return relaxed(value, *std::prev(finer), k, rate);
  return first(value, k, rate);
}

Response draw_response(const ResponseLaw& law, BitSource& source) {
  return draws::draw_response(law, source);
}

ResponseChain::ResponseChain(Response value, unsigned long k, std::vector<ResponseLevel> levels)
    : value_(value), k_(k), levels_(std::move(levels)) {
  require_levels(value_, k_, levels_);
}

Response ResponseChain::at(const Rate& rate, BitSource& source) {
  require_positive(rate);
  const auto finer = first_at_least(levels_, rate);
  if (finer != std::span<const ResponseLevel>(levels_).end() && finer->rate == rate) {
    return finer->response;
  }
  const auto place = finer - std::span<const ResponseLevel>(levels_).begin();
  const Response drawn = draw_response(next_response(value_, k_, levels_, rate), source);
  levels_.insert(levels_.begin() + place, {rate, drawn});
  return drawn;
}

}  // namespace idp
