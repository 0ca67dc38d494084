#include "extension/domain/finite_columns.h"

#include "extension/domain/asked_keys.h"
#include "extension/domain/finite_keys.h"
#include "extension/domain/grain.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/key_images.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/key_table.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/key_forms.h"
#include "extension/plan/new_query.h"
#include "extension/domain/ranges.h"
#include "extension/domain/steps.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// --- which expressions ---

struct Cut {
  Query* query;
  bool by_parts;            // also what has keys by its columns
  List* expressions = NIL;  // of Node, each once
  bool all_have_keys = true;
};

// Of the columns of an expression: those with keys; null if one has none, or more than are listed.
bool keys_of_columns(const Query* query, Node* expression, List** keys) {
  *keys = NIL;
  for (const auto* column : list<Var>(pull_var_clause(expression, 0))) {
    KeyColumn* key =
        column->varlevelsup == 0 && column->varattno > 0 ? key_of_column(query, column) : nullptr;
    if (key == nullptr || (key->rows == nullptr && key->keys.values == nullptr)) return false;
    *keys = lappend(*keys, key);
  }
  return true;
}

// Rows without a key of the column are in no group.
void require_key_of(const Var* column, Query* query) {
  Node* condition = is_a_key(*key_of_column(query, column));
  if (list_member(conditions_of_rows(query), condition)) return;
  query->jointree->quals = make_and_qual(query->jointree->quals, condition);
}

// Whether an expression adds to another one, or multiplies it by, a constant: (x / 100) * 100. The
// other one has as many values, and is listed without what lies between.
bool is_by_constant(const Node* node) {
  if (!IsA(node, OpExpr) || list_length(as<OpExpr>(node)->args) != 2) return false;
  const auto* operation = as<OpExpr>(node);
  const char* name = get_opname(operation->opno);
  const bool is_known =
      operation->opno < FirstNormalObjectId && name != nullptr &&
      is_whole_number(operation->opresulttype) &&
      (strcmp(name, "+") == 0 || strcmp(name, "-") == 0 || strcmp(name, "*") == 0);
  if (!is_known) return false;
  auto* first = static_cast<Node*>(linitial(operation->args));
  auto* second = static_cast<Node*>(lsecond(operation->args));
  const auto is_one = [](Node* value, Node* constant) {
    return names_columns(value) && !IsA(value, Var) && !names_columns(constant) &&
           is_whole_number(exprType(value));
  };
  return is_one(first, second) || is_one(second, first);
}

// From the whole down: what has keys by its columns stays as it is, unless it is to be taken apart,
// then whatever has some itself.
bool find_cuts(Node* node, void* context) {
  if (node == nullptr || !names_columns(node)) return false;
  auto* cut = static_cast<Cut*>(context);
  if (!IsA(node, List)) {
    List* keys = NIL;
    const bool has_keys = keys_of_columns(cut->query, node, &keys) && sees_cells_alone(node, keys);
    if (has_keys && (!cut->by_parts || IsA(node, Var))) return false;
    FiniteKeys found;
    const bool has_own =
        !IsA(node, Var) && !is_by_constant(node) && computed_keys(cut->query, node, true, &found);
    // what is of several columns is taken apart, too
    if (has_own && !(cut->by_parts && found.several != NIL)) {
      for (const auto* column : list<Var>(found.within)) require_key_of(column, cut->query);
      cut->expressions = list_append_unique(cut->expressions, node);
      return false;
    }
    if (IsA(node, Var)) {
      cut->all_have_keys = false;
      return true;
    }
  }
  return walk_expression(node, find_cuts, context);
}

// What conditions compare of the same columns, where it has few values: rows of keys are chosen by
// it (conditions_of_keys.h).
bool find_compared(Node* node, void* context) {
  if (node == nullptr || !names_columns(node)) return false;
  auto* cut = static_cast<Cut*>(context);
  const Var* column = IsA(node, List) ? nullptr : only_column(node);
  if (column == nullptr) return walk_expression(node, find_compared, context);
  FiniteKeys found;
  const bool is_known = !IsA(node, Var) && computed_keys(cut->query, node, true, &found) &&
                        found.image != nullptr && found.several == NIL;
  if (!is_known) return false;
  for (auto* cut_out : list<Node>(cut->expressions)) {
    const Var* other = only_column(cut_out);
    if (other == nullptr || !is_same_column(other, column)) continue;
    cut->expressions = list_append_unique(cut->expressions, node);
    return false;
  }
  return false;
}

void add_compared(Cut* cut, const List* columns) {
  for (auto* condition : list<Node>(conditions_on_columns(cut->query, columns))) {
    if (only_column(condition) == nullptr) (void)find_compared(condition, cut);
  }
}

// --- the query around them ---

struct Wrapped {
  List* columns;      // of Node, those of the subquery: of Var, then expressions
  Index groups;       // as in UsedColumns
  List* steps = NIL;  // of Steps, whose numbers are the last columns
};

Node* column_of(const Node* node, int number) {
  return as<Node>(column_like(1, static_cast<AttrNumber>(number), node));
}

// Those that follow from steps are no columns themselves. Not where sets of them are grouped by:
// two that come to be equal would be one there.
void add_steps(const Query* query, Wrapped* wrapped, List* expressions) {
  if (query->groupingSets == NIL) wrapped->steps = steps_of(query, expressions);
  for (const auto* steps : list<Steps>(wrapped->steps)) {
    expressions = list_difference(expressions, steps->expressions);
  }
  wrapped->columns = list_concat(wrapped->columns, expressions);
  for (const auto* steps : list<Steps>(wrapped->steps)) {
    wrapped->columns = lappend(wrapped->columns, steps->step);
  }
}

// Null if it does not follow from steps.
Node* by_step(const Wrapped& wrapped, const Node* node) {
  int number = list_length(wrapped.columns) - list_length(wrapped.steps);
  for (const auto* steps : list<Steps>(wrapped.steps)) {
    ++number;
    ListCell* expression;
    ListCell* values;
    forboth(expression, steps->expressions, values, steps->values) {
      if (!equal(lfirst(expression), node)) continue;
      return value_of_step(node, static_cast<const List*>(lfirst(values)),
                           column_of(steps->step, number));
    }
  }
  return nullptr;
}

Node* over_subquery(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* wrapped = static_cast<const Wrapped*>(context);
  if (IsA(node, Var) && wrapped->groups > 0 &&
      static_cast<Index>(as<Var>(node)->varno) == wrapped->groups) {
    return column_of_groups(as<Var>(node), 2);
  }
  int number = 0;
  for (const auto* column : list<Node>(wrapped->columns)) {
    ++number;
    if (equal(column, node)) return column_of(node, number);
  }
  if (Node* value = by_step(*wrapped, node)) return value;
  return map_expression(node, over_subquery, context);
}

// A whole number, of which numeric has one form.
Node* by_numeric(Node* value) {
  return cast_to(cast_to(value, NUMERICOID, COERCE_EXPLICIT_CAST), FLOAT8OID, COERCE_EXPLICIT_CAST);
}

// What the query reads, as rows with the columns.
Query* rows_with_columns(const Query* query, const Wrapped& wrapped) {
  Query* rows = rows_of(query);
  int number = 0;
  for (auto* column : list<Node>(wrapped.columns)) {
    ++number;
    const char* name =
        IsA(column, Var) ? name_of_column(query, as<Var>(column)) : psprintf("computed %d", number);
    auto* value = static_cast<Node*>(copyObjectImpl(column));
    // -0 is in the group of 0
    const bool has_forms =
        exprType(value) == FLOAT8OID && !IsA(value, Var) && !has_one_key_form(query, value);
    rows->targetList =
        lappend(rows->targetList, output(has_forms ? by_numeric(value) : value, number, name));
  }
  IncrementVarSublevelsUp(as<Node>(rows), 1, 1);
  return rows;
}

void read_columns(Query* query, const Wrapped& wrapped) {
  Query* rows = rows_with_columns(query, wrapped);
  const auto change = [&](auto*& expressions) {
    using Expressions = std::remove_reference_t<decltype(expressions)>;
    expressions = reinterpret_cast<Expressions>(
        over_subquery(as<Node>(expressions), const_cast<Wrapped*>(&wrapped)));
  };
  change(query->targetList);
  change(query->havingQual);
  change_grouped(query, [&](Node* grouped) {
    change(grouped);
    return grouped;
  });
  read_rows(query, rows, "rows", nullptr);
}

}  // namespace

Query* with_finite_columns(const Query* query, bool by_parts) {
  auto* copy = copy_of(query);
  if (copy->setOperations != nullptr || names_outer_columns(copy)) return nullptr;
  UsedColumns used{entry_of_groups(copy)};
  List* grouped = grouped_expressions(copy);
  add_used_columns(&used, as<Node>(grouped));
  add_used_columns(&used, as<Node>(copy->targetList));
  add_used_columns(&used, copy->havingQual);
  if (!used.is_plain || names_rows_from_above(copy)) return nullptr;
  Cut cut{copy, by_parts};
  (void)find_cuts(as<Node>(grouped), &cut);
  if (cut.expressions == NIL || !cut.all_have_keys) return nullptr;
  if (by_parts) add_compared(&cut, used.columns);
  Wrapped wrapped{list_copy(used.columns), used.groups};
  add_steps(copy, &wrapped, cut.expressions);
  read_columns(copy, wrapped);
  return copy;
}

}  // namespace idp
