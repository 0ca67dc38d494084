// Columns that are equal to a constant, or to a value that outer rows hand over, in all rows that a
// condition lets pass.
#include "extension/query/walk.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/typcache.h"
}

namespace idp {

namespace {

struct Pinned {
  const Var* column;
  Oid op;
  Oid collation;
  Node* value;
};

bool is_constant(const Node* value) {
  if (IsA(value, Const)) return true;
  return IsA(value, Param) && as<Param>(value)->paramkind == PARAM_EXTERN;
}

bool is_outer_value(const UnitFacts& facts, const Node* value) {
  if (is_constant(value)) return true;
  return IsA(value, Param) && facts.bound(as<Param>(value)->paramid) != nullptr;
}

const Var* column_in(const Node* expression) { return maybe<Var>(without_relabels(expression)); }

List* pinned_by(const UnitFacts& facts, const List* conditions) {
  List* pinned = NIL;
  for (const auto* condition : list<OpExpr>(conditions)) {
    if (!IsA(condition, OpExpr) || list_length(condition->args) != 2) continue;
    auto* left = static_cast<Node*>(linitial(condition->args));
    auto* right = static_cast<Node*>(lsecond(condition->args));
    const bool is_right = is_outer_value(facts, left);
    if (!is_right && !is_outer_value(facts, right)) continue;
    const Var* column = column_in(is_right ? right : left);
    if (column == nullptr) continue;
    auto* pin = static_cast<Pinned*>(palloc(sizeof(Pinned)));
    *pin = {column, condition->opno, condition->inputcollid, is_right ? left : right};
    pinned = lappend(pinned, pin);
  }
  return pinned;
}

ColumnFacts* column_of(const Var* var, const Inputs& over, const Rows& rows) {
  const NamedColumns named = columns_of(var, over);
  if (var->varattno < 1 || named.first == nullptr) return nullptr;
  return rows.columns + (named.first - over.rows->columns);
}

// A set without its columns that are pinned; null if none is.
UniqueSet* without_pinned(const UniqueSet& set, const List* pinned, const Inputs& over,
                          const Rows& rows) {
  auto* rest = static_cast<UniqueSet*>(palloc(sizeof(UniqueSet)));
  *rest = set;
  rest->columns = NIL;
  rest->pinned = list_copy(set.pinned);
  rest->pinned_places = list_copy(set.pinned_places);
  rest->given = bms_copy(set.given);
  bool any = false;
  for (auto* column : list<UniqueSet::Column>(set.columns)) {
    const Pinned* by = nullptr;
    for (const auto* pin : list<Pinned>(pinned)) {
      const ColumnFacts* facts = column_of(pin->column, over, rows);
      if (facts != nullptr && facts->id == column->id &&
          is_equality_of(column->family, pin->op, pin->collation)) {
        by = pin;
      }
    }
    if (by == nullptr) {
      rest->columns = lappend(rest->columns, column);
      continue;
    }
    any = true;
    rest->pinned = lappend(rest->pinned, by->value);
    rest->pinned_places = lappend_int(rest->pinned_places, column->place);
    if (!is_constant(by->value)) {
      rest->given = bms_add_member(rest->given, as<Param>(by->value)->paramid);
    }
  }
  return any ? rest : nullptr;
}

}  // namespace

// Which rows pass is the same question as before. Of those that do, no two agree on the columns of
// a unique set that are not pinned, as on these they all agree; and a column that is equal to a
// constant is the same in all, if equal values look the same.
void apply_pins(UnitFacts& facts, const List* conditions, const Inputs& over, Rows* rows) {
  List* pinned = pinned_by(facts, conditions);
  for (const auto* pin : list<Pinned>(pinned)) {
    ColumnFacts* column = column_of(pin->column, over, *rows);
    if (column == nullptr) continue;
    const Oid type = getBaseType(pin->column->vartype);
    const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    if (is_constant(pin->value)) {
      if (column->has_one_form && is_equality_of(family, pin->op, pin->collation)) {
        column->of_unit = true;
      }
      continue;
    }
    auto* known = static_cast<Pin*>(palloc(sizeof(Pin)));
    *known = {*column, as<Param>(pin->value)->paramid, pin->op, pin->collation};
    rows->pins = lappend(list_copy(rows->pins), known);
  }
  List* sets = list_copy(rows->unique);
  for (const auto* set : list<UniqueSet>(rows->unique)) {
    UniqueSet* rest = without_pinned(*set, pinned, over, *rows);
    if (rest != nullptr) sets = lappend(sets, rest);
  }
  rows->unique = sets;
}

}  // namespace idp
