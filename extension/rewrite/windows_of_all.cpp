#include "extension/rewrite/windows_of_all.h"

#include "extension/access/hidden.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"

extern "C" {
#include "optimizer/clauses.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// --- which ---

// Whether the frame of each row is all rows.
bool is_of_all(const WindowClause* window) {
  constexpr int kWhole =
      FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_UNBOUNDED_FOLLOWING;
  const bool is_whole = window->frameOptions == FRAMEOPTION_DEFAULTS ||
                        ((window->frameOptions & kWhole) == kWhole &&
                         (window->frameOptions & FRAMEOPTION_EXCLUSION) == 0);
  return window->partitionClause == NIL && window->orderClause == NIL && is_whole;
}

bool is_of_all(const Query* query, const WindowFunc* call) {
  if (!call->winagg || list_length(call->args) > 1) return false;
  for (const auto* window : list<WindowClause>(query->windowClause)) {
    if (window->winref == call->winref) return is_of_all(window);
  }
  return false;
}

// --- what becomes of them ---

// SELECT of that aggregate of the rows of the query.
Query* answer_of(const Query* query, const WindowFunc* call) {
  Query* answer = copy_of(query);
  auto* argument = call->args == NIL ? nullptr : static_cast<Node*>(linitial(call->args));
  Aggref* aggregate =
      aggregate_call(call->winfnoid, call->wintype, static_cast<Node*>(copyObjectImpl(argument)));
  aggregate->aggcollid = call->wincollid;
  aggregate->inputcollid = call->inputcollid;
  aggregate->aggfilter = static_cast<Expr*>(copyObjectImpl(call->aggfilter));
  answer->targetList = list_make1(output(as<Node>(aggregate), 1, "answer"));
  answer->windowClause = answer->sortClause = NIL;
  answer->hasWindowFuncs = false;
  answer->hasAggs = true;
  IncrementVarSublevelsUp(as<Node>(answer), 1, 1);
  return answer;
}

Node* with_answers(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  const auto* query = static_cast<const Query*>(context);
  const auto* call = maybe<WindowFunc>(node);
  if (call != nullptr && is_of_all(query, call)) return scalar_subquery(answer_of(query, call));
  return map_expression(node, with_answers, context);
}

bool visit(Node* node, void* found) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, found);
  auto* query = as<Query>(node);
  if (query->hasWindowFuncs && takes_only(query, step::kWindows | step::kSubLinks) &&
      names_hidden_table(query) && !names_outer_columns(query)) {
    auto* targets = as<List>(with_answers(as<Node>(query->targetList), query));
    if (!equal(targets, query->targetList)) {
      query->targetList = targets;
      query->hasWindowFuncs = contain_window_function(as<Node>(targets));
      if (!query->hasWindowFuncs) query->windowClause = NIL;
      query->hasSubLinks = *static_cast<bool*>(found) = true;
    }
  }
  return walk_queries(query, visit, found);
}

}  // namespace

bool answer_windows_of_all(Query* query) {
  bool found = false;
  (void)walk_queries(query, visit, &found);
  return found;
}

}  // namespace idp
