#include "extension/answers/shared_draws.h"

#include "extension/answers/node.h"
#include "extension/pg/nodes.h"

namespace idp {

namespace {

// For each column of the one node that of the other which is the same, of int from 0; NIL if it has
// others. That numbers are the same says that groups are, and their keys, in the order of keys.
List* columns_in(const AskedNode& source, const AskedNode& wanted) {
  const int count = columns_of_answers(wanted.node)->natts;
  const int asked = list_length(wanted.numbers) + list_length(wanted.copies);
  const bool are_all = count == list_length(wanted.keys) + asked &&
                       list_length(source.keys) == list_length(wanted.keys);
  if (!are_all) return NIL;
  List* columns = NIL;
  for (int i = 0; i < count; ++i) columns = lappend_int(columns, -1);
  ListCell* to;
  ListCell* from;
  forboth(to, wanted.keys, from, source.keys) {
    list_nth_cell(columns, lfirst_int(to))->int_value = lfirst_int(from);
  }
  for (const auto* number : list<AskedNumber>(wanted.numbers)) {
    const AskedNumber* same = same_number(source.numbers, *number);
    if (same == nullptr) return NIL;
    list_nth_cell(columns, number->column)->int_value = same->column;
  }
  for (const auto* copy : list<NumberCopy>(wanted.copies)) {
    list_nth_cell(columns, copy->column)->int_value = list_nth_int(columns, copy->number->column);
  }
  return list_member_int(columns, -1) ? NIL : columns;
}

// What the one combines is of one draw where the other draws it, too.
void combine_likewise(AskedNode& source, const AskedNode& wanted, const List* columns) {
  for (const auto* combined : list<Bitmapset>(wanted.combined)) {
    Bitmapset* same = nullptr;
    int column = -1;
    while ((column = bms_next_member(combined, column)) >= 0) {
      same = bms_add_member(same, list_nth_int(columns, column));
    }
    source.combined = lappend(source.combined, same);
  }
}

bool share(AskedNode& source, const AskedNode& wanted) {
  List* columns = columns_in(source, wanted);
  if (columns == NIL) return false;
  combine_likewise(source, wanted, columns);
  for (const auto* number : list<AskedNumber>(wanted.numbers)) charge_nothing(number->call);
  give_rows_of(wanted.node, source.node, columns);
  return true;
}

// Those of more numbers first, as others may have all of theirs among these.
int more_numbers_first(const ListCell* a, const ListCell* b) {
  return list_length(static_cast<const AskedNode*>(lfirst(b))->numbers) -
         list_length(static_cast<const AskedNode*>(lfirst(a))->numbers);
}

}  // namespace

bool shares_draw(const List* drawing, const AskedNode& wanted) {
  for (auto* source : list<AskedNode>(drawing)) {
    if (share(*source, wanted)) return true;
  }
  return false;
}

List* share_draws(const List* nodes) {
  List* by_size = list_copy(nodes);
  list_sort(by_size, more_numbers_first);
  List* drawing = NIL;
  for (auto* wanted : list<AskedNode>(by_size)) {
    if (!shares_draw(drawing, *wanted)) drawing = lappend(drawing, wanted);
  }
  List* left = NIL;  // in the order in which they are charged
  for (auto* node : list<AskedNode>(nodes)) {
    if (list_member_ptr(drawing, node)) left = lappend(left, node);
  }
  return left;
}

}  // namespace idp
