#include "extension/budget/statement.h"

#include <algorithm>

#include "core/accounting/composition.h"
#include "extension/budget/account.h"
#include "extension/call/functions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/plan/input.h"
#include "extension/plan/node_rules.h"
#include "extension/plan/arguments.h"
#include "extension/release/release.h"
#include "extension/state/query.h"
#include "extension/catalog/store.h"

extern "C" {
#include "access/parallel.h"
#include "executor/execdesc.h"
}

namespace idp {

namespace {

const char* table_text(List* accounts) { return static_cast<Account*>(linitial(accounts))->name; }

// --- one aggregate ---

void refuse_input(const RunningAggregate& call, const Problem& problem) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("%s of protected table \"%s\" cannot be computed over %s", call.name,
                         table_text(call.accounts), problem.words),
                  errdetail("Each input of the aggregate must be one row of the table, once, "
                            "whatever the other rows hold."),
                  errhint("%s", problem.way_out)));
}

constexpr Problem kReadAgain = {
    "rows that are read again",
    "Compute the private answer once, in a CTE that is MATERIALIZED, and join it."};
constexpr Problem kReadForEachRow = {"rows that are read again for each row of another query",
                                     kReadAgain.way_out};
constexpr Problem kReadByEachProcess = {
    "rows that each process of a parallel plan reads",
    "SET max_parallel_workers_per_gather = 0, or compute the answer in a CTE that is "
    "MATERIALIZED."};

void check_input(const RunningAggregate& call, const Input& input) {
  const Problem* problem = expression_problem(reinterpret_cast<Node*>(call.aggref->args));
  if (problem == nullptr) {
    problem = expression_problem(reinterpret_cast<Node*>(call.aggref->aggfilter));
  }
  if (problem == nullptr) problem = input.problem;
  if (problem != nullptr) refuse_input(call, *problem);
}

// Whether a private aggregate's function computes the state or the answer of this call.
bool collects_privately(AggState* node, Aggref* aggref) {
  const AggStatePerTransData& transition = node->pertrans[aggref->aggtransno];
  return statistic_of(transition.transfn.fn_addr) != Statistic::kNone ||
         is_combine_function(transition.transfn.fn_addr);
}
bool answers_privately(AggState* node, Aggref* aggref) {
  const AggStatePerAggData& final = node->peragg[aggref->aggno];
  return OidIsValid(final.finalfn_oid) && is_final_function(final.finalfn.fn_addr);
}

// Whether the node answers private aggregates, or puts states together that may be theirs.
bool is_private(AggState* node) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    auto* aggref = static_cast<Aggref*>(lfirst(cell));
    if (collects_privately(node, aggref) || answers_privately(node, aggref)) return true;
  }
  return false;
}

bool find_private(PlanState* node, void* context) {
  if (node == nullptr) return false;
  return (IsA(node, AggState) && is_private(reinterpret_cast<AggState*>(node))) ||
         walk_plan_states(node, find_private, context);
}

RunningAggregate* describe(AggState* node, Aggref* aggref, List* accounts, const Input& input) {
  auto* call = static_cast<RunningAggregate*>(palloc0(sizeof(RunningAggregate)));
  call->node = node;
  call->aggref = aggref;
  call->accounts = accounts;
  call->name = get_func_name(aggref->aggfnoid);
  call->table = input.root;
  ListCell* cell;
  foreach (cell, accounts) {
    call->floor = Max(call->floor, static_cast<Account*>(lfirst(cell))->floor);
  }
  return call;
}

// --- walking the plan ---

// How often a node may be executed in one execution of the query.
enum class Execution { kOnce, kByEachProcess, kRepeated };

struct Walk {
  Query* query;
  bool explain;
  bool of_worker;  // the plan is a worker's part of a parallel one
};

[[noreturn]] void refuse_foreign_aggregate(Oid aggregate, List* accounts) {
  if (accounts == NIL) {
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("aggregate %s cannot be released under a name", get_func_name(aggregate)),
             errdetail("It is not one of extension idp."),
             errhint("Use the aggregates of the extension.")));
  }
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("aggregate %s cannot be charged to protected table \"%s\"",
                         get_func_name(aggregate), table_text(accounts)),
                  errdetail("It is not one of extension idp."),
                  errhint("Use the aggregates of the extension.")));
  pg_unreachable();
}

// An aggregate that somebody made of our functions can have an initial state, a combine function
// and a final function that see, or change, what ours collect. So none is charged or stored, not
// even half of one.
void require_own(AggState* node, Aggref* aggref, List* accounts) {
  if (accounts == NIL && release_expression(node, aggref) == nullptr) return;
  if (!is_own_function(aggref->aggfnoid)) refuse_foreign_aggregate(aggref->aggfnoid, accounts);
}

void consider(Walk& walk, AggState* node, Execution execution) {
  if (!is_private(node)) return;
  const Sources sources = sources_of(node, walk.of_worker);
  List* accounts = accounts_of_all(sources.relations);
  Input input;
  bool described = false;
  ListCell* cell;
  foreach (cell, node->aggs) {
    auto* aggref = static_cast<Aggref*>(lfirst(cell));
    if (node->peragg[aggref->aggno].aggref != aggref) continue;  // the same call again: one draw
    const bool answers = answers_privately(node, aggref);
    if (!answers && !collects_privately(node, aggref)) continue;
    require_own(node, aggref, accounts);
    if (DO_AGGSPLIT_SKIPFINAL(node->aggsplit)) continue;  // the other half answers
    const Node* name = release_expression(node, aggref);
    if (!described && (accounts != NIL || name != nullptr)) {
      input = input_of(node, sources);
      described = true;
    }
    RunningAggregate* call = describe(node, aggref, accounts, input);
    walk.query->calls = lappend(walk.query->calls, call);
    if (accounts != NIL) {
      check_input(*call, input);
      if (execution == Execution::kRepeated) {
        refuse_input(*call, kReadForEachRow);
      }
      if (execution == Execution::kByEachProcess) {
        refuse_input(*call, kReadByEachProcess);
      }
    }
    // A generic plan can be explained before its parameters have values.
    if (walk.explain || (accounts == NIL && name == nullptr)) continue;
    Request request;
    if (!answers || !evaluate_request(node, aggref, request)) {
      if (accounts == NIL) continue;
      refuse_foreign_aggregate(aggref->aggfnoid, accounts);
    }
    auto* charged = static_cast<Request*>(palloc(sizeof(Request)));
    *charged = request;
    call->request = charged;
    require_min_epsilon(accounts, request.epsilons[0]);
    if (call->floor > 0 && mechanism(request.spec.statistic) == Mechanism::kTruncated) {
      ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                      errmsg("%s is not answered over table \"%s\", which asks for a floor",
                             call->name, table_text(accounts)),
                      errdetail("Its answer is always within one of the true count."),
                      errhint("Use dp_count_range.")));
    }
    if (name != nullptr) prepare_release(call, request.spec, input);
  }
}

// The calls of one child of a partition-wise plan: those that are charged, and the tables all read.
struct Partition {
  List* charged = NIL;
  List* relations = NIL;
  bool grouped = true;
};

Partition partition_of(List* calls, int from, bool of_worker) {
  Partition partition;
  const AggState* before = nullptr;
  for (int i = from; i < list_length(calls); ++i) {
    auto* call = static_cast<RunningAggregate*>(list_nth(calls, i));
    if (call->twin == nullptr) partition.charged = lappend(partition.charged, call);
    const auto* plan = reinterpret_cast<Agg*>(call->node->ss.ps.plan);
    if (!has_groups(plan) || plan->groupingSets != NIL) partition.grouped = false;
    if (call->node != before) {
      partition.relations =
          list_concat(partition.relations, sources_of(call->node, of_worker).relations);
    }
    before = call->node;
  }
  return partition;
}

bool overlap(List* relations, List* others) {
  ListCell* cell;
  foreach (cell, others) {
    if (list_member_oid(relations, lfirst_oid(cell))) return true;
  }
  return false;
}

const Aggref* input_half(const RunningAggregate& call) {
  Plan* plan = call.node->ss.ps.plan;
  return half_with_arguments(plan, call.aggref);
}

bool is_same_call(const RunningAggregate& one, const RunningAggregate& other) {
  if (!one.request || !other.request || !(*one.request == *other.request)) return false;
  const Aggref* a = input_half(one);
  const Aggref* b = input_half(other);
  return a->aggfnoid == b->aggfnoid && equal(a->args, b->args) &&
         equal(a->aggfilter, b->aggfilter) && equal(a->aggdistinct, b->aggdistinct);
}

// Whether they compute the same groups' answers over other parts of one table.
bool are_twins(const Partition& a, const Partition& b) {
  if (!b.grouped || list_length(a.charged) != list_length(b.charged)) return false;
  for (int i = 0; i < list_length(a.charged); ++i) {
    const auto* one = static_cast<RunningAggregate*>(list_nth(a.charged, i));
    const auto* other = static_cast<RunningAggregate*>(list_nth(b.charged, i));
    if (!OidIsValid(one->table) || one->table != other->table || !is_same_call(*one, *other)) {
      return false;
    }
  }
  return !overlap(a.relations, b.relations);
}

// Partition-wise aggregation: one node per partition computes answers for groups of its own, from
// rows of its own. Together they cost what one of them costs.
class PartitionWise {
 public:
  // The calls of one more child: those from that one on.
  void add(const Walk& walk, int from) {
    Partition partition = partition_of(walk.query->calls, from, walk.of_worker);
    if (partition.charged == NIL || !partition.grouped) return;
    if (model_.charged == NIL) {
      model_ = partition;
      return;
    }
    if (!are_twins(model_, partition)) return;
    for (int k = 0; k < list_length(model_.charged); ++k) {
      auto* call = static_cast<RunningAggregate*>(list_nth(partition.charged, k));
      call->twin = static_cast<RunningAggregate*>(list_nth(model_.charged, k));
      // a partition may have an account of its own
      call->twin->accounts = union_of(call->twin->accounts, call->accounts);
    }
    model_.relations = list_concat(model_.relations, partition.relations);
  }

 private:
  Partition model_;
};

// Whether a plan yields one row at most.
bool is_one_row(PlanState* node) {
  switch (nodeTag(node)) {
    case T_AggState:
      return !has_groups(reinterpret_cast<Agg*>(node->plan));
    case T_SubqueryScanState:
      return is_one_row(reinterpret_cast<SubqueryScanState*>(node)->subplan);
    case T_ResultState:
      return outerPlanState(node) == nullptr || is_one_row(outerPlanState(node));
    default:
      return false;
  }
}

Execution execution_below_gather(PlanState* node, Execution outer) {
  if (outer != Execution::kOnce) return outer;
  if (IsA(node->plan, Gather)) {
    const auto* gather = reinterpret_cast<Gather*>(node->plan);
    return gather->single_copy || gather->num_workers == 0 ? outer : Execution::kByEachProcess;
  }
  return Execution::kByEachProcess;
}

// It reads what is below once if it can go back to the first row of what it kept, and that does not
// depend on what is outside.
bool keeps_rows(PlanState* node) {
  return (reinterpret_cast<MaterialState*>(node)->eflags & EXEC_FLAG_REWIND) != 0 &&
         bms_is_empty(outerPlanState(node)->plan->extParam);
}

void visit(PlanState* node, Execution execution, Walk& walk);

// The first children of a parallel Append are executed by one process each, the others by all.
Execution execution_of_member(const PlanState* node, int position, Execution outer) {
  if (outer != Execution::kByEachProcess || !IsA(node->plan, Append)) return outer;
  const bool alone = node->plan->parallel_aware &&
                     position < reinterpret_cast<Append*>(node->plan)->first_partial_plan;
  return alone ? Execution::kOnce : outer;
}

Execution execution_of_child(PlanState* node, const Child& child, Execution outer) {
  switch (rule_of(node->plan).children) {
    case Repeats::kOnce:
      return child.role == Role::kMember ? execution_of_member(node, child.position, outer) : outer;
    case Repeats::kInnerRepeated: {
      const bool once = IsA(node, NestLoopState) && is_one_row(outerPlanState(node));
      return child.role == Role::kOuter || once ? outer : Execution::kRepeated;
    }
    case Repeats::kByProcesses:
      return execution_below_gather(node, outer);
    case Repeats::kKept:
      return outer == Execution::kRepeated && keeps_rows(node) ? Execution::kOnce : outer;
    case Repeats::kRepeated:
      break;
  }
  return Execution::kRepeated;
}

void visit_children(PlanState* node, Execution execution, Walk& walk) {
  const bool is_append = IsA(node, AppendState) || IsA(node, MergeAppendState);
  PartitionWise partitions;
  for_each_child(node, [&](const Child& child) {
    const int from = list_length(walk.query->calls);
    visit(child.node, execution_of_child(node, child, execution), walk);
    if (is_append) partitions.add(walk, from);
  });
}

bool is_constant(Node* expression) {
  return !contain_var_clause(expression) && !contain_mutable_functions(expression) &&
         expression_problem(expression) == nullptr;
}

// Whether a node gives no row, and executes nothing below it, whatever the data: LIMIT 0 and a
// condition that is constantly false, also by a parameter. Nothing is charged for what is below. If
// it were executed all the same, its final function would not be found, and fail.
bool is_never_executed(PlanState* node) {
  EState* state = node->state;
  // WITH … INSERT runs to its end, whether or not its rows are read
  if ((state->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0 || state->es_auxmodifytables != NIL) {
    return false;
  }
  if (IsA(node, LimitState)) {
    Node* count = reinterpret_cast<Limit*>(node->plan)->limitCount;
    if (count == nullptr || !is_constant(count)) return false;
    bool is_null = false;
    const Datum limit = ExecEvalExprSwitchContext(reinterpret_cast<LimitState*>(node)->limitCount,
                                                  node->ps_ExprContext, &is_null);
    return !is_null && DatumGetInt64(limit) == 0;
  }
  if (IsA(node, ResultState)) {
    Node* condition = reinterpret_cast<Result*>(node->plan)->resconstantqual;
    return condition != nullptr && is_constant(condition) &&
           !ExecQual(reinterpret_cast<ResultState*>(node)->resconstantqual, node->ps_ExprContext);
  }
  return false;
}

void visit(PlanState* node, Execution execution, Walk& walk) {
  check_stack_depth();
  if (is_never_executed(node)) return;
  ListCell* cell;
  foreach (cell, node->initPlan) {
    PlanState* plan = static_cast<SubPlanState*>(lfirst(cell))->planstate;
    const bool once = execution == Execution::kRepeated && bms_is_empty(plan->plan->extParam);
    visit(plan, once ? Execution::kOnce : execution, walk);
  }
  if (IsA(node, AggState)) consider(walk, reinterpret_cast<AggState*>(node), execution);
  visit_children(node, execution, walk);
  foreach (cell, node->subPlan) {
    auto* subplan = static_cast<SubPlanState*>(lfirst(cell));
    const bool once =
        subplan->subplan->useHashTable && bms_is_empty(subplan->planstate->plan->extParam);
    visit(subplan->planstate, once ? execution : Execution::kRepeated, walk);
  }
}

// --- charging ---

// How often the epsilon of a call counts: once or twice for each grouping set.
int factor_of(Agg* plan, Neighbours neighbours) {
  int factor = 0;
  ListCell* cell;
  if (plan->groupingSets == NIL) {
    factor = cost_factor(neighbours, has_groups(plan));
  } else {
    foreach (cell, plan->groupingSets) {
      factor += cost_factor(neighbours, static_cast<List*>(lfirst(cell)) != NIL);
    }
  }
  foreach (cell, plan->chain) factor += factor_of(static_cast<Agg*>(lfirst(cell)), neighbours);
  return factor;
}

void charge_unnamed(const Query& query) {
  List* accounts = NIL;
  ListCell* cell;
  ListCell* inner;
  bool writes = false, any_release = false;
  foreach (cell, query.calls) {
    const auto* call = static_cast<RunningAggregate*>(lfirst(cell));
    any_release |= call->release != nullptr;
    writes |= call->accounts != NIL || call->release != nullptr;
    if (call->release != nullptr || call->twin != nullptr) continue;
    accounts = union_of(accounts, call->accounts);
  }
  if (writes) prepare_to_write();
  if (any_release) make_all_durable();  // what others stored before this query
  if (accounts == NIL) return;
  Charging charging(accounts);
  foreach (cell, query.calls) {
    const auto* call = static_cast<RunningAggregate*>(lfirst(cell));
    if (call->release != nullptr || call->twin != nullptr) continue;
    foreach (inner, call->accounts) {
      const auto* account = static_cast<const Account*>(lfirst(inner));
      const int factor =
          factor_of(reinterpret_cast<Agg*>(call->node->ss.ps.plan), account->neighbours);
      charging.add({account, call->name,
                    decimal_times(decimal_of(call->request->epsilons[0]), factor), nullptr, nullptr,
                    0});
    }
  }
  if (charging.commit()) make_durable();
}

// The plan of a parallel worker is a part of one whose leader has charged for it.
bool is_part_of_parallel_plan(QueryDesc* query) {
  return IsParallelWorker() && query->dest && query->dest->mydest == DestTupleQueue;
}

void note_repetition(Datum argument) {
  auto* call = reinterpret_cast<RunningAggregate*>(DatumGetPointer(argument));
  call->watched = false;
  call->repeated = true;
}

// A second line of defence behind the look at the plan: an aggregate that was executed, and starts
// anew, is stopped. A hash table that is read again shows by note_repetition() instead.
ExecProcNodeMtd execute_agg = nullptr;

bool is_at_start(AggState* node) {
  return !node->agg_done && !node->input_done && node->grp_firstTuple == nullptr &&
         !(node->aggstrategy == AGG_HASHED && node->table_filled);
}

TupleTableSlot* execute_once(PlanState* node) {
  auto* agg = reinterpret_cast<AggState*>(node);
  if (is_at_start(agg)) {
    ListCell* cell;
    foreach (cell, find_query(node->state)->calls) {
      auto* call = static_cast<RunningAggregate*>(lfirst(cell));
      if (call->node != agg) continue;
      if (call->started) refuse_input(*call, kReadAgain);
      call->started = true;
    }
  }
  return execute_agg(node);
}

void guard_execution(AggState* node) {
  if (node->ss.ps.ExecProcNodeReal == execute_once) return;
  execute_agg = node->ss.ps.ExecProcNodeReal;
  ExecSetExecProcNode(&node->ss.ps, execute_once);
}

RunningAggregate* find_call(AggState* node, Aggref* aggref) {
  const Query* query = find_query(node->ss.ps.state);
  ListCell* cell;
  foreach (cell, query == nullptr ? NIL : query->calls) {
    auto* call = static_cast<RunningAggregate*>(lfirst(cell));
    if (call->node == node && call->aggref == aggref) return call;
  }
  return nullptr;
}

}  // namespace

bool has_private_aggregate(QueryDesc* query) { return find_private(query->planstate, nullptr); }

void begin_statement(QueryDesc* query) {
  Query* known = query_of(query->estate);
  Walk walk{known, (query->estate->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0,
            is_part_of_parallel_plan(query)};
  visit(query->planstate, Execution::kOnce, walk);
  ListCell* cell;
  foreach (cell, known->calls) {
    const auto* call = static_cast<RunningAggregate*>(lfirst(cell));
    if (call->accounts != NIL) guard_execution(call->node);
  }
  if (!walk.explain && !walk.of_worker) charge_unnamed(*known);
}

RunningAggregate* running_aggregate(FunctionCallInfo fcinfo) {
  if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return nullptr;
  if (fcinfo->flinfo->fn_extra == nullptr) {
    auto* node = reinterpret_cast<AggState*>(fcinfo->context);
    Aggref* aggref = AggGetAggref(fcinfo);
    RunningAggregate* call = aggref == nullptr ? nullptr : find_call(node, aggref);
    if (call == nullptr) {
      // A plan that did not start as a query does, such as the recheck of a row that was updated
      // meanwhile: nothing was charged for it.
      if (accounts_of_all(sources_of(node, false).relations) != NIL ||
          (aggref && release_expression(node, aggref) != nullptr)) {
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("private answer of a protected table cannot be charged here")));
      }
      MemoryContext before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
      call = static_cast<RunningAggregate*>(palloc0(sizeof(RunningAggregate)));
      call->node = node;
      MemoryContextSwitchTo(before);
    }
    fcinfo->flinfo->fn_extra = call;
  }
  return static_cast<RunningAggregate*>(fcinfo->flinfo->fn_extra);
}

void require_charged(RunningAggregate* call, const StateArgument& state) {
  if (call->request != nullptr &&
      !(call->request->spec == state.spec() &&
        std::ranges::equal(call->request->epsilon_span(), state.epsilons()))) {
    // An argument that reads a setting, or a state that was brought along.
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("arguments of %s have changed since the query started", call->name)));
  }
  if (call->accounts == NIL) return;
  if (call->repeated) refuse_input(*call, kReadAgain);
  if (call->node->aggstrategy != AGG_HASHED || call->watched) return;
  RegisterExprContextCallback(call->node->ss.ps.ps_ExprContext, note_repetition,
                              PointerGetDatum(call));
  call->watched = true;
}

bool has_groups(const Agg* plan) {
  return plan->aggstrategy != AGG_PLAIN || plan->groupingSets != NIL;
}

bool is_grouped(const AggState* node) {
  const auto* plan = reinterpret_cast<const Agg*>(node->ss.ps.plan);
  if (plan->groupingSets == NIL) return has_groups(plan);
  return !bms_is_empty(node->phase->grouped_cols[node->current_set]);
}

}  // namespace idp
