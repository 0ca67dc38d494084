#include "extension/rewrite/simplify.h"

#include "extension/pg/nodes.h"
#include "extension/plan/gate.h"

extern "C" {
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

bool find_change(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_change, nullptr);
  auto* query = as<Query>(node);
  return query->commandType != CMD_SELECT || query->rowMarks != NIL ||
         walk_query(query, find_change, nullptr);
}

// Whether it gives rows of its tables as they are: read twice it costs nothing more.
bool chooses_rows(const Query* query) {
  return !query->hasAggs && !query->hasWindowFuncs && !query->hasTargetSRFs &&
         !query->hasSubLinks && !query->hasRecursive && query->cteList == NIL &&
         query->groupClause == NIL && query->groupingSets == NIL && query->distinctClause == NIL &&
         query->setOperations == nullptr && query->limitCount == nullptr &&
         query->limitOffset == nullptr;
}

bool is_volatile(Oid function, void*) { return func_volatile(function) == PROVOLATILE_VOLATILE; }

// Other than the gates, which are gone where rows are read.
bool find_volatile(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_volatile, nullptr);
  if (IsA(node, FuncExpr) && is_gate(node)) return false;
  return IsA(node, NextValueExpr) || check_functions_in_node(node, is_volatile, nullptr) ||
         walk_expression(node, find_volatile, nullptr);
}

bool can_be_inlined(const CommonTableExpr* cte) {
  if (cte->cterecursive || cte->ctematerialized == CTEMaterializeAlways || cte->cterefcount < 1 ||
      find_change(cte->ctequery, nullptr)) {
    return false;
  }
  if (chooses_rows(as<Query>(cte->ctequery))) return !find_volatile(cte->ctequery, nullptr);
  // what is made of hidden rows is answers, which are chosen by, and joined with, where they are
  return cte->cterefcount == 1 && !contain_volatile_functions(cte->ctequery);
}

struct Place {
  const CommonTableExpr* cte;
  Index depth;  // of the query at work below that whose WITH has it
};

bool put_in_place(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* place = static_cast<Place*>(context);
  if (!IsA(node, Query)) return walk_expression(node, put_in_place, context);
  auto* query = as<Query>(node);
  ++place->depth;
  // before the entries are changed: what is put in has no reference to the CTE
  (void)walk_query(query, put_in_place, context);
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_CTE || entry->ctelevelsup != place->depth || entry->self_reference ||
        strcmp(entry->ctename, place->cte->ctename) != 0) {
      continue;
    }
    auto* copy = static_cast<Query*>(copyObjectImpl(place->cte->ctequery));
    // its own level, one below the WITH, moves down to stand below the query at work
    if (place->depth > 0) {
      IncrementVarSublevelsUp(as<Node>(copy), static_cast<int>(place->depth), 1);
    }
    entry->rtekind = RTE_SUBQUERY;
    entry->subquery = copy;
    entry->security_barrier = false;
    entry->ctename = nullptr;
    entry->ctelevelsup = 0;
    entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
  }
  --place->depth;
  return false;
}

bool visit(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, nullptr);
  inline_ctes(as<Query>(node));
  return false;
}

}  // namespace

void inline_ctes(Query* query) {
  check_stack_depth();
  ListCell* cell;
  foreach (cell, query->hasRecursive ? NIL : query->cteList) {
    auto* cte = static_cast<CommonTableExpr*>(lfirst(cell));
    if (!can_be_inlined(cte)) continue;
    query->cteList = foreach_delete_current(query->cteList, cell);
    Place place{cte, static_cast<Index>(-1)};
    (void)put_in_place(as<Node>(query), &place);
  }
  (void)walk_query(query, visit, nullptr);
}

}  // namespace idp
