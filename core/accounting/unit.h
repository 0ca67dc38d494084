// The unit of privacy: whose data a guarantee hides, and how two data sets differ that must not be
// told apart.
//
// One individual owns one record. Who owns more of them is protected as a group is, record by
// record (core/mechanism/frozen.h).
#pragma once

#include "core/no_postgres.h"

#include <optional>
#include <string_view>

namespace idp {

enum class Neighbours {
  kSubstitute,  // one record is another one
  kAddRemove,   // one record is there or not
};

constexpr std::string_view name_of(Neighbours neighbours) {
  return neighbours == Neighbours::kSubstitute ? "substitute" : "add_remove";
}

constexpr std::optional<Neighbours> neighbours_named(std::string_view name) {
  for (const Neighbours neighbours : {Neighbours::kSubstitute, Neighbours::kAddRemove}) {
    if (name == name_of(neighbours)) return neighbours;
  }
  return std::nullopt;
}

// What is said of a name that is neither.
inline constexpr const char* kNeighboursRule = "must be \"substitute\" or \"add_remove\"";

}  // namespace idp
