// What the links of an account tell of the tables of a query.
#include "extension/budget/links.h"
#include "extension/catalog/link_rows.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"

namespace idp {

namespace {

constexpr char kRestore[] =
    "The owner of the tables can restore it, or unlink the table with idp.unlink.";

constexpr Problem kUnitIsGone = {
    "rows whose unit no key tells apart any more",
    "The owner of the table can restore its unique index and NOT NULL, or name another column "
    "with idp.protect(…, unit => …).",
    "the owner can restore its key"};
constexpr Problem kMadeAnew = {"rows of units whose table was dropped",
                               "The owner of the table of the units can protect it again with "
                               "idp.protect(…, unit => …).",
                               "the owner can protect it again"};
// What has the name of a dropped table may be another one, which was asked before: its owner says.
constexpr Problem kWaits = {"rows of a table that has the name of one that was dropped",
                            "The owner of the table can let what was spent count for it with "
                            "idp.protect, or end the account "
                            "of the dropped table, for hers, with idp.unprotect.",
                            "its owner can protect it, or end that with idp.unprotect"};
constexpr Problem kLinkWaits = {
    "rows of a table that has the name of a linked one that was dropped",
    "The owner of the tables can link it anew with idp.link, or end the link of the dropped table "
    "with idp.unlink.",
    "its owner can link it anew, or end that with idp.unlink"};
constexpr Problem kTableIsGone = {
    "rows that belonged to rows of a table that was dropped",
    "The owner of the tables can link them anew with idp.unlink and idp.link.",
    "the owner can link them anew"};
constexpr Problem kLinkIsGone = {
    "rows whose foreign key to the table of the unit was dropped or changed", kRestore,
    "the owner can restore it"};
constexpr Problem kOtherEquality = {
    "rows whose foreign key to the table of the unit takes different values for equal",
    "The owner of the tables can give both columns the same type: ALTER TABLE … ALTER COLUMN … "
    "TYPE ….",
    "the owner can give both columns the same type"};
constexpr Problem kManyTexts = {
    "rows whose unit a collation tells that takes different texts for equal",
    "The owner of the table can give the column a deterministic collation: ALTER TABLE … ALTER "
    "COLUMN … TYPE text COLLATE \"default\".",
    "the owner can give the column another"};
constexpr Problem kAttached = {
    "a partition that was attached after the snapshot of the query was taken",
    "Begin another transaction.", "begin another transaction"};
constexpr Problem kInherits = {"a table that inherits from one with units",
                               "Use partitions: keys and foreign keys of a table do not hold for "
                               "tables that inherit from it.",
                               "use partitions"};

// The tables of an account that are read, and those that lead from them to that of the unit.
class Tables {
 public:
  Tables(const Account& account, Snapshot snapshot)
      : account_(account),
        snapshot_(snapshot),
        links_(account.unit ? links_of_account(account.id) : NIL) {}

  const UnitTable* of(Oid relation) {
    if (account_.unit == nullptr) {
      return account_.waits ? unknown(relation, kWaits)
                            : add({relation, false, nullptr, Multiplicity::of(1), NIL});
    }
    const Oid whole = whole_of(relation);
    return was_part_of(relation, whole, snapshot_) ? declared(whole) : unknown(relation, kAttached);
  }

 private:
  UnitTable* add(const UnitTable& table) {
    auto* copy = static_cast<UnitTable*>(palloc(sizeof(UnitTable)));
    *copy = table;
    known_ = lappend(known_, copy);
    return copy;
  }

  UnitTable* unknown(Oid table, const Problem& problem) {
    return add({table, true, &problem, Multiplicity::unbounded(), NIL});
  }

  UnitTable* declared(Oid table) {
    for (auto* known : list<UnitTable>(known_)) {
      if (known->table == table) return known;
    }
    if (account_.waits) return unknown(table, kMadeAnew);
    if (table == account_.table) return unit_table_of(table);
    const LinkRow* link = link_of(table);
    return link == nullptr ? unknown(table, kInherits) : linked(table, *link);
  }

  UnitTable* unit_table_of(Oid table) {
    const AttrNumber column = account_.unit_column;
    const UniqueKey* key = column > 0 ? unique_key_on(table, column, snapshot_) : nullptr;
    if (key == nullptr || !key->without_nulls) return unknown(table, kUnitIsGone);
    if (!has_one_text(table, column)) return unknown(table, kManyTexts);
    UnitTable* unit = add({table, true, nullptr, Multiplicity::of(1), NIL});
    (void)tie(unit, column, new_key(*unit, *key));
    return unit;
  }

  // A link that waits for a table of its name lets it belong to the account, but to nobody.
  const LinkRow* link_of(Oid table) const {
    for (const auto* link : list<LinkRow>(links_)) {
      if (link->table() == table || link->waits_for(table)) return link;
    }
    return nullptr;
  }

  UnitTable* linked(Oid table, const LinkRow& link) {
    check_stack_depth();
    if (link.table() != table) return unknown(table, kLinkWaits);
    if (!OidIsValid(link.parent())) return unknown(table, kTableIsGone);
    UnitTable* parent = declared(link.parent());
    if (parent->problem != nullptr) return unknown(table, *parent->problem);
    const AttrNumber column = link.column_in(table);
    if (column <= 0 || !is_not_null(table, column, snapshot_)) return unknown(table, kLinkIsGone);
    AttrNumber wanted = InvalidAttrNumber;
    if (!tell_referenced(*parent, link, &wanted)) return unknown(table, kLinkIsGone);
    AttrNumber referenced = InvalidAttrNumber;
    const Reference reference =
        reference_of(table, column, parent->table, wanted, snapshot_, &referenced);
    if (reference == Reference::kOtherEquality) return unknown(table, kOtherEquality);
    if (reference != Reference::kSound) return unknown(table, kLinkIsGone);
    if (!has_one_text(table, column) || !has_one_text(parent->table, referenced)) {
      return unknown(table, kManyTexts);
    }
    const UnitKey* key = key_of(parent, referenced);
    if (key == nullptr) return unknown(table, kLinkIsGone);
    const bool is_unique = unique_key_on(table, column, snapshot_) != nullptr;
    UnitTable* found =
        add({table, true, nullptr, is_unique ? parent->most : Multiplicity::unbounded(), NIL});
    return tie(found, column, key);
  }

  // The column of the parent that a link refers to: by another one, rows would be those of other
  // persons. Invalid if that is not known, in a catalog of an earlier version. False if it
  // is gone.
  bool tell_referenced(const UnitTable& parent, const LinkRow& link, AttrNumber* wanted) const {
    const bool is_of_unit = parent.table == account_.table;
    const AttrNumber unit = is_of_unit ? account_.unit_column : InvalidAttrNumber;
    const bool is_known = links_have_numbers();
    *wanted = is_known ? link.referenced() : unit;
    return !is_known || (*wanted > 0 && (!is_of_unit || *wanted == unit));
  }

  // The key that a column of a table is, or holds already.
  const UnitKey* key_of(UnitTable* table, AttrNumber column) const {
    if (const UnitKey* held = key_in(*table, column)) return held;
    const UniqueKey* unique = unique_key_on(table->table, column, snapshot_);
    if (unique == nullptr || !unique->without_nulls) return nullptr;
    const UnitKey* key = new_key(*table, *unique);
    (void)tie(table, column, key);
    return key;
  }

  static const UnitKey* new_key(const UnitTable& table, const UniqueKey& unique) {
    auto* key = static_cast<UnitKey*>(palloc(sizeof(UnitKey)));
    *key = {table.table, unique.columns[0].column, unique.columns[0].family, table.is_unit()};
    return key;
  }

  static UnitTable* tie(UnitTable* table, AttrNumber column, const UnitKey* key) {
    auto* made = static_cast<Tie*>(palloc(sizeof(Tie)));
    *made = {column, key};
    table->ties = lappend(table->ties, made);
    return table;
  }

  const Account& account_;
  Snapshot snapshot_;
  List* links_;
  List* known_ = NIL;
};

}  // namespace

bool is_linked(Oid relation) { return links_for_table(whole_of(relation)) != NIL; }

const PrivacyUnit* unit_of(const Account& account, List* relations, Snapshot snapshot) {
  auto* unit = static_cast<PrivacyUnit*>(palloc0(sizeof(PrivacyUnit)));
  Tables tables(account, snapshot);
  List* seen = NIL;  // a statement may read a table as often as it has subqueries
  for (const Oid relation : oids(relations)) {
    if (list_member_oid(seen, relation)) continue;
    seen = lappend_oid(seen, relation);
    for (const auto* each : list<Account>(accounts_of(relation))) {
      if (each->id != account.id) continue;
      unit->relations = lappend_oid(unit->relations, relation);
      unit->tables = lappend(unit->tables, const_cast<UnitTable*>(tables.of(relation)));
    }
  }
  return unit;
}

}  // namespace idp
