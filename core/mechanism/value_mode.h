// The most frequent of the values that were collected: mode.h over values wherever they lie. What
// is drawn from, and why it is private, stands there. Ties go to the least key, or string by bytes.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/grid/key.h"
#include "core/random/bit_source.h"
#include "core/select/values.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

// idp_mode; nothing if there is no answer. Any value of the type may come. Throws Stopped, and
// std::bad_alloc: memory follows the number of different values.
template <class Key>
std::optional<Key> value_mode(const Values<Key>& values, double epsilon, const Workspace& space,
                              BitSource& bits);

// The same for strings, of which the keys are collected (core/collect/string_keys.h).
std::optional<std::string> string_mode(const Values<Key128>& keys, double epsilon,
                                       const Workspace& space, BitSource& bits);

// dp_mode: which of the keys of a public domain, all different and at least one. Values that are
// not among them do not count; of strings the keys of place 0 are meant.
template <class Key>
std::size_t listed_mode(const Values<Key>& values, std::span<const Key> domain, double epsilon,
                        const Workspace& space, BitSource& bits,
                        Neighbours neighbours = Neighbours::kSubstitute);

}  // namespace idp
