// The errors of hidden tables. Each names the table, never a value, and says a way out.
#pragma once

#include "extension/access/expressions.h"
#include "extension/pg/pg.h"

namespace idp {

// Rows are read other than by a private aggregate; aggregate: the one that reads them, or null.
[[noreturn]] void refuse_rows(Oid table, const Aggref* aggregate);
// No account pays for answers about them.
[[noreturn]] void refuse_unaccounted(Oid table);
// They are joined to a calendar, or another list that is no table.
[[noreturn]] void refuse_calendar(Oid table);

// Refuses hidden rows that a list is joined to by ranges: as an aggregate takes in rows of the list
// that have none, or as groups are of several rows of it.
[[noreturn]] void refuse_counts_of_list(Oid table);
[[noreturn]] void refuse_groups_of_list(Oid table);
// level: what the query asks (level_node() of query/level.h), as its node of answers knows it.
[[noreturn]] void refuse_groups(Oid table, const List* level);
// Groups by the column that tells persons apart.
[[noreturn]] void refuse_groups_of_units(Oid table, const char* column);
// dp_keep_group stands where it does not decide which groups are shown.
[[noreturn]] void refuse_decision(Oid table, const List* level);
[[noreturn]] void refuse_unsorted_groups(Oid table);
[[noreturn]] void refuse_named_groups(Oid table);
[[noreturn]] void refuse_inexact_groups(Oid table, Oid type);
[[noreturn]] void refuse_unfit(Oid table, const Unfit& unfit);
[[noreturn]] void refuse_unknown_plan(Oid table);
[[noreturn]] void refuse_answers_among_rows(Oid table);
// The query was planned before the library was loaded.
[[noreturn]] void refuse_early(Oid table);
[[noreturn]] void refuse_unplanned(Oid table);
[[noreturn]] void refuse_statistics(Oid catalog);
[[noreturn]] void refuse_deep_plan(Oid table);
[[noreturn]] void refuse_change(Oid table, const char* command, const char* detail);
[[noreturn]] void refuse_analysis(Oid table);
[[noreturn]] void refuse_serializable(Oid table);
[[noreturn]] void refuse_recheck(Oid table);
// A table that is not hidden is joined whose owner is not trusted with the rows, or that the role
// may change.
[[noreturn]] void refuse_own_table(Oid table, Oid joined);
// It would be read as far as hidden rows make it.
[[noreturn]] void refuse_lookups(Oid table, Oid joined);

}  // namespace idp
