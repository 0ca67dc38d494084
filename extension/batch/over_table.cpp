#include "extension/batch/over_table.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parameters.h"

extern "C" {
#include "access/sysattr.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
}

namespace idp {

namespace {

struct Output {
  const List* columns;
  bool is_known;
};

Node* put_columns(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto* output = static_cast<Output*>(context);
  const auto* column = maybe<Var>(node);
  if (column == nullptr) return map_expression(node, put_columns, context);
  if (column->varno != OUTER_VAR || column->varattno <= 0 ||
      column->varattno > list_length(output->columns)) {
    output->is_known = false;
    return node;
  }
  const auto* entry =
      static_cast<const TargetEntry*>(list_nth(output->columns, column->varattno - 1));
  return static_cast<Node*>(copyObjectImpl(entry->expr));
}

// The only condition of one that gives every group its keys (domain/all_groups.h).
bool is_always_true(const Node* condition) {
  const auto* test = maybe<NullTest>(condition);
  const auto* constant = test == nullptr ? nullptr : maybe<Const>(test->arg);
  return constant != nullptr && !test->argisrow &&
         constant->constisnull == (test->nulltesttype == IS_NULL);
}

}  // namespace

Node* over_table(Node* expression, const List* columns) {
  Output output = {columns, true};
  Node* result = put_columns(expression, &output);
  return output.is_known ? result : nullptr;
}

List* conditions_without_constants(Node* condition) {
  List* conditions = NIL;
  for (auto* part : list<Node>(conjuncts(condition))) {
    if (!is_always_true(part)) conditions = lappend(conditions, part);
  }
  return conditions;
}

bool are_columns_of_rows(Node* expression, Index table, Bitmapset*& numbers) {
  Bitmapset* shifted = nullptr;
  pull_varattnos(expression, table, &shifted);
  int member = -1;
  while ((member = bms_next_member(shifted, member)) >= 0) {
    const int number = member + FirstLowInvalidHeapAttributeNumber;
    if (number <= 0) return false;
    numbers = bms_add_member(numbers, number);
  }
  return true;
}

bool can_be_of_rows(Node* expression, Index table, Bitmapset*& numbers) {
  if (expression == nullptr) return true;
  return !contain_volatile_functions(expression) && !contain_subplans(expression) &&
         are_columns_of_rows(expression, table, numbers);
}

bool has_outer_parameters(Node* expression) { return names_parameters(expression); }

}  // namespace idp
