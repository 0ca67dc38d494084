#include "extension/plan/input.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/pg/plain_output.h"
#include "extension/pg/stable_functions.h"
#include "extension/plan/gate.h"
#include "extension/plan/key_rows.h"
#include "extension/plan/node_rules.h"
#include "extension/plan/plan_trace.h"
#include "extension/plan/settled.h"
#include "extension/total/twins.h"

extern "C" {
#include "utils/ruleutils.h"
}

namespace idp {

const Problem kUnionAll = {"UNION ALL",
                           "Ask for the answers of each table and combine the answers.",
                           "combine the answers of each table"};
const Problem kSeveralTables = {
    "a join or UNION ALL of several tables",
    "Compute the private answers of each table by itself, in a subquery, and combine the answers.",
    "combine the answers of each table"};

bool is_row_of_constants(const PlanState* node) {
  return IsA(node, ResultState) && outerPlanState(node) == nullptr;
}

namespace {

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

constexpr char kOwnAdvice[] = "use columns of the row and constants";

constexpr Problem kSubquery = {"a subquery", kOwnColumns, kOwnAdvice};
constexpr Problem kParameter = {"a subquery, or a reference to an outer query", kOwnColumns,
                                kOwnAdvice};
constexpr Problem kSequence = {"a sequence", kOwnColumns, kOwnAdvice};
constexpr Problem kUnstable = {
    "a function whose value depends on more than its arguments",
    "Use functions that are IMMUTABLE, or the server's own for dates, times, text and settings.",
    "use an immutable one"};

struct Search {
  const Bitmapset* parameters;
  bool windows;
  const Problem* problem;
};

bool find_problem(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* search = static_cast<Search*>(context);
  const auto found = [&](const Problem& problem) {
    search->problem = &problem;
    return true;
  };
  switch (nodeTag(node)) {
    case T_SubPlan:
    case T_AlternativeSubPlan:
      return found(kSubquery);
    case T_Param:
      if (as<Param>(node)->paramkind == PARAM_EXTERN) return false;
      if (bms_is_member(as<Param>(node)->paramid, search->parameters)) return false;
      return found(kParameter);
    case T_Var:
      if (as<Var>(node)->varattno < 0) return found(kSystemColumnProblem);
      return false;
    case T_NextValueExpr:
      return found(kSequence);
    case T_WindowFunc:
      if (search->windows) return walk_expression(node, find_problem, context);
      return found(kWindowProblem);
    default:
      if (is_unstable_node(node)) return found(kUnstable);
      return walk_expression(node, find_problem, context);
  }
}

const Problem* first(const Problem* a, const Problem* b) { return a ? a : b; }

const Problem* problem_in(List* expressions) { return expression_problem(as<Node>(expressions)); }

// The first problem of a node, of what it evaluates, and of what its rows come from. ctes: of
// PlanState, those that were looked at and have none, each once, however many scans read it.
const Problem* problem_of(PlanState* node, List** ctes) {
  check_stack_depth();
  const Plan* plan = node->plan;
  if (gives_key_rows(plan)) return nullptr;  // no aggregate sees them
  const Problem* problem = first(rule_of(plan).problem, problem_of_index(plan));
  problem = first(problem, problem_in(further_expressions(plan, node->state->es_plannedstmt)));
  if (problem == nullptr) {
    for_each_child(node, [&](const Child& child) {
      if (problem != nullptr) return;
      if (child.role == Role::kMember && is_row_of_constants(child.node) &&
          !gives_key_rows(child.node->plan)) {
        problem = &kUnionAll;
      } else {
        problem = problem_of(child.node, ctes);
      }
    });
  }
  if (problem == nullptr && IsA(node, CteScanState)) {
    PlanState* cte = as<CteScanState>(node)->cteplanstate;
    if (!list_member_ptr(*ctes, cte)) {
      CHECK_FOR_INTERRUPTS();
      *ctes = lappend(*ctes, cte);
      problem = problem_of(cte, ctes);
    }
  }
  return first(problem,
               first(problem_in(plan->targetlist), problem_in(conditions_besides_gates(plan))));
}

const Problem* problem_of_tables(const Input& input) {
  if (!OidIsValid(input.root)) return &kSeveralTables;
  List* seen = NIL;
  for (const Oid oid : oids(input.relations)) {
    if (list_member_oid(seen, oid)) return &kUnionAll;
    seen = lappend_oid(seen, oid);
  }
  return nullptr;
}

bool move_to_first(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    auto* column = as<Var>(node);
    column->varno = 1;
    column->varnosyn = 1;
    column->varattnosyn = column->varattno;
  }
  return walk_expression(node, move_to_first, nullptr);
}

bool find_table_column(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    *static_cast<const Var**>(context) = as<Var>(node);
    return true;
  }
  return walk_expression(node, find_table_column, context);
}

}  // namespace

const Problem* expression_problem(Node* expression, const Bitmapset* parameters, bool windows) {
  Search search{parameters, windows, nullptr};
  (void)find_problem(expression, &search);
  return search.problem;
}

Input input_of(AggState* node, const Sources& sources) {
  Input input;
  input.relations = sources.relations;
  if (sources.unknown == nullptr) input.root = common_root(input.relations);
  List* ctes = NIL;
  input.problem = first(problem_of(outerPlanState(node), &ctes),
                        sources.unknown ? sources.unknown : problem_of_tables(input));
  return input;
}

namespace {

char* column_words(AggState* node, Aggref* aggref, const Input& input, bool has_column) {
  if (!has_column) return pstrdup("");
  const auto* entry = static_cast<TargetEntry*>(linitial(aggref->args));
  Node* expression = base_expression(as<Node>(entry->expr), plan_node(&node->ss.ps));
  const Var* column = nullptr;
  (void)find_table_column(expression, &column);
  if (column == nullptr || IS_SPECIAL_VARNO(column->varno) || !OidIsValid(input.root)) {
    return pstrdup("(expression)");
  }
  const Oid table = exec_rt_fetch(static_cast<Index>(column->varno), node->ss.ps.state)->relid;
  if (!OidIsValid(table)) return pstrdup("(expression)");
  expression = with_originals(with_unsettled(expression));
  (void)move_to_first(expression, nullptr);
  return deparse_expression(expression, deparse_context_for(get_rel_name(table), table), false,
                            false);
}

}  // namespace

ColumnText column_text(AggState* node, Aggref* aggref, const Input& input, bool has_column) {
  ColumnText text;
  text.in_session = column_words(node, aggref, input, has_column);
  PlainOutput plain;
  text.plain = column_words(node, aggref, input, has_column);
  plain.end();
  return text;
}

}  // namespace idp
