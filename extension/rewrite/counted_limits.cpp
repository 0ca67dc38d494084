#include "extension/rewrite/counted_limits.h"

#include "extension/domain/public_table.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
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

bool is_count_of_rows(const Aggref* call) {
  return call->aggfnoid == F_COUNT_ && call->aggfilter == nullptr && call->agglevelsup == 0;
}

// Whether an expression is made of answers other than the count of all rows, or of columns.
bool find_other_answer(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) return !is_count_of_rows(as<Aggref>(node));
  return IsA(node, Var) || IsA(node, SubLink) || walk_expression(node, find_other_answer, nullptr);
}

Node* with_limit(Node* node, void* limit) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Aggref)) return map_expression(node, with_limit, limit);
  auto* least = makeNode(MinMaxExpr);
  least->minmaxtype = INT8OID;
  least->op = IS_LEAST;
  least->args = list_make2(node, copyObjectImpl(limit));
  least->location = -1;
  return as<Node>(least);
}

const Const* limit_of(const Query* query) {
  const auto* limit = maybe<Const>(query->limitCount);
  const bool is_number = limit != nullptr && !limit->constisnull && limit->consttype == INT8OID &&
                         DatumGetInt64(limit->constvalue) > 0 &&
                         query->limitOption == LIMIT_OPTION_COUNT;
  return is_number && query->limitOffset == nullptr ? limit : nullptr;
}

}  // namespace

void count_up_to_limits(Query* query) {
  const bool is_one_count = query->commandType == CMD_SELECT && query->hasAggs &&
                            query->groupClause == NIL && query->groupingSets == NIL &&
                            query->setOperations == nullptr;
  if (!is_one_count) return;
  Query* rows = only_subquery(query);
  if (rows == nullptr || rows->rowMarks != NIL || !reads_hidden_table(rows)) return;
  const Const* limit = limit_of(rows);
  if (limit == nullptr || find_other_answer(as<Node>(query->targetList), nullptr) ||
      find_other_answer(query->havingQual, nullptr)) {
    return;
  }
  auto* value = const_cast<Const*>(limit);
  rows->limitCount = nullptr;
  rows->sortClause = NIL;
  query->targetList = reinterpret_cast<List*>(with_limit(as<Node>(query->targetList), value));
  query->havingQual = with_limit(query->havingQual, value);
}

}  // namespace idp
