#include "core/mechanism/mode.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/mechanism/draws/permute_and_flip.h"

namespace idp {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A value and how often it comes.
struct Counted {
  std::size_t value = kNone;
  std::int64_t count = -1;

  bool beats(const Counted& other) const {
    return count != other.count ? count > other.count : value < other.value;
  }
};

// Whoever is in front, the next and the one after.
std::array<Counted, 3> leaders(std::span<const std::int64_t> counts) {
  std::array<Counted, 3> first;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    Counted one{v, counts[v]};
    for (Counted& place : first) {
      if (one.beats(place)) std::swap(one, place);
    }
  }
  return first;
}

// Whether a value that has one more record is in front of all, once as they are, once with the
// first having given it that record.
bool could_win(const Counted& with_one_more, const std::array<Counted, 3>& first) {
  if (with_one_more.beats(first[0])) return true;
  const Counted less{first[0].value, first[0].count - 1};
  const Counted& rival = first[1].value == with_one_more.value ? first[2] : first[1];
  return with_one_more.beats(less) && with_one_more.beats(rival);
}

}  // namespace

std::optional<ModeRange> mode_range(std::span<const std::int64_t> counts, Domain domain) {
  std::int64_t records = 0;
  for (const std::int64_t count : counts) records += count;
  if (records <= 1) return std::nullopt;  // a neighbour is empty, or this is
  const std::array<Counted, 3> first = leaders(counts);
  if (domain == Domain::kOpen) {
    // One that was not counted, and is less than all that were: it wins every tie. No place is less
    // than the first, so the others make room.
    std::array<Counted, 3> moved = first;
    for (Counted& one : moved) {
      if (one.value != kNone) ++one.value;
    }
    if (could_win({0, 1}, moved)) return std::nullopt;
  }
  ModeRange range{};
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const bool is_mode = v == first[0].value;
    if (!is_mode && !could_win({v, counts[v] + 1}, first)) continue;
    if (is_mode) range.mode = range.values.size();
    range.values.push_back(v);
  }
  return range;
}

std::size_t draw_mode(const ModeRange& range, double epsilon, BitSource& bits) {
  if (range.values.size() == 1) return range.values.front();
  const ResponseLaw law = next_response(range.mode, range.values.size(), {}, Rate::of(epsilon, 1));
  return range.values[draw_response(law, bits)];
}

Rate mode_rate(double epsilon, Neighbours neighbours) {
  return Rate::of(epsilon, neighbours == Neighbours::kAddRemove ? 1 : 2);
}

std::size_t permute_and_flip(std::span<const std::int64_t> counts, double epsilon, BitSource& bits,
                             Neighbours neighbours) {
  if (counts.empty()) throw std::invalid_argument("a domain needs a value");
  return draws::permute_and_flip(counts, mode_rate(epsilon, neighbours), bits);
}

}  // namespace idp
