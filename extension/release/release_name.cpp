#include "extension/release/release_name.h"

#include "extension/call/functions.h"
#include "extension/catalog/stored_text.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/plan/groups.h"
#include "extension/plan/input.h"
#include "extension/release/chain_rows.h"

extern "C" {
#include "common/hashfn.h"
#include "optimizer/optimizer.h"
#include "utils/hsearch.h"
}

namespace idp {

namespace {

// Whether a node groups by that column of its input.
bool is_group_column(const Agg* plan, const Var* column) {
  for (int i = 0; i < plan->numCols; ++i) {
    if (plan->grpColIdx[i] == column->varattno) return true;
  }
  for (auto* agg : list<Agg>(plan->chain)) {
    if (is_group_column(agg, column)) return true;
  }
  return false;
}

// Whether the query selects the expression beside its aggregates, for some clause of its own: then
// it is the same for all rows of a group. The planner groups by fewer columns than GROUP BY names:
// it drops those that WHERE pins to one value, and those that a key among them implies.
bool is_selected(const Agg* plan, const Node* expression) {
  for (const auto* entry : list<TargetEntry>(plan->plan.targetlist)) {
    if (entry->ressortgroupref != 0 && equal(entry->expr, expression)) return true;
  }
  return false;
}

bool find_ungrouped(Node* node, void* context) {
  if (node == nullptr) return false;
  const auto* plan = static_cast<const Agg*>(context);
  if (is_selected(plan, node)) return false;
  if (!IsA(node, Var)) return walk_expression(node, find_ungrouped, context);
  return !is_group_column(plan, as<Var>(node));
}

// Whether the node groups by a column that the name does not have.
bool lacks_column(const Node* name, const Agg* plan) {
  List* columns = pull_var_clause(const_cast<Node*>(name), 0);
  for (int i = 0; i < plan->numCols; ++i) {
    bool found = false;
    for (const auto* var : list<Var>(columns)) {
      found |= var->varattno == plan->grpColIdx[i];
    }
    if (!found) return true;
  }
  for (const auto* agg : list<Agg>(plan->chain)) {
    if (lacks_column(name, agg)) return true;
  }
  return false;
}

void refuse_name(const char* detail) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
                  errmsg("release must be a constant or made of GROUP BY columns"),
                  errdetail("%s", detail)));
}

void check_expression(Node* name, const BoundCall& call) {
  const auto* plan = as<Agg>(call.node->ss.ps.plan);
  if (const Problem* problem = expression_problem(name)) {
    refuse_name(psprintf("It contains %s.", problem->words));
  }
  if (find_ungrouped(name, const_cast<Agg*>(plan))) {
    refuse_name("A column that is not in GROUP BY differs from row to row.");
  }
  if (!has_groups(plan)) return;
  if (!contain_var_clause(name)) {
    refuse_name("With GROUP BY each group needs a name of its own.");
  }
  if (lacks_column(name, plan)) {
    ereport(NOTICE, (errmsg("release is not made of all GROUP BY columns"),
                     errdetail("Of groups that share a name one is answered.")));
  }
}

// Names that were stored when they could be longer are still answered.
bool may_be_name(const BoundCall* call, const char* name) {
  return is_short_name(name) || chains_named(call->release.table, name) != NIL;
}

}  // namespace

Node* release_expression(AggState* node, Aggref* aggref) {
  if (DO_AGGSPLIT_COMBINE(aggref->aggsplit)) return nullptr;  // named calls are not split
  const AggStatePerTransData& transition = node->pertrans[aggref->aggtransno];
  const bool is_ours = statistic_of(transition.transfn.fn_addr) != Statistic::kNone;
  if (!is_ours || !is_named(transition.transfn_oid)) return nullptr;
  return as<Node>(static_cast<TargetEntry*>(llast(aggref->args))->expr);
}

void prepare_name(BoundCall* call) {
  Node* name = release_expression(call->node, call->aggref);
  check_expression(name, *call);
  EState* state = call->node->ss.ps.state;
  call->release.name = ExecInitExprWithParams(as<Expr>(name), state->es_param_list_info);
  if (!has_groups(as<Agg>(call->node->ss.ps.plan))) {
    (void)current_name(call);  // refused before a row is read
    return;
  }
  HASHCTL control{};
  control.keysize = sizeof(int64);
  control.entrysize = sizeof(int64);
  control.hcxt = state->es_query_cxt;
  call->release.names =
      hash_create("idp release names", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

char* current_name(BoundCall* call) {
  ExprContext* context = call->node->ss.ps.ps_ExprContext;
  bool is_null = false;
  const Datum value = ExecEvalExprSwitchContext(call->release.name, context, &is_null);
  if (is_null) return nullptr;
  char* name = TextDatumGetCString(value);
  if (may_be_name(call, name)) return name;
  if (has_group_names(call)) return nullptr;
  ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG), errmsg("release name is too long"),
                  errdetail("It has more than %d characters.", kMaxNameCharacters)));
  pg_unreachable();
}

bool is_new_name(BoundCall* call, const char* name) {
  if (!has_group_names(call)) return true;
  uint64 hash = hash_bytes_extended(reinterpret_cast<const unsigned char*>(name),
                                    static_cast<int>(strlen(name)), 0);
  bool found = false;
  (void)hash_search(call->release.names, &hash, HASH_ENTER, &found);
  return !found;
}

}  // namespace idp
