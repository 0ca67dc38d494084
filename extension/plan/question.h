// What a named call asks beside its aggregate, column and parameters: which rows. A release stands
// for one question, so the same name with another WHERE, FILTER, join or grouping is refused.
//
// The same query must always be the same question, whatever plan it gets: an index, a partition, a
// worker or a generic plan must make no difference. A plan does not say: conditions wander into
// index scans in derived forms, are implied by a partial index, or are dropped. So what is asked is
// taken from the query, at the one point where its form depends on nothing else: after the planner
// has simplified its expressions and pulled up its subqueries, before it has looked at a path
// (question_recorder.cpp). It travels in the plan, as expressions, and becomes text when the query
// is executed, when its parameters have values: question_reader.cpp reads it for named calls
// (question.cpp) and for all that calls ask (whole_question.cpp).
//
// Of two queries that ask for the same in different words the text may differ: then the second is
// refused. It says of conditions: constants and parameters by value, and stable functions such as
// now() by their value as well; those joined by AND in no order, each once, in WHERE, FILTER, a
// policy or a view alike; a group of GROUP BY as if its keys stood in WHERE, whatever else WHERE
// says of these keys.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Writes into the plan of a query what its named calls ask, or all private ones. Called by the
// planner for each level of a query, once or more often, when it has looked up the aggregates and
// before it copies them.
void record_question(struct PlannerInfo* root, bool of_all);

struct Question;

// What a named call of a running query asks; table is what its rows are rows of, which goes
// without saying.
Question* question_of(AggState* node, Aggref* aggref, Oid table);

// Before each answer: puts in what the executor has set by then.
void bring_up_to_date(Question* question, AggState* node);

// Whether it is the same for all answers of the call, groups aside.
bool is_settled(const Question* question);

// As text, for the current group: empty if all rows of the table are asked about. It only prints
// values.
char* question_text(const Question* question, AggState* node);

// All that a call asks, whatever its group: what it computes of which rows, and what these are
// grouped by. Both identities tell different questions apart.
struct WholeQuestion {
  List* keys;      // of AttrNumber as int: columns of the rows below, each once, whatever order the
                   // plan has them in
  char* of_level;  // the same of all calls of a node: rows and groups
  char* identity;  // of the call
  bool is_without_settings;  // whether nothing in it follows settings of the session
  const struct QuestionText* text;
};

// Of calls of one node, of WholeQuestion, in their order. None if they were not recorded, depend on
// what the executor sets, or on more settings than those of dates.
List* whole_questions(AggState* node, const List* aggrefs);

// For people, while the query runs: the keys of many groups are long, and are written only where
// somebody will read them.
char* text_of(const WholeQuestion& question);

// The columns of the table that its conditions, arguments and groups are about. Not known where
// other tables, subqueries or whole rows are among them, or very many columns.
struct UsedColumns {
  bool known;
  List* names;  // of char*
};
UsedColumns used_columns(const Question* question);

}  // namespace idp
