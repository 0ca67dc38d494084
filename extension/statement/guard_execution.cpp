#include "extension/statement/guard_execution.h"

#include "extension/access/kept_tables.h"
#include "extension/budget/account.h"
#include "extension/pg/fixed_settings.h"
#include "extension/pg/stack.h"

namespace idp {

// A node that is watched, and how it is executed. What it makes of its answers, by functions of
// whoever asks, is evaluated with the settings of the session.
struct GuardedNode {
  AggState* node;
  ExecProcNodeMtd execute;
  ExprStateEvalFunc select;  // null if it has none
  ExprStateEvalFunc choose;  // likewise: its condition
  GuardedNode* following;
};

namespace {

bool is_at_start(AggState* node) {
  return !node->agg_done && !node->input_done && node->grp_firstTuple == nullptr &&
         !(node->aggstrategy == AGG_HASHED && node->table_filled);
}

// The one that gave a row last comes first: a node is asked for one row after the other.
GuardedNode* find_guarded(Query* query, const AggState* node) {
  GuardedNode** link = &query->guarded;
  while (*link != nullptr && (*link)->node != node) link = &(*link)->following;
  GuardedNode* found = *link;
  if (found == nullptr || found == query->guarded) return found;
  *link = found->following;
  found->following = query->guarded;
  query->guarded = found;
  return found;
}

ExprState* selection_of(const AggState* node) {
  return node->ss.ps.ps_ProjInfo ? &node->ss.ps.ps_ProjInfo->pi_state : nullptr;
}

Datum evaluate_outside(ExprState* expression, ExprContext* context, bool* is_null) {
  GuardedNode* guarded = find_query(context->ecxt_estate)->guarded;
  while (expression != guarded->node->ss.ps.qual && expression != selection_of(guarded->node)) {
    guarded = guarded->following;
  }
  ExprStateEvalFunc& evaluate =
      expression == guarded->node->ss.ps.qual ? guarded->choose : guarded->select;
  Datum value = 0;
  expression->evalfunc = evaluate;
  without_fixed_settings([&] { value = evaluate(expression, context, is_null); });
  // the server puts another one in place when it is evaluated first
  evaluate = expression->evalfunc;
  expression->evalfunc = evaluate_outside;
  return value;
}

ExprStateEvalFunc evaluated_outside(ExprState* expression) {
  if (expression == nullptr) return nullptr;
  const ExprStateEvalFunc evaluate = expression->evalfunc;
  expression->evalfunc = evaluate_outside;
  return evaluate;
}

TupleTableSlot* execute_once(PlanState* state) {
  require_stack();  // a cursor may be read elsewhere than it was opened
  auto* node = reinterpret_cast<AggState*>(state);
  Query* query = find_query(state->state);
  if (is_at_start(node)) {
    ListCell* cell;
    foreach (cell, query->calls) {
      auto* call = static_cast<BoundCall*>(lfirst(cell));
      if (call->node != node) continue;
      if (call->started) refuse_input(*call, kReadAgain);
      call->started = true;
    }
  }
  require_period(query->charged_until);
  const bool is_first = is_at_start(node);
  const ExecProcNodeMtd execute = find_guarded(query, node)->execute;
  TupleTableSlot* slot = nullptr;
  with_fixed_settings(query->reads_hidden_rows, [&] {
    if (is_first) read_kept_tables(node);
    slot = execute(state);
  });
  require_period(query->charged_until);
  return slot;
}

void note_repetition(Datum argument) {
  auto* call = reinterpret_cast<BoundCall*>(DatumGetPointer(argument));
  call->watched = false;
  call->repeated = true;
}

}  // namespace

void refuse_input(const BoundCall& call, const Problem& problem) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("%s of protected table \"%s\" cannot be computed over %s", call.name,
                         table_text(call.accounts), problem.words),
                  errdetail("Each input of the aggregate must be one row of the table, once, "
                            "whatever the other rows hold."),
                  errhint("%s", problem.way_out)));
  pg_unreachable();
}

void refuse_unbounded(const BoundCall& call, const Account& account) {
  // where each row is a unit, none has rows elsewhere
  if (account.unit == nullptr) refuse_input(call, *account.unbounded);
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("%s of protected table \"%s\" cannot be computed over %s", call.name,
                  account.name, account.unbounded->words),
           errdetail("An answer must not tell of one unit, whose rows are all those that belong to "
                     "one \"%s\", in whatever table.",
                     account.unit),
           errhint("%s", account.unbounded->way_out)));
  pg_unreachable();
}

const char* table_text(List* accounts) { return static_cast<Account*>(linitial(accounts))->name; }

void guard_executions(Query& query) {
  ListCell* cell;
  foreach (cell, query.calls) {
    const auto* call = static_cast<const BoundCall*>(lfirst(cell));
    PlanState* state = &call->node->ss.ps;
    if (call->accounts == NIL || state->ExecProcNodeReal == execute_once) continue;
    auto* guarded = static_cast<GuardedNode*>(palloc(sizeof(GuardedNode)));
    *guarded = {call->node, state->ExecProcNodeReal, evaluated_outside(selection_of(call->node)),
                evaluated_outside(state->qual), query.guarded};
    query.guarded = guarded;
    ExecSetExecProcNode(state, execute_once);
  }
}

void require_first_execution(BoundCall* call) {
  if (call->repeated) refuse_input(*call, kReadAgain);
  if (call->node->aggstrategy != AGG_HASHED || call->watched) return;
  RegisterExprContextCallback(call->node->ss.ps.ps_ExprContext, note_repetition,
                              PointerGetDatum(call));
  call->watched = true;
}

}  // namespace idp
