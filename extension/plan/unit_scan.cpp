// Scans: whose the rows of a table are, as the account says.
#include "extension/plan/unit_rows.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/parents.h"
#include "extension/plan/input.h"
#include "extension/plan/node_rules.h"

extern "C" {
#include "catalog/pg_class.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

constexpr Problem kAnyNumber = {
    "rows of which one unit may have any number",
    "Aggregate them by unit first, in a subquery with GROUP BY on its key, or bound them: "
    "WHERE r <= … over row_number() OVER (PARTITION BY key ORDER BY …) AS r.",
    "group by its key first, or bound them by row_number()"};

// Partitions may have their columns in another order.
AttrNumber column_in(Oid from, AttrNumber column, Oid to) {
  if (from == to) return column;
  const char* name = get_attname(from, column, true);
  return name == nullptr ? InvalidAttrNumber : get_attnum(to, name);
}

bool is_exact(Oid relation, AttrNumber column) {
  Oid type = InvalidOid;
  int32 typmod = -1;
  Oid collation = InvalidOid;
  get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
  if (!OidIsValid(type)) return false;  // dropped
  type = getBaseTypeAndTypmod(type, &typmod);
  return has_exact_equality(type, typmod, collation);
}

// What a column of the scanned table is equal to in all rows that it gives.
struct Pinned {
  AttrNumber column;
  Oid op;
  Oid collation;
  Node* value;
};

AttrNumber column_number(const Node* expression, const Plan* plan) {
  while (IsA(expression, RelabelType)) {
    expression =
        reinterpret_cast<const Node*>(reinterpret_cast<const RelabelType*>(expression)->arg);
  }
  if (!IsA(expression, Var)) return InvalidAttrNumber;
  const auto* var = reinterpret_cast<const Var*>(expression);
  if (!IsA(plan, IndexOnlyScan)) return var->varattno;
  const auto* entry = get_tle_by_resno(
      const_cast<List*>(reinterpret_cast<const IndexOnlyScan*>(plan)->indextlist), var->varattno);
  return entry != nullptr && IsA(entry->expr, Var)
             ? reinterpret_cast<const Var*>(entry->expr)->varattno
             : InvalidAttrNumber;
}

bool is_outer_value(const UnitWalk& walk, const Node* value) {
  if (IsA(value, Const)) return true;
  if (!IsA(value, Param)) return false;
  const auto* param = reinterpret_cast<const Param*>(value);
  return param->paramkind == PARAM_EXTERN || walk.bound(param->paramid) != nullptr;
}

List* pinned_by(const UnitWalk& walk, const Plan* plan, const List* conditions, List* pinned) {
  ListCell* cell;
  foreach (cell, conditions) {
    const auto* condition = static_cast<const OpExpr*>(lfirst(cell));
    if (!IsA(condition, OpExpr) || list_length(condition->args) != 2) continue;
    auto* left = static_cast<Node*>(linitial(condition->args));
    auto* right = static_cast<Node*>(lsecond(condition->args));
    const bool is_right = is_outer_value(walk, left);
    if (!is_right && !is_outer_value(walk, right)) continue;
    const AttrNumber column = column_number(is_right ? right : left, plan);
    if (column <= 0) continue;
    auto* pin = static_cast<Pinned*>(palloc(sizeof(Pinned)));
    *pin = {column, condition->opno, condition->inputcollid, is_right ? left : right};
    pinned = lappend(pinned, pin);
  }
  return pinned;
}

List* pinned_columns(const UnitWalk& walk, const Plan* plan) {
  List* pinned = pinned_by(walk, plan, plan->qual, NIL);
  switch (nodeTag(plan)) {
    case T_IndexScan:
      return pinned_by(walk, plan, reinterpret_cast<const IndexScan*>(plan)->indexqualorig, pinned);
    case T_IndexOnlyScan:
      return pinned_by(walk, plan, reinterpret_cast<const IndexOnlyScan*>(plan)->indexqual, pinned);
    case T_BitmapHeapScan:
      return pinned_by(walk, plan, reinterpret_cast<const BitmapHeapScan*>(plan)->bitmapqualorig,
                       pinned);
    default:
      return pinned;
  }
}

const Pinned* pin_of(const List* pinned, AttrNumber column, Oid family) {
  ListCell* cell;
  foreach (cell, pinned) {
    const auto* pin = static_cast<const Pinned*>(lfirst(cell));
    if (pin->column == column && is_equality_of(family, pin->op, pin->collation)) return pin;
  }
  return nullptr;
}

// A column that is equal to a constant is the same in all rows, if equal values look the same.
void set_constants(const List* pinned, Oid relation, Rows* base) {
  ListCell* cell;
  foreach (cell, pinned) {
    const auto* pin = static_cast<const Pinned*>(lfirst(cell));
    const bool is_constant = IsA(pin->value, Const) ||
                             reinterpret_cast<const Param*>(pin->value)->paramkind == PARAM_EXTERN;
    ColumnFacts& facts = base->columns[pin->column - 1];
    const Oid type = getBaseType(get_atttype(relation, pin->column));
    const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    if (is_constant && facts.has_one_form && is_equality_of(family, pin->op, pin->collation)) {
      facts.of_unit = true;
    }
  }
}

// The columns of a key that are not pinned, and those that are; none of its columns may be missing.
UniqueSet* set_of(const UniqueKey& key, Oid whole, Oid relation, const ColumnFacts* facts,
                  const List* pinned) {
  auto* set = static_cast<UniqueSet*>(palloc0(sizeof(UniqueSet)));
  set->without_nulls = key.without_nulls;
  set->index = key.index;
  for (int i = 0; i < key.count; ++i) {
    const KeyColumn& part = key.columns[i];
    const AttrNumber number = column_in(whole, part.column, relation);
    if (number <= 0) return nullptr;
    if (const Pinned* pin = pin_of(pinned, number, part.family)) {
      set->pinned = lappend(set->pinned, pin->value);
      const auto* param = reinterpret_cast<const Param*>(pin->value);
      if (IsA(param, Param) && param->paramkind == PARAM_EXEC) {
        set->given = bms_add_member(set->given, param->paramid);
      }
      continue;
    }
    auto* column = static_cast<UniqueSet::Column*>(palloc(sizeof(UniqueSet::Column)));
    *column = {facts[number - 1].id, part.family};
    set->columns = lappend(set->columns, column);
  }
  return set;
}

}  // namespace

Rows rows_of_scan(UnitWalk& walk, PlanState* node) {
  const Plan* plan = node->plan;
  const Index number = reinterpret_cast<const Scan*>(plan)->scanrelid;
  const Oid relation = exec_rt_fetch(number, node->state)->relid;
  const UnitTable* table = unit_table(walk.unit(), relation);
  if (table != nullptr && table->problem != nullptr) return rows_with_problem(table->problem);
  const Oid whole = whole_of(relation);
  Rows rows;
  rows.is_fixed = table == nullptr;
  if (table != nullptr) rows.most = table->most;
  if (!rows.most.is_bounded()) rows.unbounded = &kAnyNumber;
  rows.slices = list_make1_oid(relation);
  rows.whole = whole;
  rows.is_by_row = table != nullptr && !table->is_declared;

  const int scan = walk.new_id();
  Rows base;
  base.count = column_count(relation);
  base.columns =
      static_cast<ColumnFacts*>(palloc0(sizeof(ColumnFacts) * static_cast<Size>(base.count + 1)));
  for (int i = 0; i < base.count; ++i) {
    ColumnFacts& facts = base.columns[i];
    facts.id = walk.new_id();
    facts.scan = scan;
    facts.attribute = column_in(relation, static_cast<AttrNumber>(i + 1), whole);
    facts.has_one_form = is_exact(relation, static_cast<AttrNumber>(i + 1));
    if (table == nullptr) continue;
    facts.key = facts.attribute > 0 ? key_in(*table, facts.attribute) : nullptr;
    facts.of_unit =
        table->is_unit() || (facts.key != nullptr && facts.key->is_unit && facts.has_one_form);
  }

  List* pinned = pinned_columns(walk, plan);
  set_constants(pinned, relation, &base);
  ListCell* cell;
  Snapshot snapshot = node->state->es_snapshot;
  List* keys = was_part_of(relation, whole, snapshot) ? unique_keys_of(whole, snapshot) : NIL;
  foreach (cell, keys) {
    const auto* key = static_cast<const UniqueKey*>(lfirst(cell));
    UniqueSet* set = set_of(*key, whole, relation, base.columns, NIL);
    if (set == nullptr) continue;
    if (key->without_nulls) walk.add_key(scan, key);
    rows.unique = lappend(rows.unique, set);
    UniqueSet* rest = set_of(*key, whole, relation, base.columns, pinned);
    if (rest->pinned != NIL) rows.unique = lappend(rows.unique, rest);
  }
  foreach (cell, pinned) {
    const auto* known = static_cast<const Pinned*>(lfirst(cell));
    if (!IsA(known->value, Param)) continue;
    const auto* param = reinterpret_cast<const Param*>(known->value);
    if (param->paramkind != PARAM_EXEC) continue;
    auto* pin = static_cast<Pin*>(palloc(sizeof(Pin)));
    *pin = {base.columns[known->column - 1], param->paramid, known->op, known->collation};
    rows.pins = lappend(rows.pins, pin);
  }

  if (IsA(plan, IndexOnlyScan)) {
    Rows indexed;
    project(walk, reinterpret_cast<const IndexOnlyScan*>(plan)->indextlist, {&base, nullptr},
            &indexed);
    give_columns(walk, node, {&indexed, nullptr}, &rows);
  } else {
    give_columns(walk, node, {&base, nullptr}, &rows);
  }
  return rows;
}

}  // namespace idp
