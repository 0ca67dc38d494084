#include "core/collect/moments.h"

#include <algorithm>

#include "core/grid/room.h"

namespace idp {

namespace {

// A sorted list of two words each.
class Ends {
 public:
  Ends(std::uint64_t* words, std::size_t capacity, std::int64_t count, bool descending)
      : words_(words),
        capacity_(capacity),
        size_(std::min(capacity, static_cast<std::size_t>(count))),
        descending_(descending) {}

  void insert(Uint128 value) {
    const auto before = [&](Uint128 a, Uint128 b) { return descending_ ? a > b : a < b; };
    if (size_ == capacity_) {
      if (!before(value, at(size_ - 1))) return;
      --size_;
    }
    std::size_t i = size_++;
    for (; i > 0 && before(value, at(i - 1)); --i) set(i, at(i - 1));
    set(i, value);
  }

 private:
  Uint128 at(std::size_t i) const {
    return static_cast<Uint128>(words_[2 * i]) << 64 | words_[2 * i + 1];
  }
  void set(std::size_t i, Uint128 value) {
    words_[2 * i] = static_cast<std::uint64_t>(value >> 64);
    words_[2 * i + 1] = static_cast<std::uint64_t>(value);
  }

  std::uint64_t* words_;
  std::size_t capacity_;
  std::size_t size_;
  bool descending_;
};

void add_words(std::uint64_t* into, const std::uint64_t* from, std::size_t count) {
  std::uint64_t carry = 0;
  for (std::size_t i = count; i-- > 0;) {
    const Uint128 sum = static_cast<Uint128>(into[i]) + from[i] + carry;
    into[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

mpz_class number(const std::uint64_t* words, std::size_t count) {
  mpz_class v;
  mpz_import(v.get_mpz_t(), count, 1, sizeof(std::uint64_t), 0, 0, words);
  return v;
}

}  // namespace

void add_to_ends(const MomentLayout& layout, std::uint64_t* words, std::int64_t count_before,
                 Uint128 offset) {
  Ends(words + layout.smallest(), layout.ends, count_before, false).insert(offset);
  Ends(words + layout.largest(), layout.ends, count_before, true).insert(offset);
}

void merge_moments(const MomentLayout& layout, std::uint64_t* into, std::int64_t into_count,
                   const std::uint64_t* from, std::int64_t from_count) {
  add_words(into, from, MomentLayout::kSumWords);
  if (layout.squares) add_words(into + 3, from + 3, MomentLayout::kSquaresWords);
  const auto merge = [&](std::size_t list, bool descending) {
    Ends ends(into + list, layout.ends, into_count, descending);
    const std::size_t kept = std::min(layout.ends, static_cast<std::size_t>(from_count));
    for (std::size_t i = 0; i < kept; ++i) {
      const std::uint64_t* value = from + list + 2 * i;
      ends.insert(static_cast<Uint128>(value[0]) << 64 | value[1]);
    }
  };
  merge(layout.smallest(), false);
  merge(layout.largest(), true);
}

MomentTotals read_moments(const MomentLayout& layout, const std::uint64_t* words,
                          std::int64_t count) {
  require_room();
  MomentTotals totals;
  totals.count = static_cast<long>(count);
  totals.sum = number(words, MomentLayout::kSumWords);
  if (layout.squares) totals.squares = number(words + 3, MomentLayout::kSquaresWords);
  const std::size_t kept = std::min(layout.ends, static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < kept; ++i) {
    totals.smallest.push_back(number(words + layout.smallest() + 2 * i, 2));
    totals.largest.push_back(number(words + layout.largest() + 2 * i, 2));
  }
  return totals;
}

namespace {

// Rows of which only the sum and the squares are known, and that they lie between two values.
struct Others {
  mpz_class count, sum, squares;
  mpz_class low, high;
};

bool sum_possible(const Others& others) {
  return others.count * others.low <= others.sum && others.sum <= others.count * others.high;
}

// Whether the squares lie between those of values as equal, and as different, as the sum lets them
// be, and are odd exactly if the sum is. count >= 1, and the sum is possible.
bool squares_possible(const Others& others) {
  const mpz_class even = others.sum / others.count, more = others.sum % others.count;
  const mpz_class least = others.count * even * even + more * (2 * even + 1);
  const mpz_class range = others.high - others.low;
  mpz_class at_high, rest;
  if (range > 0) {
    const mpz_class above = others.sum - others.count * others.low;
    at_high = above / range;
    rest = above % range;
  }
  const mpz_class most = (others.count - at_high) * others.low * others.low +
                         at_high * others.high * others.high + rest * (2 * others.low + rest);
  const mpz_class odd = others.squares - others.sum;
  return least <= others.squares && others.squares <= most && mpz_even_p(odd.get_mpz_t());
}

// Whether the two lists are ordered, within [0, width], and agree in the rows that are in both.
// Takes the rows out of the others.
bool ends_possible(const MomentTotals& totals, const mpz_class& width, Others& others) {
  const auto& smallest = totals.smallest;
  const auto& largest = totals.largest;
  const std::size_t kept = smallest.size();
  if (!std::is_sorted(smallest.begin(), smallest.end()) ||
      !std::is_sorted(largest.rbegin(), largest.rend()) || largest.front() > width) {
    return false;
  }
  const auto take = [&](const mpz_class& value) {
    others.count -= 1;
    others.sum -= value;
    others.squares -= value * value;
  };
  for (const mpz_class& value : smallest) take(value);
  for (std::size_t i = 0; i < kept; ++i) {
    const mpz_class before = totals.count - static_cast<unsigned long>(i) - 1;
    if (before < static_cast<unsigned long>(kept)) {  // the rank before + 1 is in both lists
      if (largest[i] != smallest[before.get_ui()]) return false;
    } else {
      take(largest[i]);
    }
  }
  others.low = smallest.back();
  others.high = largest.back();
  return others.low <= others.high || totals.count < 2 * static_cast<unsigned long>(kept);
}

}  // namespace

bool moments_sound(const MomentLayout& layout, const mpz_class& width, const std::uint64_t* words,
                   std::int64_t count) {
  if (count < 0) return false;
  const auto all_zero = [&](std::size_t from, std::size_t to) {
    return std::all_of(words + from, words + to, [](std::uint64_t word) { return word == 0; });
  };
  if (count == 0) return all_zero(0, layout.words());
  const std::size_t kept = std::min(layout.ends, static_cast<std::size_t>(count));
  if (!all_zero(layout.smallest() + 2 * kept, layout.largest()) ||
      !all_zero(layout.largest() + 2 * kept, layout.words())) {
    return false;
  }
  const MomentTotals totals = read_moments(layout, words, count);
  Others others{totals.count, totals.sum, totals.squares, 0, width};
  if (kept > 0 && !ends_possible(totals, width, others)) return false;
  if (others.count == 0) return others.sum == 0 && (!layout.squares || others.squares == 0);
  return sum_possible(others) && (!layout.squares || squares_possible(others));
}

}  // namespace idp
