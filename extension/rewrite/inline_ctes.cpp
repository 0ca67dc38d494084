#include "extension/rewrite/simplify.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/gate.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/window_orders.h"

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
         walk_queries(query, find_change, nullptr);
}

// Whether it gives rows of its tables as they are: read twice it costs nothing more.
bool chooses_rows(const Query* query) { return takes_only(query, 0); }

// Other than the gates, which are gone where rows are read.
bool find_volatile(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_volatile, nullptr);
  if (IsA(node, FuncExpr) && is_gate(node)) return false;
  return IsA(node, NextValueExpr) || check_functions_in_node(node, is_volatile_function, nullptr) ||
         walk_expression(node, find_volatile, nullptr);
}

// Whether it gives the same rows each time it is read: one that leaves open which rows it gives may
// give others.
bool is_determined(Query* query) {
  complete_orders(query);
  return (!query->hasWindowFuncs || has_determined_windows(query)) &&
         (!query->hasDistinctOn || has_determined_first_rows(query)) && !query->hasTargetSRFs &&
         query->limitCount == nullptr && query->limitOffset == nullptr;
}

bool find_undetermined(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_undetermined, nullptr);
  return !is_determined(as<Query>(node)) ||
         walk_queries(as<Query>(node), find_undetermined, nullptr);
}

// How many entries of queries the copies of a statement may have together: copies of copies double
// with each CTE, and what follows the ways through them takes as long.
constexpr int kMostCopied = 100;

// Whether there is room for the copies of a CTE, which it takes then.
bool take_room(const CommonTableExpr* cte, int* room) {
  const int64 entries = entries_within(as<Query>(cte->ctequery));
  if (entries > *room / (cte->cterefcount - 1)) return false;
  *room -= static_cast<int>(entries) * (cte->cterefcount - 1);
  return true;
}

// Rows, of tables or of units, may be read where they are asked for, and more than once. Answers
// are chosen by, and joined with, where they are, and drawn once, however often they are read.
bool can_be_inlined(const QueryLevel& level, CommonTableExpr* cte, int* room) {
  if (cte->cterecursive || cte->ctematerialized == CTEMaterializeAlways || cte->cterefcount < 1 ||
      find_change(cte->ctequery, nullptr)) {
    return false;
  }
  auto* query = as<Query>(cte->ctequery);
  const bool gives_rows = chooses_rows(query) || given_by({query, &level}) == Given::kRows;
  // one row of aggregates may stand as values where rows are (lateral_answers.h)
  if (!gives_rows && !aggregates_all_rows(query)) {
    return cte->cterefcount == 1 && !contain_volatile_functions(cte->ctequery);
  }
  if (find_volatile(cte->ctequery, nullptr)) return false;
  return cte->cterefcount == 1 ||
         (gives_rows && !find_undetermined(cte->ctequery, nullptr) && take_room(cte, room));
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
  (void)walk_queries(query, put_in_place, context);
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_CTE || entry->ctelevelsup != place->depth || entry->self_reference ||
        strcmp(entry->ctename, place->cte->ctename) != 0) {
      continue;
    }
    auto* copy = copy_of(as<Query>(place->cte->ctequery));
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

bool inline_ctes_of(const QueryLevel& level, int* room);

struct Below {
  const QueryLevel* level;
  int* room;
  bool any_copies = false;
};

bool visit(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, context);
  auto* below = static_cast<Below*>(context);
  below->any_copies |= inline_ctes_of({as<Query>(node), below->level}, below->room);
  return false;
}

// Whether one was read more than once.
bool inline_ctes_of(const QueryLevel& level, int* room) {
  check_stack_depth();
  Query* query = level.query;
  Below below{&level, room};
  ListCell* cell;
  foreach (cell, query->hasRecursive ? NIL : query->cteList) {
    auto* cte = static_cast<CommonTableExpr*>(lfirst(cell));
    if (!can_be_inlined(level, cte, room)) continue;
    below.any_copies |= cte->cterefcount > 1;
    query->cteList = foreach_delete_current(query->cteList, cell);
    Place place{cte, static_cast<Index>(-1)};
    (void)put_in_place(as<Node>(query), &place);
  }
  (void)walk_queries(query, visit, &below);
  return below.any_copies;
}

// --- how often a CTE is read, after copies of what reads it ---

bool forget_references(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, forget_references, nullptr);
  for (auto* cte : list<CommonTableExpr>(as<Query>(node)->cteList)) cte->cterefcount = 0;
  return walk_queries(as<Query>(node), forget_references, nullptr);
}

bool count_references(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, count_references, context);
  QueryLevel level{as<Query>(node), static_cast<const QueryLevel*>(context)};
  for (const auto* entry : list<RangeTblEntry>(level.query->rtable)) {
    if (entry->rtekind != RTE_CTE) continue;
    if (const FoundCte found = cte_of(level, entry); found.cte != nullptr) ++found.cte->cterefcount;
  }
  return walk_queries(level.query, count_references, &level);
}

}  // namespace

void inline_ctes(Query* query) {
  int room = kMostCopied;
  if (!inline_ctes_of({query, nullptr}, &room)) return;
  (void)forget_references(as<Node>(query), nullptr);
  (void)count_references(as<Node>(query), nullptr);
}

}  // namespace idp
