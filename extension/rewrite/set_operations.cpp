#include "extension/rewrite/set_operations.h"

#include "extension/access/value_lists.h"
#include "extension/domain/public_table.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/rewrite/existence.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/never_null.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// A query that chooses rows, whose columns are of the types that the operation gives.
Query* rows_of_part(const Query* query, const Node* part, const SetOperationStmt* operation) {
  if (!IsA(part, RangeTblRef)) return nullptr;
  RangeTblEntry* entry = rt_fetch(as<RangeTblRef>(part)->rtindex, query->rtable);
  const bool is_rows = entry->rtekind == RTE_SUBQUERY && !entry->subquery->hasDistinctOn &&
                       chooses_rows_alone(entry->subquery);
  if (!is_rows || list_length(entry->subquery->targetList) != list_length(operation->colTypes)) {
    return nullptr;
  }
  int place = 0;
  for (const auto* target : list<TargetEntry>(entry->subquery->targetList)) {
    const auto* value = as<Node>(target->expr);
    if (target->resjunk || exprType(value) != list_nth_oid(operation->colTypes, place) ||
        exprCollation(value) != list_nth_oid(operation->colCollations, place)) {
      return nullptr;
    }
    ++place;
  }
  return entry->subquery;
}

Node* value_at(const Query* rows, int place) {
  return as<Node>(static_cast<const TargetEntry*>(list_nth(rows->targetList, place))->expr);
}

// Whether rows are equal as the operation says where their columns are.
bool compares_alike(const Query* one, const Query* other, const SetOperationStmt* operation) {
  for (int place = 0; place < list_length(operation->colTypes); ++place) {
    if (!is_never_null_column(one, value_at(one, place)) &&
        !is_never_null_column(other, value_at(other, place))) {
      return false;
    }
  }
  return list_length(operation->groupClauses) == list_length(operation->colTypes);
}

// EXISTS (SELECT FROM others WHERE their columns are those of the rows).
SubLink* existence_in(const Query* rows, const Query* others, const SetOperationStmt* operation) {
  auto* found = copy_of(others);
  int place = 0;
  for (const auto* clause : list<SortGroupClause>(operation->groupClauses)) {
    auto* outer = static_cast<Node*>(copyObjectImpl(value_at(rows, place)));
    IncrementVarSublevelsUp(outer, 1, 0);
    Expr* equality = make_opclause(
        clause->eqop, BOOLOID, false, as<Expr>(copyObjectImpl(value_at(others, place))),
        as<Expr>(outer), InvalidOid, list_nth_oid(operation->colCollations, place));
    set_opfuncid(as<OpExpr>(equality));
    found->jointree->quals = make_and_qual(found->jointree->quals, as<Node>(equality));
    ++place;
  }
  found->distinctClause = found->sortClause = NIL;
  for (auto* target : list<TargetEntry>(found->targetList)) target->ressortgroupref = 0;
  auto* link = makeNode(SubLink);
  link->subLinkType = EXISTS_SUBLINK;
  link->subselect = as<Node>(found);
  link->location = -1;
  return link;
}

// Has a query show each row once that is equal as the operation says; its columns have no other
// marks.
void show_once(Query* rows, const SetOperationStmt* operation) {
  int place = 0;
  for (auto* target : list<TargetEntry>(rows->targetList)) {
    auto* clause =
        static_cast<SortGroupClause*>(copyObjectImpl(list_nth(operation->groupClauses, place)));
    target->ressortgroupref = clause->tleSortGroupRef = static_cast<Index>(++place);
    rows->distinctClause = lappend(rows->distinctClause, clause);
  }
}

// Null if it is not understood.
Query* chosen_by(const Query* query, const Node* part) {
  check_stack_depth();
  const auto* operation = as<SetOperationStmt>(part);
  const bool is_known =
      (operation->op == SETOP_INTERSECT || operation->op == SETOP_EXCEPT) && !operation->all;
  if (!is_known) return nullptr;
  Query* others = rows_of_part(query, operation->rarg, operation);
  Query* rows = IsA(operation->larg, SetOperationStmt)
                    ? chosen_by(query, operation->larg)
                    : rows_of_part(query, operation->larg, operation);
  if (rows == nullptr || others == nullptr || !compares_alike(rows, others, operation)) {
    return nullptr;
  }
  rows = copy_of(rows);
  auto* condition = as<Node>(existence_in(rows, others, operation));
  if (operation->op == SETOP_EXCEPT) condition = as<Node>(make_notclause(as<Expr>(condition)));
  rows->jointree->quals = make_and_qual(rows->jointree->quals, condition);
  rows->hasSubLinks = true;
  rows->distinctClause = rows->sortClause = NIL;
  show_once(rows, operation);
  return rows;
}

// once: the UNION that shows each row once, whatever the parts below it show; null for none.
void list_parts(const Query* query, const Node* part, const SetOperationStmt* once) {
  check_stack_depth();
  if (const auto* operation = maybe<SetOperationStmt>(part)) {
    if (operation->op != SETOP_UNION) return;
    if (!operation->all && once == nullptr) once = operation;
    list_parts(query, operation->larg, once);
    return list_parts(query, operation->rarg, once);
  }
  Query* rows = once == nullptr ? nullptr : rows_of_part(query, part, once);
  if (rows == nullptr || rows->distinctClause != NIL || rows->sortClause != NIL ||
      !reads_hidden_table(rows)) {
    return;
  }
  Query* listed = copy_of(rows);
  show_once(listed, once);
  if (is_value_list(listed)) *rows = *listed;
}

}  // namespace

void list_parts_of_union(Query* query) {
  if (query->setOperations != nullptr) list_parts(query, query->setOperations, nullptr);
}

void choose_by_other_rows(const QueryLevel& level) {
  Query* query = level.query;
  const bool is_plain = query->commandType == CMD_SELECT && query->setOperations != nullptr &&
                        query->cteList == NIL && query->sortClause == NIL &&
                        query->limitCount == nullptr && query->limitOffset == nullptr &&
                        query->rowMarks == NIL && reads_hidden_table(query);
  Query* rows = is_plain ? chosen_by(query, query->setOperations) : nullptr;
  if (rows == nullptr) return;
  IncrementVarSublevelsUp(as<Node>(rows), -1, 2);
  if (!groups_by_unit({rows, level.outer})) return;  // what is not of one unit stays what it is
  int place = 0;
  for (auto* target : list<TargetEntry>(rows->targetList)) {
    const auto* shown = static_cast<const TargetEntry*>(list_nth(query->targetList, place++));
    target->resname = shown->resname;
  }
  rows->canSetTag = query->canSetTag;
  *query = *rows;
}

}  // namespace idp
