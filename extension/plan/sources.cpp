#include "extension/plan/sources.h"

#include "extension/pg/nodes.h"
#include "extension/plan/certain.h"
#include "extension/plan/node_rules.h"
#include "extension/state/running_query.h"

extern "C" {
#include "catalog/pg_inherits.h"
}

namespace idp {

namespace {

constexpr Problem kOuterValues = {
    "values of an outer query",
    "Compute the private answer once, in a CTE that is MATERIALIZED, and join it.",
    "compute it in a materialized CTE"};
constexpr Problem kUncertainPartitions = {
    "partitions that are chosen by more than constants, while processes work in parallel",
    "SET max_parallel_workers_per_gather = 0, or give the values as constants or parameters.",
    "choose them by constants"};

// The tables whose rows an entry of the range table stands for. A transition table is that of a
// trigger's table, and has the changed rows of its partitions and children.
List* tables_of(const RangeTblEntry* entry) {
  if (!OidIsValid(entry->relid)) return NIL;
  return entry->rtekind == RTE_NAMEDTUPLESTORE
             ? find_all_inheritors(entry->relid, AccessShareLock, nullptr)
             : list_make1_oid(entry->relid);
}

// What is read below a node. A CTE hangs on some node as an initial plan, and is read by the nodes
// that scan it: it counts as often as that, up to twice.
struct Collection {
  EState* state;
  bool of_worker;
  Sources sources;
  List* ctes;        // of PlanState: those met as initial plans
  PlanState* entry;  // the CTE that is entered from a scan
  List* entered;     // of PlanState: CTEs and subqueries that were walked
  List* entered_twice;
};

// Whether to walk a CTE or a subquery that was reached. What can be reached in several ways is
// walked twice, whatever stands between: there are 2^n ways through n CTEs that read one another
// twice.
bool enter(Collection* collection, PlanState* plan) {
  CHECK_FOR_INTERRUPTS();
  if (list_member_ptr(collection->entered_twice, plan)) return false;
  List*& met =
      list_member_ptr(collection->entered, plan) ? collection->entered_twice : collection->entered;
  met = lappend(met, plan);
  return true;
}

bool collect_relations(PlanState* node, void* context) {
  if (node == nullptr) return false;
  check_stack_depth();
  auto* collection = static_cast<Collection*>(context);
  if (node != collection->entry && list_member_ptr(collection->ctes, node)) return false;
  collection->entry = nullptr;
  const auto add = [&](Index number) {
    List*& relations = collection->sources.relations;
    relations = list_concat(relations, tables_of(exec_rt_fetch(number, node->state)));
  };
  switch (rule_of(node->plan).source) {
    case RowSource::kChildren:
      break;
    case RowSource::kTable:
      add(as<Scan>(node->plan)->scanrelid);
      break;
    case RowSource::kUnknown:
      collection->sources.unknown = &kOuterValues;
      break;
  }
  // Each worker chooses among the partitions anew.
  const bool in_parallel = node->state->es_plannedstmt->parallelModeNeeded;
  if (in_parallel && !collection->of_worker && !has_certain_members(node)) {
    collection->sources.unknown = &kUncertainPartitions;
  }
  if (IsA(node->plan, ModifyTable)) {
    for (const int number : ints(as<ModifyTable>(node->plan)->resultRelations)) {
      add(static_cast<Index>(number));
    }
  }
  for (auto* plan : list<SubPlanState>(node->initPlan)) {
    if (plan->subplan->subLinkType == CTE_SUBLINK) {
      collection->ctes = lappend(collection->ctes, plan->planstate);
    }
  }
  if (IsA(node, CteScanState) && enter(collection, as<CteScanState>(node)->cteplanstate)) {
    collection->entry = as<CteScanState>(node)->cteplanstate;
    (void)collect_relations(collection->entry, context);
  }
  return walk_plan_states(node, collect_relations, context);
}

void collect_parameters(Collection& collection, const Bitmapset* numbers);

// What is read for the value of a parameter. It is known if that is a subquery yet to be executed;
// an outer query and a nested loop set their parameters while rows are read.
void collect_parameter(Collection& collection, int number) {
  if (bms_is_member(number, answered_values_of(collection.state))) return;
  // Some carry no value, and only tell nodes that something has changed.
  const List* types = collection.state->es_plannedstmt->paramExecTypes;
  if (!OidIsValid(list_nth_oid(types, number))) return;
  auto* subquery =
      static_cast<SubPlanState*>(collection.state->es_param_exec_vals[number].execPlan);
  if (subquery != nullptr) {
    if (!enter(&collection, subquery->planstate)) return;
    (void)collect_relations(subquery->planstate, &collection);
    collect_parameters(collection, subquery->planstate->plan->extParam);
  } else if (!collection.of_worker) {
    collection.sources.unknown = &kOuterValues;
  }
}

void collect_parameters(Collection& collection, const Bitmapset* numbers) {
  int number = -1;
  while ((number = bms_next_member(numbers, number)) >= 0) collect_parameter(collection, number);
}

// Subqueries in the arguments of an aggregate hang on its own plan node, beside those of HAVING.
bool collect_subqueries(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* collection = static_cast<Collection*>(context);
  if (IsA(node, Param) && as<Param>(node)->paramkind == PARAM_EXEC) {
    collect_parameter(*collection, as<Param>(node)->paramid);
  }
  if (IsA(node, SubPlan)) {
    const int plan = as<SubPlan>(node)->plan_id;
    auto* subquery =
        static_cast<PlanState*>(list_nth(collection->state->es_subplanstates, plan - 1));
    if (enter(collection, subquery)) {
      (void)collect_relations(subquery, context);
      collect_parameters(*collection, subquery->plan->extParam);
    }
  }
  return walk_expression(node, collect_subqueries, context);
}

}  // namespace

List* tables_of_query(EState* state) {
  List* tables = NIL;
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    tables = list_concat(tables, tables_of(entry));
  }
  return tables;
}

Sources sources_of(AggState* node, bool of_worker) {
  Collection collection{node->ss.ps.state, of_worker, {}, NIL, nullptr, NIL, NIL};
  (void)collect_relations(outerPlanState(node), &collection);
  collect_parameters(collection, outerPlanState(node)->plan->extParam);
  for (auto* aggref : list<Aggref>(node->aggs)) {
    (void)collect_subqueries(as<Node>(aggref->args), &collection);
    (void)collect_subqueries(as<Node>(aggref->aggfilter), &collection);
  }
  Sources& sources = collection.sources;
  if (sources.unknown != nullptr) {
    sources.relations = list_concat(sources.relations, tables_of_query(collection.state));
  }
  return sources;
}

}  // namespace idp
