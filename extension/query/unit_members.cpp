#include "extension/query/unit_rows.h"

#include <algorithm>

#include "extension/plan/input.h"

namespace idp {

namespace {

// Which column of some rows it is, from 0; negative if none.
int position_of(const Rows& rows, int id) {
  for (int i = 0; i < rows.count; ++i) {
    if (rows.columns[i].id == id) return i;
  }
  return -1;
}

// The set over the columns of other rows in the same places; null if one is not among them.
UniqueSet* moved(const UniqueSet& set, const Rows& from, const Rows& to) {
  auto* copy = static_cast<UniqueSet*>(palloc(sizeof(UniqueSet)));
  *copy = set;
  copy->columns = NIL;
  ListCell* cell;
  foreach (cell, set.columns) {
    const auto* column = static_cast<const UniqueSet::Column*>(lfirst(cell));
    const int position = position_of(from, column->id);
    if (position < 0 || position >= to.count) return nullptr;
    auto* there = static_cast<UniqueSet::Column*>(palloc(sizeof(UniqueSet::Column)));
    *there = {to.columns[position].id, column->family, column->place};
    copy->columns = lappend(copy->columns, there);
  }
  return copy;
}

// Whether two sets come from the same index, in the same way: each column of it is at the same
// place of the rows, or equal to the same value.
bool are_same(const UniqueSet& a, const UniqueSet& b) {
  if (!OidIsValid(a.index) || a.index != b.index || !equal(a.pinned, b.pinned) ||
      !equal(a.pinned_places, b.pinned_places) ||
      list_length(a.columns) != list_length(b.columns)) {
    return false;
  }
  ListCell* cell;
  ListCell* other;
  forboth(cell, a.columns, other, b.columns) {
    const auto* one = static_cast<const UniqueSet::Column*>(lfirst(cell));
    const auto* its = static_cast<const UniqueSet::Column*>(lfirst(other));
    if (one->id != its->id || one->place != its->place || one->family != its->family) return false;
  }
  return true;
}

bool overlap(const List* some, const List* others) {
  ListCell* cell;
  foreach (cell, others) {
    if (list_member_oid(some, lfirst_oid(cell))) return true;
  }
  return false;
}

// Of the sets of the first member those that each has, as sets of the whole.
List* unique_of_all(const List* members, const Rows& rows) {
  const auto* first_member = static_cast<const Rows*>(linitial(members));
  List* unique = NIL;
  ListCell* cell;
  foreach (cell, first_member->unique) {
    const UniqueSet* set = moved(*static_cast<const UniqueSet*>(lfirst(cell)), *first_member, rows);
    bool in_all = set != nullptr;
    ListCell* inner;
    foreach (inner, members) {
      const auto* member = static_cast<const Rows*>(lfirst(inner));
      bool found = false;
      ListCell* other;
      foreach (other, member->unique) {
        const UniqueSet* its = moved(*static_cast<const UniqueSet*>(lfirst(other)), *member, rows);
        found |= in_all && its != nullptr && are_same(*set, *its);
      }
      in_all &= found;
    }
    if (in_all) unique = lappend(unique, const_cast<UniqueSet*>(set));
  }
  return unique;
}

// Likewise of columns that are equal to parameters.
List* pins_of_all(const List* members, const Rows& rows) {
  const auto* first_member = static_cast<const Rows*>(linitial(members));
  List* pins = NIL;
  ListCell* cell;
  foreach (cell, first_member->pins) {
    const auto* pin = static_cast<const Pin*>(lfirst(cell));
    const int position = position_of(*first_member, pin->column.id);
    bool in_all = position >= 0;
    ListCell* inner;
    foreach (inner, members) {
      const auto* member = static_cast<const Rows*>(lfirst(inner));
      bool found = false;
      ListCell* other;
      foreach (other, member->pins) {
        const auto* its = static_cast<const Pin*>(lfirst(other));
        found |= its->parameter == pin->parameter && its->op == pin->op &&
                 its->collation == pin->collation &&
                 position_of(*member, its->column.id) == position;
      }
      in_all &= found;
    }
    if (!in_all) continue;
    auto* copy = static_cast<Pin*>(palloc(sizeof(Pin)));
    *copy = *pin;
    copy->column = rows.columns[position];
    pins = lappend(pins, copy);
  }
  return pins;
}

}  // namespace

// UNION ALL, and the parts of a table.
Rows rows_of_all(const List* members, const Rows& columns, bool has_constants) {
  Rows rows;
  bool any_fixed = false;
  bool are_slices = members != NIL;
  bool are_parts = are_slices;  // of one table
  // Different tables, of which those of the account have a unit in each row, as where a table
  // inherits from one that is not protected.
  bool are_by_row = are_slices;
  ListCell* cell;
  foreach (cell, members) {
    const auto* member = static_cast<const Rows*>(lfirst(cell));
    if (member->problem != nullptr) return *member;
    any_fixed |= member->is_fixed;
    rows.is_fixed &= member->is_fixed;
    if (member->has_absent) return rows_with_problem(&kUnionAll);
    rows.is_lateral |= member->is_lateral;
    rows.is_settled &= member->is_settled;
    if (rows.unbounded == nullptr) rows.unbounded = member->unbounded;
    const bool is_another = member->slices != NIL && !overlap(rows.slices, member->slices);
    const bool is_part = rows.slices == NIL || rows.whole == member->whole;
    are_by_row &= is_another && (member->is_fixed || member->is_by_row);
    are_slices &= is_another && (is_part || (rows.is_by_row && member->is_by_row));
    are_parts &= are_slices && is_part;
    rows.is_by_row = member->is_by_row;
    rows.slices = list_concat_copy(rows.slices, member->slices);
    rows.whole = member->whole;
  }
  // some partitions may have an account of their own
  if (!rows.is_fixed && any_fixed && !are_parts && !are_by_row) {
    return rows_with_problem(has_constants ? &kUnionAll : &kSeveralTables);
  }
  if (!are_slices) rows.slices = NIL;
  foreach (cell, members) {
    const auto* member = static_cast<const Rows*>(lfirst(cell));
    rows.most =
        are_slices || are_by_row ? std::max(rows.most, member->most) : rows.most + member->most;
  }
  rows.columns = columns.columns;
  rows.count = columns.count;
  for (int i = 0; i < rows.count && members != NIL; ++i) {
    ColumnFacts& facts = rows.columns[i];
    const auto* one = static_cast<const Rows*>(linitial(members));
    facts.key = i < one->count ? one->columns[i].key : nullptr;
    foreach (cell, members) {
      const auto* member = static_cast<const Rows*>(lfirst(cell));
      if (i >= member->count || member->columns[i].key != facts.key) facts.key = nullptr;
    }
    const bool is_only_one = list_length(members) == 1;  // beside rows that no aggregate sees
    facts.mass = is_only_one && i < one->count ? one->columns[i].mass : nullptr;
    facts.of_unit = facts.of_public = false;
    foreach (cell, members) {
      const auto* member = static_cast<const Rows*>(lfirst(cell));
      facts.is_of_any_form |= i >= member->count || member->columns[i].is_of_any_form;
    }
  }
  if (are_parts) rows.unique = unique_of_all(members, rows);
  if (members != NIL) rows.pins = pins_of_all(members, rows);
  return rows;
}

}  // namespace idp
