// Answers that are given again.
//
// Within the time that its accounts name (idp.protect, repeat), a number (numbers.h) has one
// answer: the first is kept, with the epsilons that were paid, and who asks the same for no more
// epsilon gets it, free, whatever the role and whatever else the statement asks. For more epsilon
// it is refined, if it can be (refined.h), for the difference. If nothing is left to draw the
// tables are not read. What is given again is what was given before, so it tells nothing new of
// anybody.
//
// What is half old and half new must be a whole: all numbers of a node have the same groups. So
// some are given again, and others drawn, where these are always the same: without GROUP BY, and
// where all keys are listed by domains. Otherwise, as where groups are decided about, a node gives
// all of its numbers again, of one list of groups, or none. And numbers that one expression of the
// query combines are of one draw.
//
// What is not kept is answered anew: named releases, a grouping set that is there twice, answers
// for each row of an outer query, and what a transaction asks of tables that it has changed, whose
// rows nobody else may ever see. Only who reads hidden rows keeps answers and gets kept ones: the
// groups of others are as they are in the table.
//
// Of sessions that ask for the same number one draws it, or refines it, and the others wait for
// that. It draws where its query starts, so that nobody waits for whoever reads a cursor.
#pragma once

#include "extension/pg/pg.h"

#include "extension/state/running_query.h"

namespace idp {

// Before anything is charged: has those nodes (PrivateAnswers) give again what was answered
// already, and marks these calls; has them keep what they draw, if they may. runs: whether the
// query is executed. What is left to be done once it is charged is for finish_answers(), and for
// draw_at_once() of node.h.
List* repeat_answers(RunningQuery& query, const List* nodes, bool runs);

// Of numbers that several of the nodes ask for one draws; nothing that was kept is looked at.
void share_answers(RunningQuery& query, const List* nodes);

// Refines what is to be refined, and keeps that.
void finish_answers(const RunningQuery& query, List* unfinished);

}  // namespace idp
