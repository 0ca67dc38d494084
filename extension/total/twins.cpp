#include "extension/total/twins.h"

#include <string_view>

#include "extension/pg/own_objects.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "utils/fmgrtab.h"
}

namespace idp {

namespace {

using twin_rows::Form;
using twin_rows::Row;

constexpr char kName[] = "total";

// The symbol of a function that is linked into the server; null for others.
const char* symbol_of(Oid function) {
  if (function > fmgr_last_builtin_oid) return nullptr;
  const uint16 index = fmgr_builtin_oid_index[function];
  return index == InvalidOidBuiltinMapping ? nullptr : fmgr_builtins[index].funcName;
}

bool is_text(Oid type) { return type == TEXTOID || type == VARCHAROID || type == BPCHAROID; }

// Whether values of these expressions are what an original with that row is called with.
bool takes(const Row& row, const List* arguments) {
  if (list_length(arguments) > twin_rows::kMostArguments) return false;
  for (int i = 0; i < twin_rows::kMostArguments; ++i) {
    const Oid type = i < list_length(arguments)
                         ? exprType(static_cast<const Node*>(list_nth(arguments, i)))
                         : InvalidOid;
    const bool is_read = row.form == Form::kInput && i == 0 && is_text(type);
    if (type != row.arguments[i] && !is_read) return false;
  }
  return true;
}

const Row* row_of(Oid original, Oid result, const List* arguments) {
  const char* symbol = symbol_of(original);
  if (symbol == nullptr) return nullptr;
  for (const Row& row : twin_rows::kRows) {
    if (row.result == result && std::string_view(row.original) == symbol && takes(row, arguments)) {
      return &row;
    }
  }
  return nullptr;
}

// --- putting twins in ---

// What an expression calls.
struct Callee {
  Oid function = InvalidOid;
  Oid op = InvalidOid;
  List* arguments = NIL;
  bool reads_text = false;
};

Callee callee_of(Node* expression) {
  switch (nodeTag(expression)) {
    case T_FuncExpr: {
      const auto* call = as<FuncExpr>(expression);
      return {call->funcid, InvalidOid, call->args, false};
    }
    case T_OpExpr: {
      const auto* call = as<OpExpr>(expression);
      return {get_opcode(call->opno), call->opno, call->args, false};
    }
    case T_CoerceViaIO: {
      const auto* cast = as<CoerceViaIO>(expression);
      Oid input = InvalidOid;
      Oid element = InvalidOid;
      getTypeInputInfo(cast->resulttype, &input, &element);
      return {input, InvalidOid, list_make1(cast->arg), true};
    }
    default:
      return {};
  }
}

Node* constant(Oid type, Oid value) {
  return as<Node>(
      makeConst(type, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(value), false, true));
}

// --- and taking them out ---

// Of a constant of that type; invalid for anything else.
Oid value_of(const void* node, Oid type) {
  const auto* constant = static_cast<const Const*>(node);
  const bool is_meant = IsA(node, Const) && constant->consttype == type && !constant->constisnull;
  return is_meant ? DatumGetObjectId(constant->constvalue) : InvalidOid;
}

Node* map_to_original(Node* node, void*) {
  if (node == nullptr) return nullptr;
  return original_of(map_expression(node, map_to_original, nullptr));
}

}  // namespace

std::optional<Twin> described_twin(const Node* node) {
  if (node == nullptr || !IsA(node, FuncExpr)) return std::nullopt;
  const auto* call = as<FuncExpr>(node);
  if (call->funcvariadic || list_length(call->args) <= kTwinConstants) return std::nullopt;
  const Oid function = value_of(linitial(call->args), REGPROCEDUREOID);
  if (!OidIsValid(function)) return std::nullopt;
  List* arguments = list_copy_tail(call->args, kTwinConstants);
  const Row* row = row_of(function, call->funcresulttype, arguments);
  if (row == nullptr) return std::nullopt;
  return Twin{row, function, value_of(lsecond(call->args), REGOPERATOROID), arguments};
}

std::optional<Twin> twin_at(const Node* expression) {
  const std::optional<Twin> twin = described_twin(expression);
  if (!twin) return std::nullopt;
  const Oid function = as<FuncExpr>(expression)->funcid;
  return function >= FirstNormalObjectId && own_function(kName) == function ? twin : std::nullopt;
}

Node* twin_of(Node* expression) {
  const Callee callee = callee_of(expression);
  if (!OidIsValid(callee.function)) return nullptr;
  const Row* row = row_of(callee.function, exprType(expression), callee.arguments);
  if (row == nullptr || (row->form == Form::kInput) != callee.reads_text) return nullptr;
  const Oid function = own_function(kName);
  if (!OidIsValid(function)) return nullptr;
  const CoercionForm form =
      IsA(expression, FuncExpr) ? as<FuncExpr>(expression)->funcformat : COERCE_EXPLICIT_CALL;
  List* constants =
      list_make2(constant(REGPROCEDUREOID, callee.function), constant(REGOPERATOROID, callee.op));
  return as<Node>(makeFuncExpr(function, exprType(expression),
                               list_concat(constants, callee.arguments), exprCollation(expression),
                               exprInputCollation(expression), form));
}

Node* in_total_form(Node* expression) {
  Node* twin = twin_of(expression);
  return twin == nullptr ? expression : twin;
}

Node* original_of(Node* expression) {
  const std::optional<Twin> twin = twin_at(expression);
  if (!twin) return expression;
  const auto* call = as<FuncExpr>(expression);
  if (twin->row->form == Form::kInput) {
    auto* cast = makeNode(CoerceViaIO);
    cast->arg = static_cast<Expr*>(linitial(twin->arguments));
    cast->resulttype = call->funcresulttype;
    cast->resultcollid = call->funccollid;
    cast->coerceformat = COERCE_EXPLICIT_CAST;
    cast->location = -1;
    return as<Node>(cast);
  }
  if (OidIsValid(twin->op)) {
    const List* arguments = twin->arguments;
    auto* right = list_length(arguments) > 1 ? static_cast<Expr*>(lsecond(arguments)) : nullptr;
    return as<Node>(make_opclause(twin->op, call->funcresulttype, false,
                                  static_cast<Expr*>(linitial(arguments)), right, call->funccollid,
                                  call->inputcollid));
  }
  return as<Node>(makeFuncExpr(twin->function, call->funcresulttype, twin->arguments,
                               call->funccollid, call->inputcollid, call->funcformat));
}

Node* with_originals(Node* expression) { return map_to_original(expression, nullptr); }

}  // namespace idp
