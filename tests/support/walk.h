// The law of a draw, added up over everything that its source can give: no statistics.
//
// A Walk is a source whose every choice has a known probability. walk() runs a draw again and
// again, each time along the next path of the tree of choices, and adds the probability of the path
// to that of the outcome. A path is given up where it has become less likely than a limit, and what
// was given up is counted: the probability of an outcome lies between what was found and what was
// found plus what is undecided. Probabilities are enclosures (mass.h), so the bounds are theorems.
#pragma once

#include <cstddef>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/mass.h"

namespace idp::test {

class Walk {
 public:
  // One of so many, alike.
  std::size_t uniform(std::size_t count) {
    if (count == 1) return 0;
    return choose(
        count, [&](std::size_t) { return Mass(mpq_class(1, static_cast<unsigned long>(count))); });
  }

  bool coin(const Mass& heads) {
    if (heads.high_places() == 0) return false;
    if (Mass(1) - heads == Mass(0)) return true;
    return choose(2, [&](std::size_t i) { return i == 0 ? 1 - heads : heads; }) == 1;
  }

  // chance(i), i < count, adds up to 1.
  template <class Chance>
  std::size_t choose(std::size_t count, Chance chance) {
    if (depth_ < path_.size()) {
      Choice& at = path_[depth_++];
      if (depth_ == path_.size()) at.mass = before() * chance(at.taken);
      return at.taken;
    }
    if (now().high_places() < least_) throw GivenUp();
    path_.push_back({0, count, now() * chance(0)});
    ++depth_;
    return 0;
  }

  // Ends the path: what happens from here on is what happens from the start on.
  [[noreturn]] void begin_anew() { throw Anew(); }

  struct GivenUp {};
  struct Anew {};

 private:
  template <class Outcome>
  friend struct WalkedLaw;
  template <class Source, class Draw>
  friend auto walk_until(unsigned long limit, Draw draw);

  struct Choice {
    std::size_t taken, count;
    Mass mass;  // of the path up to and with it
  };

  const Mass& now() const { return depth_ == 0 ? whole_ : path_[depth_ - 1].mass; }
  const Mass& before() const { return depth_ == 1 ? whole_ : path_[depth_ - 2].mass; }

  // To the next path. False if this was the last.
  bool advance() {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    depth_ = 0;
    return true;
  }

  Mass whole_ = 1;
  mpz_class least_;
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
};

template <class Outcome>
struct WalkedLaw {
  std::map<Outcome, Mass> found;
  Mass undecided;
  Mass anew;  // of the paths that began anew
  std::size_t paths = 0;

  // Divides by what does not begin anew: the attempts are independent and alike, so what the last
  // of them gives has this law.
  void condition() {
    const Mass kept = 1 - anew;
    for (auto& [outcome, mass] : found) mass = mass / kept;
    undecided = undecided / kept;
    anew = 0;
  }

  // Pr[outcome]
  Mass of(const Outcome& outcome) const {
    const auto at = found.find(outcome);
    const Mass least = at == found.end() ? Mass(0) : at->second;
    return Mass::between(least, least + undecided);
  }

  // What is wrong if exact(outcome) should be the law; empty if nothing is. All outcomes that were
  // found are looked at, and those asked for.
  template <class Exact>
  std::string differs(Exact exact, const std::vector<Outcome>& also = {}) const {
    std::ostringstream why;
    Mass total = undecided + anew;
    const auto compare = [&](const Outcome& outcome) {
      const Mass should = exact(outcome), is = of(outcome);
      if (!should.meets(is)) why << " Pr is " << is << " instead of " << should << ';';
    };
    for (const auto& [outcome, mass] : found) {
      total += mass;
      compare(outcome);
    }
    for (const Outcome& outcome : also) compare(outcome);
    if (!total.meets(1)) why << " adds up to " << total;
    return why.str();
  }
};

// The law of draw(source) for a Source that is a Walk; paths less likely than 2^-limit are given
// up.
template <class Source, class Draw>
auto walk_until(unsigned long limit, Draw draw) {
  WalkedLaw<decltype(draw(std::declval<Source&>()))> law;
  Source source;
  Walk& walk = source;
  walk.least_ = mpz_class(1) << (Mass::kPlaces - limit);
  do {
    ++law.paths;
    try {
      const auto outcome = draw(source);
      law.found[outcome] += walk.now();
    } catch (const Walk::GivenUp&) {
      law.undecided += walk.now();
    } catch (const Walk::Anew&) {
      law.anew += walk.now();
    }
  } while (walk.advance());
  return law;
}

// 2^-bits
inline mpq_class two_to_minus(unsigned long bits) { return mpq_class(1, mpz_class(1) << bits); }

// The greatest part of a law that may stay undecided: 2^-20. Under the sanitizers, which look for
// something else, it is more.
#ifdef IDP_SANITIZE
inline constexpr unsigned long kDecidedBits = 12;
#else
inline constexpr unsigned long kDecidedBits = 20;
#endif

// The same down to where so little is undecided.
template <class Source, class Draw>
auto walk(Draw draw) {
  for (unsigned long limit = kDecidedBits + 3;; limit += 3) {
    auto law = walk_until<Source>(limit, draw);
    if (law.undecided.surely_below(Mass(two_to_minus(kDecidedBits)))) return law;
    if (limit > 3 * kDecidedBits) throw std::runtime_error("a law that cannot be decided");
  }
}

}  // namespace idp::test
