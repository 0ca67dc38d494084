#include "extension/distribute/sent_expressions.h"

#include <cmath>
#include <limits>

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"

extern "C" {
#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

enum class Kind { kNone, kInteger, kText, kOther };

// Types whose values each server compares alike, without fail.
Kind kind_of(Oid type) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
      return Kind::kInteger;
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
      return Kind::kText;
    case BOOLOID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
    case DATEOID:
    case TIMEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
    case UUIDOID:
      return Kind::kOther;
    default:
      return Kind::kNone;
  }
}

enum class Comparison { kNone, kEquality, kOrder };

// By the order that the type has by itself.
Comparison comparison_of(Oid op, Oid type) {
  const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  const int strategy = get_op_opfamily_strategy(op, family);
  if (strategy == BTEqualStrategyNumber) return Comparison::kEquality;
  if (strategy != 0) return Comparison::kOrder;
  const Oid negator = get_negator(op);
  const bool is_unequal =
      OidIsValid(negator) && get_op_opfamily_strategy(negator, family) == BTEqualStrategyNumber;
  return is_unequal ? Comparison::kEquality : Comparison::kNone;
}

// The order of texts is that of a server's locale; which are equal is not.
bool decides_alike(Oid op, Oid collation) {
  if (op >= FirstNormalObjectId) return false;
  Oid left = InvalidOid;
  Oid right = InvalidOid;
  op_input_types(op, &left, &right);
  const Kind kind = kind_of(left);
  if (kind == Kind::kNone || kind != kind_of(right)) return false;
  if (kind != Kind::kInteger && left != right) return false;
  const Comparison comparison = comparison_of(op, left);
  if (kind != Kind::kText) return comparison != Comparison::kNone;
  return comparison == Comparison::kEquality && get_collation_isdeterministic(collation);
}

bool is_simple_value(const Node* node) {
  const Node* value = without_relabels(const_cast<Node*>(node));
  if (const auto* column = maybe<Var>(value)) return column->varattno > 0;
  return IsA(value, Const);
}

// NULL within is read by another setting there.
bool is_list_of_values(const Node* node) {
  const auto* array = maybe<Const>(node);
  return array != nullptr &&
         (array->constisnull || !array_contains_nulls(DatumGetArrayTypeP(array->constvalue)));
}

bool all_can_be_sent(const List* conditions) {
  for (const auto* one : list<Node>(conditions)) {
    if (!can_be_sent(one)) return false;
  }
  return true;
}

}  // namespace

bool can_be_sent(const Node* condition) {
  check_stack_depth();
  switch (nodeTag(condition)) {
    case T_BoolExpr:
      return all_can_be_sent(as<BoolExpr>(condition)->args);
    case T_NullTest: {
      const auto* test = as<NullTest>(condition);
      return !test->argisrow && is_simple_value(as<Node>(test->arg));
    }
    case T_OpExpr: {
      const auto* call = reinterpret_cast<const OpExpr*>(condition);
      return list_length(call->args) == 2 &&
             is_simple_value(static_cast<Node*>(linitial(call->args))) &&
             is_simple_value(static_cast<Node*>(lsecond(call->args))) &&
             decides_alike(call->opno, call->inputcollid);
    }
    case T_ScalarArrayOpExpr: {
      const auto* call = as<ScalarArrayOpExpr>(condition);
      return is_list_of_values(static_cast<Node*>(lsecond(call->args))) &&
             is_simple_value(static_cast<Node*>(linitial(call->args))) &&
             decides_alike(call->opno, call->inputcollid);
    }
    default:
      return false;
  }
}

bool is_sent_equality(const Node* condition) {
  if (!IsA(condition, OpExpr)) return false;
  const auto* call = reinterpret_cast<const OpExpr*>(condition);
  if (list_length(call->args) != 2) return false;
  const auto* left = maybe<Var>(without_relabels(static_cast<Node*>(linitial(call->args))));
  const auto* right = maybe<Var>(without_relabels(static_cast<Node*>(lsecond(call->args))));
  if (left == nullptr || right == nullptr || left->vartype != right->vartype ||
      left->varcollid != right->varcollid || !decides_alike(call->opno, call->inputcollid)) {
    return false;
  }
  Oid type = InvalidOid;
  Oid other = InvalidOid;
  op_input_types(call->opno, &type, &other);
  const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  return type == other && get_op_opfamily_strategy(call->opno, family) == BTEqualStrategyNumber;
}

// --- values ---

namespace {

// A number that is given, as far as a double says how great it is.
bool is_within(const Node* node, double most) {
  const auto* number = maybe<Const>(node);
  if (number == nullptr || number->constisnull) return false;
  double value = 0;
  switch (number->consttype) {
    case INT2OID:
      value = DatumGetInt16(number->constvalue);
      break;
    case INT4OID:
      value = DatumGetInt32(number->constvalue);
      break;
    case INT8OID:
      value = static_cast<double>(DatumGetInt64(number->constvalue));
      break;
    case NUMERICOID:
      // infinite, of one that no double holds
      value = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, number->constvalue));
      break;
    default:
      return false;
  }
  return -most <= value && value <= most;
}

// LEAST(GREATEST(column, a), b): what it gives is a, b or between them, NaN being greater than all.
bool is_between(const Node* node, double most) {
  const auto* least = maybe<MinMaxExpr>(node);
  if (least == nullptr || least->op != IS_LEAST || list_length(least->args) != 2) return false;
  const auto* greatest = maybe<MinMaxExpr>(static_cast<Node*>(linitial(least->args)));
  if (greatest == nullptr || greatest->op != IS_GREATEST || list_length(greatest->args) != 2) {
    return false;
  }
  const auto* column = maybe<Var>(static_cast<Node*>(linitial(greatest->args)));
  return column != nullptr && column->varattno > 0 && is_exact_number(column->vartype) &&
         is_within(static_cast<Node*>(lsecond(greatest->args)), most) &&
         is_within(static_cast<Node*>(lsecond(least->args)), most);
}

bool is_made_numeric(const FuncExpr* call) {
  return call->funcid == F_NUMERIC_INT2 || call->funcid == F_NUMERIC_INT4 ||
         call->funcid == F_NUMERIC_INT8;
}

// A number of no more than most, of whatever type.
bool is_bounded(const Node* node, double most) {
  const auto* call = maybe<FuncExpr>(node);
  if (call == nullptr) return is_between(node, most) || is_within(node, most);
  return is_made_numeric(call) && is_bounded(static_cast<Node*>(linitial(call->args)), most);
}

// How great a number may be that is cut to numeric(p, s): less than half of 10^(p - s), so that it
// is not beyond it when it is rounded.
double most_of(int32 typmod) {
  if (typmod < static_cast<int32>(VARHDRSZ)) return 0;
  const uint32 digits = static_cast<uint32>(typmod) - VARHDRSZ;
  const auto all = static_cast<int>(digits >> 16 & 0xffff);
  const auto behind = static_cast<int>(digits & 0xffff);
  constexpr int kMostDigits = 300;
  if (behind > all || all > kMostDigits) return 0;
  return std::pow(10.0, all - behind) / 2;
}

bool is_value(const Node* node) {
  const auto* call = maybe<FuncExpr>(node);
  if (call != nullptr && call->funcid == F_NUMERIC_NUMERIC_INT4) {
    const auto* typmod = maybe<Const>(static_cast<Node*>(lsecond(call->args)));
    if (typmod == nullptr || typmod->constisnull) return false;
    return is_bounded(static_cast<Node*>(linitial(call->args)),
                      most_of(DatumGetInt32(typmod->constvalue)));
  }
  return is_bounded(node, std::numeric_limits<double>::max());
}

}  // namespace

bool can_be_taken(const Node* value) {
  const auto* column = maybe<Var>(value);
  if (column != nullptr) return column->varattno > 0;
  const auto* choice = maybe<CaseExpr>(value);
  if (choice == nullptr) return is_value(value);
  const auto* rest = maybe<Const>(as<Node>(choice->defresult));
  if (choice->arg != nullptr || list_length(choice->args) != 1 || rest == nullptr ||
      !rest->constisnull) {
    return false;
  }
  const auto* when = static_cast<const CaseWhen*>(linitial(choice->args));
  return can_be_sent(as<Node>(when->expr)) && is_value(as<Node>(when->result));
}

}  // namespace idp
