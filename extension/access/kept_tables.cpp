#include "extension/access/kept_tables.h"

#include "extension/access/hidden.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/query_steps.h"
#include "extension/plan/key_rows.h"
#include "extension/plan/node_rules.h"
#include "extension/state/running_query.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/tuplestore.h"
}

namespace idp {

// A CTE below private aggregates.
struct SharedCte {
  CteScanState* leader;  // which fills it
  bool reads_hidden;     // if not, others may have begun to read it
  int plan;              // its number among the subplans; those that it reads have lower ones
  List* aggregates;      // that read it
};

namespace {

// --- what a query reads ---

struct Tables {
  bool hidden = false;
  bool open = false;  // others
  bool joined = false;
  bool has_joins = false;  // of hidden rows with whatever
};

// Whether rows of a level may be joined: what is on the other side is begun with the first row.
bool may_join(const Query* query) {
  if (query->setOperations != nullptr) return false;
  int entries = 0;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    entries += entry->rtekind == RTE_RELATION || entry->rtekind == RTE_SUBQUERY ||
               entry->rtekind == RTE_CTE || entry->rtekind == RTE_FUNCTION ||
               entry->rtekind == RTE_VALUES || entry->rtekind == RTE_TABLEFUNC ||
               entry->rtekind == RTE_NAMEDTUPLESTORE;
  }
  return entries > 1 || query->hasSubLinks;
}

// Nothing of the rows below a private aggregate leaves it.
bool collect(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, collect, context);
  auto* query = as<Query>(node);
  Tables below;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_RELATION) continue;
    (is_hidden(entry->relid) ? below.hidden : below.open) = true;
  }
  (void)walk_queries(query, collect, &below);
  const bool is_private =
      has_own_aggregate(as<Node>(query->targetList)) || has_own_aggregate(query->havingQual);
  auto* tables = static_cast<Tables*>(context);
  tables->joined |= below.joined || (below.hidden && below.open);
  tables->has_joins |= below.has_joins || (below.hidden && may_join(query));
  tables->hidden |= below.hidden && !is_private;
  tables->open |= below.open && !is_private;
  return false;
}

bool joins = false;

// --- what a plan reads ---

bool reads_table(Plan* plan, const PlannedStmt* statement, bool (*is_meant)(Oid table)) {
  check_stack_depth();
  if (rule_of(plan).source == RowSource::kTable) {
    const Index number = as<Scan>(plan)->scanrelid;
    if (number > 0 && is_meant(rt_fetch(number, statement->rtable)->relid)) return true;
  }
  List* below = list_concat_copy(further_plans(plan), NIL);
  if (plan->lefttree != nullptr) below = lappend(below, plan->lefttree);
  if (plan->righttree != nullptr) below = lappend(below, plan->righttree);
  if (IsA(plan, CteScan)) {
    below = lappend(below, list_nth(statement->subplans, as<CteScan>(plan)->ctePlanId - 1));
  }
  for (auto* plan : list<Plan>(below)) {
    if (reads_table(plan, statement, is_meant)) return true;
  }
  return false;
}

bool is_open(Oid table) { return !is_hidden(table); }

List* columns_of(const Plan* plan) {
  List* columns = NIL;
  for (auto* below : list<TargetEntry>(plan->targetlist)) {
    columns = lappend(columns, makeTargetEntry(as<Expr>(column_like(OUTER_VAR, below)),
                                               below->resno, below->resname, below->resjunk));
  }
  return columns;
}

void keep(Plan*& plan, const PlannedStmt* statement) {
  if (plan != nullptr && IsA(plan, Hash)) return keep(plan->lefttree, statement);  // gives no rows
  if (plan == nullptr || IsA(plan, Material) || reads_hidden_rows(plan, statement) ||
      !reads_table(plan, statement, is_open)) {
    return;
  }
  auto* material = makeNode(Material);
  material->plan.lefttree = plan;
  material->plan.targetlist = columns_of(plan);
  material->plan.plan_node_id = plan->plan_node_id;
  material->plan.extParam = bms_copy(plan->extParam);
  material->plan.allParam = bms_copy(plan->allParam);
  plan = &material->plan;
}

}  // namespace

bool begin_joins(Query* query, int* options) {
  const bool before = joins;
  Tables tables;
  (void)collect(as<Node>(query), &tables);
  joins = tables.joined;
  // Workers that are started on one side of a join, with the first row of the other, are seen, and
  // fail by settings of the session.
  if (joins || tables.has_joins) *options &= ~CURSOR_OPT_PARALLEL_OK;
  return before;
}

bool begin_no_joins() {
  const bool before = joins;
  joins = false;
  return before;
}

void end_joins(bool before) { joins = before; }

void keep_whole_scans(RelOptInfo* relation, const RangeTblEntry* entry) {
  if (!joins || entry->rtekind != RTE_RELATION || is_hidden(entry->relid)) return;
  ListCell* cell;
  foreach (cell, relation->pathlist) {
    const auto* path = static_cast<const Path*>(lfirst(cell));
    // a table below LATERAL has no path without what that refers to
    if (!bms_is_subset(PATH_REQ_OUTER(path), relation->lateral_relids)) {
      relation->pathlist = foreach_delete_current(relation->pathlist, cell);
    }
  }
}

bool reads_hidden_rows(Plan* plan, const PlannedStmt* statement) {
  return reads_table(plan, statement, is_hidden);
}

void keep_children(Plan* plan, const PlannedStmt* statement) {
  if (!reads_hidden_rows(plan, statement)) return;
  keep(plan->lefttree, statement);
  keep(plan->righttree, statement);
  if (!IsA(plan, Append) && !IsA(plan, MergeAppend)) return;
  ListCell* cell;
  foreach (cell,
           IsA(plan, Append) ? as<Append>(plan)->appendplans : as<MergeAppend>(plan)->mergeplans) {
    auto* member = static_cast<Plan*>(lfirst(cell));
    if (!gives_key_rows(member)) continue;
    keep(member, statement);
    lfirst(cell) = member;
  }
}

bool is_kept(const PlanState* node) {
  return IsA(node, MaterialState) && bms_is_empty(node->plan->extParam) &&
         !reads_hidden_rows(node->plan, node->state->es_plannedstmt);
}

void read_before(PlanState* node) {
  as<MaterialState>(node)->eflags |= EXEC_FLAG_REWIND;
  RunningQuery* query = query_of(node->state);
  query->kept_tables = list_append_unique_ptr(query->kept_tables, node);
}

void read_before(CteScanState* node, const PlanState* aggregate) {
  RunningQuery* query = query_of(node->ss.ps.state);
  auto* read_by = const_cast<PlanState*>(aggregate);
  for (auto* cte : list<SharedCte>(query->shared_ctes)) {
    if (cte->leader != node->leader) continue;
    cte->aggregates = list_append_unique_ptr(cte->aggregates, read_by);
    return;
  }
  auto* cte = static_cast<SharedCte*>(palloc(sizeof(SharedCte)));
  *cte = {node->leader,
          reads_hidden_rows(node->cteplanstate->plan, node->ss.ps.state->es_plannedstmt),
          as<CteScan>(node->ss.ps.plan)->ctePlanId, list_make1(read_by)};
  query->shared_ctes = lappend(query->shared_ctes, cte);
}

namespace {

void read_to_end(PlanState* node) {
  TupleTableSlot* row = nullptr;
  do {
    CHECK_FOR_INTERRUPTS();
    row = ExecProcNode(node);
  } while (!TupIsNull(row));
}

[[noreturn]] void refuse_correlated() {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("private answers over hidden rows cannot share a CTE that depends on an "
                         "outer query: write it into each as a subquery"),
                  errhint("Repeat the query of the CTE where it is read.")));
  pg_unreachable();
}

// As the scan of a CTE does, but for all rows at once, and at no reader's place: a reader at the
// end of what is there goes on with what is added.
void fill(const SharedCte& cte) {
  if (depends_on_outer_rows(cte.leader->cteplanstate->plan, cte.leader->ss.ps.state)) {
    if (list_length(cte.aggregates) > 1) refuse_correlated();
    return;
  }
  CteScanState* leader = cte.leader;
  if (leader->eof_cte) return;
  const int reader = tuplestore_alloc_read_pointer(leader->cte_table, EXEC_FLAG_REWIND);
  tuplestore_select_read_pointer(leader->cte_table, reader);
  tuplestore_rescan(leader->cte_table);
  while (!leader->eof_cte) {
    CHECK_FOR_INTERRUPTS();
    TupleTableSlot* row = ExecProcNode(leader->cteplanstate);
    if (TupIsNull(row)) {
      leader->eof_cte = true;
    } else {
      tuplestore_puttupleslot(leader->cte_table, row);
    }
  }
}

// Those without hidden rows first, which read no others. Then by number.
int compare_plans(const ListCell* a, const ListCell* b) {
  const auto* first = static_cast<const SharedCte*>(lfirst(a));
  const auto* second = static_cast<const SharedCte*>(lfirst(b));
  if (first->reads_hidden != second->reads_hidden) return first->reads_hidden ? 1 : -1;
  return first->plan - second->plan;
}

}  // namespace

List* plans_to_share(const EState* state) {
  const RunningQuery* query = find_query(state);
  List* plans = NIL;
  if (query->has_shared_rows) return NIL;
  for (const auto* cte : list<SharedCte>(query->shared_ctes)) {
    plans = lappend(plans, cte->leader->cteplanstate);
  }
  return plans;
}

void read_shared_rows(EState* state) {
  RunningQuery* query = find_query(state);
  if (query->has_shared_rows) return;
  query->has_shared_rows = true;
  for (auto* kept : list<PlanState>(query->kept_tables)) {
    read_to_end(kept);
    ExecReScan(kept);
  }
  list_sort(query->shared_ctes, compare_plans);
  for (const auto* cte : list<SharedCte>(query->shared_ctes)) fill(*cte);
}

void end_shared_rows(EState* state) {
  const RunningQuery* query = find_query(state);
  for (const auto* cte : list<SharedCte>(query->shared_ctes)) {
    (void)ExecShutdownNode(cte->leader->cteplanstate);
  }
}

}  // namespace idp
