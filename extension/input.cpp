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

bool is_scan(Plan* plan) {
  switch (nodeTag(plan)) {
    case T_SeqScan:
    case T_SampleScan:
    case T_IndexScan:
    case T_IndexOnlyScan:
    case T_BitmapHeapScan:
    case T_TidScan:
    case T_TidRangeScan:
    case T_NamedTuplestoreScan:
    case T_ForeignScan:
    case T_CustomScan:
      return reinterpret_cast<Scan*>(plan)->scanrelid > 0;
    default:
      return false;
  }
}

// What is read below a node. A CTE hangs on some node as an initial plan, and is read by the nodes
// that scan it: it counts as often as that.
struct Collection {
  EState* state;
  List* relations;
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
    if (OidIsValid(relation)) collection->relations = lappend_oid(collection->relations, relation);
  };
  ListCell* cell;
  if (is_scan(node->plan)) add(reinterpret_cast<Scan*>(node->plan)->scanrelid);
  if (IsA(node->plan, ModifyTable)) {
    foreach (cell, reinterpret_cast<ModifyTable*>(node->plan)->resultRelations) {
      add(static_cast<Index>(lfirst_int(cell)));
    }
  }
  if (IsA(node->plan, ForeignScan)) {  // a join that is done elsewhere
    int number = -1;
    while ((number = bms_next_member(reinterpret_cast<ForeignScan*>(node->plan)->fs_relids,
                                     number)) >= 0) {
      add(static_cast<Index>(number));
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

// What is read to compute a parameter, if that is a subquery that is yet to be executed.
void collect_parameter(Collection& collection, int number) {
  auto* subquery =
      static_cast<SubPlanState*>(collection.state->es_param_exec_vals[number].execPlan);
  if (subquery != nullptr) (void)collect_relations(subquery->planstate, &collection);
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
    (void)collect_relations(
        static_cast<PlanState*>(list_nth(collection->state->es_subplanstates, plan - 1)), context);
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

bool find_problem(Node* node, void* context) {
  if (node == nullptr) return false;
  const auto found = [&](const char* problem) {
    *static_cast<const char**>(context) = problem;
    return true;
  };
  switch (nodeTag(node)) {
    case T_SubPlan:
    case T_AlternativeSubPlan:
      return found("a subquery");
    case T_Param:
      if (reinterpret_cast<Param*>(node)->paramkind == PARAM_EXTERN) return false;
      return found("a subquery, or a reference to an outer query");
    case T_Var:
      if (reinterpret_cast<Var*>(node)->varattno < 0) return found("a system column");
      return false;
    case T_NextValueExpr:
      return found("a sequence");
    case T_WindowFunc:
      return found("a window function");
    default:
      if (check_functions_in_node(node, is_unsteady, nullptr)) {
        return found("a function whose value depends on more than its arguments");
      }
      return walk_expression(node, find_problem, context);
  }
}

const char* problem_of(PlanState* node);

const char* problem_of_children(PlanState** children, int count) {
  for (int i = 0; i < count; ++i) {
    const Plan* child = children[i]->plan;
    if (IsA(child, Result) && child->lefttree == nullptr) return "UNION ALL";
    if (const char* problem = problem_of(children[i])) return problem;
  }
  return nullptr;
}

const char* problem_of_bitmap(Plan* plan) {
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
      return "a plan of an unknown kind";
  }
  ListCell* cell;
  foreach (cell, children) {
    if (const char* problem = problem_of_bitmap(static_cast<Plan*>(lfirst(cell)))) return problem;
  }
  return nullptr;
}

const char* first(const char* a, const char* b) { return a ? a : b; }

const char* problem_in(List* expressions) {
  return expression_problem(reinterpret_cast<Node*>(expressions));
}

// The node itself and what is below it, its own target list and condition aside.
const char* problem_of_kind(PlanState* node) {
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
      return "another aggregate, or DISTINCT";
    case T_NestLoop:
    case T_MergeJoin:
    case T_HashJoin:
      return "a join";
    case T_Limit:
      return "LIMIT";
    case T_SampleScan:
      return "TABLESAMPLE";
    case T_WindowAgg:
      return "a window function";
    case T_Unique:
    case T_Group:
      return "DISTINCT";
    case T_SetOp:
      return "INTERSECT or EXCEPT";
    case T_RecursiveUnion:
    case T_WorkTableScan:
      return "a recursive query";
    case T_ProjectSet:
      return "a function that returns sets";
    case T_TidScan:
    case T_TidRangeScan:
      return "a system column";
    case T_ForeignScan:
      return "a foreign table";
    case T_ModifyTable:
    case T_NamedTuplestoreScan:
      return "the rows of a statement that changes the table";
    case T_LockRows:
      return "FOR UPDATE";
    default:
      return "a plan of an unknown kind";
  }
}

const char* problem_of(PlanState* node) {
  return first(problem_of_kind(node),
               first(problem_in(node->plan->targetlist), problem_in(node->plan->qual)));
}

const char* problem_of_tables(const Input& input) {
  if (!OidIsValid(input.root)) return "a join or UNION ALL of several tables";
  List* seen = NIL;
  ListCell* cell;
  foreach (cell, input.relations) {
    if (list_member_oid(seen, lfirst_oid(cell))) return "UNION ALL";
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

const char* expression_problem(Node* expression) {
  const char* problem = nullptr;
  (void)find_problem(expression, &problem);
  return problem;
}

List* relations_below(AggState* node) {
  Collection collection{node->ss.ps.state, NIL, NIL, nullptr};
  (void)collect_relations(outerPlanState(node), &collection);
  int number = -1;
  while ((number = bms_next_member(outerPlanState(node)->plan->allParam, number)) >= 0) {
    collect_parameter(collection, number);
  }
  ListCell* cell;
  foreach (cell, node->aggs) {
    auto* aggref = static_cast<Aggref*>(lfirst(cell));
    (void)collect_subqueries(reinterpret_cast<Node*>(aggref->args), &collection);
    (void)collect_subqueries(reinterpret_cast<Node*>(aggref->aggfilter), &collection);
  }
  return collection.relations;
}

Input input_of(AggState* node) {
  Input input;
  input.relations = relations_below(node);
  input.root = common_root(input.relations);
  input.problem = first(problem_of(outerPlanState(node)), problem_of_tables(input));
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
