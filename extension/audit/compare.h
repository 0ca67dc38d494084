// What a final function puts down for an audit, and how two of these are compared.
//
// Evidence of a group is, by the mechanism of the call: what would have been frozen, and the same
// to compare others with, as records (core/gradual/record.h); the values in their order, with the
// rank asked for; a number of rows. core/aggregate/loss.h says how far each tells two data sets
// apart.
#pragma once

#include "extension/pg/pg.h"

#include <span>

#include "core/aggregate/loss.h"
#include "core/aggregate/spec.h"
#include "extension/audit/run.h"

namespace idp {

bytea* evidence_of_frozen(const Spec& spec, const Frozen& frozen, const Frozen& to_compare);
bytea* evidence_of_count(std::int64_t count);
// keys: ascending, between the bounds of the spec.
bytea* evidence_of_ranks(std::int64_t rank, std::span<const Key128> keys);

// How far the answers of a call in all its groups tell the execution with all rows from another
// one.
struct CallLoss {
  PairLoss loss;
  std::int64_t groups = 0;  // how many came or went, unless a decision hides them
};
CallLoss loss_of_call(const AuditedCall& with_all, const AuditedCall& other, bool is_decided);

// Puts witnesses in the order in which they are compared.
void sort_witnesses(AuditRun& run);

// Whether dp_keep_group decides about the groups of the call's aggregation.
bool is_decided(const AuditRun& run, const AuditedCall& call);

}  // namespace idp
