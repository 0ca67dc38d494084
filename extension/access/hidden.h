// Which tables have their rows hidden: those with an account that says so, and what is a part of
// them, however it became one, whether or not the lock of row security is in place; and those with
// that lock, whether or not an account is here.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// Whether the rows of a relation are hidden from all who are not exempt. Remembered until a
// relation is changed.
bool hides_rows(Oid relation);

// Whether an account hides them, which pays for private answers. A gate without one is shut for
// these too.
bool has_hiding_account(Oid relation);

// Whether the rows are hidden from the current role. Exempt are those whom row security exempts:
// superusers, roles with BYPASSRLS, and whoever has the rights of the table's owner.
bool is_hidden(Oid relation);

// Whether a query names a table whose rows are hidden from the current role, in FROM of its own.
bool names_hidden_table(const Query* query);
// The same, or whether a query within it does.
bool names_hidden_table_anywhere(Query* query);

// Whether nothing hides them but accounts of dropped tables of that name.
bool is_hidden_as_dropped(Oid relation);

// Whether the current role is exempt from row security of all tables.
bool passes_row_security();

// Calls work as if no role were exempt. An owner sees so what others are answered, and why not
// (extension/audit/). Nothing may be read meanwhile that he is not asked to see: his rights to
// tables are what they are.
void as_others_see(void (*work)(void*), void* argument);
template <class Work>
void as_others_see(Work work) {
  as_others_see([](void* called) { (*static_cast<Work*>(called))(); }, &work);
}

bool looks_as_others();

// Whether the current role is exempt, and not looked at so.
bool sees_all_rows();

// The first relation of those whose rows are hidden from the current role; invalid if there is
// none.
Oid first_hidden(List* relations);

// The same of those of a plan.
Oid first_hidden_of(const PlannedStmt* plan);

// Has the library told when a relation is changed.
void watch_relations();

// Whether the current role may not read the catalogs of statistics, which hold values of rows: as
// those of some table are hidden.
bool hides_statistics();

// Whether a table that everybody may know may be read for hidden rows: it is of a role that the
// rows are not hidden from, and who asks may do no more than read it. Else he sees what reading it
// did: which pages were pruned, which locks waited, and other sessions of his own saw it happen.
bool is_kept_by_others(Oid table, Oid hidden);

// Whether the rows of a hidden table are shown to a role.
bool is_exempt(Oid role, Oid hidden);

// Whether two hidden tables may be read for one another: the owner of each sees the rows of the
// other as well, so that what reading his own shows him is nothing new.
bool may_be_read_beside(Oid one, Oid other);

}  // namespace idp
