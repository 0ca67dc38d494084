// What the checks have to know of a plan node, one row per kind of node. They walk plans for
// several purposes (where the rows of an aggregate come from, whether each is one row of a table,
// how often an answer would be drawn), and agree because they ask here.
//
// A kind that has no row, or will be invented, is unknown: its rows may come from anywhere, they
// are not simply those of a table, and what is below may be executed any number of times.
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>

#include "extension/plan/problem.h"

namespace idp {

// Where the rows come from that a node gives.
enum class RowSource : std::uint8_t {
  kChildren,  // from its children and from the values of its own expressions alone
  kTable,     // from the table it scans
  kUnknown,
};

// How often the children of a node are executed in one execution of it.
enum class Repeats : std::uint8_t {
  kOnce,
  kInnerRepeated,  // the outer one once, the inner one for each of its rows
  kByProcesses,    // once by each process of a parallel plan
  kKept,           // once, if their rows can be kept: then also in several executions of the node
  kRepeated,       // any number of times
};

// What the columns in a node's expressions name.
enum class ColumnSource : std::uint8_t {
  kOwn,      // columns of the table or the function it scans
  kChild,    // output columns of the node below, or of the CTE it reads
  kMembers,  // output columns of each of several
  kSides,    // output columns of one side of a join
};

// What a node does to the rows of units (extension/plan/unit_rows.h).
enum class Effect : std::uint8_t {
  kScan,     // gives those of a table
  kPass,     // passes each on, maybe not all: a filter looks at the row alone
  kMembers,  // puts those of several together
  kJoin,
  kGroups,  // GROUP BY
  kDistinct,
  kWindows,
  kFixed,  // mixes rows: known where they are the same for all neighbours
  kUnknown,
};

struct NodeRule {
  NodeTag plan;
  RowSource source;
  Repeats children;
  ColumnSource columns;
  Effect effect;
  // Why its rows are not simply those of a child or a table, each once, whatever the others hold;
  // null if they are.
  const Problem* problem;
};

const NodeRule& rule_of(const Plan* plan);

// The plans below whose output a column in an expression of a node is: the members of an Append, or
// one. Empty if the column is one of a table, or nothing is known of it. subplans: of the
// statement.
List* plans_behind(const Plan* plan, const Var* column, const List* subplans);

// The plans below beside the outer and the inner one.
List* further_plans(const Plan* plan);

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
      auto* append = reinterpret_cast<AppendState*>(node);
      return members(append->appendplans, append->as_nplans);
    }
    case T_MergeAppendState: {
      auto* append = reinterpret_cast<MergeAppendState*>(node);
      return members(append->mergeplans, append->ms_nplans);
    }
    case T_BitmapAndState: {
      auto* both = reinterpret_cast<BitmapAndState*>(node);
      return members(both->bitmapplans, both->nplans);
    }
    case T_BitmapOrState: {
      auto* either = reinterpret_cast<BitmapOrState*>(node);
      return members(either->bitmapplans, either->nplans);
    }
    case T_SubqueryScanState:
      return visit(Child{reinterpret_cast<SubqueryScanState*>(node)->subplan, Role::kSubquery, 0});
    case T_CustomScanState: {
      const List* children = reinterpret_cast<CustomScanState*>(node)->custom_ps;
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

// Calls visit(List*&) for each list of what a node evaluates for rows beside its target list and
// its condition: the conditions of index scans, and those that decide whether a node runs at all.
// Of nodes without a problem only.
template <class Visit>
void for_each_further_list(Plan* plan, Visit visit) {
  switch (nodeTag(plan)) {
    case T_IndexScan: {
      auto* scan = reinterpret_cast<IndexScan*>(plan);
      visit(scan->indexqual);
      visit(scan->indexqualorig);
      visit(scan->indexorderby);
      return visit(scan->indexorderbyorig);
    }
    case T_IndexOnlyScan: {
      auto* scan = reinterpret_cast<IndexOnlyScan*>(plan);
      visit(scan->indexqual);
      visit(scan->recheckqual);
      return visit(scan->indexorderby);
    }
    case T_BitmapIndexScan: {
      auto* scan = reinterpret_cast<BitmapIndexScan*>(plan);
      visit(scan->indexqual);
      return visit(scan->indexqualorig);
    }
    case T_BitmapHeapScan:
      return visit(reinterpret_cast<BitmapHeapScan*>(plan)->bitmapqualorig);
    case T_Result: {
      // not a list by its type
      auto* result = reinterpret_cast<Result*>(plan);
      auto* condition = reinterpret_cast<List*>(result->resconstantqual);
      visit(condition);
      result->resconstantqual = reinterpret_cast<Node*>(condition);
      return;
    }
    default:
      return;
  }
}

// These, and of joins, functions, lists of values and LIMIT what they evaluate, as a list of lists.
List* further_expressions(const Plan* plan);

// By what a node compares rows to put or keep them in order. Of nodes without a problem only.
struct Order {
  int columns = 0;
  const Oid* operators = nullptr;
  const Oid* collations = nullptr;
};
Order order_of(const Plan* plan);

}  // namespace idp
