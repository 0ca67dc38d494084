#include "extension/distribute/remote_path.h"

#include "extension/budget/account.h"
#include "extension/budget/remote_tables.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/plan/remote_plan.h"

extern "C" {
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
}

namespace idp {

namespace {

bool planned_here = false;

Plan* plan_rows(PlannerInfo*, RelOptInfo* relation, CustomPath* path, List* targets, List* clauses,
                List*) {
  auto* plan = makeNode(CustomScan);
  plan->scan.plan.targetlist = targets;
  plan->scan.plan.qual = extract_actual_clauses(clauses, false);
  plan->scan.scanrelid = relation->relid;
  plan->flags = path->flags;
  plan->methods = &remote_rows_methods;
  return &plan->scan.plan;
}

constexpr CustomPathMethods kPathMethods = {"RemoteRows", plan_rows, nullptr};

[[noreturn]] void refuse_unknown_distribution(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("table \"%s\" is not distributed by hash, and cannot be read beside private "
                  "answers",
                  get_rel_name(table)),
           errhint("Distribute it by the hash of a column, or undistribute it.")));
  pg_unreachable();
}

[[noreturn]] void refuse_remote_sample(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("a sample of table \"%s\", whose rows lie in other servers, cannot be taken",
                  get_rel_name(table)),
           errhint("Leave TABLESAMPLE out.")));
  pg_unreachable();
}

}  // namespace

bool is_planned_here() { return planned_here; }

PlannedHere begin_planning(bool here) {
  const PlannedHere begun = {planned_here, set_join_pathlist_hook};
  planned_here = here;
  if (here) set_join_pathlist_hook = nullptr;
  return begun;
}

void end_planning(const PlannedHere& begun) {
  if (planned_here) set_join_pathlist_hook = begun.joins;
  planned_here = begun.before;
}

// What is empty is joined to each row in turn, which never ends for what is not. Of many rows a
// join reads both sides once, and of fewer rows on one side it keeps these in memory.
void guess_remote_rows(RelOptInfo* relation, Oid table) {
  if (!planned_here || !is_citus_table(table)) return;
  constexpr double kManyRows = 1e6;
  constexpr double kRowsByNoColumn = 1e4;
  const bool is_by_hash = citus_method_of(table) == CitusMethod::kHash;
  relation->tuples = Max(relation->tuples, is_by_hash ? kManyRows : kRowsByNoColumn);
}

// Tables of Citus are empty here, protected or not; foreign tables beside are read as ever.
void read_remote_rows(PlannerInfo* root, RelOptInfo* relation, const RangeTblEntry* entry) {
  if (!planned_here || entry->rtekind != RTE_RELATION || entry->inh || IS_DUMMY_REL(relation))
    return;
  if (bms_is_member(static_cast<int>(relation->relid), root->all_result_relids)) return;
  if (!has_remote_rows(entry->relid)) {
    if (is_citus_table(entry->relid)) refuse_unknown_distribution(entry->relid);
    return;
  }
  if (!is_citus_table(entry->relid) && accounts_of(entry->relid) == NIL) return;
  if (entry->tablesample != nullptr) refuse_remote_sample(entry->relid);
  auto* path = makeNode(CustomPath);
  path->path.pathtype = T_CustomScan;
  path->path.parent = relation;
  path->path.pathtarget = relation->reltarget;
  path->path.rows = relation->rows;
  path->path.total_cost = relation->rows * cpu_tuple_cost + relation->baserestrictcost.per_tuple;
  path->flags = kProjects;
  path->methods = &kPathMethods;
  relation->pathlist = list_make1(path);
  relation->partial_pathlist = NIL;
  relation->consider_parallel = false;
}

}  // namespace idp
