#include "extension/rewrite/keyed_answers.h"

#include "extension/domain/public_table.h"
#include "extension/pg/fold.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"
#include "extension/pg/versions.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/new_query.h"

extern "C" {
#include "access/sysattr.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// What the public table has in the column of the tie, each value once.
RangeTblEntry* values_of_tie(const Query* around, const Tie& tie) {
  const RangeTblEntry* entry = rt_fetch(tie.outer->varno, around->rtable);
  auto* table = static_cast<RangeTblEntry*>(copyObjectImpl(entry));
  table->lateral = false;
  table->inFromCl = true;
  Query* values = new_query();
  values->rtable = list_make1(table);
  read_by_own_rights(values, table, rights_of(around, entry),
                     bms_make_singleton(tie.outer->varattno - FirstLowInvalidHeapAttributeNumber));
  values->jointree = makeFromExpr(list_make1(reference_to(1)), nullptr);
  Var* column = column_like(1, tie.outer->varattno, as<Node>(tie.outer));
  TargetEntry* target = output(as<Node>(column), 1, "key");
  values->targetList = list_make1(target);
  if (unique_key_on(table->relid, column->varattno, snapshot_at_work()) == nullptr) {
    values->distinctClause = list_make1(clause_of(target, 1));
  }
  RangeTblEntry* read = new_entry(RTE_SUBQUERY, "rows", names_of(values));
  read->subquery = values;
  return read;
}

// An entry reads the answers of that name.
void read_cte(RangeTblEntry* entry, const char* name, const Query* answers, Index level) {
  entry->rtekind = RTE_CTE;
  entry->subquery = nullptr;
  entry->security_barrier = false;
  entry->ctename = pstrdup(name);
  entry->ctelevelsup = level;
  for (const auto* target : list<TargetEntry>(answers->targetList)) {
    auto* value = as<Node>(target->expr);
    entry->coltypes = lappend_oid(entry->coltypes, exprType(value));
    entry->coltypmods = lappend_int(entry->coltypmods, exprTypmod(value));
    entry->colcollations = lappend_oid(entry->colcollations, exprCollation(value));
  }
}

RangeTblEntry* entry_of_answers(const char* name, const Query* answers, Index level) {
  RangeTblEntry* entry = new_entry(RTE_CTE, name, names_of(answers));
  read_cte(entry, name, answers, level);
  return entry;
}

Index last_reference(const Query* query) {
  Index last = 0;
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    last = Max(last, target->ressortgroupref);
  }
  return last;
}

}  // namespace

bool ties_to_public_row(const Query* around, const Tie& tie) {
  const RangeTblEntry* entry = rt_fetch(tie.outer->varno, around->rtable);
  return is_public_table(entry) && !OidIsValid(rights_of(around, entry)->checkAsUser);
}

void group_by_tied(Query* answers, const Query* around, const Tie& tie) {
  answers->rtable = lappend(answers->rtable, values_of_tie(around, tie));
  const int number = list_length(answers->rtable);
  answers->jointree->fromlist = lappend(answers->jointree->fromlist, reference_to(number));
  Var* column = column_like(number, 1, as<Node>(tie.outer));
  auto* equality = static_cast<OpExpr*>(copyObjectImpl(tie.equality));
  equality->args = list_make2(copyObjectImpl(tie.own), copyObjectImpl(column));
  answers->jointree->quals = make_and_qual(answers->jointree->quals, as<Node>(equality));
  group_first_by(answers, as<Node>(column));
}

void group_first_by(Query* answers, const Node* value) {
  put_groups_in_place(answers);
  TargetEntry* key = output(static_cast<Node*>(copyObjectImpl(value)), 1, "key");
  for (auto* target : list<TargetEntry>(answers->targetList)) {
    ++target->resno;
    target->resjunk = false;
    if (target->resname == nullptr) target->resname = psprintf("answer %d", target->resno);
  }
  const Index reference = last_reference(answers) + 1;
  answers->targetList = lcons(key, answers->targetList);
  answers->groupClause = lcons(clause_of(key, reference), answers->groupClause);
  answers->sortClause = answers->distinctClause = NIL;
  answers->hasDistinctOn = false;
  answers->limitCount = answers->limitOffset = nullptr;
  answers->limitOption = LIMIT_OPTION_COUNT;
}

namespace {

// A statement may name one of its own so.
bool has_cte(const Query* query, const char* name) {
  for (const auto* cte : list<CommonTableExpr>(query->cteList)) {
    if (strcmp(cte->ctename, name) == 0) return true;
  }
  return false;
}

}  // namespace

const char* add_answers(Query* around, Query* answers) {
  int number = list_length(around->cteList) + 1;
  const char* name = psprintf("answers of rows %d", number);
  while (has_cte(around, name)) name = psprintf("answers of rows %d", ++number);
  auto* cte = makeNode(CommonTableExpr);
  cte->ctename = pstrdup(name);
  cte->ctematerialized = CTEMaterializeAlways;
  cte->ctequery = as<Node>(answers);
  cte->location = -1;
  cte->cterefcount = 1;
  cte->ctecolnames = names_of(answers);
  const RangeTblEntry* entry = entry_of_answers(name, answers, 1);
  cte->ctecoltypes = entry->coltypes;
  cte->ctecoltypmods = entry->coltypmods;
  cte->ctecolcollations = entry->colcollations;
  around->cteList = lappend(around->cteList, cte);
  return name;
}

void read_answers_once(Query* around, RangeTblEntry* entry, Index level) {
  Query* answers = entry->subquery;
  read_cte(entry, add_answers(around, answers), answers, level);
}

Query* answers_of_row(const char* name, const Query* answers, const Tie& tie, Index level) {
  auto* outer = static_cast<Var*>(copyObjectImpl(tie.outer));
  outer->varlevelsup = level;
  return answers_of_value(name, answers, tie.equality, as<Node>(outer), level);
}

Query* answers_of_value(const char* name, const Query* answers, const OpExpr* by, Node* value,
                        Index level) {
  Query* query = new_query();
  query->rtable = list_make1(entry_of_answers(name, answers, level));
  auto* equality = static_cast<OpExpr*>(copyObjectImpl(by));
  equality->args = list_make2(column_of_answers(answers, 1), copyObjectImpl(value));
  query->jointree = makeFromExpr(list_make1(reference_to(1)), as<Node>(equality));
  return query;
}

Var* column_of_answers(const Query* answers, AttrNumber number) {
  return column_like(1, static_cast<const TargetEntry*>(list_nth(answers->targetList, number - 1)));
}

namespace {

// What an aggregate is of no rows: NULL, or 0.
Node* of_none(const Aggref* call) {
  return is_count(call->aggfnoid) ? bigint(0)
                                  : as<Node>(makeNullConst(call->aggtype, -1, call->aggcollid));
}

struct NoRows {
  int aggregates = 0;
  bool has_others = false;  // what is not the same for all rows
};

Node* of_no_rows_of(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto* found = static_cast<NoRows*>(context);
  if (IsA(node, Aggref)) {
    ++found->aggregates;
    return of_none(as<Aggref>(node));
  }
  found->has_others |= IsA(node, Var) || IsA(node, SubLink) || IsA(node, WindowFunc);
  return IsA(node, SubLink) ? node : map_expression(node, of_no_rows_of, context);
}

}  // namespace

bool shows_answer(Node* shown, Node** of_no_rows) {
  NoRows found;
  Node* empty = of_no_rows_of(shown, &found);
  if (found.aggregates == 0 || found.has_others || contain_volatile_functions(shown)) return false;
  const auto* constant = maybe<Const>(folded(empty));
  *of_no_rows = constant != nullptr && constant->constisnull ? nullptr : empty;
  return true;
}

Node* or_of_no_rows(SubLink* link, const Node* shown, Node* of_no_rows) {
  if (of_no_rows == nullptr) return as<Node>(link);
  if (IsA(shown, Aggref)) return coalesced(as<Node>(link), of_no_rows);
  auto* exists = makeNode(SubLink);
  exists->subLinkType = EXISTS_SUBLINK;
  exists->subselect = static_cast<Node*>(copyObjectImpl(link->subselect));
  exists->location = -1;
  return cases(nullptr, with_when(NIL, as<Node>(exists), as<Node>(link)), of_no_rows);
}

}  // namespace idp
