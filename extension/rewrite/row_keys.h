// Columns that have another value in each row of what a query reads: unique keys of tables whose
// rows no join repeats.
//
//   SELECT count(DISTINCT o.id) FROM orders o JOIN customers c ON c.id = o.customer_id
//       count(*)
//   SELECT count(DISTINCT o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id
//       count(o.id)
//   SELECT count(*) FROM (SELECT DISTINCT id FROM orders) o
//       without DISTINCT
#pragma once

#include "extension/domain/levels.h"

namespace idp {

// Whether a join may repeat rows of a table, by its number, for all that is known: it finds them by
// no unique key of the other side. Not of what joins groups, of which little is known here.
bool may_be_repeated(const Query* query, int table);

// Likewise of an entry of whose rows nothing is known, as those of a subquery with windows.
bool joins_may_repeat(const Query* query, int entry);

// Whether each row of an entry is there once at most in what a query reads: joins find one row of
// their other side by a unique key. Not where nothing is known of that side.
bool is_told_once(const Query* query, int entry);

// Whether conditions let each row of other parts of FROM find one row at most of this part: it is
// one, or a key of it is equal to what is computed of those.
bool finds_one_row(const Query* query, const List* conditions, const Node* part,
                   const List* others);

// Whether a column has another value in each row of what a query reads where it is not NULL.
bool tells_apart_rows_that_have_one(const Query* query, const Node* value);

// Has a level count rows where it counts different values of such a column.
void count_rows_by_keys(const QueryLevel& level);

// Drops a DISTINCT, or a GROUP BY without aggregates, that holds such a column.
void drop_groups_of_one_row(const QueryLevel& level);

}  // namespace idp
