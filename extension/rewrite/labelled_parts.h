// Groups by a label that each part of UNION ALL has for itself:
//
//   SELECT step, count(DISTINCT id) FROM (SELECT 'signed up' AS step, id FROM customers
//     UNION ALL SELECT 'ordered', customer FROM orders) f GROUP BY step ORDER BY step
//
// are those of each part, as no group has rows of two:
//
//   SELECT * FROM (SELECT 'signed up', count(DISTINCT id) FROM customers
//     UNION ALL SELECT 'ordered', count(DISTINCT customer) FROM orders) f ORDER BY 1
//
// So are those by the label of each row of a list, as columns are turned into rows: FROM orders CROSS
// JOIN LATERAL (VALUES ('amount', amount), ('quantity', quantity)) v(name, x) GROUP BY v.name.
//
// Each part is then answered, charged and kept as it is by itself.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void answer_labelled_parts(Query* query);

// The entry of UNION ALL that a query reads, and nothing else, and its parts, of Query; 0 if it
// reads more, or a part is to be left as it is.
int union_of_parts(const Query* query, List** parts);
// The query over a part alone, with all of its columns shown, in no order.
Query* query_of_part(const Query* query, int entry, const Query* part);
// What parts, of Query, give together. They stood where it stands.
Query* united_answers(const List* parts);

// Has a query show all that it computes, in no order, as a part of others does.
void show_all_unsorted(Query* query);
// Has a query read the answers of its parts, of Query, which show all that it does, and sort them
// as before.
void read_answers_of(Query* query, const List* parts);

}  // namespace idp
