#include "extension/input.h"

#include "extension/catalog_lookup.h"
#include "extension/plan_trace.h"

extern "C" {
#include "utils/ruleutils.h"
}

namespace idp {

namespace {

// --- which tables ---

Oid relation_of(PlanState* node, Index number) {
  const RangeTblEntry* entry = exec_rt_fetch(number, node->state);
  const bool is_table = entry->rtekind == RTE_RELATION || entry->rtekind == RTE_NAMEDTUPLESTORE;
  return is_table ? entry->relid : InvalidOid;
}

// Where the rows come from that a plan node gives, its children aside.
enum class RowSource { kChildren, kTable, kUnknown };

// Lists what is known; whatever else there is, or will be, may bring rows from anywhere.
RowSource row_source(Plan* plan) {
  switch (nodeTag(plan)) {
    case T_SeqScan:
    case T_SampleScan:
    case T_IndexScan:
    case T_IndexOnlyScan:
    case T_BitmapHeapScan:
    case T_TidScan:
    case T_TidRangeScan:
    case T_NamedTuplestoreScan:
      return RowSource::kTable;
    case T_ForeignScan:
    case T_CustomScan:  // of several tables at once, if it is of none
      return reinterpret_cast<Scan*>(plan)->scanrelid > 0 ? RowSource::kTable : RowSource::kUnknown;
    case T_Result:
    case T_ProjectSet:
    case T_ModifyTable:
    case T_Append:
    case T_MergeAppend:
    case T_RecursiveUnion:
    case T_BitmapAnd:
    case T_BitmapOr:
    case T_BitmapIndexScan:
    case T_SubqueryScan:
    case T_FunctionScan:  // of its arguments, as the next two
    case T_ValuesScan:
    case T_TableFuncScan:
    case T_CteScan:
    case T_NestLoop:
    case T_MergeJoin:
    case T_HashJoin:
    case T_Material:
    case T_Memoize:
    case T_Sort:
    case T_IncrementalSort:
    case T_Group:
    case T_Agg:
    case T_WindowAgg:
    case T_Unique:
    case T_Gather:
    case T_GatherMerge:
    case T_Hash:
    case T_SetOp:
    case T_LockRows:
    case T_Limit:
      return RowSource::kChildren;
    default:  // such as T_WorkTableScan: the rows of a recursive query so far
      return RowSource::kUnknown;
  }
}

// What is read below a node. A CTE hangs on some node as an initial plan, and is read by the nodes
// that scan it: it counts as often as that.
struct Collection {
  EState* state;
  bool of_worker;
  Sources sources;
  List* ctes;        // of PlanState: those met as initial plans
  PlanState* entry;  // the CTE that is entered from a scan
};

bool collect_relations(PlanState* node, void* context) {
  if (node == nullptr) return false;
  auto* collection = static_cast<Collection*>(context);
  if (node != collection->entry && list_member_ptr(collection->ctes, node)) return false;
  collection->entry = nullptr;
  const auto add = [&](Index number) {
    const Oid relation = relation_of(node, number);
    List*& relations = collection->sources.relations;
    if (OidIsValid(relation)) relations = lappend_oid(relations, relation);
  };
  switch (row_source(node->plan)) {
    case RowSource::kChildren:
      break;
    case RowSource::kTable:
      add(reinterpret_cast<Scan*>(node->plan)->scanrelid);
      break;
    case RowSource::kUnknown:
      collection->sources.complete = false;
      break;
  }
  ListCell* cell;
  if (IsA(node->plan, ModifyTable)) {
    foreach (cell, reinterpret_cast<ModifyTable*>(node->plan)->resultRelations) {
      add(static_cast<Index>(lfirst_int(cell)));
    }
  }
  foreach (cell, node->initPlan) {
    auto* plan = static_cast<SubPlanState*>(lfirst(cell));
    if (plan->subplan->subLinkType == CTE_SUBLINK) {
      collection->ctes = lappend(collection->ctes, plan->planstate);
    }
  }
  if (IsA(node, CteScanState)) {
    collection->entry = reinterpret_cast<CteScanState*>(node)->cteplanstate;
    (void)collect_relations(collection->entry, context);
  }
  return walk_plan_states(node, collect_relations, context);
}

void collect_parameters(Collection& collection, const Bitmapset* numbers);

// What is read for the value of a parameter. It is known if that is a subquery yet to be executed;
// an outer query and a nested loop set their parameters while rows are read.
void collect_parameter(Collection& collection, int number) {
  // Some carry no value, and only tell nodes that something has changed.
  const List* types = collection.state->es_plannedstmt->paramExecTypes;
  if (!OidIsValid(list_nth_oid(types, number))) return;
  auto* subquery =
      static_cast<SubPlanState*>(collection.state->es_param_exec_vals[number].execPlan);
  if (subquery != nullptr) {
    (void)collect_relations(subquery->planstate, &collection);
    collect_parameters(collection, subquery->planstate->plan->extParam);
  } else if (!collection.of_worker) {
    collection.sources.complete = false;
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
  if (IsA(node, Param) && reinterpret_cast<Param*>(node)->paramkind == PARAM_EXEC) {
    collect_parameter(*collection, reinterpret_cast<Param*>(node)->paramid);
  }
  if (IsA(node, SubPlan)) {
    const int plan = reinterpret_cast<SubPlan*>(node)->plan_id;
    auto* subquery =
        static_cast<PlanState*>(list_nth(collection->state->es_subplanstates, plan - 1));
    (void)collect_relations(subquery, context);
    collect_parameters(*collection, subquery->plan->extParam);
  }
  return walk_expression(node, collect_subqueries, context);
}

Oid root_of(Oid relation) {
  List* parents = parents_of(relation);
  return parents == NIL ? relation : root_of(linitial_oid(parents));
}

// The table that all are, or are parts of. A table that is read alone and is no partition is one by
// itself, though others may inherit from it or it from others.
Oid common_root(List* relations) {
  if (list_length(relations) == 1 && !get_rel_relispartition(linitial_oid(relations))) {
    return linitial_oid(relations);
  }
  Oid root = InvalidOid;
  ListCell* cell;
  foreach (cell, relations) {
    const Oid next = root_of(lfirst_oid(cell));
    if (foreach_current_index(cell) > 0 && next != root) return InvalidOid;
    root = next;
  }
  return root;
}

// --- one row each ---

constexpr char kOwnColumns[] =
    "Use constants, parameters of the query, and columns of the row itself.";
constexpr char kAnswerFirst[] =
    "Compute the private answers of the table by itself, in a subquery, and combine the answers.";
constexpr char kAllRows[] = "Say with WHERE, over columns of the row itself, which rows count.";
constexpr char kOnce[] =
    "Compute the private answer once, in a CTE that is MATERIALIZED, and join it.";

constexpr Problem kSubquery = {"a subquery", kOwnColumns};
constexpr Problem kParameter = {"a subquery, or a reference to an outer query", kOwnColumns};
constexpr Problem kSystemColumn = {"a system column", "Use the columns that the table declares."};
constexpr Problem kSequence = {"a sequence", kOwnColumns};
constexpr Problem kWindow = {
    "a window function",
    "Apply the private aggregate to the table, and window functions to its answers."};
constexpr Problem kUnsteady = {
    "a function whose value depends on more than its arguments",
    "Use functions that are IMMUTABLE, or stable ones of the server itself."};
constexpr Problem kUnionAll = {"UNION ALL",
                               "Ask for the answers of each table and combine the answers."};
constexpr Problem kSeveralTables = {"a join or UNION ALL of several tables", kAnswerFirst};
constexpr Problem kJoin = {"a join", kAnswerFirst};
constexpr Problem kLimit = {"LIMIT", kAllRows};
constexpr Problem kSample = {"TABLESAMPLE", kAllRows};
constexpr Problem kAggregate = {
    "another aggregate, or DISTINCT",
    "Apply the private aggregate to the table; dp_count_distinct counts different values."};
constexpr Problem kDistinct = {
    "DISTINCT",
    "Apply the private aggregate to the table; dp_count_distinct counts different values."};
constexpr Problem kSetOperation = {"INTERSECT or EXCEPT", kAllRows};
constexpr Problem kRecursion = {"a recursive query", kAnswerFirst};
constexpr Problem kSetReturning = {"a function that returns sets",
                                   "Apply the private aggregate to the rows of the table."};
constexpr Problem kNoTable = {"a list of values or the rows of a function",
                              "Apply the private aggregate to the rows of the table."};
constexpr Problem kForeignTable = {"a foreign table",
                                   "Protect the table, and ask, on the server that holds it."};
constexpr Problem kChanging = {
    "the rows of a statement that changes the table",
    "Change the table and ask for answers in two statements, outside triggers."};
constexpr Problem kForUpdate = {"FOR UPDATE", "Leave the locking clause out."};
constexpr Problem kUnknownPlan = {"a plan of an unknown kind", kAnswerFirst};
constexpr Problem kOuterValues = {"values of an outer query", kOnce};

bool find_problem(Node* node, void* context) {
  if (node == nullptr) return false;
  const auto found = [&](const Problem& problem) {
    *static_cast<const Problem**>(context) = &problem;
    return true;
  };
  switch (nodeTag(node)) {
    case T_SubPlan:
    case T_AlternativeSubPlan:
      return found(kSubquery);
    case T_Param:
      if (reinterpret_cast<Param*>(node)->paramkind == PARAM_EXTERN) return false;
      return found(kParameter);
    case T_Var:
      if (reinterpret_cast<Var*>(node)->varattno < 0) return found(kSystemColumn);
      return false;
    case T_NextValueExpr:
      return found(kSequence);
    case T_WindowFunc:
      return found(kWindow);
    default:
      if (check_functions_in_node(node, is_unsteady, nullptr)) {
        return found(kUnsteady);
      }
      return walk_expression(node, find_problem, context);
  }
}

const Problem* problem_of(PlanState* node);

const Problem* problem_of_children(PlanState** children, int count) {
  for (int i = 0; i < count; ++i) {
    const Plan* child = children[i]->plan;
    if (IsA(child, Result) && child->lefttree == nullptr) return &kUnionAll;
    if (const Problem* problem = problem_of(children[i])) return problem;
  }
  return nullptr;
}

const Problem* problem_of_bitmap(Plan* plan) {
  List* children = NIL;
  switch (nodeTag(plan)) {
    case T_BitmapIndexScan:
      return expression_problem(
          reinterpret_cast<Node*>(reinterpret_cast<BitmapIndexScan*>(plan)->indexqualorig));
    case T_BitmapAnd:
      children = reinterpret_cast<BitmapAnd*>(plan)->bitmapplans;
      break;
    case T_BitmapOr:
      children = reinterpret_cast<BitmapOr*>(plan)->bitmapplans;
      break;
    default:
      return &kUnknownPlan;
  }
  ListCell* cell;
  foreach (cell, children) {
    if (const Problem* problem = problem_of_bitmap(static_cast<Plan*>(lfirst(cell))))
      return problem;
  }
  return nullptr;
}

const Problem* first(const Problem* a, const Problem* b) { return a ? a : b; }

const Problem* problem_in(List* expressions) {
  return expression_problem(reinterpret_cast<Node*>(expressions));
}

// The node itself and what is below it, its own target list and condition aside.
const Problem* problem_of_kind(PlanState* node) {
  Plan* plan = node->plan;
  switch (nodeTag(plan)) {
    case T_SeqScan:
      return nullptr;
    case T_IndexScan: {
      const auto* scan = reinterpret_cast<IndexScan*>(plan);
      return first(problem_in(scan->indexqualorig), problem_in(scan->indexorderbyorig));
    }
    case T_IndexOnlyScan: {
      const auto* scan = reinterpret_cast<IndexOnlyScan*>(plan);
      return first(problem_in(scan->indexqual), problem_in(scan->indexorderby));
    }
    case T_BitmapHeapScan:
      return first(problem_in(reinterpret_cast<BitmapHeapScan*>(plan)->bitmapqualorig),
                   problem_of_bitmap(plan->lefttree));
    case T_Append: {
      const auto* append = reinterpret_cast<AppendState*>(node);
      return problem_of_children(append->appendplans, append->as_nplans);
    }
    case T_MergeAppend: {
      const auto* append = reinterpret_cast<MergeAppendState*>(node);
      return problem_of_children(append->mergeplans, append->ms_nplans);
    }
    case T_SubqueryScan:
      return problem_of(reinterpret_cast<SubqueryScanState*>(node)->subplan);
    case T_CteScan:
      return problem_of(reinterpret_cast<CteScanState*>(node)->cteplanstate);
    case T_Result:
      if (outerPlanState(node) == nullptr) return nullptr;
      return first(expression_problem(reinterpret_cast<Result*>(plan)->resconstantqual),
                   problem_of(outerPlanState(node)));
    case T_Sort:
    case T_IncrementalSort:
    case T_Material:
    case T_Gather:
    case T_GatherMerge:
      return problem_of(outerPlanState(node));
    case T_Agg:
      if (DO_AGGSPLIT_SKIPFINAL(reinterpret_cast<Agg*>(plan)->aggsplit)) {
        return problem_of(outerPlanState(node));
      }
      return &kAggregate;
    case T_NestLoop:
    case T_MergeJoin:
    case T_HashJoin:
      return &kJoin;
    case T_Limit:
      return &kLimit;
    case T_SampleScan:
      return &kSample;
    case T_WindowAgg:
      return &kWindow;
    case T_Unique:
    case T_Group:
      return &kDistinct;
    case T_SetOp:
      return &kSetOperation;
    case T_RecursiveUnion:
    case T_WorkTableScan:
      return &kRecursion;
    case T_ProjectSet:
      return &kSetReturning;
    case T_FunctionScan:
    case T_ValuesScan:
    case T_TableFuncScan:
      return &kNoTable;
    case T_TidScan:
    case T_TidRangeScan:
      return &kSystemColumn;
    case T_ForeignScan:
      return &kForeignTable;
    case T_ModifyTable:
    case T_NamedTuplestoreScan:
      return &kChanging;
    case T_LockRows:
      return &kForUpdate;
    default:
      return &kUnknownPlan;
  }
}

const Problem* problem_of(PlanState* node) {
  return first(problem_of_kind(node),
               first(problem_in(node->plan->targetlist), problem_in(node->plan->qual)));
}

const Problem* problem_of_tables(const Input& input) {
  if (!OidIsValid(input.root)) return &kSeveralTables;
  List* seen = NIL;
  ListCell* cell;
  foreach (cell, input.relations) {
    if (list_member_oid(seen, lfirst_oid(cell))) return &kUnionAll;
    seen = lappend_oid(seen, lfirst_oid(cell));
  }
  return nullptr;
}

bool move_to_first(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    auto* column = reinterpret_cast<Var*>(node);
    column->varno = 1;
    column->varnosyn = 1;
    column->varattnosyn = column->varattno;
  }
  return walk_expression(node, move_to_first, nullptr);
}

bool find_table_column(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    *static_cast<const Var**>(context) = reinterpret_cast<Var*>(node);
    return true;
  }
  return walk_expression(node, find_table_column, context);
}

}  // namespace

List* tables_of_query(EState* state) {
  List* tables = NIL;
  ListCell* cell;
  foreach (cell, state->es_range_table) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (OidIsValid(entry->relid)) tables = lappend_oid(tables, entry->relid);
  }
  return tables;
}

const Problem* expression_problem(Node* expression) {
  const Problem* problem = nullptr;
  (void)find_problem(expression, &problem);
  return problem;
}

Sources sources_of(AggState* node, bool of_worker) {
  Collection collection{node->ss.ps.state, of_worker, {}, NIL, nullptr};
  (void)collect_relations(outerPlanState(node), &collection);
  collect_parameters(collection, outerPlanState(node)->plan->extParam);
  ListCell* cell;
  foreach (cell, node->aggs) {
    auto* aggref = static_cast<Aggref*>(lfirst(cell));
    (void)collect_subqueries(reinterpret_cast<Node*>(aggref->args), &collection);
    (void)collect_subqueries(reinterpret_cast<Node*>(aggref->aggfilter), &collection);
  }
  Sources& sources = collection.sources;
  if (!sources.complete) {
    sources.relations = list_concat(sources.relations, tables_of_query(collection.state));
  }
  return sources;
}

Input input_of(AggState* node, const Sources& sources) {
  Input input;
  input.relations = sources.relations;
  if (sources.complete) input.root = common_root(input.relations);
  input.problem = first(problem_of(outerPlanState(node)),
                        sources.complete ? problem_of_tables(input) : &kOuterValues);
  return input;
}

char* column_text(AggState* node, Aggref* aggref, const Input& input, bool has_column) {
  if (!has_column) return pstrdup("");
  const auto* entry = static_cast<TargetEntry*>(linitial(aggref->args));
  Node* expression = base_expression(reinterpret_cast<Node*>(entry->expr), &node->ss.ps);
  const Var* column = nullptr;
  (void)find_table_column(expression, &column);
  if (column == nullptr || IS_SPECIAL_VARNO(column->varno) || !OidIsValid(input.root)) {
    return pstrdup("(expression)");
  }
  const Oid table = exec_rt_fetch(static_cast<Index>(column->varno), node->ss.ps.state)->relid;
  if (!OidIsValid(table)) return pstrdup("(expression)");
  expression = static_cast<Node*>(copyObjectImpl(expression));
  (void)move_to_first(expression, nullptr);
  return deparse_expression(expression, deparse_context_for(get_rel_name(table), table), false,
                            false);
}

}  // namespace idp
