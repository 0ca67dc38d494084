// What this library knows of the queries that run in this process: the one list that is keyed by
// the executor's state of a query. An entry lies in the query's memory and is forgotten with it.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

struct RunningQuery {
  EState* state;
  RunningQuery* following;
  struct Spills* spills;       // the files of its states (storage.cpp); null if there are none yet
  List* calls;                 // of BoundCall: its private calls
  List* kept_tables;           // of PlanState: what is read before hidden rows (kept_tables.cpp)
  List* shared_ctes;           // of SharedCte, likewise
  bool has_shared_rows;        // whether these were read
  List* read_below;            // of PlanState: CTEs whose rows private aggregates read
  List* long_values;           // of Relation: what holds those of its tables (eager_opens.cpp)
  Bitmapset* answered_values;  // parameters that are constants to rows (answered_values.cpp)
  List* answered_plans;        // of PlanState: what computes these
  Bitmapset* computed_values;  // those that are being computed
  List* open_scans;            // of PlanState: scans of tables whose gates were opened
  struct Feed* feeds;          // scans that are read in batches (batch/)
  bool reads_hidden_rows;      // of the role that asks
  struct AuditRun* audit;      // where nothing is drawn or charged (audit/run.h); or null
  TimestampTz charged_until;   // the end of the period that its answers were charged to
};

// Null if the query is not known.
RunningQuery* find_query(const EState* state);
// Makes it known if it is not.
RunningQuery* query_of(EState* state);
// Parameters of the executor that are constants to rows; none of a query that is not known.
const Bitmapset* answered_values_of(const EState* state);

// Whether EXPLAIN alone asks, and nothing is executed.
bool is_only_explained(const EState* state);

}  // namespace idp
