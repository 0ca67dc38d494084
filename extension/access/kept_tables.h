// Tables that everybody may know, joined to hidden rows. They are read to their end, whatever the
// hidden rows are, and kept, before the first hidden row is read: a lookup for a row, or a scan
// that ends where one is found, leaves traces in pages, buffers and locks, which whoever may read
// the table sees.
//
// The planner is kept from lookups for single rows and from parallel plans; what it makes of a
// table all the same is executed from what was kept, or refused (approval.h).
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
}

namespace idp {

// --- planning ---

// Whether a query joins them. Returns what was told before, for end_joins(). options: of the
// planner.
bool begin_joins(Query* query, int* options);
// For a query that reads no hidden rows.
bool begin_no_joins();
void end_joins(bool before);

// Of a table of a query, when its paths are known.
void keep_whole_scans(RelOptInfo* relation, const RangeTblEntry* entry);

// --- a plan that is about to be executed ---

bool reads_hidden_rows(Plan* plan, const PlannedStmt* statement);

// Keeps what the children of a node, which reads hidden rows, read of other tables.
void keep_children(Plan* plan, const PlannedStmt* statement);

// --- execution ---

// Whether a node keeps the rows of a plan that reads no hidden ones, and depends on no row of
// others.
bool is_kept(const PlanState* node);

// Has the rows that a node keeps, or those of a CTE that an aggregate over hidden rows reads, read
// to their end before the first answer of the query is drawn.
void read_before(PlanState* node);
void read_before(CteScanState* node, const PlanState* aggregate);

// The plans of those CTEs, of PlanState, before they are read; NIL afterwards.
List* plans_to_share(const EState* state);

// Reads them, once in a query. From then on nothing that several answers read is touched by one of
// them so that another can tell: a CTE is not filled in pieces, at different times and under
// different settings, and what it reads is not begun anew under it.
void read_shared_rows(EState* state);

// After answers were drawn: ends the parallel workers that filled CTEs, whom anybody can count.
void end_shared_rows(EState* state);

}  // namespace idp
