// An aggregate as one object, for programs that have no states of their own: values go in, others'
// are merged, an answer comes out.
//
//   Aggregate median({.statistic = Statistic::kMedian, .grid = {ValueType::kFloat64}, .epsilon = 1,
//                     .fraction = 0.5});
//   for (const double x : column) median.add(x);
//   const Answer answer = median.answer(system_bits());
//
// What answers cost together is not counted here: core/accounting/composition.h.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <variant>
#include <vector>

#include "core/aggregate/answer.h"
#include "core/aggregate/spec.h"
#include "core/collect/buckets.h"
#include "core/collect/distinct_values.h"
#include "core/collect/divided_values.h"
#include "core/collect/ordered_values.h"
#include "core/grid/offsets.h"

namespace idp {

class Aggregate {
 public:
  // epsilons: one for each group size, if the spec has several groups. Throws
  // std::invalid_argument, with the argument and its rule as the message, for a spec that an
  // aggregate call could not have made.
  explicit Aggregate(const Spec& spec, std::vector<double> epsilons = {});

  const Spec& spec() const { return spec_; }

  // A row, where the statistic has no column.
  void add();
  // A value: as a key of a narrow or a wide grid, or a double for a grid of floats. NaN is skipped,
  // a key that the column's type cannot hold becomes the nearest it can. Throws
  // std::invalid_argument for a value of another kind, whatever it is.
  void add(Key64 key);
  void add(const Key128& key);
  void add(double value);

  // Adds the rows of another one. Throws std::invalid_argument unless it asks for the same.
  void merge(const Aggregate& other);

  // How many rows, or values, there are: as secret as the data.
  std::int64_t size() const { return count_; }

  // An answer that is the only one.
  Answer answer(BitSource& bits);
  // Of an additive statistic (answer.h), for answers that can be refined.
  Frozen freeze(BitSource& bits);

  std::span<const double> epsilons() const { return epsilons_; }

 private:
  using Narrow = OrderedValues<Key64>;
  using Wide = OrderedValues<Key128>;
  using NarrowSet = DistinctValues<Key64>;
  using WideSet = DistinctValues<Key128>;
  using Words = std::vector<std::uint64_t>;  // kMoments, kBuckets

  template <class Key>
  void add_key(const Key& key);
  template <class Key>
  void add_offset(const Key& key);
  template <class Use>
  auto with_collected(Use use);

  Spec spec_;
  std::vector<double> epsilons_;
  Offsets offsets_;
  Buckets buckets_;
  std::int64_t count_ = 0;
  // All memory of what is collected: it goes with the object.
  std::unique_ptr<std::pmr::unsynchronized_pool_resource> memory_;
  std::variant<std::monostate, std::unique_ptr<Narrow>, std::unique_ptr<Wide>,
               std::unique_ptr<NarrowSet>, std::unique_ptr<WideSet>, Words>
      collected_;
};

}  // namespace idp
