// What a node is asked for, as numbers: each call of it is one, in all of its groups.
//
// A number is told by its call with its arguments but epsilon, of which rows, by which keys; by the
// answers that decide which groups are shown; the tables, by identity, and which of them hide their
// rows from who asks; the accounts, and for which neighbours their noise is; and settings that
// decide how values are read. Constants, parameters and stable functions count by value, the order
// of conditions, names of columns and what else a statement asks do not (plan/question.h).
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"
#include "extension/state/running_query.h"

namespace idp {

struct AskedNumber {
  BoundCall* call;
  int column;      // of the node's rows, from 0
  List* accounts;  // of Account: those that pay
  List* types;     // of char*: those of the keys, and its own
  const struct WholeQuestion* question;
  bytea* key;  // a digest of all that tells it apart
};

// A number that the node asks for once more, in another column.
struct NumberCopy {
  int column;
  const AskedNumber* number;
};

struct AskedNode {
  PlanState* node;
  List* numbers;  // of AskedNumber, each once
  List* copies;   // of NumberCopy: the node shows them, and they cost nothing
  List* keys;     // of int: the columns of its rows that are keys of groups, from 0
  List* tables;   // of Oid
  // Whether it has the same groups whenever it is drawn: then some of its numbers may be given
  // again, and others drawn.
  bool has_same_groups;
  // Of Bitmapset, of columns: numbers that an expression of the query combines. They are of one
  // draw, as a quotient of sums of different days is of no day.
  List* combined;
};

// The question, for people; while the query runs.
char* text_of(const AskedNumber& number);

// The one of some numbers that is another one, at the same epsilons; null if there is none.
const AskedNumber* same_number(const List* numbers, const AskedNumber& wanted);

// The columns that a number is shown in, by copies too.
Bitmapset* columns_of(const AskedNode& asked, const AskedNumber& number);

// Marks a call whose answers were drawn, and paid for, elsewhere.
void charge_nothing(BoundCall* call);

// Null if what the node answers is not kept.
AskedNode* asked_of(const RunningQuery& query, PlanState* node);

}  // namespace idp
