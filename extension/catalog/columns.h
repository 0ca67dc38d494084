// The columns of the extension's tables.
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
  kHidden,  // from 0.3.0 on, as are the following
  kPer,
  kRenewal,
  kPartOf,
  kUnit,
  kDelta,
  kWidened,  // from 0.4.0 on, as are the following
  kRepeats,
  kUnitColumn,
  kEpsilon,
  kMaxEpsilon,
  kCount
};
}

// idp.link
namespace link_column {
enum {
  kAccount,
  kRelation,
  kName,
  kOwner,
  kColumn,
  kParent,
  kMaxRows,  // from 0.4.0 on, as are the following
  kFromColumn,
  kToColumn,
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
  kDelta,  // from 0.3.0 on, as are the following
  kDeltaSpent,
  kOuterRole,
  kSessionRole,
  kAsker,  // from 0.4.0 on, as are the following
  kAskerSpent,
  kCarriedFrom,
  kCount
};
}

// idp.answer
namespace answer_column {
enum {
  kKey,
  kAt,
  kAccounts,
  kTables,
  kQuestion,
  kEpsilons,
  kColumns,
  kRows,
  kCosts,
  kRecords,
  kNoise,
  kMargin,
  kRole,
  kCharges,
  kCount
};
}

// idp.role_limit
namespace role_limit_column {
enum { kAccount, kRole, kBudget, kCount };
}

// idp.chain
namespace chain_column {
enum {
  kId,
  kName,
  kNameHash,
  kFamily,
  kGrouped,
  kAccounts,
  kTable,
  kTableName,
  kTables,
  kAggregate,
  kColumn,
  kResult,
  kBorn,
  kRole,
  kRecord,
  kCondition,
  kUsedColumns,
  kCount
};
}

// idp.chain_level
namespace level_column {
enum { kChain, kEpsilons, kNoise, kAt, kRole, kCount };
}

}  // namespace idp
