#include "extension/domain/chosen_keys.h"

#include "extension/domain/asked_keys.h"
#include "extension/domain/key_images.h"
#include "extension/domain/united_keys.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/plan/key_forms.h"
#include "extension/plan/used_columns.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

// What a node is one of; NIL of another one.
const List* chosen_by(const Node* node) {
  if (IsA(node, MinMaxExpr)) return as<MinMaxExpr>(node)->args;
  return IsA(node, RelabelType) ? NIL : values_chosen(node);
}

bool is_choice_of_columns(Node* node) {
  for (auto* value : list<Node>(chosen_by(node))) {
    if (names_columns(value)) return true;
  }
  return false;
}

// Whether columns are named elsewhere than in one choice.
bool find_choice(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) return true;
  if (!is_choice_of_columns(node)) return walk_expression(node, find_choice, context);
  auto** choice = static_cast<Node**>(context);
  if (*choice == nullptr) *choice = node;
  return !equal(*choice, node);
}

bool is_same_text(const char* a, const char* b) {
  return a == nullptr || b == nullptr ? a == b : strcmp(a, b) == 0;
}

// Instants by the cells that they lie in: what sees cells alone is the same of these.
void put_into_cells(Keys* keys, const Grain& grain) {
  if (keys->grain.unit != nullptr || grain.unit == nullptr) return;
  for (int i = 0; i < keys->count; ++i) {
    keys->values[i] = cell_of(keys->type, grain, keys->values[i]);
  }
  keys->grain = grain;
}

// Values of one grain are cells of it, whichever they are of.
bool unite(FiniteKeys* all, FiniteKeys more) {
  if (all->keys.values == nullptr) {
    *all = more;
    return true;
  }
  if (all->keys.type != more.keys.type) return false;
  put_into_cells(&all->keys, more.keys.grain);
  put_into_cells(&more.keys, all->keys.grain);
  const Grain grain = all->keys.grain;
  if (!is_same_text(grain.unit, more.keys.grain.unit) ||
      !is_same_text(grain.zone, more.keys.grain.zone)) {
    return false;
  }
  FiniteKeys both{};
  all->keys.grain = more.keys.grain = {};
  if (!unite_keys(*all, more, &both)) return false;
  both.keys.grain = grain;
  both.is_pinned = all->is_pinned || more.is_pinned;
  both.within = list_concat_unique(all->within, more.within);
  both.several = list_concat(all->several, more.several);
  *all = both;
  return true;
}

bool keys_of_value(const Query* query, Node* value, FiniteKeys* found) {
  if (!names_columns(value)) return keys_of_constant(value, found);
  const auto* column = maybe<Var>(value);
  if (column == nullptr) {
    if (!computed_keys(query, value, true, found)) return false;
    if (found->image != nullptr) {
      found->several = list_make1(const_cast<KeyColumn*>(found->image->base));
    }
    return true;
  }
  const KeyColumn* key =
      column->varlevelsup == 0 && column->varattno > 0 ? key_of_column(query, column) : nullptr;
  if (key == nullptr || key->rows != nullptr || key->keys.values == nullptr) return false;
  *found = {key->keys, key->may_be_null, nullptr, key->is_pinned};
  found->within = list_make1(value);
  found->several = list_make1(const_cast<KeyColumn*>(key));
  return true;
}

bool keys_of_all(const Query* query, const List* values, FiniteKeys* all) {
  for (auto* value : list<Node>(values)) {
    FiniteKeys one{};
    if (!keys_of_value(query, value, &one)) return false;
    if (one.keys.count > 0 && !unite(all, one)) return false;
  }
  return all->keys.values != nullptr;
}

// Whether the columns have few enough values for groups of all of these together.
bool are_few(const List* columns) {
  int64 number = 1;
  for (const auto* column : list<KeyColumn>(columns)) {
    number *= Max(column->count(), 1);
    if (number > kMostValues) return false;
  }
  return true;
}

}  // namespace

bool keys_of_chosen(const Query* query, Node* expression, FiniteKeys* found) {
  Node* choice = nullptr;
  if (find_choice(expression, &choice) || choice == nullptr ||
      !has_one_key_form(query, expression)) {
    return false;
  }
  // what is computed of it may tell forms apart
  if (!has_one_form(exprType(choice), exprTypmod(choice), exprCollation(choice))) return false;
  FiniteKeys all{};
  if (!keys_of_all(query, chosen_by(choice), &all) || all.keys.type != exprType(choice)) {
    return false;
  }
  // the choice as a column with these keys
  KeyColumn base{};
  base.column = makeVar(1, 1, exprType(choice), exprTypmod(choice), exprCollation(choice), 0);
  base.keys = all.keys;
  base.may_be_null = may_value_be_null(query, choice);
  if (!image_of(&base, with_column(expression, choice, base.column), found)) return false;
  found->image = nullptr;
  found->is_pinned = all.is_pinned;
  found->within = all.within;
  found->several = are_few(all.several) ? all.several : NIL;
  return true;
}

}  // namespace idp
