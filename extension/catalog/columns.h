// The columns of the extension's tables that more than one file reads.
#pragma once

namespace idp {

// idp.account
namespace account_column {
enum {
  kId,
  kRelation,
  kName,
  kOwner,
  kActive,
  kBudget,
  kNeighbours,
  kMinEpsilon,
  kFloor,
  kSince,
  kHidden,  // from 0.3.0 on
  kCount
};
}

// idp.charge
namespace charge_column {
enum {
  kAccount,
  kEntry,
  kAt,
  kRole,
  kAggregate,
  kEpsilon,
  kSpent,
  kRelease,
  kFamily,
  kFamilyEpsilon,
  kCount
};
}

}  // namespace idp
