// More levels for releases that have begun.
//
// Chains born in one grouping set of one aggregate of one statement are a family: they cost the
// largest epsilon among them (core/accounting/composition.h). When one of them is refined beyond
// what the family was charged for, the others are refined with it, in one step. The noise of every
// level is on disk before an answer at that level leaves, and a crash never leads to a second draw
// of it.
#pragma once

#include "extension/pg/pg.h"

#include "core/aggregate/spec.h"
#include "core/sensitivity/neighbours.h"
#include "extension/release/chain_rows.h"

namespace idp {

// What an answer is made of.
struct Stored {
  bytea* record;  // core/gradual/record.h; null if there is no answer, as there is no name
  bytea* noise;
};

// What a level within what was paid for is drawn for: the release alone, or its whole family, which
// a query with many groups asks for one after the other. One beyond is drawn for the family always.
enum class Extent { kChain, kFamily };

// Where a release cannot be charged: an error, or no answer, where an error would tell of a group.
enum class IfRefused { kReport, kNoAnswer };

enum class Refined { kDone, kDropped, kRefused };

// The noise at these epsilons; drawn, charged and on disk if it is new. Nothing if the release was
// dropped since it was found.
// accounts: those that protect what a query reads now, beside those of the release.
Refined refine(const StoredChain& chain, const double* epsilons, int count, List* accounts,
               Extent extent, IfRefused if_refused, Stored* stored);

// The same for who asks for a release by its name, without a query. Reports an error unless it has
// begun, and the role may have charged what that costs.
bytea* refine_named(const StoredChain& chain, const double* epsilons, int count);

// Whether a level of the release is beyond those it has, so that it may cost something.
bool is_beyond(const StoredChain& chain, const double* epsilons, int count);

// The noise of the level with the largest epsilon, of a release that has begun.
bytea* finest_noise(const StoredChain& chain);

// What the chains of a family have in common.
struct FamilyFacts {
  pg_uuid_t id;
  bool grouped;
  Spec spec;
  Neighbours drawn;  // what their noise is for
};

// Charges what a family costs at epsilon beyond what it was charged. False if it is refused.
enum class Began { kNow, kEarlier };
bool charge_family(List* accounts, const FamilyFacts& family, Began began, double epsilon,
                   const char* aggregate, const char* release, IfRefused if_refused);

// What is charged when the release is refined: what it was charged to first, and what protects its
// tables now.
List* accounts_of_chain(const StoredChain& chain);

}  // namespace idp
