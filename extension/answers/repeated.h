// Answers that are given again.
//
// Within the time that its accounts name (idp.protect, repeat), a question has one answer: the
// first is kept, with the epsilons that were paid, and who asks the same for no more epsilon gets
// it, free, whatever the role. The tables are not read. What is given again is what was given
// before, so it tells nothing new of anybody.
//
// A question is the answers of one node: its calls with their arguments but epsilon, of which rows,
// by which keys; the tables, by identity, and which of them hide their rows from who asks; the
// accounts; and settings that decide how values are read. Constants, parameters and stable
// functions count by value, the order of conditions and names of columns do not (plan/question.h).
// What cannot be said so, is answered anew: named releases, GROUPING SETS, answers for each row of
// an outer query. Only who reads hidden rows keeps answers and gets kept ones: the groups of others
// are as they are in the table.
#pragma once

#include "extension/pg/pg.h"

#include "extension/state/running_query.h"

namespace idp {

// Before anything is charged: has those nodes (PrivateAnswers) whose question was answered already
// give that again, and marks their calls; has the others keep what they draw, if they may. runs:
// whether the query is executed. A session that asks what another one is drawing waits for it.
void repeat_answers(RunningQuery& query, const List* nodes, bool runs);

}  // namespace idp
