// What the checks have to know of a plan node, one row per kind of node. They walk plans for
// several purposes (where the rows of an aggregate come from, whether each is one row of a table),
// and agree because they ask here.
//
// A kind that has no row, or will be invented, is unknown: its rows may come from anywhere, and
// they are not simply those of a table.
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>

#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/plan/problem.h"
#include "extension/plan/remote_plan.h"

namespace idp {

// Where the rows come from that a node gives.
enum class RowSource : std::uint8_t {
  kChildren,  // from its children and from the values of its own expressions alone
  kTable,     // from the table it scans
  kUnknown,
};

// What the columns in a node's expressions name.
enum class ColumnSource : std::uint8_t {
  kOwn,      // columns of the table or the function it scans
  kChild,    // output columns of the node below, or of the CTE it reads
  kMembers,  // output columns of each of several
  kSides,    // output columns of one side of a join
};

// Whether a node does what the query says, so that what is known of that is known of its rows
// (extension/query).
enum class Effect : std::uint8_t {
  kAsked,
  kUnknown,
};

struct NodeRule {
  NodeTag plan;
  RowSource source;
  ColumnSource columns;
  Effect effect;
  // Why its rows are not simply those of a child or a table, each once, whatever the others hold;
  // null if they are.
  const Problem* problem;
};

const NodeRule& rule_of(const Plan* plan);

// Of a node that reads an index: null if that is of a kind that gives all rows that fit its
// conditions. Those of other extensions may give those it finds soon enough, or nearly.
const Problem* problem_of_index(const Plan* plan);

// The plans below whose output a column in an expression of a node is: the members of an Append, or
// one. Empty if the column is one of a table, or nothing is known of it. subplans: of the
// statement.
List* plans_behind(const Plan* plan, const Var* column, const List* subplans);

// The plans below beside the outer and the inner one.
List* further_plans(const Plan* plan);

// Whether a plan gives other rows for each row of an outer plan, as far as the executor has set the
// query up.
bool depends_on_outer_rows(const Plan* plan, const EState* state);

// Whether a node puts NULL in place of what comes from below.
bool may_put_null(const Plan* plan);

// Where a node stands among the children of another.
enum class Role : std::uint8_t {
  kOuter,
  kInner,
  kMember,    // one of several whose rows come one after the other
  kSubquery,  // of a subquery scan
};

struct Child {
  PlanState* node;
  Role role;
  int position;  // of a member
};

// Calls visit(Child) for each child that is executed with the node: not for subqueries in
// expressions, initial plans and CTEs, which hang on nodes without being their children.
template <class Visit>
void for_each_child(PlanState* node, Visit visit) {
  const auto members = [&](PlanState** children, int count) {
    for (int i = 0; i < count; ++i) visit(Child{children[i], Role::kMember, i});
  };
  switch (nodeTag(node)) {
    case T_AppendState: {
      auto* append = as<AppendState>(node);
      return members(append->appendplans, append->as_nplans);
    }
    case T_MergeAppendState: {
      auto* append = as<MergeAppendState>(node);
      return members(append->mergeplans, append->ms_nplans);
    }
    case T_BitmapAndState: {
      auto* both = as<BitmapAndState>(node);
      return members(both->bitmapplans, both->nplans);
    }
    case T_BitmapOrState: {
      auto* either = as<BitmapOrState>(node);
      return members(either->bitmapplans, either->nplans);
    }
    case T_SubqueryScanState:
      return visit(Child{as<SubqueryScanState>(node)->subplan, Role::kSubquery, 0});
    case T_CustomScanState: {
      const List* children = as<CustomScanState>(node)->custom_ps;
      for (int i = 0; i < list_length(children); ++i) {
        visit(Child{static_cast<PlanState*>(list_nth(children, i)), Role::kMember, i});
      }
      return;
    }
    default:
      if (outerPlanState(node)) visit(Child{outerPlanState(node), Role::kOuter, 0});
      if (innerPlanState(node)) visit(Child{innerPlanState(node), Role::kInner, 0});
  }
}

// By what an Append or a MergeAppend leaves members out; null if by nothing, and of other nodes.
PartitionPruneInfo* pruning_of(const Plan* plan, const PlannedStmt* statement);

// Calls visit(PartitionedRelPruneInfo*) for each partitioned table whose partitions a node may
// leave out.
template <class Visit>
void for_each_pruning(const Plan* plan, const PlannedStmt* statement, Visit visit) {
  const PartitionPruneInfo* pruning = pruning_of(plan, statement);
  if (pruning == nullptr) return;
  for (auto* inner_list : idp::list<List>(pruning->prune_infos)) {
    for (auto* info : idp::list<PartitionedRelPruneInfo>(inner_list)) {
      visit(info);
    }
  }
}

// Calls visit(List*&) for an expression that is no list by its type.
template <class Visit, class Expression>
void visit_as_list(Visit& visit, Expression*& expression) {
  auto* list = reinterpret_cast<List*>(expression);
  visit(list);
  expression = reinterpret_cast<Expression*>(list);
}

// Calls visit(List*&) for each list of what a node evaluates beside its target list, its condition
// and its aggregates, at whatever time. Every kind that may stand below a private aggregate of
// hidden rows is here, with all that the server's set_plan_refs() finds in it; false for others, of
// which nothing is known.
template <class Visit>
bool for_each_further_list(Plan* plan, const PlannedStmt* statement, Visit visit) {
  const auto visit_steps = [&](List* steps) {
    ListCell* cell;
    foreach (cell, steps) {
      if (!IsA(lfirst(cell), PartitionPruneStepOp)) continue;
      visit(static_cast<PartitionPruneStepOp*>(lfirst(cell))->exprs);
    }
  };
  switch (nodeTag(plan)) {
    case T_SeqScan:
    case T_SubqueryScan:
    case T_CteScan:
    case T_BitmapAnd:
    case T_BitmapOr:
    case T_Sort:
    case T_IncrementalSort:
    case T_Material:
    case T_Gather:
    case T_GatherMerge:
    case T_Agg:
    case T_Group:
    case T_Unique:
    case T_SetOp:
    case T_ProjectSet:
      return true;
    case T_IndexScan: {
      auto* scan = as<IndexScan>(plan);
      visit(scan->indexqual);
      visit(scan->indexqualorig);
      visit(scan->indexorderby);
      visit(scan->indexorderbyorig);
      return true;
    }
    case T_IndexOnlyScan: {
      auto* scan = as<IndexOnlyScan>(plan);
      visit(scan->indexqual);
      visit(scan->recheckqual);
      visit(scan->indexorderby);
      return true;
    }
    case T_BitmapIndexScan: {
      auto* scan = as<BitmapIndexScan>(plan);
      visit(scan->indexqual);
      visit(scan->indexqualorig);
      return true;
    }
    case T_BitmapHeapScan:
      visit(as<BitmapHeapScan>(plan)->bitmapqualorig);
      return true;
    case T_TidScan:
      visit(as<TidScan>(plan)->tidquals);
      return true;
    case T_TidRangeScan:
      visit(as<TidRangeScan>(plan)->tidrangequals);
      return true;
    case T_SampleScan: {
      TableSampleClause* sample = as<SampleScan>(plan)->tablesample;
      visit(sample->args);
      visit_as_list(visit, sample->repeatable);
      return true;
    }
    case T_Append:
    case T_MergeAppend:
      for_each_pruning(plan, statement, [&](const PartitionedRelPruneInfo* pruning) {
        visit_steps(pruning->initial_pruning_steps);
        visit_steps(pruning->exec_pruning_steps);
      });
      return true;
    case T_Result:
      visit_as_list(visit, as<Result>(plan)->resconstantqual);
      return true;
    case T_NestLoop: {
      visit(as<Join>(plan)->joinqual);
      for (auto* param : idp::list<NestLoopParam>(as<NestLoop>(plan)->nestParams)) {
        visit_as_list(visit, param->paramval);
      }
      return true;
    }
    case T_HashJoin:
      visit(as<Join>(plan)->joinqual);
      visit(as<HashJoin>(plan)->hashclauses);
      visit(as<HashJoin>(plan)->hashkeys);
      return true;
    case T_MergeJoin:
      visit(as<Join>(plan)->joinqual);
      visit(as<MergeJoin>(plan)->mergeclauses);
      return true;
    case T_Hash:
      visit(as<Hash>(plan)->hashkeys);
      return true;
    case T_Memoize:
      visit(as<Memoize>(plan)->param_exprs);
      return true;
    case T_WindowAgg: {
      auto* windows = as<WindowAgg>(plan);
      visit_as_list(visit, windows->startOffset);
      visit_as_list(visit, windows->endOffset);
      for_each_run_condition(windows, visit);
      return true;
    }
    case T_Limit:
      visit_as_list(visit, as<Limit>(plan)->limitCount);
      visit_as_list(visit, as<Limit>(plan)->limitOffset);
      return true;
    case T_ValuesScan:
      visit(as<ValuesScan>(plan)->values_lists);
      return true;
    case T_FunctionScan: {
      for (auto* function : idp::list<RangeTblFunction>(as<FunctionScan>(plan)->functions)) {
        visit_as_list(visit, function->funcexpr);
      }
      return true;
    }
    case T_CustomScan:
      return is_remote_rows(plan);
    default:
      return false;
  }
}

// These, as a list of lists.
List* further_expressions(const Plan* plan, const PlannedStmt* statement);

// By what a node compares rows to put or keep them in order. Of nodes without a problem only.
struct Order {
  int columns = 0;
  const Oid* operators = nullptr;
  const Oid* collations = nullptr;
};
Order order_of(const Plan* plan);

}  // namespace idp
