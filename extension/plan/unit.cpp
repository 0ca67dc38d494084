#include "extension/plan/unit.h"

#include "extension/pg/nodes.h"

namespace idp {

const UnitTable* unit_table(const PrivacyUnit& unit, Oid relation) {
  ListCell* cell;
  ListCell* inner;
  forboth(cell, unit.relations, inner, unit.tables) {
    if (lfirst_oid(cell) == relation) return static_cast<const UnitTable*>(lfirst(inner));
  }
  return nullptr;
}

const UnitKey* key_in(const UnitTable& table, AttrNumber column) {
  for (const auto* tie : list<Tie>(table.ties)) {
    if (tie->column == column) return tie->key;
  }
  return nullptr;
}

}  // namespace idp
