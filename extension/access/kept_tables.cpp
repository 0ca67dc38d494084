#include "extension/access/kept_tables.h"

#include "extension/access/hidden.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/plan/key_rows.h"
#include "extension/plan/node_rules.h"
#include "extension/state/query.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp {

// A plan whose rows are kept for an aggregate.
struct KeptTable {
  PlanState* node;
  const AggState* aggregate;
};

namespace {

// --- what a query reads ---

struct Tables {
  bool hidden = false;
  bool open = false;  // others
  bool joined = false;
};

// Nothing of the rows below a private aggregate leaves it.
bool collect(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, collect, context);
  auto* query = reinterpret_cast<::Query*>(node);
  Tables below;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (entry->rtekind != RTE_RELATION) continue;
    (is_hidden(entry->relid) ? below.hidden : below.open) = true;
  }
  (void)walk_query(query, collect, &below);
  const bool is_private = has_own_aggregate(reinterpret_cast<Node*>(query->targetList)) ||
                          has_own_aggregate(query->havingQual);
  auto* tables = static_cast<Tables*>(context);
  tables->joined |= below.joined || (below.hidden && below.open);
  tables->hidden |= below.hidden && !is_private;
  tables->open |= below.open && !is_private;
  return false;
}

bool joins = false;

// --- what a plan reads ---

bool reads_table(Plan* plan, const PlannedStmt* statement, bool (*is_meant)(Oid table)) {
  check_stack_depth();
  if (rule_of(plan).source == RowSource::kTable) {
    const Index number = reinterpret_cast<const Scan*>(plan)->scanrelid;
    if (number > 0 && is_meant(rt_fetch(number, statement->rtable)->relid)) return true;
  }
  List* below = list_concat_copy(further_plans(plan), NIL);
  if (plan->lefttree != nullptr) below = lappend(below, plan->lefttree);
  if (plan->righttree != nullptr) below = lappend(below, plan->righttree);
  if (IsA(plan, CteScan)) {
    below = lappend(below, list_nth(statement->subplans,
                                    reinterpret_cast<const CteScan*>(plan)->ctePlanId - 1));
  }
  ListCell* cell;
  foreach (cell, below) {
    if (reads_table(static_cast<Plan*>(lfirst(cell)), statement, is_meant)) return true;
  }
  return false;
}

bool is_open(Oid table) { return !is_hidden(table); }

List* columns_of(const Plan* plan) {
  List* columns = NIL;
  ListCell* cell;
  foreach (cell, plan->targetlist) {
    auto* below = static_cast<TargetEntry*>(lfirst(cell));
    Node* value = reinterpret_cast<Node*>(below->expr);
    Var* column = makeVar(OUTER_VAR, below->resno, exprType(value), exprTypmod(value),
                          exprCollation(value), 0);
    columns = lappend(columns, makeTargetEntry(reinterpret_cast<Expr*>(column), below->resno,
                                               below->resname, below->resjunk));
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

bool begin_joins(::Query* query, int* options) {
  const bool before = joins;
  Tables tables;
  (void)collect(reinterpret_cast<Node*>(query), &tables);
  joins = tables.joined;
  if (joins) *options &= ~CURSOR_OPT_PARALLEL_OK;
  return before;
}

void end_joins(bool before) { joins = before; }

void keep_whole_scans(RelOptInfo* relation, const RangeTblEntry* entry) {
  if (!joins || entry->rtekind != RTE_RELATION || is_hidden(entry->relid)) return;
  ListCell* cell;
  foreach (cell, relation->pathlist) {
    if (static_cast<const Path*>(lfirst(cell))->param_info != nullptr) {
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
  foreach (cell, IsA(plan, Append) ? reinterpret_cast<Append*>(plan)->appendplans
                                   : reinterpret_cast<MergeAppend*>(plan)->mergeplans) {
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

void read_before(PlanState* node, const AggState* aggregate) {
  reinterpret_cast<MaterialState*>(node)->eflags |= EXEC_FLAG_REWIND;
  Query* query = query_of(node->state);
  auto* kept = static_cast<KeptTable*>(palloc(sizeof(KeptTable)));
  *kept = {node, aggregate};
  query->kept_tables = lappend(query->kept_tables, kept);
}

void read_kept_tables(const AggState* aggregate) {
  const Query* query = find_query(aggregate->ss.ps.state);
  ListCell* cell;
  foreach (cell, query->kept_tables) {
    const auto* kept = static_cast<const KeptTable*>(lfirst(cell));
    if (kept->aggregate != aggregate) continue;
    TupleTableSlot* row = nullptr;
    do {
      CHECK_FOR_INTERRUPTS();
      row = ExecProcNode(kept->node);
    } while (!TupIsNull(row));
    ExecReScan(kept->node);
  }
}

}  // namespace idp
