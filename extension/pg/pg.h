// PostgreSQL's headers, and the one right way to include them from C++: first of all, inside
// extern "C", and as system headers so that our own warnings stay readable.
#pragma once
#pragma GCC system_header

extern "C" {
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "port/pg_crc32c.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/expandeddatum.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
}

// The walkers take an untyped callback up to PostgreSQL 15 and a typed one from 16 on.
inline bool walk_expression(Node* node, bool (*visit)(Node*, void*), void* context) {
  return expression_tree_walker(node, (bool (*)())visit, context);
}
// Statements are as deep and as wide as their authors like: each walk over a level hears a cancel.
inline bool walk_query(Query* query, bool (*visit)(Node*, void*), void* context, int flags = 0) {
  CHECK_FOR_INTERRUPTS();
  return query_tree_walker(query, (bool (*)())visit, context, flags);
}
inline bool walk_plan_states(PlanState* node, bool (*visit)(PlanState*, void*), void* context) {
  return planstate_tree_walker(node, (bool (*)())visit, context);
}
inline Query* map_query(Query* query, Node* (*map)(Node*, void*), void* context, int flags = 0) {
  return query_tree_mutator(query, (Node * (*)()) map, context, flags);
}
inline Node* map_expression(Node* node, Node* (*map)(Node*, void*), void* context) {
  return expression_tree_mutator(node, (Node * (*)()) map, context);
}

// The macros count in a volatile variable, which C++20 deprecates.
inline void hold_interrupts() { HOLD_INTERRUPTS(); }
inline void resume_interrupts() { RESUME_INTERRUPTS(); }

// The core may be included after these, and only from extension/.
#define IDP_EXTENSION_GLUE
