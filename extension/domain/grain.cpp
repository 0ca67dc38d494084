#include "extension/domain/grain.h"

#include <algorithm>
#include <iterator>

#include "extension/domain/cell_nodes.h"
#include "extension/domain/cells.h"
#include "extension/domain/session_zone.h"
#include "extension/domain/ordered_time.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- expressions ---

const KeyColumn* key_with_grain(const Node* node, const List* keys) {
  if (!IsA(node, Var)) return nullptr;
  for (const auto* key : list<KeyColumn>(keys)) {
    if (key->keys.grain.unit == nullptr) continue;
    if (is_same_column(key->column, as<Var>(node))) return key;
  }
  return nullptr;
}

const char* constant_text(const Node* node) {
  if (!IsA(node, Const)) return nullptr;
  const auto* constant = as<Const>(node);
  if (constant->consttype != TEXTOID || constant->constisnull) return nullptr;
  return TextDatumGetCString(constant->constvalue);
}

bool is_zone_of_session(const Grain& grain) { return is_same_zone(zone_of_session(), grain); }

Node* argument(const FuncExpr* call, int i) {
  return i < list_length(call->args) ? static_cast<Node*>(list_nth(call->args, i)) : nullptr;
}

// The key that a node is the column of: as it is, without a zone or in that of the session; or as
// the time that clocks of its zone show.
const KeyColumn* key_of_time(const Node* node, const List* keys) {
  if (const KeyColumn* key = key_with_grain(node, keys)) {
    return key->keys.type == TIMESTAMPOID || is_zone_of_session(key->keys.grain) ? key : nullptr;
  }
  if (!IsA(node, FuncExpr)) return nullptr;
  const auto* call = as<FuncExpr>(node);
  switch (call->funcid) {
    case F_TIMEZONE_TEXT_TIMESTAMPTZ: {
      const KeyColumn* key = key_with_grain(argument(call, 1), keys);
      return key != nullptr && is_same_zone(constant_text(argument(call, 0)), key->keys.grain)
                 ? key
                 : nullptr;
    }
    case F_TIMESTAMP_TIMESTAMPTZ:
      return key_of_time(argument(call, 0), keys);
    default:
      return nullptr;
  }
}

// Of to_char, in any case, and what they follow from. Longer ones come first.
struct Format {
  const char* text;
  const char* unit;
};
constexpr Format kFormats[] = {
    {"y,yyy", "day"}, {"iyyy", "day"},  {"yyyy", "day"},  {"month", "day"}, {"iddd", "day"},
    {"hh24", "hour"}, {"hh12", "hour"}, {"a.m.", "hour"}, {"p.m.", "hour"}, {"iyy", "day"},
    {"yyy", "day"},   {"mon", "day"},   {"day", "day"},   {"ddd", "day"},   {"iy", "day"},
    {"yy", "day"},    {"mm", "day"},    {"dy", "day"},    {"dd", "day"},    {"id", "day"},
    {"iw", "day"},    {"ww", "day"},    {"rm", "day"},    {"cc", "day"},    {"fm", "day"},
    {"th", "day"},    {"hh", "hour"},   {"am", "hour"},   {"pm", "hour"},   {"mi", "minute"},
    {"ss", "second"}, {"i", "day"},     {"y", "day"},     {"d", "day"},     {"w", "day"},
    {"q", "day"},     {"j", "day"},
};

// The unit that all a format of to_char shows follows from; null if it shows what is not known.
const char* unit_of_format(const char* format) {
  Grain finest{"day"};
  while (*format != '\0') {
    if (*format == '"') {
      const char* end = strchr(format + 1, '"');
      if (end == nullptr || memchr(format, '\\', static_cast<size_t>(end - format)) != nullptr) {
        return nullptr;
      }
      format = end + 1;
    } else if (strchr(" -/.,:0123456789", *format) != nullptr) {
      ++format;
    } else {
      const auto* found =
          std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& one) {
            return pg_strncasecmp(format, one.text, strlen(one.text)) == 0;
          });
      if (found == std::end(kFormats)) return nullptr;
      if (!lies_in(finest, found->unit)) finest.unit = found->unit;
      format += strlen(found->text);
    }
  }
  return finest.unit;
}

bool is_ordered_in_cells(Node* node, const List* keys);

// Whether an instant, of which that much is shown, lies in the same unit for all of a cell.
bool keeps_unit(const char* unit, const Node* instant, const List* keys) {
  if (instant == nullptr || unit == nullptr || key_of_time(instant, keys) != nullptr) return false;
  const Oid type = exprType(instant);
  if (!is_instant(type)) return false;
  const Oid function =
      type == TIMESTAMPOID ? F_DATE_TRUNC_TEXT_TIMESTAMP : F_DATE_TRUNC_TEXT_TIMESTAMPTZ;
  List* arguments = list_make2(text_constant(unit), const_cast<Node*>(instant));
  return is_ordered_in_cells(as<Node>(makeFuncExpr(function, type, arguments, InvalidOid,
                                                   DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL)),
                             keys);
}

// Whether a call, of a column with a grain, is the same for all of a cell.
bool is_same_in_cell(const FuncExpr* call, const List* keys) {
  switch (call->funcid) {
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ: {
      const char* unit = constant_text(argument(call, 0));
      const KeyColumn* key = key_of_time(argument(call, 1), keys);
      return unit != nullptr && key != nullptr && lies_in(key->keys.grain, unit);
    }
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT: {
      const char* unit = constant_text(argument(call, 0));
      const KeyColumn* key = key_with_grain(argument(call, 1), keys);
      return unit != nullptr && key != nullptr && lies_in(key->keys.grain, unit) &&
             is_same_zone(constant_text(argument(call, 2)), key->keys.grain);
    }
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ: {
      const char* field = constant_text(argument(call, 0));
      const char* unit = field != nullptr ? unit_of_field(field) : nullptr;
      const KeyColumn* key = key_of_time(argument(call, 1), keys);
      return (unit != nullptr && key != nullptr && lies_in(key->keys.grain, unit)) ||
             keeps_unit(unit, argument(call, 1), keys);
    }
    case F_TO_CHAR_TIMESTAMP_TEXT:
    case F_TO_CHAR_TIMESTAMPTZ_TEXT: {
      const char* format = constant_text(argument(call, 1));
      const KeyColumn* key = key_of_time(argument(call, 0), keys);
      const char* unit = format == nullptr ? nullptr : unit_of_format(format);
      if (unit == nullptr) return false;
      return key != nullptr ? lies_in(key->keys.grain, unit)
                            : keeps_unit(unit, argument(call, 0), keys);
    }
    case F_DATE_TIMESTAMP:
    case F_DATE_TIMESTAMPTZ: {
      const KeyColumn* key = key_of_time(argument(call, 0), keys);
      return key != nullptr && lies_in(key->keys.grain, "day");
    }
    default:
      return false;
  }
}

// The same of one that never goes back, of one column alone.
bool is_ordered_in_cells(Node* node, const List* keys) {
  List* columns = pull_var_clause(
      node, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);
  if (list_length(columns) != 1) return false;
  const KeyColumn* key = key_with_grain(static_cast<const Node*>(linitial(columns)), keys);
  return key != nullptr && is_same_in_cells(node, *key);
}

bool find_finer(Node* node, void* keys) {
  if (node == nullptr) return false;
  const auto* all = static_cast<const List*>(keys);
  if (IsA(node, FuncExpr) && is_same_in_cell(as<FuncExpr>(node), all)) return false;
  if (IsA(node, NullTest) && key_with_grain(as<Node>(as<NullTest>(node)->arg), all)) {
    return false;
  }
  if (key_with_grain(node, all) != nullptr) return true;
  if ((IsA(node, FuncExpr) || IsA(node, OpExpr)) && is_ordered_in_cells(node, all)) return false;
  return walk_expression(node, find_finer, keys);
}

// column op constant, for the instants that cells begin with. All of a cell begin at or after its
// first: before a constant, so does that. One is at or after a constant if the cell is that of the
// constant, or later; and after it if it is at or after the next microsecond.
Node* compare_cells(const KeyColumn& key, Oid op, Node* constant) {
  const Oid type = key.keys.type;
  const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  int strategy = get_op_opfamily_strategy(op, family);
  Node* instant = strategy == 0 ? nullptr : as_instant(type, constant);
  if (instant == nullptr) return nullptr;
  if (strategy == BTGreaterStrategyNumber) {
    strategy = BTGreaterEqualStrategyNumber;
    instant = moved_instant(type, instant, "1 microsecond");
  }
  if (strategy == BTGreaterEqualStrategyNumber || strategy == BTEqualStrategyNumber) {
    instant = cell_of_node(type, key.keys.grain, instant);
  }
  return comparison(static_cast<Node*>(copyObjectImpl(key.column)), strategy,
                    static_cast<Node*>(copyObjectImpl(instant)));
}

// --- values between those of the ends of a cell ---

// The last instant of the cell that begins with the column. Null where clocks are moved: the first
// of a cell may begin after its rows.
Node* end_of_cell(const KeyColumn& key) {
  const Grain& grain = key.keys.grain;
  const bool has_zone = key.keys.type == TIMESTAMPTZOID;
  if (has_zone && !is_utc(grain.zone)) return nullptr;
  auto* begin = static_cast<Node*>(copyObjectImpl(key.column));
  return moved_instant(key.keys.type, next_cell_of_node(key.keys.type, grain, begin),
                       "-1 microsecond");
}

struct Replaced {
  const Var* column;
  Node* by;
};

Node* with_replaced(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* replaced = static_cast<const Replaced*>(context);
  if (IsA(node, Var) && is_same_column(as<Var>(node), replaced->column)) {
    return static_cast<Node*>(copyObjectImpl(replaced->by));
  }
  return map_expression(node, with_replaced, context);
}

// Comparisons of the values for the ends of a cell with a constant.
struct Ends {
  Node* first;
  Node* last;
  Node* constant;
  Oid family;

  bool can_be_compared(int strategy) const { return OidIsValid(op(strategy)); }
  Node* compared(Node* value, int strategy) const {
    Expr* comparison =
        make_opclause(op(strategy), BOOLOID, false, as<Expr>(value),
                      static_cast<Expr*>(copyObjectImpl(constant)), InvalidOid, InvalidOid);
    set_opfuncid(as<OpExpr>(comparison));
    return as<Node>(comparison);
  }
  Node* are_around(Node* low, Node* high) const {
    return as<Node>(makeBoolExpr(AND_EXPR,
                                 list_make2(compared(low, BTLessEqualStrategyNumber),
                                            compared(high, BTGreaterEqualStrategyNumber)),
                                 -1));
  }

 private:
  Oid op(int strategy) const {
    return get_opfamily_member(family, exprType(first), exprType(constant),
                               static_cast<int16>(strategy));
  }
};

// value op constant, of an expression whose values for a cell lie between those for its ends: an
// instant of the cell can only fulfil it if one of the ends does, or the constant is between them.
Node* compare_ends(Node* value, Oid op, Node* constant, const List* keys) {
  List* columns = pull_var_clause(
      value, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);
  if (list_length(columns) != 1) return nullptr;
  const KeyColumn* key = key_with_grain(static_cast<const Node*>(linitial(columns)), keys);
  if (key == nullptr) return nullptr;
  Node* first = folded(value);
  if (IsA(first, Var)) {
    // a time of clocks is compared with an instant as one, in the zone of the session
    if (key->keys.type != TIMESTAMPOID || exprType(constant) != TIMESTAMPTZOID) return nullptr;
    first = as_instant(TIMESTAMPTZOID, first);
  }
  Node* end = end_of_cell(*key);
  const Oid family = lookup_type_cache(exprType(first), TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  const int strategy = OidIsValid(family) ? get_op_opfamily_strategy(op, family) : 0;
  if (end == nullptr || strategy == 0 || !is_ordered_in_time(first, *key)) return nullptr;
  Replaced replaced{key->column, end};
  const Ends ends{first, with_replaced(first, &replaced), constant, family};
  for (int one = BTLessStrategyNumber; one <= BTGreaterStrategyNumber; ++one) {
    if (!ends.can_be_compared(one)) return nullptr;
  }
  List* ways =
      strategy == BTEqualStrategyNumber
          ? list_make2(ends.are_around(ends.first, ends.last),
                       ends.are_around(ends.last, ends.first))
          : list_make2(ends.compared(ends.first, strategy), ends.compared(ends.last, strategy));
  return as<Node>(makeBoolExpr(OR_EXPR, ways, -1));
}

}  // namespace

Node* cell_expression(const KeyColumn& key) {
  return cell_of_node(key.keys.type, key.keys.grain,
                      static_cast<Node*>(copyObjectImpl(key.column)));
}

bool sees_cells_alone(Node* expression, const List* keys) {
  return !find_finer(expression, const_cast<List*>(keys));
}

Node* condition_on_cells(Node* condition, const List* keys) {
  check_stack_depth();
  if (sees_cells_alone(condition, keys)) return condition;
  // an instant that fulfils both conditions fulfils each
  if (is_andclause(condition) || is_orclause(condition)) {
    const auto* whole = as<BoolExpr>(condition);
    List* parts = NIL;
    for (auto* node : list<Node>(whole->args)) {
      Node* part = condition_on_cells(node, keys);
      if (part == nullptr) return nullptr;
      parts = lappend(parts, part);
    }
    return as<Node>(makeBoolExpr(whole->boolop, parts, -1));
  }
  if (!IsA(condition, OpExpr)) return nullptr;
  const auto* comparison = as<OpExpr>(condition);
  if (list_length(comparison->args) != 2) return nullptr;
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  Oid op = comparison->opno;
  if (!names_columns(left)) {
    std::swap(left, right);
    op = get_commutator(op);
  }
  if (!OidIsValid(op) || names_columns(right)) return nullptr;
  const KeyColumn* key = key_with_grain(left, keys);
  Node* compared = key != nullptr ? compare_cells(*key, op, right) : nullptr;
  return compared != nullptr ? compared : compare_ends(left, op, right, keys);
}

List* conditions_on_cells(const List* conditions, const List* keys) {
  List* found = NIL;
  for (auto* node : list<Node>(conditions)) {
    Node* condition = condition_on_cells(node, keys);
    if (condition != nullptr) found = lappend(found, condition);
  }
  return found;
}

}  // namespace idp
