#include "extension/rewrite/children_of_rows.h"

#include "extension/access/hidden.h"
#include "extension/plan/new_query.h"
#include "extension/domain/public_table.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/plan/group_functions.h"
#include "extension/pg/rights.h"
#include "extension/rewrite/ties.h"

extern "C" {
#include "access/sysattr.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// One row of one aggregate, or none where it groups by the column of the tie.
bool is_plain(const Query* query) {
  return query->hasAggs &&
         takes_only(query,
                    step::kAggregates | step::kGroups | step::kImpliedGroups | step::kSubLinks) &&
         list_length(query->groupClause) <= 1 && names_hidden_table(query);
}

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

// Whether it shows an aggregate, or what is computed of one and constants: round(avg(x), 2). Sets
// what that is of no rows; null if it is NULL.
bool shows_answer(const Node* shown, Node** of_no_rows) {
  auto* value = const_cast<Node*>(shown);
  NoRows found;
  Node* empty = of_no_rows_of(value, &found);
  const bool is_bare = IsA(value, Aggref);
  *of_no_rows = is_bare && as<Const>(empty)->constisnull ? nullptr : empty;
  return found.aggregates == 1 && !found.has_others && !contain_volatile_functions(value);
}

// Whether it is what a query groups by.
bool is_key(const Query* query, const Node* shown) {
  return list_member(grouped_expressions(query), shown);
}

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
  auto* column = static_cast<Var*>(copyObjectImpl(tie.outer));
  column->varlevelsup = 0;
  column->varno = 1;
  column->varnosyn = 1;
  TargetEntry* target = output(as<Node>(column), 1, "key");
  values->targetList = list_make1(target);
  if (unique_key_on(table->relid, column->varattno, snapshot_at_work()) == nullptr) {
    values->distinctClause = list_make1(clause_of(target, 1));
  }
  RangeTblEntry* read = new_entry(RTE_SUBQUERY, "rows", names_of(values));
  read->subquery = values;
  return read;
}

// Reads these values, too, and groups by them.
void group_by_table(Query* query, const Query* around, const Tie& tie) {
  query->rtable = lappend(query->rtable, values_of_tie(around, tie));
  const int number = list_length(query->rtable);
  query->jointree->fromlist = lappend(query->jointree->fromlist, reference_to(number));
  Var* column = column_like(number, 1, as<Node>(tie.outer));
  auto* equality = static_cast<OpExpr*>(copyObjectImpl(tie.equality));
  equality->args = list_make2(copyObjectImpl(tie.own), copyObjectImpl(column));
  query->jointree->quals = make_and_qual(query->jointree->quals, as<Node>(equality));
  TargetEntry* key = output(as<Node>(column), 1, "key");
  const Node* shown = shown_by(query);
  query->targetList =
      list_make2(key, output(static_cast<Node*>(copyObjectImpl(shown)), 2, "answer"));
  query->groupClause = list_make1(clause_of(key, 1));
  query->sortClause = NIL;
}

RangeTblEntry* entry_of_cte(const char* name, const Query* rows) {
  RangeTblEntry* entry = new_entry(RTE_CTE, name, names_of(rows));
  entry->ctename = pstrdup(name);
  entry->ctelevelsup = 1;
  for (const auto* target : list<TargetEntry>(rows->targetList)) {
    auto* value = as<Node>(target->expr);
    entry->coltypes = lappend_oid(entry->coltypes, exprType(value));
    entry->coltypmods = lappend_int(entry->coltypmods, exprTypmod(value));
    entry->colcollations = lappend_oid(entry->colcollations, exprCollation(value));
  }
  return entry;
}

Var* column_of(const Query* rows, AttrNumber number) {
  return column_like(1, static_cast<const TargetEntry*>(list_nth(rows->targetList, number - 1)));
}

// SELECT answer FROM the CTE WHERE key = the column of the row.
Query* answer_of_row(const char* name, const Query* rows, const Tie& tie) {
  Query* query = new_query();
  query->rtable = list_make1(entry_of_cte(name, rows));
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  auto* equality = static_cast<OpExpr*>(copyObjectImpl(tie.equality));
  equality->args = list_make2(column_of(rows, 1), copyObjectImpl(tie.outer));
  query->jointree = makeFromExpr(list_make1(reference), as<Node>(equality));
  query->targetList = list_make1(output(as<Node>(column_of(rows, 2)), 1, "answer"));
  return query;
}

void add_cte(Query* query, const char* name, Query* rows) {
  auto* cte = makeNode(CommonTableExpr);
  cte->ctename = pstrdup(name);
  cte->ctematerialized = CTEMaterializeAlways;
  cte->ctequery = as<Node>(rows);
  cte->location = -1;
  cte->cterefcount = 1;
  cte->ctecolnames = names_of(rows);
  const RangeTblEntry* entry = entry_of_cte(name, rows);
  cte->ctecoltypes = entry->coltypes;
  cte->ctecoltypmods = entry->coltypmods;
  cte->ctecolcollations = entry->colcollations;
  query->cteList = lappend(query->cteList, cte);
}

Node* or_of_no_rows(SubLink* link, Node* of_no_rows) {
  if (of_no_rows == nullptr) return as<Node>(link);
  return coalesced(as<Node>(link), static_cast<Node*>(copyObjectImpl(of_no_rows)));
}

// Null if the subquery is of another kind.
Node* counted_once(Query* around, const SubLink* link) {
  if (link->subLinkType != EXPR_SUBLINK || !IsA(link->subselect, Query) ||
      !is_plain(as<Query>(link->subselect))) {
    return nullptr;
  }
  auto* rows = static_cast<Query*>(copyObjectImpl(link->subselect));
  const Node* shown = shown_by(rows);
  Node* of_no_rows = nullptr;
  Tie tie;
  if (shown == nullptr || !shows_answer(shown, &of_no_rows) || !take_tie(rows, &tie) ||
      !groups_by_tie(rows, tie) || is_key(rows, shown)) {
    return nullptr;
  }
  const RangeTblEntry* entry = rt_fetch(tie.outer->varno, around->rtable);
  if (!is_public_table(entry) || OidIsValid(rights_of(around, entry)->checkAsUser)) return nullptr;
  if (rows->groupClause != NIL) of_no_rows = nullptr;  // no row, where there is no group
  group_by_table(rows, around, tie);
  const char* name = psprintf("answers of rows %d", list_length(around->cteList) + 1);
  auto* read = makeNode(SubLink);
  *read = *link;
  read->subselect = as<Node>(answer_of_row(name, rows, tie));
  add_cte(around, name, rows);
  return or_of_no_rows(read, of_no_rows);
}

struct Counted {
  const SubLink* link;
  Node* answer;  // in its place
  CommonTableExpr* cte;
};

struct Children {
  Query* around;
  List* counted = NIL;  // of Counted
};

// The same subquery twice is one answer.
Node* answer_again(const Children& children, const SubLink* link) {
  for (auto* counted : list<Counted>(children.counted)) {
    if (!equal(counted->link, link)) continue;
    ++counted->cte->cterefcount;
    return static_cast<Node*>(copyObjectImpl(counted->answer));
  }
  return nullptr;
}

Node* with_answers(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& children = *static_cast<Children*>(context);
  if (IsA(node, SubLink)) {
    const auto* link = as<SubLink>(node);
    if (Node* answer = answer_again(children, link)) return answer;
    if (Node* answer = counted_once(children.around, link)) {
      auto* counted = static_cast<Counted*>(palloc(sizeof(Counted)));
      *counted = {link, answer, static_cast<CommonTableExpr*>(llast(children.around->cteList))};
      children.counted = lappend(children.counted, counted);
      return static_cast<Node*>(copyObjectImpl(answer));
    }
  }
  return map_expression(node, with_answers, context);
}

}  // namespace

void count_children_once(Query* query) {
  const bool is_plain = query->commandType == CMD_SELECT && query->hasSubLinks &&
                        query->groupingSets == NIL && query->setOperations == nullptr &&
                        query->jointree != nullptr && !names_hidden_table(query);
  if (!is_plain) return;
  Children children{query};
  change_shown(query, [&](Node* shown) { return with_answers(shown, &children); });
  query->jointree->quals = with_answers(query->jointree->quals, &children);
}

}  // namespace idp
