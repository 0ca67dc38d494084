#include "extension/rewrite/labelled_parts.h"

#include "extension/access/hidden.h"
#include "extension/pg/keys.h"
#include "extension/pg/outer_joins.h"
#include "extension/domain/domain.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/domain/public_table.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/unions.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// The parts of UNION ALL, of Query, in their order; NIL if one of them, or another operation, is to
// be left as it is.
List* queries_of_union(const Query* united) {
  List* queries = NIL;
  for (const int number : ints(parts_of_union(united->setOperations, UnionKind::kAll))) {
    const RangeTblEntry* entry = rt_fetch(number, united->rtable);
    if (entry->rtekind != RTE_SUBQUERY || entry->security_barrier) return NIL;
    queries = lappend(queries, entry->subquery);
  }
  return queries;
}

// Whether parts have the types that UNION gives: it casts others.
bool has_types_of(const Query* part, const SetOperationStmt* operation) {
  ListCell* type = list_head(operation->colTypes);
  for (const auto* target : list<TargetEntry>(part->targetList)) {
    if (target->resjunk) continue;
    if (type == nullptr || exprType(as<Node>(target->expr)) != lfirst_oid(type)) return false;
    type = lnext(operation->colTypes, type);
  }
  return type == nullptr;
}

// The entry of UNION ALL that a query reads, and nothing else; 0 if it reads more.
int only_union(const Query* query) {
  const int number = only_entry(query);
  if (number == 0) return 0;
  const RangeTblEntry* entry = rt_fetch(number, query->rtable);
  const bool is_union = entry->rtekind == RTE_SUBQUERY && !entry->lateral &&
                        !entry->security_barrier && entry->subquery->setOperations != nullptr &&
                        !IsA(entry->subquery->setOperations, RangeTblRef) &&
                        takes_only(entry->subquery, step::kSetOperations) &&
                        reads_hidden_table(entry->subquery);
  return is_union ? number : 0;
}

}  // namespace

int union_of_parts(const Query* query, List** parts) {
  const int entry = only_union(query);
  if (entry == 0) return 0;
  const Query* united = rt_fetch(entry, query->rtable)->subquery;
  *parts = queries_of_union(united);
  if (*parts == NIL) return 0;
  for (const auto* part : list<Query>(*parts)) {
    if (!has_types_of(part, as<SetOperationStmt>(united->setOperations))) return 0;
  }
  return entry;
}

namespace {

// The constant that a part has in a column; null if it has none, or NULL.
const Const* label_in(const Query* part, AttrNumber number) {
  const TargetEntry* target = column_shown(part->targetList, number);
  if (target == nullptr || part->setOperations != nullptr || part->groupingSets != NIL) {
    return nullptr;
  }
  const auto* label = maybe<Const>(folded(as<Node>(target->expr)));
  return label == nullptr || label->constisnull ? nullptr : label;
}

// Whether a column has another constant in each part.
bool is_label(const List* parts, AttrNumber number) {
  List* labels = NIL;
  for (const auto* part : list<Query>(parts)) {
    const Const* label = label_in(part, number);
    if (label == nullptr || !has_one_form(label->consttype, label->consttypmod, label->constcollid))
      return false;
    for (const auto* other : list<Const>(labels)) {
      if (datumIsEqual(label->constvalue, other->constvalue, label->constbyval, label->constlen)) {
        return false;
      }
    }
    labels = lappend(labels, const_cast<Const*>(label));
  }
  return true;
}

bool groups_by_label(const Query* query, int entry, const List* parts) {
  for (const auto* key : list<Node>(grouped_expressions(query))) {
    const auto* column = maybe<Var>(key);
    if (column != nullptr && static_cast<int>(column->varno) == entry && column->varlevelsup == 0 &&
        column->varattno > 0 && is_label(parts, column->varattno)) {
      return true;
    }
  }
  return false;
}

// The union whose labels a query groups by; 0 if there is none.
int labelled_union(const Query* query, List** parts) {
  const int entry = union_of_parts(query, parts);
  return entry != 0 && groups_by_label(query, entry, *parts) ? entry : 0;
}

// --- a list for each row ---

// A row of a list, as a part of a union would have it.
Query* row_of_list(const Query* list_query, const List* values) {
  Query* row = new_query();
  row->jointree = makeFromExpr(NIL, nullptr);
  for (const auto* target : list<TargetEntry>(list_query->targetList)) {
    auto* shown = flatCopyTargetEntry(const_cast<TargetEntry*>(target));
    const auto* column = as<Var>(target->expr);
    shown->expr = static_cast<Expr*>(copyObjectImpl(list_nth(values, column->varattno - 1)));
    row->targetList = lappend(row->targetList, shown);
  }
  IncrementVarSublevelsUp(as<Node>(row), 1, 1);
  return row;
}

// The rows of LATERAL (VALUES …), of Query; NIL if an entry is something else.
List* rows_of_list(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_SUBQUERY || !entry->lateral || entry->securityQuals != NIL) return NIL;
  const Query* query = entry->subquery;
  const int number =
      takes_only(query, 0) && query->sortClause == NIL && query->jointree->quals == nullptr
          ? only_entry(query)
          : 0;
  if (number == 0) return NIL;
  const RangeTblEntry* values = rt_fetch(number, query->rtable);
  if (values->rtekind != RTE_VALUES) return NIL;
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    const auto* column = maybe<Var>(target->expr);
    if (column == nullptr || column->varlevelsup > 0 || column->varattno <= 0) return NIL;
  }
  List* rows = NIL;
  for (const auto* row : list<List>(values->values_lists)) {
    rows = lappend(rows, row_of_list(query, row));
  }
  return rows;
}

// The list whose labels a query over hidden rows groups by; 0 if there is none. Where no outer join
// puts NULL in its place, each row of it is joined by itself.
int labelled_list(const Query* query, List** rows) {
  if (!names_hidden_table(query)) return 0;
  for (const int number : ints(entries_read(as<Node>(query->jointree)))) {
    *rows = rows_of_list(rt_fetch(number, query->rtable));
    if (list_length(*rows) > 1 && !may_be_absent(query, static_cast<Index>(number)) &&
        groups_by_label(query, number, *rows)) {
      return number;
    }
  }
  return 0;
}

// --- the parts ---

}  // namespace

Query* query_of_part(const Query* query, int entry, const Query* part) {
  auto* alone = copy_of(query);
  auto* rows = copy_of(part);
  IncrementVarSublevelsUp(as<Node>(rows), -1, 1);  // the union is not around it any more
  rt_fetch(entry, alone->rtable)->subquery = rows;
  show_all_unsorted(alone);
  return alone;
}

namespace {

// One that is to stand within another, which stands where it stood.
Query* within(Query* query) {
  IncrementVarSublevelsUp(as<Node>(query), 1, 1);
  return query;
}

// The query reads the answers of its parts, and sorts them as before.
void read_answers(Query* query, Query* answers) {
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, "parts", names_of(answers));
  entry->subquery = within(answers);
  Query* outer = new_query();
  outer->querySource = query->querySource;
  outer->queryId = query->queryId;
  outer->canSetTag = query->canSetTag;
  outer->hasRowSecurity = query->hasRowSecurity;
  outer->stmt_location = query->stmt_location;
  outer->stmt_len = query->stmt_len;
  outer->rtable = list_make1(entry);
  outer->jointree = makeFromExpr(list_make1(reference_to(1)), nullptr);
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    auto* shown = flatCopyTargetEntry(const_cast<TargetEntry*>(target));
    shown->expr = as<Expr>(column_like(1, target));
    shown->resorigtbl = InvalidOid;
    shown->resorigcol = 0;
    if (get_sortgroupref_clause_noerr(target->ressortgroupref, query->sortClause) == nullptr) {
      shown->ressortgroupref = 0;
      if (target->resjunk) continue;  // only grouped by
    }
    outer->targetList = lappend(outer->targetList, shown);
  }
  outer->sortClause = query->sortClause;
  outer->limitCount = query->limitCount;
  outer->limitOffset = query->limitOffset;
  outer->limitOption = query->limitOption;
  *query = *outer;
}

}  // namespace

void show_all_unsorted(Query* query) {
  query->sortClause = NIL;
  query->limitCount = query->limitOffset = nullptr;
  for (auto* target : list<TargetEntry>(query->targetList)) {
    target->resjunk = false;
    if (target->resname == nullptr) target->resname = psprintf("column %d", target->resno);
  }
}

Query* united_answers(const List* parts) {
  Query* answers = nullptr;
  for (auto* part : list<Query>(parts)) {
    answers = answers == nullptr ? part : put_together(within(answers), within(part));
  }
  return answers;
}

void read_answers_of(Query* query, const List* parts) {
  read_answers(query, united_answers(parts));
}

void answer_labelled_parts(Query* query) {
  constexpr unsigned kSteps =
      step::kAggregates | step::kGroups | step::kHaving | step::kLimit | step::kOffset;
  if (!query->hasAggs || query->groupClause == NIL || !takes_only(query, kSteps)) return;
  List* parts = NIL;
  int entry = labelled_list(query, &parts);
  if (entry == 0) entry = labelled_union(query, &parts);
  if (entry == 0) return;
  List* alone = NIL;
  for (const auto* part : list<Query>(parts)) {
    alone = lappend(alone, query_of_part(query, entry, part));
  }
  read_answers_of(query, alone);
}

}  // namespace idp
