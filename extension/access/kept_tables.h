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
bool begin_joins(::Query* query, int* options);
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

// Has rows kept by node read to their end when the aggregate is executed.
void read_before(PlanState* node, const AggState* aggregate);

// Reads them.
void read_kept_tables(const AggState* aggregate);

}  // namespace idp
