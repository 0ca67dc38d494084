// Values of subqueries that are constants to hidden rows, though a plan only has them once it runs:
//
//   SELECT count(*) FROM orders WHERE amount > (SELECT avg(amount) FROM orders)
//
// What a subquery makes of private answers and of tables that are not protected is post-processing.
// It is computed once, before a row that it is compared with is read, so what is computed over rows
// protects them as well for each value: sequential composition, where a later mechanism may be
// chosen by answers of earlier ones. Both are charged.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// Notes which parameters of the executor have such values, before a check asks for them
// (state/running_query.h). of_worker: the leader of the parallel plan has found that out.
void note_answered_values(QueryDesc* query, bool of_worker);

// Whether some are read by a node of a plan or anywhere below it.
bool reads_answered_values(PlanState* node);

// Computes those that are read there, all of them: the server would compute each when the first row
// is compared with it, and an error of it, or an effect, would tell that such a row exists. Rows are
// read afterwards. An error if hidden rows are compared with a value that is not known by then.
void compute_answered_values(PlanState* node);

}  // namespace idp
