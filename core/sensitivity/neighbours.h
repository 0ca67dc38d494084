// How two data sets differ that must not be told apart.
//
// Where a record is substituted, an aggregate may see it come or go as well: the other one may not
// pass WHERE, be NULL, or be of another group. So noise for neighbours that substitute is that of
// the greatest change by a substitution, an addition or a removal, as it is where nothing is
// declared. Where records are added or removed alone, no other change counts: one count moves by
// one, not two; a sum by one value, not by the width of the bounds.
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
