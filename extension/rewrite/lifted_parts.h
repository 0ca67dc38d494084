// The parts of FROM and WHERE that can be taken from a level which answers for groups: they are no
// hidden rows, and ask nothing of rows but what their groups have in common.
//
//   FROM orders o JOIN customers c ON c.id = o.customer              stay
//   CROSS JOIN (SELECT count(*) AS n FROM orders) t                  an entry that is lifted
//   LEFT JOIN (SELECT status … LIMIT 5) top ON top.status = o.status one, and its condition
//   JOIN dim_date d ON o.day <= d.date AND o.day > d.date - 7        a public table, which
//                                                                    would repeat rows
//   WHERE o.day > '2025-01-01'                                       stays
//     AND o.status NOT IN (SELECT status … LIMIT 5)                  a condition that is lifted
//
// A spine is the left side of an outer join whose right side has the rows:
//
//   FROM generate_series(…) d LEFT JOIN orders o ON o.day = d AND o.status = 'paid'
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

struct LiftedJoin {
  int entry;
  bool is_outer;  // a LEFT JOIN, with what is lifted on its right side
  Node* condition;
};

struct LiftedParts {
  const QueryLevel* level;
  Bitmapset* entries = nullptr;
  List* joins = NIL;       // of LiftedJoin: one for each entry
  List* conditions = NIL;  // of Node
  bool has_spine = false;  // the entries are its left side
  Node* spine_condition = nullptr;

  bool is_lifted(int entry) const { return bms_is_member(entry, entries); }
};

// Whether inner joins join rows to a table that everybody may know, of which they may find several
// rows each.
bool joins_repeating_tables(const QueryLevel& level);

// Changes FROM and WHERE of the level to what is left of them. False if there is nothing to lift,
// or something that is not known here; the level may be changed by then.
bool lift_parts(const QueryLevel& level, LiftedParts* parts);

// Whether an expression names something that is lifted: columns of an entry, or other answers.
bool names_lifted(const LiftedParts& parts, Node* expression);
// Whether it names columns of the rows that stay.
bool names_rows(const LiftedParts& parts, Node* expression);
// Whether it may be another thing each time that it is asked, but for subqueries that hang on
// nothing: they are asked once.
bool is_volatile(Node* expression);

}  // namespace idp
