#include "extension/rewrite/counted_limits.h"

#include "extension/domain/public_table.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/rewrite/never_null.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// The subquery that is all the query reads; null if there is more to it.
Query* only_subquery(const Query* query) {
  const FromExpr* from = query->jointree;
  if (from->quals != nullptr || list_length(from->fromlist) != 1) return nullptr;
  const auto* reference = maybe<RangeTblRef>(static_cast<Node*>(linitial(from->fromlist)));
  if (reference == nullptr) return nullptr;
  const RangeTblEntry* entry = rt_fetch(reference->rtindex, query->rtable);
  return entry->rtekind == RTE_SUBQUERY && !entry->lateral ? entry->subquery : nullptr;
}

bool is_value(const Node* node) { return IsA(node, Const) && !as<Const>(node)->constisnull; }

// count(*), or count(x) of what is a constant, or never NULL, in all of the rows.
bool is_count_of_rows(const Aggref* call, const Query* rows) {
  if (call->aggfilter != nullptr || call->agglevelsup > 0) return false;
  if (call->aggfnoid == F_COUNT_) return true;
  if (call->aggfnoid != F_COUNT_ANY || call->aggdistinct != NIL) return false;
  const auto* counted = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  if (!IsA(counted, Var)) return is_value(counted);
  const auto* column = as<Var>(counted);
  const TargetEntry* target = column->varlevelsup == 0 && column->varattno > 0
                                  ? column_shown(rows->targetList, column->varattno)
                                  : nullptr;
  if (target == nullptr) return false;
  const auto* value = as<Node>(target->expr);
  const bool gives_rows = rows->setOperations == nullptr && rows->groupingSets == NIL;
  return is_value(value) || (gives_rows && is_never_null_column(rows, value));
}

// Whether an expression is made of answers other than the count of all rows, or of columns.
bool find_other_answer(Node* node, void* rows) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) return !is_count_of_rows(as<Aggref>(node), static_cast<Query*>(rows));
  return IsA(node, Var) || IsA(node, SubLink) || walk_expression(node, find_other_answer, rows);
}

// Null: there is none.
struct Page {
  Node* limit;
  Node* offset;
};

// A number that is known by then alone, or 0 where that is negative; NULL stays.
Node* not_negative(const Node* number) {
  auto* copy = static_cast<Node*>(copyObjectImpl(number));
  if (IsA(number, Const)) return copy;
  Node* is_negative = operation("<", copy, bigint(0));
  return cases(nullptr, with_when(NIL, is_negative, bigint(0)),
               static_cast<Node*>(copyObjectImpl(number)));
}

// Of NULL neither LEAST nor LIMIT takes notice; OFFSET NULL is 0.
Node* on_page(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Aggref)) return map_expression(node, on_page, context);
  const auto* page = static_cast<const Page*>(context);
  Node* count = node;
  if (page->offset != nullptr) {
    Node* offset = coalesced(not_negative(page->offset), bigint(0));
    count = end_of(IS_GREATEST, operation("-", count, offset), bigint(0));
  }
  if (page->limit == nullptr) return count;
  return end_of(IS_LEAST, count, not_negative(page->limit));
}

// A number that the statement gives, be it as a parameter.
bool is_given(Node* number) { return exprType(number) == INT8OID && is_same_for_all_rows(number); }

// Whether there is a page of rows, and which; a constant is no error and no empty page.
bool find_page(const Query* query, Page* page) {
  *page = {query->limitCount, query->limitOffset};
  if (page->limit == nullptr && page->offset == nullptr) return false;
  if (query->limitOption != LIMIT_OPTION_COUNT) return false;
  const auto is_at_least = [](const Node* number, int64 least) {
    return !IsA(number, Const) || (!as<Const>(number)->constisnull &&
                                   DatumGetInt64(as<Const>(number)->constvalue) >= least);
  };
  return (page->limit == nullptr || (is_given(page->limit) && is_at_least(page->limit, 1))) &&
         (page->offset == nullptr || (is_given(page->offset) && is_at_least(page->offset, 0)));
}

}  // namespace

void count_up_to_limits(Query* query) {
  const bool is_one_count = query->commandType == CMD_SELECT && query->hasAggs &&
                            query->groupClause == NIL && query->groupingSets == NIL &&
                            query->setOperations == nullptr;
  if (!is_one_count) return;
  Query* rows = only_subquery(query);
  if (rows == nullptr || rows->rowMarks != NIL || !reads_hidden_table(rows)) return;
  Page page;
  if (!find_page(rows, &page) || find_other_answer(as<Node>(query->targetList), rows) ||
      find_other_answer(query->havingQual, rows)) {
    return;
  }
  rows->limitCount = rows->limitOffset = nullptr;
  rows->sortClause = NIL;
  change_shown(query, [&](Node* shown) { return on_page(shown, &page); });
}

}  // namespace idp
