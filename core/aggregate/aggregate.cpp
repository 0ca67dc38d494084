#include "core/aggregate/aggregate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "core/aggregate/payload.h"

namespace idp {

namespace {

void require(bool sound, const char* what) {
  if (!sound) throw std::invalid_argument(what);
}

template <class Key>
Key nearest_admitted(const Grid& grid, const Key& key) {
  if (grid.admits(key) || grid.is_opaque()) return key;
  if constexpr (std::is_same_v<Key, Key64>) {
    // a double that no value of the type is, or NaN in disguise
    require(!grid.is_float(), "a key of a grid of floats must be of a value of the type");
  }
  return grid.nearest<Key>(grid.units(key));
}

// The value of the type nearest to x.
double rounded(const Grid& grid, double x) {
  return grid.type == ValueType::kFloat32 ? static_cast<double>(static_cast<float>(x)) : x;
}

}  // namespace

Aggregate::Aggregate(const Spec& spec, std::vector<double> epsilons)
    : spec_(spec),
      epsilons_(std::move(epsilons)),
      memory_(std::make_unique<std::pmr::unsynchronized_pool_resource>()) {
  if (epsilons_.empty()) epsilons_.push_back(spec.epsilon);
  require(row_of(spec.statistic).statistic != Statistic::kNone, "no such statistic");
  require(!spec.has(Parameter::kDomain), "the domain of the statistic is no part of a spec");
  require(epsilons_.size() == spec.groups && epsilons_.front() == spec.epsilon,
          "epsilons must be as many as the groups, epsilon the first of them");
  if (!spec_.has(Parameter::kFraction)) spec_.fraction = fixed_fraction(spec.statistic);
  if (spec_.has(Parameter::kGamma) && spec_.gamma == 0) spec_.gamma = kDefaultGamma;
  require(fits(spec_.grid, spec_.statistic), "the statistic is not of columns of this type");
  if (const auto violation = find_violation(spec_, epsilons_)) {
    throw std::invalid_argument(std::string(violation->argument) + " " + violation->rule);
  }

  const bool wide = spec_.grid.is_wide();
  switch (spec_.collects()) {
    case Collects::kValues:
      if (wide) {
        collected_ = std::make_unique<Wide>(memory_.get());
      } else {
        collected_ = std::make_unique<Narrow>(memory_.get());
      }
      break;
    case Collects::kDistinct:
      if (wide) {
        collected_ = std::make_unique<WideSet>(memory_.get());
      } else {
        collected_ = std::make_unique<NarrowSet>(memory_.get());
      }
      break;
    case Collects::kMoments:
    case Collects::kBuckets:
      offsets_ = Offsets(spec_.grid, spec_.lower, spec_.upper);
      if (spec_.collects() == Collects::kBuckets)
        buckets_ = Buckets(offsets_.width(), spec_.buckets);
      collected_ = Words(payload_words(spec_, 0));
      break;
    default:
      break;
  }
}

void Aggregate::add() {
  require(row_of(spec_.statistic).columns == Columns::kNone, "the statistic needs a value");
  ++count_;
}

void Aggregate::add(Key64 key) {
  require(!spec_.grid.is_wide() && spec_.grid.type != ValueType::kNone,
          "the column does not hold narrow keys");
  add_key(nearest_admitted(spec_.grid, key));
}

void Aggregate::add(const Key128& key) {
  require(spec_.grid.is_wide(), "the column does not hold wide keys");
  add_key(nearest_admitted(spec_.grid, key));
}

void Aggregate::add(double value) {
  require(spec_.grid.is_float(), "the column does not hold doubles");
  if (!std::isnan(value)) add_key(ordered_bits(rounded(spec_.grid, value)));
}

template <class Key>
void Aggregate::add_key(const Key& key) {
  constexpr bool kIsWide = std::is_same_v<Key, Key128>;
  switch (spec_.collects()) {
    case Collects::kValues:
      std::get<std::unique_ptr<std::conditional_t<kIsWide, Wide, Narrow>>>(collected_)->add(key);
      break;
    case Collects::kDistinct:
      std::get<std::unique_ptr<std::conditional_t<kIsWide, WideSet, NarrowSet>>>(collected_)
          ->add(key);
      break;
    case Collects::kRows:
      if (key < spec_.lower_as<Key>() || key > spec_.upper_as<Key>()) return;
      break;
    default:
      add_offset(key);
  }
  ++count_;
}

template <class Key>
void Aggregate::add_offset(const Key& key) {
  Words& words = std::get<Words>(collected_);
  const auto add = [&](auto offset) {
    if (spec_.collects() == Collects::kBuckets) {
      ++words[static_cast<std::size_t>(buckets_.of(offset))];
    } else {
      add_to_moments(moment_layout(spec_), words.data(), count_, offset);
    }
  };
  if constexpr (std::is_same_v<Key, Key128>) {
    add(offsets_.wide(key));
  } else {
    add(offsets_.narrow(key));
  }
}

void Aggregate::merge(const Aggregate& other) {
  require(this != &other && spec_ == other.spec_ && epsilons_ == other.epsilons_,
          "aggregates that are merged must ask for the same");
  std::visit(
      [&](auto& mine) {
        using Mine = std::remove_reference_t<decltype(mine)>;
        const auto& theirs = std::get<Mine>(other.collected_);
        if constexpr (std::is_same_v<Mine, Words>) {
          if (spec_.collects() == Collects::kBuckets) {
            for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += theirs[i];
          } else {
            merge_moments(moment_layout(spec_), mine.data(), count_, theirs.data(), other.count_);
          }
        } else if constexpr (!std::is_same_v<Mine, std::monostate>) {
          mine->add_all(*theirs);
        }
      },
      collected_);
  count_ += other.count_;
}

template <class Use>
auto Aggregate::with_collected(Use use) {
  if (const auto* words = std::get_if<Words>(&collected_)) {
    return use(Collected{.count = count_, .words = words->data()});
  }
  std::pmr::memory_resource* const memory = memory_.get();
  if (const auto* narrow = std::get_if<std::unique_ptr<Narrow>>(&collected_)) {
    return idp::with_values<Key64>(**narrow, nullptr, {memory}, [&](const Values<Key64>& values) {
      return use(Collected{.count = count_, .narrow = &values});
    });
  }
  if (const auto* wide = std::get_if<std::unique_ptr<Wide>>(&collected_)) {
    return idp::with_values<Key128>(**wide, nullptr, {memory}, [&](const Values<Key128>& values) {
      return use(Collected{.count = count_, .wide = &values});
    });
  }
  if (const auto* set = std::get_if<std::unique_ptr<NarrowSet>>(&collected_)) {
    return use(Collected{.count = (*set)->size()});
  }
  if (const auto* set = std::get_if<std::unique_ptr<WideSet>>(&collected_)) {
    return use(Collected{.count = (*set)->size()});
  }
  return use(Collected{.count = count_});
}

Answer Aggregate::answer(BitSource& bits) {
  return with_collected([&](const Collected& collected) {
    return answer_once(spec_, epsilons_, collected, {memory_.get()}, bits);
  });
}

Frozen Aggregate::freeze(BitSource& bits) {
  return with_collected([&](const Collected& collected) {
    return idp::freeze(spec_, epsilons_, collected, {memory_.get()}, bits);
  });
}

}  // namespace idp
