#include "extension/plan/rows_beside_keys.h"

#include "extension/pg/nodes.h"
#include "extension/plan/key_rows.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// The only entry that the query reads is the first, and a subquery of two parts put together.
const Query* put_together(const Query* query) {
  if (list_length(query->jointree->fromlist) != 1) return nullptr;
  const auto* reference =
      maybe<RangeTblRef>(static_cast<Node*>(linitial(query->jointree->fromlist)));
  if (reference == nullptr || reference->rtindex != 1) return nullptr;
  const auto* entry = rt_fetch(reference->rtindex, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery == nullptr) return nullptr;
  const Query* parts = entry->subquery;
  return parts->setOperations != nullptr && list_length(parts->rtable) == 2 ? parts : nullptr;
}

bool gives_keys(const Query* part) {
  for (const auto* target : list<TargetEntry>(part->targetList)) {
    if (is_key_marker(as<Node>(target->expr))) return true;
  }
  return false;
}

Node* replace(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* rows = static_cast<const Query*>(context);
  const auto* column = maybe<Var>(node);
  if (column == nullptr) return map_expression(node, replace, context);
  if (column->varno != 1 || column->varlevelsup > 0 || column->varattno <= 0) return node;
  const auto* output =
      static_cast<const TargetEntry*>(list_nth(rows->targetList, column->varattno - 1));
  return static_cast<Node*>(copyObjectImpl(output->expr));
}

// What the test for the marker became.
bool is_null_test_of_nothing(const Node* condition) {
  const auto* test = maybe<NullTest>(condition);
  if (test == nullptr || test->nulltesttype != IS_NULL) return false;
  const auto* value = maybe<Const>(as<Node>(test->arg));
  return value != nullptr && value->constisnull && value->consttype == no_key_marker()->consttype;
}

}  // namespace

// Nobody else writes the marker of keys (key_rows.h).
Query* rows_beside_keys(const Query* query) {
  const Query* parts = put_together(query);
  if (parts == nullptr) return nullptr;
  auto* rows = static_cast<const RangeTblEntry*>(linitial(parts->rtable))->subquery;
  const auto* keys = static_cast<const RangeTblEntry*>(lsecond(parts->rtable))->subquery;
  if (rows == nullptr || keys == nullptr || !gives_keys(keys)) return nullptr;
  return static_cast<Query*>(copyObjectImpl(rows));
}

Node* over_rows(Node* expression, const Query* rows) {
  return replace(expression, const_cast<Query*>(rows));
}

Node* filter_of_rows(Node* filter, const Query* rows) {
  List* left = NIL;
  for (auto* condition : list<Node>(make_ands_implicit(as<Expr>(over_rows(filter, rows))))) {
    if (!is_null_test_of_nothing(condition)) left = lappend(left, condition);
  }
  return left == NIL ? nullptr : as<Node>(make_ands_explicit(left));
}

}  // namespace idp
