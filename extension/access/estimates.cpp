#include "extension/access/estimates.h"

#include "extension/access/refusal.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/node_rules.h"
#include "extension/query/level.h"

extern "C" {
#include "jit/jit.h"
#include "utils/selfuncs.h"
}

namespace idp {

namespace {

// --- expressions: what a subquery in them costs ---

bool mask_subqueries(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), mask_subqueries, context);
  if (IsA(node, SubPlan)) {
    auto* subquery = as<SubPlan>(node);
    subquery->startup_cost = 0;
    subquery->per_call_cost = 0;
  }
  return walk_expression(node, mask_subqueries, context);
}

template <class Expression>
void mask_expression(Expression* expression) {
  (void)mask_subqueries(as<Node>(expression), nullptr);
}

template <class... Expressions>
void mask_expressions(Expressions*... expressions) {
  (mask_expression(expressions), ...);
}

void mask_change(const ModifyTable* plan) {
  mask_expressions(plan->withCheckOptionLists, plan->returningLists, plan->onConflictSet,
                   plan->onConflictWhere, plan->exclRelTlist);
  for_each_merge_list(plan, [](List* list) { mask_expression(list); });
}

// What a node of answers carries of the query.
void mask_level(const Level& level) {
  check_stack_depth();
  if (!level.is_known()) return;
  mask_expression(const_cast<Query*>(level.query()));
  for (int i = 1; i <= level.relations(); ++i) {
    mask_level(level.below(i));
    for (int k = 0; k < level.members(i); ++k) {
      mask_expression(const_cast<List*>(level.member(i, k).columns));
    }
    for (int k = 0; k < level.parameters(i); ++k) {
      mask_expression(const_cast<Node*>(level.parameter(i, k).value));
    }
  }
}

// --- nodes ---

// What the planner takes where it knows nothing. The executor only sizes hash tables by it.
constexpr int kGroups = DEFAULT_NUM_DISTINCT;

class Mask {
 public:
  // table: the one of a message.
  Mask(const PlannedStmt* statement, Oid table) : statement_(statement), table_(table) {}

  void plan(Plan* plan) {
    if (plan == nullptr) return;
    check_stack_depth();
    plan->startup_cost = 0;
    plan->total_cost = 0;
    plan->plan_rows = 0;
    plan->plan_width = 0;
    if (has_subqueries()) {
      mask_expressions(plan->targetlist, plan->qual, plan->initPlan,
                       further_expressions(plan, statement_));
    }
    rest(plan);
    this->plan(plan->lefttree);
    this->plan(plan->righttree);
    plans(further_plans(plan));
  }

  void plans(const List* plans) {
    for (auto* each : idp::list<Plan>(plans)) plan(each);
  }

 private:
  // The plans of those that stand in expressions are in one list.
  bool has_subqueries() const { return statement_->subplans != NIL; }

  // What nodes of its kind have beside that. A kind that is not here may have anything.
  void rest(Plan* plan) {
    switch (nodeTag(plan)) {
      case T_Result:
      case T_ProjectSet:
      case T_BitmapAnd:
      case T_BitmapOr:
      case T_SeqScan:
      case T_SampleScan:
      case T_TidScan:
      case T_TidRangeScan:
      case T_IndexScan:
      case T_IndexOnlyScan:
      case T_BitmapIndexScan:
      case T_BitmapHeapScan:
      case T_SubqueryScan:
      case T_FunctionScan:
      case T_ValuesScan:
      case T_CteScan:
      case T_NamedTuplestoreScan:
      case T_WorkTableScan:
      case T_Append:
      case T_MergeAppend:
      case T_NestLoop:
      case T_MergeJoin:
      case T_HashJoin:
      case T_WindowAgg:
      case T_Material:
      case T_Sort:
      case T_IncrementalSort:
      case T_Group:
      case T_Unique:
      case T_Gather:
      case T_GatherMerge:
      case T_LockRows:
      case T_Limit:
        return;
      case T_ModifyTable:
        return mask_change(as<ModifyTable>(plan));
      case T_RecursiveUnion:
        as<RecursiveUnion>(plan)->numGroups = kGroups;
        return;
      case T_TableFuncScan:
        return mask_expression(as<TableFuncScan>(plan)->tablefunc);
      case T_ForeignScan: {
        if (rule_of(plan).source == RowSource::kUnknown) refuse_unknown_plan(table_);
        const auto* scan = as<ForeignScan>(plan);
        return mask_expressions(scan->fdw_exprs, scan->fdw_scan_tlist, scan->fdw_recheck_quals);
      }
      case T_CustomScan: {
        if (rule_of(plan).source == RowSource::kUnknown) refuse_unknown_plan(table_);
        const auto* scan = as<CustomScan>(plan);
        if (!has_subqueries()) return;
        if (is_answers(plan)) mask_level(Level(asking_level(scan)));
        return mask_expressions(scan->custom_exprs, scan->custom_scan_tlist);
      }
      case T_Memoize:
        return forget_estimates(as<Memoize>(plan));
      case T_Agg: {
        auto* aggregate = as<Agg>(plan);
        aggregate->numGroups = kGroups;
        aggregate->transitionSpace = 0;
        return plans(aggregate->chain);
      }
      case T_Hash:
        as<Hash>(plan)->rows_total = 0;
        return;
      case T_SetOp:
        as<SetOp>(plan)->numGroups = kGroups;
        return;
      default:
        refuse_unknown_plan(table_);
    }
  }

  const PlannedStmt* statement_;
  Oid table_;
};

}  // namespace

void mask_estimates(PlannedStmt* statement, Oid table) {
  Mask mask(statement, table);
  mask.plan(statement->planTree);
  mask.plans(statement->subplans);
  // Whether to compile follows from the cost. And it is done with the first row that meets an
  // expression, which messages tell of, and the time.
  statement->jitFlags = PGJIT_NONE;
}

}  // namespace idp
