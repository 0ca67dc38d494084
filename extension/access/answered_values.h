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

// Whether some are read below a node of a plan.
bool reads_answered_values(const PlanState* node);

// Computes those that are read below a node of a plan. Rows are read afterwards.
void compute_answered_values(const PlanState* node);

}  // namespace idp
