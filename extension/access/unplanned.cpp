#include "extension/access/unplanned.h"

#include "extension/access/hidden.h"
#include "extension/access/refusal.h"

namespace idp {

namespace {

const List* planned = nullptr;

}  // namespace

const List* begin_planned(const List* tables) {
  const List* before = planned;
  planned = tables;
  return before;
}

bool may_be_unplanned(List* tables, bool reports) {
  if (tables == planned) return true;
  ListCell* cell;
  foreach (cell, tables) {
    const Oid table = static_cast<const RangeTblEntry*>(lfirst(cell))->relid;
    if (!is_hidden(table)) continue;
    if (reports) refuse_unplanned(table);
    return false;
  }
  return true;
}

}  // namespace idp
