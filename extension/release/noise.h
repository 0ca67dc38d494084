// Between the bytes of stored releases and the core, which knows what they mean. Nothing here
// touches a table.
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/spec.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

struct StoredLevel {
  const double* epsilons;
  int count;
  bytea* noise;  // as it lies in its row, or read
};

// The noise at these epsilons, given levels that were read: core/gradual/release.h.
bytea* noise_at(const bytea* record, const StoredLevel* levels, int level_count,
                const double* epsilons, int count);

// The bytes as a value in the current memory context. Throws.
bytea* bytea_of(std::span<const std::uint8_t> bytes);

// How many epsilons a request for this release has.
int record_epsilons(const bytea* record);

// Whether a record answers what the spec asks, epsilon aside.
bool record_answers(const bytea* record, const Spec& spec);

// What a record answers.
Spec record_spec(const bytea* record);

// What its noise is for, whatever its tables declare now.
Neighbours record_neighbours(const bytea* record);

// The answer at the level with these epsilons and this noise, as a value of the result type of its
// aggregate. False if it is suppressed.
bool answer_of(const bytea* record, std::span<const double> epsilons, const bytea* noise,
               Oid result, Datum* answer);

}  // namespace idp
