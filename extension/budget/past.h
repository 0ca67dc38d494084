// What was spent before a rule changed, charged again at what it means under the new one
// (core/accounting/rule_change.h). Each function charges whatever the budget is: an account may
// have spent more than it has then, and answers nothing more.
//
// An account that is renewed is charged as if all was spent in its present period: an earlier one
// may belong to it once the length of the period is changed.
#pragma once

#include "extension/pg/pg.h"

#include "extension/catalog/account_rows.h"

namespace idp {

// What the owner says about what was spent: by default it counts. What she has forgotten is an
// entry of 0 in the ledger that says so.
enum class Past { kCounts, kForgotten };

// Updates an account whose rules change, and counts again what it has spent, at what that means
// under the new kind of neighbours.
void update_rules(const AccountRow& before, AccountRow* now, Past past);

// Charges an account with what is missing in it of what another has spent, since they began or in
// their present period: one is about a part of the table that the other is about.
void carry_most(const AccountRow& from, const AccountRow& to, Past past);

// Charges an account with `factor` times what another has spent, unless it came from this one or
// was charged so before: the rows have lost what was spent of both.
void carry_beside(int32 from, int32 to, int factor, Past past);

// Charges an account with what one has spent about a part of its table. A row that comes or goes is
// in one part; one that is substituted may go from one to another, and has lost what was spent of
// both, so many times.
void add_part(const AccountRow& part, const AccountRow& whole, int times, Past past);

// Whether an account has spent anything that did not come from the other; from itself nothing does.
bool has_spent_beside(int32 account, int32 other);

// Whether an account has the past of one that was charged for idp_ answers about units. They say
// nothing of two units.
bool has_local_answers_of_units(int32 account);
// Reports an error if they have no bound for rows of the table, which take the place of others
// under the rules of the account, unless that is forgotten.
void require_no_local_answers(Oid table, const AccountRow& account, Past past);

// Says in the ledger of an account that the past of another one does not count for it.
void note_forgotten(int32 from, int32 to, const char* where);

// --- part_past.cpp: accounts about the same rows, of a part and of the whole ---

// What an account of the table has spent that is active no more counts for those that its rows have
// still: of what it is a part of, and of parts that are protected by themselves.
void keep_past_of_ended(Oid table, const AccountRow& ended);

// The same of an account of units that the table is linked to no more.
void keep_past_of_units(Oid table, const AccountRow& account);

// Where a table has got another name, or schema: what was spent of accounts and links that wait for
// the one it had counts for it by itself, whether that is protected or not. They wait on.
void keep_past_of_names(Oid table);

}  // namespace idp
