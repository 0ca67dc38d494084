#include "extension/domain/asked_keys.h"
#include "extension/domain/finite_keys.h"

#include "extension/domain/chosen_keys.h"
#include "extension/domain/grain.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/key_images.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/key_table.h"
#include "extension/domain/pinned_keys.h"
#include "extension/pg/nodes.h"
#include "extension/plan/key_forms.h"
#include "extension/plan/used_columns.h"

namespace idp {

namespace {

// A column whose values are listed, but for those that the query leaves out; null of another one.
// is_within: whether rows without such a value are left out already.
KeyColumn* listed_column(const Query* query, const Var* column, bool* is_within) {
  List* on_the_way = NIL;
  KeyColumn* key = key_of_column(query, column, &on_the_way);
  if (key == nullptr || key->rows != nullptr || key->keys.values == nullptr) return nullptr;
  // that a row has a key leaves out none, and takes long to find out
  Node* is_key = is_a_key(*key);
  *is_within = *is_within || list_member(conditions_of_rows(query), is_key);
  List* own = conditions_on_columns(query, list_make1(const_cast<Var*>(column)));
  key->may_be_null = key->may_be_null && !is_never_null(query, column);
  List* others = list_delete(list_concat(on_the_way, own), is_key);
  leave_out_keys(conditions_on_cells(others, list_make1(key)), key);
  return key;
}

// Those that all rows of the query fulfil, and that are over several of the columns.
List* conditions_on_several(const Query* query, const List* columns) {
  List* found = NIL;
  for (auto* condition : list<Node>(conditions_on_columns(query, columns))) {
    if (only_column(condition) == nullptr) found = lappend(found, condition);
  }
  return found;
}

// Rows that have no such value may have the image of one all the same, and be in no group: the
// query has to leave them out.
bool image_of_columns(const Query* query, Node* expression, bool will_be_within,
                      FiniteKeys* found) {
  UsedColumns used{0};
  add_used_columns(&used, expression);
  if (IsA(expression, Var) || !used.is_plain || !has_one_key_form(query, expression)) return false;
  List* bases = NIL;
  for (const auto* column : list<Var>(used.columns)) {
    bool is_within = will_be_within;
    KeyColumn* key = listed_column(query, column, &is_within);
    if (key == nullptr || !is_within) return false;
    bases = lappend(bases, key);
  }
  const bool is_found =
      list_length(bases) == 1
          ? image_of(static_cast<const KeyColumn*>(linitial(bases)), expression, found)
          : image_of_several(bases, expression, conditions_on_several(query, used.columns), found);
  if (!is_found) return false;
  if (found->image != nullptr) found->image->query = query;
  for (const auto* key : list<KeyColumn>(bases)) found->is_pinned |= key->is_pinned;
  return true;
}

// Whether rows without a key of one of the columns are left out already.
bool are_within(const Query* query, const List* columns) {
  const List* conditions = conditions_of_rows(query);
  for (const auto* column : list<Var>(columns)) {
    const KeyColumn* key = key_of_column(query, column);
    if (key == nullptr || !list_member(conditions, is_a_key(*key))) return false;
  }
  return true;
}

}  // namespace

bool computed_keys(const Query* query, Node* expression, bool will_be_within, FiniteKeys* found) {
  const bool is_of_one = only_column(expression) != nullptr;
  if (is_of_one && image_of_columns(query, expression, will_be_within, found)) return true;
  if (pinned_keys(query, expression, found)) return true;
  if (finite_keys(const_cast<Query*>(query), expression, !will_be_within, found)) return true;
  if (is_of_one) return false;
  return image_of_columns(query, expression, will_be_within, found) ||
         (keys_of_chosen(query, expression, found) &&
          (will_be_within || are_within(query, found->within)));
}

}  // namespace idp
