#include "extension/domain/references.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// The column of a table that a side of a comparison is.
const RangeTblEntry* table_of(const Query* query, const Node* side, AttrNumber* number) {
  const Node* node = without_relabels(side);  // varchar is compared as text
  if (!IsA(node, Var)) return nullptr;
  const auto* column = as<Var>(node);
  if (column->varlevelsup > 0 || column->varattno <= 0) return nullptr;
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  *number = column->varattno;
  return entry->rtekind == RTE_RELATION ? entry : nullptr;
}

bool refers_to(Oid table, AttrNumber column, Oid parent, AttrNumber wanted) {
  AttrNumber referenced = InvalidAttrNumber;
  return reference_of(table, column, parent, wanted, nullptr, &referenced) == Reference::kSound &&
         referenced == wanted;
}

}  // namespace

bool is_reference(const Query* query, const Node* condition) {
  const auto* comparison = as<OpExpr>(condition);
  if (!IsA(comparison, OpExpr) || list_length(comparison->args) != 2) return false;
  const auto* first = static_cast<const Node*>(linitial(comparison->args));
  if (!op_mergejoinable(comparison->opno, exprType(first))) return false;
  AttrNumber a = InvalidAttrNumber;
  AttrNumber b = InvalidAttrNumber;
  const RangeTblEntry* left = table_of(query, first, &a);
  const RangeTblEntry* right =
      table_of(query, static_cast<const Node*>(lsecond(comparison->args)), &b);
  if (left == nullptr || right == nullptr || left == right) return false;
  return refers_to(left->relid, a, right->relid, b) || refers_to(right->relid, b, left->relid, a);
}

}  // namespace idp
