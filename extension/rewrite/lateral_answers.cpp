#include "extension/rewrite/lateral_answers.h"

#include "extension/access/hidden.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/given_rows.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// One row of aggregates, and nothing but that. at_any_depth: also of what subqueries make of hidden
// rows, as the average of what customers spent.
bool is_answer(const RangeTblEntry* entry, bool at_any_depth) {
  if (entry->rtekind != RTE_SUBQUERY) return false;
  Query* query = entry->subquery;
  return aggregates_all_rows(query) && !contain_volatile_functions(as<Node>(query->targetList)) &&
         (at_any_depth ? names_hidden_table_anywhere(query) : names_hidden_table(query));
}

bool is_true(Node* condition) { return condition == nullptr || is_truth(folded(condition), true); }

bool is_entry(const Node* part, int number) {
  return IsA(part, RangeTblRef) && as<RangeTblRef>(part)->rtindex == number;
}

// A part of FROM without the entry, which is joined to it without a condition; null if it is not.
Node* part_without(Node* part, int number, int* join) {
  check_stack_depth();
  if (!IsA(part, JoinExpr)) return nullptr;
  auto* whole = as<JoinExpr>(part);
  const bool keeps_left = whole->jointype == JOIN_INNER || whole->jointype == JOIN_LEFT;
  if (keeps_left && is_entry(whole->rarg, number) && is_true(whole->quals)) {
    *join = whole->rtindex;
    return whole->larg;
  }
  if (!keeps_left) return nullptr;
  Node* left = part_without(whole->larg, number, join);
  if (left == nullptr) return nullptr;
  whole->larg = left;
  return part;
}

// JOIN LATERAL (…) a ON a.n > 2 is JOIN LATERAL (…) a ON true WHERE a.n > 2, where no outer join is
// around it.
void lift_condition_of(Node* part, int number, Node** where) {
  check_stack_depth();
  if (!IsA(part, JoinExpr) || as<JoinExpr>(part)->jointype != JOIN_INNER) return;
  auto* join = as<JoinExpr>(part);
  if (!is_entry(join->rarg, number)) {
    lift_condition_of(join->larg, number, where);
    return;
  }
  if (is_true(join->quals)) return;
  *where = make_and_qual(*where, join->quals);
  join->quals = nullptr;
}

// Takes the entry out of FROM; false if that would change which rows there are. join: the number of
// the join that goes with it; 0 if there is none.
bool take_out(Query* query, int number, int* join) {
  List* parts = query->jointree->fromlist;
  ListCell* cell;
  foreach (cell, parts) {
    auto* part = static_cast<Node*>(lfirst(cell));
    if (is_entry(part, number)) {
      if (list_length(parts) == 1) return false;
      query->jointree->fromlist = foreach_delete_current(parts, cell);
      return true;
    }
    Node* others = part_without(part, number, join);
    if (others == nullptr) continue;
    lfirst(cell) = others;
    return true;
  }
  return false;
}

struct Use {
  int number;
  int join;
  const Query* query;
  bool is_anywhere = false;  // whether any column is meant, wherever it is read
  int level = 0;
  const Query* answer = nullptr;
};

bool find_other_use(Node* node, void* context);

// Whether a column of another join, as USING and its whole rows have them, is one of the entry.
bool is_in_join(const Var* column, const Use& use) {
  const RangeTblEntry* entry =
      column->varno > 0 ? rt_fetch(column->varno, use.query->rtable) : nullptr;
  if (entry == nullptr || entry->rtekind != RTE_JOIN) return false;
  Use anywhere{use.number, use.join, use.query, true};
  return find_other_use(column->varattno > 0 ? static_cast<Node*>(list_nth(entry->joinaliasvars,
                                                                           column->varattno - 1))
                                             : as<Node>(entry->joinaliasvars),
                        &anywhere);
}

// Whether a column of the entry, or of its join, is read by a query within, or as a whole row.
bool find_other_use(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* use = static_cast<Use*>(context);
  if (IsA(node, Query)) {
    ++use->level;
    const bool found = walk_query(as<Query>(node), find_other_use, context);
    --use->level;
    return found;
  }
  if (const auto* column = maybe<Var>(node)) {
    if (static_cast<int>(column->varlevelsup) != use->level) return false;
    if (use->join != 0 && static_cast<int>(column->varno) == use->join) return true;
    if (static_cast<int>(column->varno) != use->number) return is_in_join(column, *use);
    return use->is_anywhere || use->level > 0 || column->varattno <= 0;
  }
  return walk_expression(node, find_other_use, context);
}

// Whether functions and lists in FROM read it.
bool is_read_in_from(const Query* query, const Use& use) {
  Use anywhere{use.number, use.join, query, true};
  const auto reads = [&](void* nodes) {
    return find_other_use(static_cast<Node*>(nodes), &anywhere);
  };
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (reads(entry->functions) || reads(entry->tablefunc) || reads(entry->values_lists) ||
        reads(entry->tablesample) || reads(entry->securityQuals)) {
      return true;
    }
  }
  return false;
}

Node* with_answers(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  const auto* use = static_cast<const Use*>(context);
  const auto* column = maybe<Var>(node);
  if (column == nullptr) return map_expression(node, with_answers, context);
  if (column->varlevelsup != 0 || static_cast<int>(column->varno) != use->number) return node;
  auto* answer = copy_of(use->answer);
  TargetEntry* shown = column_shown(answer->targetList, column->varattno);
  shown->resno = 1;
  shown->ressortgroupref = 0;
  shown->resname = pstrdup("answer");  // two that are the same are one
  answer->targetList = list_make1(shown);
  answer->sortClause = NIL;
  return scalar_subquery(answer);
}

// Whether an expression compares hidden rows with the entry, as a key does that says whether an
// amount is above the average of all.
bool compares_rows(const Use& use, Node* key) {
  if (!names_hidden_table(use.query)) return false;
  for (const auto* column : list<Var>(pull_var_clause(key, PVC_RECURSE_AGGREGATES))) {
    if (static_cast<int>(column->varno) != use.number && column->varlevelsup == 0) return true;
  }
  return false;
}

bool find_beside_aggregates(Node* node, void* context) {
  if (node == nullptr || IsA(node, Aggref)) return false;
  const auto* use = static_cast<const Use*>(context);
  if (!IsA(node, List) && list_member(grouped_expressions(use->query), node) &&
      compares_rows(*use, node)) {
    return false;
  }
  if (IsA(node, Var)) return find_other_use(node, context);
  return walk_expression(node, find_beside_aggregates, context);
}

// Whether groups are made of it, or shown beside it: an answer is no key.
bool is_read_beside_aggregates(const Query* query, Use* anywhere) {
  if (!query->hasAggs && query->groupClause == NIL) return false;
  return find_beside_aggregates(as<Node>(query->targetList), anywhere) ||
         find_beside_aggregates(query->havingQual, anywhere);
}

// Nothing reads the entry any more, nor the join that went with it.
void forget(Query* query, int number, int join) {
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  entry->rtekind = RTE_RESULT;
  entry->subquery = nullptr;
  entry->lateral = false;
  if (join == 0) return;
  RangeTblEntry* of_join = rt_fetch(join, query->rtable);
  of_join->rtekind = RTE_RESULT;
  of_join->jointype = JOIN_INNER;
  of_join->joinaliasvars = NIL;
}

void show_answer(Query* query, int number) {
  auto* before = static_cast<FromExpr*>(copyObjectImpl(query->jointree));
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  for (auto* part : list<Node>(query->jointree->fromlist)) {
    lift_condition_of(part, number, &query->jointree->quals);
  }
  // of each hidden row it is a value as its columns are
  const bool may_be_key = entry->lateral && names_hidden_table(query);
  Use use{number, 0, query};
  use.answer = entry->subquery;
  const bool is_taken = take_out(query, number, &use.join);
  entry->subquery = nullptr;  // it does not read itself
  Use anywhere{number, use.join, query, true};
  const bool is_read_else = !is_taken ||
                            (!may_be_key && is_read_beside_aggregates(query, &anywhere)) ||
                            walk_query(query, find_other_use, &use, QTW_IGNORE_JOINALIASES) ||
                            is_read_in_from(query, use);
  entry->subquery = const_cast<Query*>(use.answer);
  if (is_read_else) {
    query->jointree = before;
    return;
  }
  change_shown(query, [&](Node* shown) { return with_answers(shown, &use); });
  query->jointree = reinterpret_cast<FromExpr*>(with_answers(as<Node>(query->jointree), &use));
  query->hasSubLinks = true;
  forget(query, number, use.join);
}

void show_answers(Query* query, bool of_lateral, bool at_any_depth) {
  const bool is_plain = query->commandType == CMD_SELECT && query->groupingSets == NIL &&
                        query->setOperations == nullptr;
  if (!is_plain || query->jointree == nullptr) return;
  for (int number = 1; number <= list_length(query->rtable); ++number) {
    const RangeTblEntry* entry = rt_fetch(number, query->rtable);
    if (!is_answer(entry, at_any_depth) || entry->lateral != of_lateral) continue;
    put_groups_in_place(query);
    show_answer(query, number);
  }
}

// --- rows that are computed ---

// One row of expressions, and nothing but that.
bool is_computed(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_SUBQUERY || !entry->lateral || entry->securityQuals != NIL)
    return false;
  const Query* query = entry->subquery;
  return takes_only(query, 0) && query->jointree->fromlist == NIL &&
         query->jointree->quals == nullptr &&
         !contain_volatile_functions(as<Node>(query->targetList));
}

// False if the row is named as a whole, or an outer join may have NULL in place of it.
bool compute_in_place(Query* query, int number) {
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  auto* before = static_cast<FromExpr*>(copyObjectImpl(query->jointree));
  int join = 0;
  const bool is_taken = !names_whole_row(query, number) && take_out(query, number, &join) &&
                        (join == 0 || (rt_fetch(join, query->rtable)->jointype == JOIN_INNER &&
                                       !names_column_of(query, join)));
  if (!is_taken) {
    query->jointree = before;
    return false;
  }
  auto* targets = static_cast<List*>(copyObjectImpl(entry->subquery->targetList));
  IncrementVarSublevelsUp(as<Node>(targets), -1, 1);
  forget(query, number, join);
  *query = *with_values(query, number, targets);
  return true;
}

}  // namespace

void show_lateral_answers(Query* query) { show_answers(query, true, false); }

void show_joined_answers(const QueryLevel& level) {
  if (level.query->hasAggs) show_answers(level.query, false, reads_rows(level));
}

void compute_lateral_rows(Query* query) {
  const bool is_plain = query->commandType == CMD_SELECT && query->groupingSets == NIL &&
                        query->setOperations == nullptr && query->jointree != nullptr;
  for (int number = 1; is_plain && number <= list_length(query->rtable); ++number) {
    if (!is_computed(rt_fetch(number, query->rtable))) continue;
    put_groups_in_place(query);
    (void)compute_in_place(query, number);
  }
}

}  // namespace idp
