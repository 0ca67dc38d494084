// Accounts of partitions: where a budget is that of each partition, every one that holds rows has
// an account of its own, its share, with the rules of the account of the whole table. It is charged
// in place of that (accounts_of()), and stays with its partition whatever becomes of it: when that
// is detached it is charged as any account of a table, when it is dropped it waits for a table of
// its name.
#pragma once

#include "extension/pg/pg.h"

#include "extension/budget/past.h"
#include "extension/catalog/account_rows.h"

namespace idp {

// The budget becomes, or is, that of each partition: gives shares to those that have none, and the
// rules to all. What the whole table was charged counts for them as if it had been charged to each.
void share_out(const AccountRow& whole, Past past);

// The budget becomes that of the whole table: ends the shares. The most that one of them was
// charged counts for it, also of those whose partition is gone: a row that is substituted may have
// been there.
void take_shares_back(const AccountRow& whole, Past past);

// Ends the shares of the partitions there are.
void end_shares(const AccountRow& whole);

// Whether the account is the share of a partition that is one still.
bool is_held_share(const AccountRow& row);

}  // namespace idp
