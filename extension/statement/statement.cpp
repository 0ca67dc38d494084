#include "extension/statement/statement.h"

#include <algorithm>

#include "extension/access/answered_values.h"
#include "extension/access/approval.h"
#include "extension/access/prepared_plan.h"
#include "extension/answers/node.h"
#include "extension/answers/repeated.h"
#include "extension/audit/run.h"
#include "extension/batch/batch.h"
#include "extension/batch/repeat.h"
#include "extension/budget/account.h"
#include "extension/budget/links.h"
#include "extension/call/functions.h"
#include "extension/distribute/elsewhere.h"
#include "extension/distribute/remote_groups.h"
#include "extension/distribute/shipped.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/remembered.h"
#include "extension/plan/bind.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/execution.h"
#include "extension/plan/input.h"
#include "extension/plan/node_rules.h"
#include "extension/query/judge.h"
#include "extension/release/release.h"
#include "extension/release/release_name.h"
#include "extension/state/running_query.h"
#include "extension/statement/charging.h"
#include "extension/statement/cost.h"
#include "extension/statement/explain.h"
#include "extension/statement/refuse_input.h"
#include "extension/statement/reports.h"

extern "C" {
#include "access/parallel.h"
}

namespace idp {

namespace {

// --- one aggregate ---

const Problem* first(const Problem* a, const Problem* b) { return a ? a : b; }

// What the arguments of a call do with its inputs that is not known of each by itself; or null.
const Problem* problem_of_arguments(const BoundCall& call, bool is_named) {
  const Bitmapset* values = is_named ? nullptr : answered_values_of(call.node->ss.ps.state);
  return first(expression_problem(as<Node>(call.aggref->args), values),
               expression_problem(as<Node>(call.aggref->aggfilter), values));
}

constexpr Problem kNotDrawnOnce = {
    "a plan that was not made to draw its answers once",
    "Run the query again; if it fails again, without other extensions that plan queries.",
    "run the query again"};

// Notes in the accounts of a node how many of the rows it reads one unit has; or says why that is
// not known.
const Problem* problem_of_units(AggState* node, const CustomScan* answers, const Sources& sources,
                                List* accounts) {
  const Problem* problem = sources.unknown;
  List* relations = list_concat_copy(sources.relations, tables_of_query(node->ss.ps.state));
  for (auto* account : list<Account>(accounts)) {
    if (answers == nullptr) return &kNotDrawnOnce;
    const PrivacyUnit& unit = *unit_of(*account, relations, node->ss.ps.state->es_snapshot);
    const UnitInput input =
        unit_input(node, Level(asking_level(answers)), unit, settled_before(node->ss.ps.state));
    account->most = input.most;
    account->unbounded = input.unbounded;
    account->one_value = input.one_value;
    account->masses = input.masses;
    problem = first(input.problem, problem);
  }
  return problem;
}

constexpr Problem kNamedUnits = {"rows of a unit under a release name",
                                 "Ask without a release name.", "ask without it"};

// Releases last, and units may be declared anew meanwhile.
const Problem* problem_of_named(const Input& input, List* accounts) {
  for (const auto* account : list<Account>(accounts)) {
    if (account->most != Multiplicity::of(1)) return &kNamedUnits;
  }
  for (const Oid oid : oids(input.relations)) {
    if (is_linked(oid)) return &kNamedUnits;
  }
  return input.problem;
}

// Whether the node answers private aggregates, or puts states together that may be theirs.
bool has_private_call(AggState* node) {
  for (auto* aggref : list<Aggref>(node->aggs)) {
    if (collects_privately(node, aggref) || answers_privately(node, aggref)) return true;
  }
  return false;
}

[[noreturn]] void refuse_foreign_aggregate(Oid aggregate, List* accounts) {
  if (accounts == NIL) {
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("aggregate %s cannot be released under a name: use those of extension idp",
                    get_func_name(aggregate)),
             errdetail("It is not one of extension idp."),
             errhint("Use the aggregates of the extension.")));
  }
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("aggregate %s cannot be charged to protected table \"%s\": use those of "
                         "extension idp",
                         get_func_name(aggregate), table_text(accounts)),
                  errdetail("It is not one of extension idp."),
                  errhint("Use the aggregates of the extension.")));
  pg_unreachable();
}

// An aggregate that somebody made of our functions can have an initial state, a combine function
// and a final function that see, or change, what ours collect. So none is charged or stored, not
// even half of one.
void require_own(const Aggref* aggref, List* accounts, bool is_named) {
  if (accounts == NIL && !is_named) return;
  if (!is_own_function(aggref->aggfnoid)) refuse_foreign_aggregate(aggref->aggfnoid, accounts);
}

// An aggregate protects a unit that has several of the rows if it is paid for as often, or protects
// groups of so many records.
void require_bounded(const BoundCall& call) {
  for (const auto* account : list<Account>(call.charge.accounts)) {
    if (!account->most.is_bounded() && !counts_as_one_row(call, *account)) {
      refuse_unbounded(call, *account);
    }
  }
}

void require_group_epsilons(const BoundCall& call) {
  if (row_of(call.request.spec.statistic).guarantee != Guarantee::kIndividual) return;
  for (const auto* account : list<Account>(call.charge.accounts)) {
    const int most = account->most.count();
    if (most <= call.request.spec.groups) continue;
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("%s of protected table \"%s\" needs %d epsilons: give an array, or use "
                           "an aggregate whose name begins with dp_",
                           call.name, account->name, most),
                    errdetail("One unit may have %d of the rows, and the i-th epsilon protects "
                              "groups of i records.",
                              most),
                    errhint("Give an array of as many epsilons, aggregate by unit first, or use an "
                            "aggregate whose name begins with dp_.")));
  }
}

void check_rules(const BoundCall& call) {
  require_group_epsilons(call);
  require_min_epsilon(call.charge.accounts, call.request.epsilons[0]);
  for (const double epsilon : call.request.epsilon_span()) {
    require_max_epsilon(call.charge.accounts, epsilon);
  }
  if (call.request.spec.has(Parameter::kDelta)) {
    require_accounts_with_delta(call.charge.accounts, call.name);
  }
  if (call.charge.floor > 0 && mechanism(call.request.spec.statistic) == Mechanism::kTruncated) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("%s is not answered over table \"%s\", which asks for a floor: use "
                           "dp_count_range",
                           call.name, table_text(call.charge.accounts)),
                    errdetail("Its answer is always within one of the true count."),
                    errhint("Use dp_count_range.")));
  }
  if (call.charge.floor > 0 && mechanism(call.request.spec.statistic) == Mechanism::kResponse) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("%s is not answered over table \"%s\", which asks for a floor: use "
                           "dp_mode",
                           call.name, table_text(call.charge.accounts)),
                    errdetail("Its answer is exact where no record can change it."),
                    errhint("Use dp_mode.")));
  }
}

// --- walking the plan ---

struct CallWalk {
  EState* state;
  bool explain;         // the query is not executed, and nobody asks what it would cost
  bool is_audited;      // nothing is drawn: names of releases stand for nothing
  bool of_worker;       // the plan is a worker's part of a parallel one
  RunningQuery* query;  // null: no private call was met yet
  const Plan* shipped;  // the first node that may compute private calls out of sight; or null

  List* aggregations;  // of AggState: of private calls
  List* answers;       // of PlanState: the nodes above these
  List* one_group;     // of PlanState: those of which have one group at most
  List* drawing;       // of PlanState: aggregations whose answers are drawn once
  List* levels;        // of PlanState: on which CTEs hang
  List* read_ctes;     // of PlanState: those that are scanned where rows are read

  List*& calls() { return query->calls; }
};

void consider_call(CallWalk& walk, AggState* node, Aggref* aggref, const Sources& sources,
                   List* accounts, const Problem* problem_of_input, bool is_read) {
  const bool answers = answers_privately(node, aggref);
  if (!answers && !collects_privately(node, aggref)) return;
  const Node* name = release_expression(node, aggref);
  require_own(aggref, accounts, name != nullptr);
  BoundCall* call = bind_call(node, aggref);
  walk.calls() = lappend(walk.calls(), call);
  if (DO_AGGSPLIT_SKIPFINAL(node->aggsplit)) return;  // the other half answers
  call->charge.accounts = accounts;
  call->charge.has_one_group = list_member_ptr(walk.one_group, node);
  for (auto* account : list<Account>(accounts)) {
    call->charge.floor = Max(call->charge.floor, account->floor);
  }
  if (accounts == NIL && name == nullptr) return;
  if (!is_read) {
    call->charge.is_idle = true;
    return;
  }
  const Input input = input_of(node, sources);
  call->release.table = input.root;
  const Problem* problem = first(problem_of_arguments(*call, true), input.problem);
  const Problem* not_once = list_member_ptr(walk.drawing, node) ? nullptr : &kNotDrawnOnce;
  call->charge.is_sound = first(problem, not_once) == nullptr;
  if (accounts != NIL) {
    problem = first(problem_of_arguments(*call, name != nullptr), problem_of_input);
    if (problem != nullptr) refuse_input(*call, *problem);
    require_bounded(*call);
    if (name != nullptr) problem = problem_of_named(input, accounts);
    problem = first(problem, not_once);
    if (problem != nullptr) refuse_input(*call, *problem);
  }
  if (walk.explain) return;
  if (!answers || !call->has_request) {
    if (accounts == NIL) return;
    refuse_foreign_aggregate(aggref->aggfnoid, accounts);
  }
  call->charge.is_fixed = true;
  check_rules(*call);
  if (name != nullptr && !walk.is_audited) prepare_release(call, input);
}

// The node of answers that an aggregation draws for; or null.
const CustomScan* answers_over(const CallWalk& walk, const AggState* node) {
  for (auto* answers : list<PlanState>(walk.answers)) {
    if (drawing_node(answers) == &node->ss.ps) return as<CustomScan>(answers->plan);
  }
  return nullptr;
}

void consider(CallWalk& walk, AggState* node, bool is_read) {
  if (!has_private_call(node)) return;
  if (walk.query == nullptr) walk.query = query_of(walk.state);
  walk.aggregations = lappend(walk.aggregations, node);
  const Sources sources = sources_of(node, walk.of_worker);
  if (!DO_AGGSPLIT_SKIPFINAL(node->aggsplit)) refuse_answers_of_worker(sources.relations);
  List* accounts = accounts_of_all(sources.relations);
  const Problem* problem = problem_of_units(node, answers_over(walk, node), sources, accounts);
  for (auto* aggref : list<Aggref>(node->aggs)) {
    if (node->peragg[aggref->aggno].aggref != aggref) continue;  // the same call again: one draw
    consider_call(walk, node, aggref, sources, accounts, problem, is_read);
  }
}

// Whether the query has CTEs that run to their end, whether or not they are scanned.
bool changes_tables(const PlanState* node) { return node->state->es_auxmodifytables != NIL; }

// Whether what an initial plan or a subplan of the node gives is asked for. A limit of no rows
// finds out first which they would be.
bool is_asked_for(PlanState* node, const SubPlan* plan, bool is_read) {
  if (!is_read || !is_never_executed(node)) return is_read;
  return plan->setParam == NIL ? IsA(node, LimitState) : is_read_by_limit(node, plan);
}

// A CTE hangs on a node of the level that it was written at, and may be scanned anywhere below,
// also where that node finds out whether it reads any rows.
void find_read_ctes(PlanState* node, bool is_read, CallWalk& walk) {
  check_stack_depth();
  const bool reads_below = is_read && !is_never_executed(node);
  const auto find_in = [&](const List* plans) {
    for (const auto* plan : list<SubPlanState>(plans)) {
      if (plan->subplan->subLinkType == CTE_SUBLINK) continue;
      find_read_ctes(plan->planstate, is_asked_for(node, plan->subplan, is_read), walk);
    }
  };
  find_in(node->initPlan);
  find_in(node->subPlan);
  for_each_child(node, [&](const Child& child) { find_read_ctes(child.node, reads_below, walk); });
  if (!IsA(node, CteScanState) || !reads_below) return;
  PlanState* cte = as<CteScanState>(node)->cteplanstate;
  if (list_member_ptr(walk.read_ctes, cte)) return;
  walk.read_ctes = lappend(walk.read_ctes, cte);
  find_read_ctes(cte, true, walk);
}

// What is below a node comes first: the half of a split aggregate that has the arguments.
void visit(PlanState* node, bool is_read, CallWalk& walk) {
  check_stack_depth();
  if (walk.shipped == nullptr && may_ship_calls(node->plan)) walk.shipped = node->plan;
  const bool reads_below = is_read && !is_never_executed(node);
  for (const auto* initial : list<SubPlanState>(node->initPlan)) {
    const bool is_cte = initial->subplan->subLinkType == CTE_SUBLINK;
    if (is_cte) walk.levels = list_append_unique_ptr(walk.levels, node);
    visit(initial->planstate,
          is_cte ? list_member_ptr(walk.read_ctes, initial->planstate) || changes_tables(node)
                 : is_asked_for(node, initial->subplan, is_read),
          walk);
  }
  const bool has_answers = is_answers(node->plan);
  const bool draws_once = has_answers && !draws_again(node);
  if (has_answers) walk.answers = lappend(walk.answers, node);
  for_each_child(node, [&](const Child& child) {
    if (draws_once) walk.drawing = lappend(walk.drawing, child.node);
    if (has_answers && has_one_group(as<CustomScan>(node->plan))) {
      walk.one_group = lappend(walk.one_group, child.node);
    }
    visit(child.node, reads_below, walk);
  });
  for (const auto* below : list<SubPlanState>(node->subPlan)) {
    visit(below->planstate, is_asked_for(node, below->subplan, is_read), walk);
  }
  if (IsA(node, AggState)) consider(walk, as<AggState>(node), reads_below);
}

// The plan of a parallel worker is a part of one whose leader has charged for it.
bool is_part_of_parallel_plan(QueryDesc* query) {
  return IsParallelWorker() && query->dest && query->dest->mydest == DestTupleQueue;
}

AuditedCharge charge_of_call(const BoundCall& call, const Account& account) {
  const Loss cost = cost_of_call(call, account);
  return {account.id, cost.epsilon, cost.delta};
}

}  // namespace

void begin_statement(QueryDesc* query) {
  EState* state = query->estate;
  MemoryContext before = MemoryContextSwitchTo(state->es_query_cxt);
  CostReceiver* asked = cost_receiver(query);
  AuditRun* audit = audit_run(query);
  const bool runs = !is_only_explained(state);
  CallWalk walk{state,
                !runs && asked == nullptr,
                audit != nullptr,
                is_part_of_parallel_plan(query),
                nullptr,
                nullptr,
                NIL,
                NIL,
                NIL,
                NIL,
                NIL,
                NIL};
  // an audit compares answers, and would compare those to other values
  if (audit == nullptr) note_answered_values(query, walk.of_worker);
  approve(query, walk.of_worker);
  if (!walk.explain) refuse_reports_of_protected(query);
  if (query->plannedstmt->subplans != NIL) find_read_ctes(query->planstate, true, walk);
  visit(query->planstate, true, walk);
  if (walk.shipped != nullptr) {
    refuse_answers_of_worker(tables_of_query(state));
    refuse_shipped_calls(walk.shipped, state);
  }
  forget_remembered();  // what is charged is read anew
  if (walk.query != nullptr) {
    const bool is_leader = !walk.of_worker && !IsParallelWorker();
    List* unfinished =
        is_leader && audit == nullptr ? repeat_answers(*walk.query, walk.answers, runs) : NIL;
    if (audit != nullptr) {
      share_answers(*walk.query, walk.answers);
      begin_audit(*audit, *walk.query, query->planstate, charge_of_call);
    } else if (asked != nullptr) {
      asked->costs = costs_of(*walk.query);
    } else if (!walk.explain && !walk.of_worker) {
      charge_at_start(*walk.query);
      finish_answers(*walk.query, unfinished);
    }
    if (runs && query->plannedstmt->parallelModeNeeded && !IsParallelWorker()) {
      expect_travelling_files(state);
    }
    if (!runs || query->instrument_options != 0) explain_answers(*walk.query, walk.answers);
    for (auto* state : list<PlanState>(walk.query->reads_hidden_rows ? walk.answers : NIL)) {
      hide_below(state);
    }
    for (auto* state : list<PlanState>(walk.levels)) {
      hide_ctes(state, walk.query->read_below);
    }
    // an audit leaves out single rows
    const List* batched = runs && audit == nullptr ? walk.aggregations : NIL;
    for (auto* node : list<AggState>(batched)) {
      read_in_batches(node);
      repeat_rows(node);
    }
    for (auto* node : list<PlanState>(runs && audit == nullptr ? walk.drawing : NIL)) {
      group_remotely(node);
    }
    // What is computed of answers may take long, or call functions of the user: by then no answer
    // is left to draw that others may wait for.
    for (auto* state : list<PlanState>(walk.answers)) {
      if (!reads_answered_values(drawing_node(state))) draw_at_once(state);
    }
    for (auto* state : list<PlanState>(walk.answers)) draw_at_once(state);
  }
  MemoryContextSwitchTo(before);
}

namespace {

bool reads_protected(AggState* node) {
  return accounts_of_all(sources_of(node, false).relations) != NIL;
}

[[noreturn]] void refuse_unknown_call() {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("private answer of a protected table cannot be charged here")));
  pg_unreachable();
}

}  // namespace

void require_known_call(FunctionCallInfo fcinfo) {
  auto* node = as<AggState>(fcinfo->context);
  const Aggref* aggref = AggGetAggref(fcinfo);
  if (aggref != nullptr && find_bound_call(node, aggref) != nullptr) return;
  if (reads_protected(node)) refuse_unknown_call();
}

BoundCall* answering_call(FunctionCallInfo fcinfo) {
  if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return nullptr;
  if (fcinfo->flinfo->fn_extra == nullptr) {
    auto* node = as<AggState>(fcinfo->context);
    Aggref* aggref = AggGetAggref(fcinfo);
    BoundCall* call = aggref == nullptr ? nullptr : find_bound_call(node, aggref);
    const bool is_known = call != nullptr;
    if (!is_known) refuse_answers_of_worker(sources_of(node, false).relations);
    // A plan that did not start as a query does, such as the recheck of a row that was updated
    // meanwhile, or what the plan said is never executed: nothing was charged for it.
    if (is_known
            ? call->charge.is_idle && !call->charge.is_repeated
            : reads_protected(node) || (aggref && release_expression(node, aggref) != nullptr)) {
      refuse_unknown_call();
    }
    if (!is_known) {
      MemoryContext before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
      call = new_bound_call(node, aggref);
      MemoryContextSwitchTo(before);
    }
    fcinfo->flinfo->fn_extra = call;
  }
  return static_cast<BoundCall*>(fcinfo->flinfo->fn_extra);
}

void require_charged(BoundCall* call, const StateArgument& state) {
  if (!(call->request.spec == state.spec() &&
        std::ranges::equal(call->request.epsilon_span(), state.epsilons()))) {
    // A state that was brought along.
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("rows of %s were collected for other arguments", call->name)));
  }
}

}  // namespace idp
