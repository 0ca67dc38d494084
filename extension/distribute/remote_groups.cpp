#include "extension/distribute/remote_groups.h"

#include "extension/distribute/remote_joins.h"
#include "extension/distribute/remote_rows.h"
#include "extension/distribute/sent_expressions.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/total/twins.h"

extern "C" {
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

// --- which aggregations ---

// What gives its rows, sorted or not; null if they are not sorted as it needs them.
PlanState* rows_below(const AggState* node) {
  PlanState* below = outerPlanState(node);
  if (as<Agg>(node->ss.ps.plan)->aggstrategy != AGG_SORTED) return below;
  return IsA(below, SortState) ? outerPlanState(below) : nullptr;
}

bool is_known(Oid function) {
  switch (function) {
    case F_COUNT_:
    case F_COUNT_ANY:
    case F_SUM_INT2:
    case F_SUM_INT4:
    case F_SUM_INT8:
    case F_SUM_NUMERIC:
    case F_MIN_INT2:
    case F_MIN_INT4:
    case F_MIN_INT8:
    case F_MIN_DATE:
    case F_MAX_INT2:
    case F_MAX_INT4:
    case F_MAX_INT8:
    case F_MAX_DATE:
      return true;
    default:
      return false;
  }
}

// Rows of tables that lie elsewhere, and the node that gives them, joined or not.
struct Rows {
  PlanState* node;
  RemoteJoin join;
};

// What an aggregate takes, over columns of a table.
struct Taken {
  const Rows* rows;
  int part;           // whose columns they are; -1 before the first one
  bool is_of_others;  // whether some are of no table, or of another one
};

// A cast is said, as the type decides which aggregate it is.
Node* over_table(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto* taken = static_cast<Taken*>(context);
  const auto* column = maybe<Var>(node);
  if (column == nullptr) {
    Node* made = map_expression(node, over_table, context);
    if (IsA(made, FuncExpr)) as<FuncExpr>(made)->funcformat = COERCE_EXPLICIT_CAST;
    return made;
  }
  const bool is_below = column->varno == OUTER_VAR && column->varattno > 0;
  const RemoteColumn found =
      is_below ? column_below(taken->rows->join, taken->rows->node, column->varattno)
               : RemoteColumn{};
  taken->is_of_others |= found.column == 0 || (taken->part >= 0 && taken->part != found.part);
  taken->part = found.part;
  return as<Node>(makeVar(1, static_cast<AttrNumber>(found.column), column->vartype,
                          column->vartypmod, column->varcollid, 0));
}

// What an aggregate is, there; null if it has to be computed here.
RemoteCall* call_of(const Rows& rows, const Aggref* call) {
  if (!is_known(call->aggfnoid) || call->aggfilter != nullptr || call->aggdistinct != NIL ||
      call->aggorder != NIL || call->aggsplit != AGGSPLIT_SIMPLE) {
    return nullptr;
  }
  Taken taken{&rows, -1, false};
  Node* value = nullptr;
  if (call->args != NIL) {
    // of what cannot fail for any value the twin is the same
    value = with_originals(as<Node>(linitial_node(TargetEntry, call->args)->expr));
    value = over_table(value, &taken);
    if (taken.is_of_others || taken.part < 0 || !can_be_taken(value)) return nullptr;
  }

  auto* made = static_cast<RemoteCall*>(palloc(sizeof(RemoteCall)));
  *made = {call->aggfnoid, call->aggtype, taken.part, value};
  return made;
}

// Whether an expression of the aggregation has anything of its rows but keys and aggregates.
bool names_more(Node* node, void* context) {
  if (node == nullptr || IsA(node, Aggref)) return false;
  const auto* column = maybe<Var>(node);
  if (column != nullptr) {
    return column->varno != OUTER_VAR ||
           !list_member_int(static_cast<List*>(context), column->varattno);
  }
  return IsA(node, GroupingFunc) || walk_expression(node, names_more, context);
}

// In the place of the aggregation.
struct Grouped {
  RemoteGroups groups;  // first, as the scan knows it
  List* outputs;        // of int: of what gave the rows, for each key
  List* numbers;        // of int: among the values of aggregates, for each call
};

// The keys of the sort below, if they are among those of the groups.
bool read_order(const AggState* node, Grouped& grouped) {
  if (as<Agg>(node->ss.ps.plan)->aggstrategy != AGG_SORTED) return true;
  const auto* sort = as<Sort>(outerPlanState(node)->plan);
  grouped.groups.sorted = sort->numCols;
  grouped.groups.by = static_cast<AttrNumber*>(palloc(sizeof(AttrNumber) * sort->numCols));
  grouped.groups.operators = sort->sortOperators;
  grouped.groups.collations = sort->collations;
  grouped.groups.nulls_first = sort->nullsFirst;
  for (int i = 0; i < sort->numCols; ++i) {
    int place = 0;
    while (place < list_length(grouped.outputs) &&
           list_nth_int(grouped.outputs, place) != sort->sortColIdx[i]) {
      ++place;
    }
    if (place == list_length(grouped.outputs)) return false;
    grouped.groups.by[i] = static_cast<AttrNumber>(place + 1);
  }
  return true;
}

bool read_keys(const AggState* node, const Rows& rows, Grouped& grouped) {
  const auto* plan = as<Agg>(node->ss.ps.plan);
  for (int i = 0; i < plan->numCols; ++i) {
    auto* key = static_cast<RemoteColumn*>(palloc(sizeof(RemoteColumn)));
    *key = column_below(rows.join, rows.node, plan->grpColIdx[i]);
    if (key->column == 0) return false;
    grouped.groups.keys = lappend(grouped.groups.keys, key);
    grouped.outputs = lappend_int(grouped.outputs, plan->grpColIdx[i]);
  }
  return !names_more(as<Node>(plan->plan.targetlist), grouped.outputs) &&
         !names_more(as<Node>(plan->plan.qual), grouped.outputs);
}

bool read_calls(const AggState* node, const Rows& rows, Grouped& grouped) {
  for (const auto* one : list<Aggref>(node->aggs)) {
    if (list_member_int(grouped.numbers, one->aggno)) continue;
    RemoteCall* call = call_of(rows, one);
    if (call == nullptr) return false;
    grouped.groups.calls = lappend(grouped.groups.calls, call);
    grouped.numbers = lappend_int(grouped.numbers, one->aggno);
  }
  return true;
}

// --- what is given ---

// As the server gives a group of its own (nodeAgg.c).
void take_group(AggState* node, const Grouped& grouped, TupleTableSlot* group) {
  slot_getallattrs(group);
  TupleTableSlot* first = node->ss.ss_ScanTupleSlot;
  (void)ExecStoreAllNullTuple(first);
  int place = 0;
  for (const int output : ints(grouped.outputs)) {
    first->tts_values[output - 1] = group->tts_values[place];
    first->tts_isnull[output - 1] = group->tts_isnull[place];
    ++place;
  }
  ExprContext* context = node->ss.ps.ps_ExprContext;
  context->ecxt_outertuple = first;
  for (const int number : ints(grouped.numbers)) {
    context->ecxt_aggvalues[number] = group->tts_values[place];
    context->ecxt_aggnulls[number] = group->tts_isnull[place];
    ++place;
  }
}

// The scan that gives the groups: the first one of a join.
PlanState* first_scan(PlanState* rows) {
  return is_remote_rows(rows) ? rows : first_scan(outerPlanState(rows));
}

// The server takes agg_done back where it wants all of them again.
TupleTableSlot* give_group(PlanState* state) {
  auto* node = as<AggState>(state);
  PlanState* rows = first_scan(rows_below(node));
  const auto* grouped = reinterpret_cast<const Grouped*>(groups_of(rows));
  ExprContext* context = state->ps_ExprContext;
  if (!node->agg_done) restart_groups(rows);
  node->agg_done = true;
  while (TupleTableSlot* group = next_group(rows)) {
    ResetExprContext(context);
    take_group(node, *grouped, group);
    if (ExecQual(state->qual, context)) return ExecProject(state->ps_ProjInfo);
    InstrCountFiltered1(node, 1);
  }
  return nullptr;
}

bool is_simple(const AggState* node) {
  const auto* plan = as<Agg>(node->ss.ps.plan);
  return (plan->aggstrategy == AGG_HASHED || plan->aggstrategy == AGG_SORTED) &&
         plan->numCols > 0 && plan->groupingSets == NIL && plan->chain == NIL &&
         plan->aggsplit == AGGSPLIT_SIMPLE && node->ss.ps.state->es_epq_active == nullptr;
}

void group(AggState* node) {
  Rows rows = {is_simple(node) ? rows_below(node) : nullptr, {}};
  if (rows.node == nullptr || !read_join(rows.node, rows.join)) return;
  auto* grouped = static_cast<Grouped*>(palloc0(sizeof(Grouped)));
  grouped->groups.joins = rows.join.joins;
  if (!read_keys(node, rows, *grouped) || !read_calls(node, rows, *grouped) ||
      !read_order(node, *grouped) || !can_be_grouped(rows.join.parts, grouped->groups)) {
    return;
  }
  set_groups(rows.join.parts, &grouped->groups);
  ExecSetExecProcNode(&node->ss.ps, give_group);
}

bool group_below(PlanState* node, void* context) {
  if (node == nullptr) return false;
  check_stack_depth();
  if (IsA(node, AggState)) group(as<AggState>(node));
  return walk_plan_states(node, group_below, context);
}

}  // namespace

void group_remotely(PlanState* node) { (void)group_below(node, nullptr); }

}  // namespace idp
