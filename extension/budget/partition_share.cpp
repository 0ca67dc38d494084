#include "extension/budget/partition_share.h"

#include "extension/budget/account.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

using namespace account_column;

// What a share has of the account of the whole table.
constexpr int kRules[] = {kBudget,  kNeighbours, kMinEpsilon, kFloor,   kHidden,
                          kRenewal, kDelta,      kRepeats,    kEpsilon, kMaxEpsilon};

// The partitions of a table that hold rows; of one that is none of them itself, the table.
List* leaves_of(Oid table) {
  List* leaves = NIL;
  for (const Oid oid : oids(find_all_inheritors(table, AccessShareLock, nullptr))) {
    if (get_rel_relkind(oid) != RELKIND_PARTITIONED_TABLE) {
      leaves = lappend_oid(leaves, oid);
    }
  }
  return leaves;
}

AccountRow* share_among(List* rows, int32 whole) {
  for (auto* row : list<AccountRow>(rows)) {
    if (row->part_of() == whole) return row;
  }
  return nullptr;
}

// The share of a partition: also one that waits for a table of its name. Null if there is none.
AccountRow* share_of(Oid leaf, int32 whole) {
  AccountRow* share = share_among(rows_of_table(leaf), whole);
  return share ? share : share_among(rows_waiting_for(leaf), whole);
}

// Makes or changes the share of a partition, with the rules of the account of the whole. A
// partition that was made empty has nothing of what the whole table has spent.
void set_share(const AccountRow& whole, Oid leaf, Past past, bool is_empty) {
  AccountRow* known = share_of(leaf, whole.id());
  const bool begins = known == nullptr || !known->active();
  AccountRow share = known ? *known : whole;
  for (const int column : kRules) {
    share.values[column] = whole.values[column];
    share.nulls[column] = whole.nulls[column];
  }
  share.values[kRelation] = ObjectIdGetDatum(leaf);
  share.values[kName] = CStringGetTextDatum(qualified_name(leaf));
  share.values[kOwner] = CStringGetTextDatum(owner_of(leaf));
  share.values[kActive] = BoolGetDatum(true);
  share.values[kPer] = CStringGetTextDatum("table");
  share.values[kPartOf] = Int32GetDatum(whole.id());
  share.nulls[kRelation] = share.nulls[kPartOf] = false;
  if (known != nullptr) {
    update_rules(*known, &share, past);
  } else {
    share.values[kSince] = TimestampTzGetDatum(GetCurrentTimestamp());
    insert_account(&share);
  }
  if (begins && !is_empty) carry_most(whole, share, past);
}

}  // namespace

void share_out(const AccountRow& whole, Past past) {
  for (const Oid oid : oids(leaves_of(whole.table()))) set_share(whole, oid, past, false);
}

void end_shares(const AccountRow& whole) {
  for (const Oid oid : oids(leaves_of(whole.table()))) {
    const AccountRow* share = share_of(oid, whole.id());
    if (share != nullptr && share->active()) deactivate_account(*share);
  }
}

void take_shares_back(const AccountRow& whole, Past past) {
  for (const auto* row : list<AccountRow>(shares_of(whole.id()))) {
    carry_most(*row, whole, past);
  }
  end_shares(whole);
}

bool is_held_share(const AccountRow& row) {
  if (row.part_of() == 0) return false;
  for (const auto* account : list<Account>(protecting_accounts(row.table()))) {
    if (account->id == row.part_of() && account->per_partition) return true;
  }
  return false;
}

namespace {

// (table, whether it may have rows): for what became a part of others. A partition that is made
// has a budget that nothing was charged to; what others hold may have been asked about.
Datum add_shares(FunctionCallInfo fcinfo) {
  const bool is_empty = !PG_GETARG_BOOL(1);
  for (const Oid oid : oids(leaves_of(PG_GETARG_OID(0)))) {
    for (const auto* account : list<Account>(protecting_accounts(oid))) {
      if (!account->per_partition) continue;
      const AccountRow* share = share_among(rows_of_table(oid), account->id);
      const auto* whole = static_cast<AccountRow*>(linitial(rows_numbered(account->id)));
      const bool is_known = share != nullptr && share->active();
      if (is_known && share->neighbours() == whole->neighbours()) continue;
      set_share(*whole, oid, Past::kCounts, is_empty);
    }
  }
  PG_RETURN_VOID();
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_add_shares, add_shares);

}  // extern "C"
#pragma GCC visibility pop
