#include "extension/rewrite/lifted_totals.h"

#include "extension/domain/ranges.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/rewrite/bounded_rows.h"
#include "extension/rewrite/clipped_values.h"
#include "extension/rewrite/private_call.h"
#include "extension/total/twins.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

Node* copy_of(const void* node) { return static_cast<Node*>(copyObjectImpl(node)); }

// --- plain calls ---

Aggref* call_of(Oid function, Node* argument) {
  return aggregate_call(function, get_func_rettype(function), argument);
}

Aggref* plain_call(const char* name, Node* argument) {
  Oid type = exprType(argument);
  List* qualified = list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup(name)));
  const Oid function = LookupFuncName(qualified, 1, &type, true);
  return OidIsValid(function) ? call_of(function, argument) : nullptr;
}

Node* or_zero(Node* value) { return coalesced(value, as_type(integer(0), exprType(value))); }

// --- a call, with what of it is lifted taken out ---

struct Whole {
  const LiftedParts& parts;
  const AboveGroups& above;
  const Aggref* call;
  Node* argument;           // null of count(*)
  Node* of_rows = nullptr;  // the filter, as far as it asks rows alone
  Node* lifted = nullptr;   // the rest, above the groups
};

bool is_null(const Node* node) { return IsA(node, Const) && as<Const>(node)->constisnull; }

bool is_zero(Node* node) {
  const auto* constant = maybe<Const>(node);
  if (constant == nullptr || constant->constisnull || !is_number(constant->consttype)) return false;
  Node* text = folded(as_type(copy_of(node), NUMERICOID));
  if (!IsA(text, Const) || as<Const>(text)->constisnull) return false;
  return DatumGetInt32(DirectFunctionCall2(numeric_cmp, as<Const>(text)->constvalue,
                                           NumericGetDatum(int64_to_numeric(0)))) == 0;
}

// CASE WHEN lifted THEN x END is x FILTER (WHERE lifted), and so is ELSE 0 in a sum.
void take_choice(Whole& whole, bool is_sum) {
  const auto* choice = maybe<CaseExpr>(whole.argument);
  if (choice == nullptr || choice->arg != nullptr || list_length(choice->args) != 1) return;
  Node* otherwise = choice->defresult == nullptr ? nullptr : folded(as<Node>(choice->defresult));
  if (otherwise != nullptr && !is_null(otherwise) && !(is_sum && is_zero(otherwise))) return;
  const auto* when = static_cast<const CaseWhen*>(linitial(choice->args));
  whole.argument = as<Node>(when->result);
  whole.lifted = make_and_qual(whole.lifted, as<Node>(when->expr));
}

// --- where an outer join has NULL in place of rows ---

Node* of_no_row(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    return as<Node>(makeNullConst(column->vartype, column->vartypmod, column->varcollid));
  }
  return map_expression(node, of_no_row, context);
}

// What is aggregated of such a row; null if it is not the same for all.
Node* value_of_no_row(Node* value) {
  Node* found = folded(of_no_row(copy_of(value), nullptr));
  return IsA(found, Const) ? found : nullptr;
}

// A call over the rows of a group, whose answers may be negative.
Node* part_of(const Whole& whole, const char* name, Node* argument) {
  Aggref* part = nullptr;
  if (argument == nullptr) {
    part = static_cast<Aggref*>(copyObjectImpl(whole.call));
  } else if (strcmp(name, "count") == 0) {
    part = call_of(F_COUNT_ANY, argument);
  } else {
    part = plain_call(name, argument);
  }
  if (part == nullptr) return nullptr;
  part->aggfilter = as<Expr>(copy_of(whole.of_rows));
  mark_part_of_total(part);
  return whole.above.shown(as<Node>(part), whole.above.context);
}

Node* total(const Whole& whole, Node* part) {
  if (part == nullptr) return nullptr;
  Aggref* sum = plain_call("sum", part);
  if (sum == nullptr) return nullptr;
  if (whole.lifted != nullptr) {
    sum->aggfilter = as<Expr>(whole.above.lifted(copy_of(whole.lifted), whole.above.context));
  }
  return as<Node>(sum);
}

Node* count_of(const Whole& whole, Node* argument) {
  Node* counted = total(whole, part_of(whole, "count", argument));
  return counted == nullptr ? nullptr : as_type(at_least_zero(or_zero(counted)), INT8OID);
}

Node* total_count(const Whole& whole) {
  return count_of(whole, whole.argument == nullptr ? nullptr : copy_of(whole.argument));
}

// The same, or 0 where noise made it negative; NULL of nothing.
Node* not_negative(Node* sum) {
  Node* zero = as_type(integer(0), exprType(sum));
  Node* is_negative = operation("<", sum, copy_of(zero));
  return cases(nullptr, with_when(NIL, is_negative, zero), copy_of(sum));
}

Node* total_sum(const Whole& whole) {
  if (whole.argument == nullptr || !is_number(exprType(whole.argument))) return nullptr;
  Node* answer = total(whole, part_of(whole, "sum", copy_of(whole.argument)));
  if (answer == nullptr) return nullptr;
  if (whole.parts.has_spine && is_zero(value_of_no_row(whole.argument))) answer = or_zero(answer);
  const auto range = range_of_number(*whole.parts.level, whole.argument);
  if (range && is_never_negative(*range)) answer = not_negative(answer);
  return as_type(answer, whole.call->aggtype);
}

// What a number of rows must be greater than, so that there are some for all that can be seen: the
// noise of the numbers that it is added up of is independent.
Node* least_number_of_rows(const Whole& whole, Node* argument) {
  const int64 most = most_rows(list_make1(whole.parts.level->query));
  Node* part = part_of(whole, "count", argument);
  if (part == nullptr) return nullptr;
  Aggref* parts = call_of(F_COUNT_ANY, part);
  if (whole.lifted != nullptr) {
    parts->aggfilter = as<Expr>(whole.above.lifted(copy_of(whole.lifted), whole.above.context));
  }
  Node* root = as<Node>(makeFuncExpr(F_SQRT_FLOAT8, FLOAT8OID,
                                     list_make1(as_type(as<Node>(parts), FLOAT8OID)), InvalidOid,
                                     InvalidOid, COERCE_EXPLICIT_CALL));
  return operation("*", as<Node>(float_constant(margin_of_rows(Max(most, 1)))), root);
}

Node* total_average(const Whole& whole) {
  if (whole.argument == nullptr || !is_number(exprType(whole.argument))) return nullptr;
  Node* value = copy_of(whole.argument);
  if (exprType(value) == FLOAT4OID) value = as_type(value, FLOAT8OID);
  Node* sum = total(whole, part_of(whole, "sum", copy_of(value)));
  Node* count = count_of(whole, value);
  if (sum == nullptr || count == nullptr) return nullptr;
  const Oid type = whole.call->aggtype;
  auto* divisor = makeNode(NullIfExpr);
  *as<OpExpr>(divisor) = *as<OpExpr>(operation("=", count, bigint(0)));
  NodeSetTag(divisor, T_NullIfExpr);
  divisor->opresulttype = INT8OID;
  // what noise leaves of a sum may be too small for a quotient
  Node* quotient =
      in_total_form(operation("/", as_type(sum, type), as_type(as<Node>(divisor), type)));
  Node* average = as_type(quotient, type);
  const auto range = range_of_number(*whole.parts.level, whole.argument);
  if (range) {
    average = between(average, as_type(copy_of(range->lower), type),
                      as_type(copy_of(range->upper), type));
  }
  Node* least = least_number_of_rows(whole, value);
  if (least == nullptr) return nullptr;
  return where(operation(">", as_type(copy_of(count), FLOAT8OID), least), average);
}

// Whether such a row adds nothing to the total.
bool adds_nothing(const Whole& whole, bool is_sum) {
  if (whole.of_rows != nullptr) {
    const Node* filter = value_of_no_row(whole.of_rows);
    if (filter != nullptr && (is_null(filter) || !DatumGetBool(as<Const>(filter)->constvalue))) {
      return true;
    }
  }
  if (whole.argument == nullptr) return false;
  Node* value = value_of_no_row(whole.argument);
  return value != nullptr && (is_null(value) || (is_sum && is_zero(value)));
}

struct Total {
  const char* name;
  Node* (*answer)(const Whole& whole);
};
constexpr Total kTotals[] = {{"count", total_count}, {"sum", total_sum}, {"avg", total_average}};

}  // namespace

namespace {

// Of a group that is made of one finer group at most, joined to as many rows as it may be.
Node* answer_of_one(const Whole& whole) {
  const bool is_alike = whole.lifted == nullptr && whole.argument != nullptr &&
                        (!whole.parts.has_spine || adds_nothing(whole, false));
  if (!is_alike) return nullptr;
  Node* shown = whole.above.shown(copy_of(whole.call), whole.above.context);
  auto* answer = as<Node>(plain_call("max", shown));
  if (answer == nullptr) return nullptr;
  *whole.above.is_of_one = true;
  return whole.call->aggtype == INT8OID ? or_zero(answer) : answer;
}

// Whether a call is that of its function over all values.
bool adds_all(const Aggref* call) {
  return call->aggdistinct == NIL && call->aggorder == NIL && call->aggkind == AGGKIND_NORMAL &&
         call->aggdirectargs == NIL;
}

}  // namespace

bool is_null_of_no_row(const LiftedParts& parts, Node* value) {
  if (names_lifted(parts, value)) return false;
  const Node* found = value_of_no_row(value);
  return found != nullptr && is_null(found);
}

Node* total_of(const LiftedParts& parts, const Aggref* call, const AboveGroups& above) {
  const bool is_plain = call->aggfnoid < FirstNormalObjectId && call->agglevelsup == 0 &&
                        list_length(call->args) <= 1;
  if (!is_plain || is_volatile(as<Node>(const_cast<Aggref*>(call)))) return nullptr;
  const char* name = get_func_name(call->aggfnoid);
  Whole whole{parts, above, call, nullptr};
  if (call->args != NIL) {
    whole.argument = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  }
  auto* filter = const_cast<Expr*>(call->aggfilter);
  for (auto* condition : list<Node>(conjuncts(as<Node>(filter)))) {
    Node*& place = names_lifted(parts, condition) ? whole.lifted : whole.of_rows;
    place = make_and_qual(place, condition);
  }
  const bool is_sum = strcmp(name, "sum") == 0;
  if (whole.argument != nullptr && names_lifted(parts, whole.argument)) {
    const bool is_of_lifted = !names_rows(parts, whole.argument) && filter == nullptr;
    if (is_of_lifted && (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)) {
      auto* same = static_cast<Aggref*>(copyObjectImpl(call));
      same->args = reinterpret_cast<List*>(above.lifted(as<Node>(same->args), above.context));
      return as<Node>(same);
    }
    take_choice(whole, is_sum);
    if (names_lifted(parts, whole.argument)) return nullptr;
  }
  for (const Total& total : kTotals) {
    if (strcmp(total.name, name) != 0 || !adds_all(call)) continue;
    if (parts.has_spine && !adds_nothing(whole, is_sum)) return nullptr;
    return total.answer(whole);
  }
  return answer_of_one(whole);
}

}  // namespace idp
