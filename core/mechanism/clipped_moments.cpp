#include "core/mechanism/clipped_moments.h"

#include <type_traits>
#include <vector>

#include "core/grid/offsets.h"
#include "core/mechanism/clipping_bounds.h"
#include "core/mechanism/private_moments.h"
#include "core/sensitivity/moments.h"

namespace idp {

namespace {

// What an aggregate with these bounds would have collected.
template <class Key>
MomentTotals clamped_totals(const MomentQuestion& question, const Values<Key>& values) {
  const Offsets offsets(question.grid, question.lower, question.upper);
  const MomentLayout layout{needs_squares(question.moment), 0};
  std::vector<std::uint64_t> words(layout.words());
  std::int64_t n = 0;
  values.for_each([&](const Key& key, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<Key, Key128>) {
        add_to_moments(layout, words.data(), n++, offsets.wide(key));
      } else {
        add_to_moments(layout, words.data(), n++, offsets.narrow(key));
      }
    }
  });
  return read_moments(layout, words.data(), n);
}

}  // namespace

template <class Key>
std::optional<Number> clipped_moment(Moment moment, const Grid& grid, const Values<Key>& values,
                                     double epsilon, const Workspace& space, BitSource& bits,
                                     Neighbours neighbours) {
  const Centre centre = moment == Moment::kSum ? Centre::kZero : Centre::kMedian;
  const auto [lower, upper] = find_clipping_bounds(values, grid, centre, epsilon, space, bits);
  const MomentQuestion question{moment, grid, widen(lower), widen(upper)};
  Frozen frozen =
      freeze_private_moments(moment, clamped_totals(question, values),
                             step_bounds(grid, question.lower, question.upper), neighbours);
  const mpq_class share = share_left(centre);
  for (auto& of_distances : frozen.sensitivities) {
    for (mpq_class& sensitivity : of_distances) sensitivity /= share;
  }
  return answer_private_moments(question, frozen, {&epsilon, 1},
                                draw_noise(frozen, {&epsilon, 1}, bits, space.stop),
                                2 * values_beyond(epsilon));
}

template std::optional<Number> clipped_moment(Moment, const Grid&, const Values<Key64>&, double,
                                              const Workspace&, BitSource&, Neighbours);
template std::optional<Number> clipped_moment(Moment, const Grid&, const Values<Key128>&, double,
                                              const Workspace&, BitSource&, Neighbours);

}  // namespace idp
