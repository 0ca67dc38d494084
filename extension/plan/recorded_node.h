// The node of the server's that a recorded question lies in (recorded_question.h): plans that are
// copied, compared, or sent to a worker have it too, and it is written as text for the latter
// alone.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Called once, by the library as it is loaded.
void register_recorded_questions();

// An entry of a range table, of no table and without columns, that holds a question.
RangeTblEntry* entry_of_question(int number, List* question);

// The question of that number, if the entry holds it, or NIL. It belongs to the plan: nothing may
// change it.
const List* question_in(const RangeTblEntry* entry, int number);

}  // namespace idp
