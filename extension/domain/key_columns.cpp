#include "extension/domain/key_columns.h"

#include "extension/domain/conditions_of_keys.h"
#include "extension/domain/grain.h"
#include "extension/domain/implied_conditions.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/key_images.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/public_table.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// --- how many there are ---

// That of the column of its table, if it is of one.
const char* name_of(const KeyColumn& column) {
  return OidIsValid(column.table) ? get_attname(column.table, column.origin, false) : column.name;
}

bool is_any_as_it_is(const List* columns) {
  for (const auto* column : list<KeyColumn>(columns)) {
    if (column->is_shown) return true;
  }
  return false;
}

// A number that the declarations and the words of the query alone make.
[[noreturn]] void refuse_number_of_keys(const List* columns, int64 count, int most) {
  StringInfoData names;
  initStringInfo(&names);
  for (const auto* column : list<KeyColumn>(columns)) {
    appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", name_of(*column));
  }
  const auto* first = static_cast<const KeyColumn*>(linitial(columns));
  const bool is_one = list_length(columns) == 1;
  ereport(ERROR,
          (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
           !is_one && !is_any_as_it_is(columns)
               ? errmsg("GROUP BY computes keys of columns %s, which have " INT64_FORMAT
                        " values together, more than %d: group by each of them, or by something "
                        "coarser",
                        names.data, count, most)
           : !is_one ? errmsg("columns %s of GROUP BY have " INT64_FORMAT
                              " keys together, more than %d: group by fewer columns",
                              names.data, count, most)
           : first->is_shown && OidIsValid(first->table)
               ? errmsg("GROUP BY of column %s has " INT64_FORMAT
                        " keys, more than %d: group by something coarser, such as %s",
                        names.data, count, most, coarser_than(first->table, first->origin))
               : errmsg("column %s of GROUP BY has a domain of " INT64_FORMAT
                        " values, more than %d: declare a smaller one",
                        names.data, count, most),
           errdetail("A query that groups by columns with domains shows every key of these."),
           errhint("Conditions that compare such a column with constants alone leave out keys. "
                   "Something coarser than the column, such as date_trunc('month', …) of a date, "
                   "has fewer.")));
}

// The product, or one that is as large as any.
int64 times(int64 a, int64 b) { return b > 0 && a > PG_INT64_MAX / b ? PG_INT64_MAX : a * b; }

bool is_among(const Var* column, const List* expressions) {
  for (const auto* other : list<Var>(expressions)) {
    if (IsA(other, Var) && other->varno == column->varno && other->varattno == column->varattno) {
      return true;
    }
  }
  return false;
}

bool is_any_shown(const List* keys, const ListedRows* listed) {
  for (const auto* key : list<KeyColumn>(keys)) {
    if (key->listed == listed && key->is_shown) return true;
  }
  return false;
}

// are_too_many: whether they are; where it is null they are refused.
// of_one: how many one column may have.
void require_few_keys(const List* keys, bool* are_too_many, int of_one) {
  List* of_domains = NIL;
  List* listed = NIL;  // of ListedRows
  int64 values = 1;
  int64 groups = 1;
  bool any_has_many = false;
  for (auto* key : list<KeyColumn>(keys)) {
    if (key->rows != nullptr) continue;
    of_domains = lappend(of_domains, key);
    if (key->listed != nullptr) {
      if (list_member_ptr(listed, key->listed)) continue;
      listed = lappend(listed, const_cast<ListedRows*>(key->listed));
      values = times(values, key->listed->count);
      if (is_any_shown(keys, key->listed)) groups = times(groups, key->listed->count);
      continue;
    }
    const int64 count = key->keys.values != nullptr ? key->count() : key->keys.number;
    any_has_many |= count > of_one;
    values = times(values, count);
    if (key->is_shown) groups = times(groups, count);
  }
  if (are_too_many != nullptr) {
    *are_too_many = groups > kMostKeys || values > kMostValues || any_has_many;
    return;
  }
  if (groups > kMostKeys) refuse_number_of_keys(of_domains, groups, kMostKeys);
  if (values > kMostValues) refuse_number_of_keys(of_domains, values, kMostValues);
}

// --- which come together ---

List* columns_behind(const KeyColumn& key) {
  if (key.several != NIL) return list_copy(key.several);
  return list_make1(const_cast<KeyColumn*>(key.image != nullptr ? key.image->base : &key));
}

bool any_is_same(const List* keys, const List* others) {
  for (const auto* key : list<KeyColumn>(keys)) {
    for (const auto* other : list<KeyColumn>(others)) {
      if (OidIsValid(key->table) && key->table == other->table && key->origin == other->origin) {
        return true;
      }
    }
  }
  return false;
}

// Whether what is computed of several columns stands beside something else of one of these: then
// not all of its keys come together with each of that.
bool are_related(const List* keys) {
  for (const auto* key : list<KeyColumn>(keys)) {
    if (key->several == NIL) continue;
    for (const auto* other : list<KeyColumn>(keys)) {
      if (other != key && any_is_same(columns_behind(*key), columns_behind(*other))) return true;
    }
  }
  return false;
}

}  // namespace

List* key_columns(const Query* query, const List* columns, const List* shown, List** conditions,
                  bool* are_too_many, int of_one) {
  List* found = NIL;
  bool any_of_hidden = false;  // whether it has keys that those of hidden rows alone have
  *conditions = NIL;
  if (are_too_many != nullptr) *are_too_many = false;
  for (auto* column : list<Var>(columns)) {
    List* on_the_way = NIL;
    KeyColumn* key = key_of_column(query, column, &on_the_way);
    if (key == nullptr) return NIL;
    key->is_shown = is_among(column, shown);
    key->may_be_null = key->may_be_null && !is_never_null(query, column);
    // of rows that everybody may see, one group is asked about for the price of no groups
    any_of_hidden |= key->rows != nullptr || key->is_pinned;
    found = lappend(found, key);
    *conditions = list_concat(*conditions, on_the_way);
  }
  if (are_related(found)) return NIL;
  if (any_of_hidden && !reads_hidden_table(query)) return NIL;
  *conditions = union_of_conditions(*conditions, conditions_on_keys(query, &found));
  *conditions = conditions_on_cells(*conditions, found);
  for (auto* key : list<KeyColumn>(found)) {
    key->implied = implied_conditions(query, *key);
    *conditions = union_of_conditions(*conditions, key->implied);
  }
  for (auto* key : list<KeyColumn>(found)) {
    if (key->keys.values != nullptr) leave_out_keys(*conditions, key);
  }
  list_images_together(found);
  // what conditions say of keys is asked when the query runs
  require_few_keys(found, are_too_many, *conditions == NIL ? of_one : kMostValues);
  return are_too_many != nullptr && *are_too_many ? NIL : found;
}

}  // namespace idp
