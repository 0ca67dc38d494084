#include "extension/access/prepared_plan.h"

#include "extension/access/estimates.h"
#include "extension/access/expressions.h"
#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/access/substitution.h"
#include "extension/budget/account.h"
#include "extension/pg/nodes.h"
#include "extension/pg/zone_comparisons.h"
#include "extension/plan/constants.h"

extern "C" {
#include "access/parallel.h"
#include "utils/plancache.h"
}

namespace idp {

namespace {

// Bits of PlannedStmt::jitFlags that the server has no use for; a parallel worker gets them with
// its part of the plan. It compiles nothing over hidden rows, so they are the only ones.
constexpr int kLacksColumns = 1 << 27;
constexpr int kIsWhole = 1 << 28;  // it was planned with all that the library does before it
constexpr int kIsPrepared = 1 << 29;
constexpr int kIsUnsettled = 1 << 30;  // but for what each execution settles

void prepare(PlannedStmt* plan, Oid table) {
  mask_estimates(plan, table);
  const bool is_unsettled = put_twins(plan);
  plan->jitFlags |= kIsPrepared;
  if (is_unsettled || has_certain(plan)) plan->jitFlags |= kIsUnsettled;
}

bool has(const PlannedStmt* plan, int flag) { return (plan->jitFlags & flag) != 0; }

template <class Settle>
void with_parameters(const QueryDesc* query, Settle settle) {
  EState* state = CreateExecutorState();
  state->es_param_list_info = query->params;
  settle(state);
  FreeExecutorState(state);
}

PlannedStmt* copy_of(const PlannedStmt* plan) {
  return static_cast<PlannedStmt*>(copyObjectImpl(plan));
}

bool reads_protected(const PlannedStmt* statement) {
  List* relations = NIL;
  for (const auto* entry : list<RangeTblEntry>(statement->rtable)) {
    if (entry->rtekind == RTE_RELATION) {
      relations = list_append_unique_oid(relations, entry->relid);
    }
  }
  return accounts_of_all(relations) != NIL;
}

// A statement that loads the library while it is planned was not changed beforehand: its constants
// have several values, and comparisons that the planner must not see (zone_comparisons.h) were
// seen. No check of it is sure to know of what it was not told. Plans that were kept are made anew.
void require_whole(PlannedStmt* plan, Oid table) {
  if (has(plan, kIsWhole) || IsParallelWorker()) return;
  if (OidIsValid(table)) {
    ResetPlanCache();
    refuse_early(table);
  }
  // Nobody gains by functions that cheat over visible rows, but sensitivities have to be right
  // there.
  if (!has_private_aggregates(plan) || !finds_in_plan(plan, find_seen_comparison)) return;
  ResetPlanCache();
  ereport(
      ERROR,
      (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
       errmsg("a date or timestamp is compared with a timestamptz, by a statement that was planned "
              "before the library idp was loaded: ask again, now that it is loaded"),
       errhint("Add idp to \"shared_preload_libraries\", or to \"session_preload_libraries\".")));
}

void require_columns(const PlannedStmt* plan) {
  if (!has(plan, kLacksColumns)) return;
  ereport(
      ERROR,
      (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
       errmsg("what is grouped or added up follows from a parameter, and a generic plan has no "
              "value for it: set plan_cache_mode to auto"),
       errdetail("Keys of groups and bounds of hidden rows are found when the query is planned.")));
}

// A query of visible protected tables executes a copy if its parameters decide something.
void settle_parameters(QueryDesc* query) {
  PlannedStmt*& plan = query->plannedstmt;
  if (!has_private_aggregates(plan) || !reads_protected(plan)) return;
  if (!has_certain(plan)) return;
  plan = copy_of(plan);
  with_parameters(query, [&](EState* state) { settle_certain(plan, state); });
}

}  // namespace

void prepare_new_plan(PlannedStmt* plan) {
  const Oid table = first_hidden_of(plan);
  if (OidIsValid(table)) prepare(plan, table);
  plan->jitFlags |= kIsWhole;
}

void avoid_plan(PlannedStmt* plan) {
  constexpr double kNeverChosen = 1e100;
  plan->planTree->total_cost = kNeverChosen;
  plan->jitFlags |= kIsWhole | kLacksColumns;
}

bool prepare_plan(QueryDesc* query, int flags) {
  PlannedStmt*& plan = query->plannedstmt;
  const bool is_explained = (flags & EXEC_FLAG_EXPLAIN_ONLY) != 0;
  const Oid table = first_hidden_of(plan);
  require_whole(plan, table);
  if (!OidIsValid(table)) {
    if (query->params != nullptr && !is_explained) settle_parameters(query);
    return false;
  }
  require_columns(plan);
  if (has(plan, kIsPrepared) && (is_explained || !has(plan, kIsUnsettled))) return true;
  plan = copy_of(plan);
  if (!has(plan, kIsPrepared)) prepare(plan, table);
  if (is_explained || !has(plan, kIsUnsettled)) return true;
  with_parameters(query, [&](EState* state) {
    settle_certain(plan, state);
    settle_inputs(plan, state);
  });
  plan->jitFlags &= ~kIsUnsettled;
  return true;
}

bool (*settled_before(const EState* state))(Node*) {
  return OidIsValid(first_hidden_of(state->es_plannedstmt)) ? can_be_settled : nullptr;
}

}  // namespace idp
