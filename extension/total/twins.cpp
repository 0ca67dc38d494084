#include "extension/total/twins.h"

#include <string_view>

#include "extension/pg/catalog_lookup.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "nodes/makefuncs.h"
#include "utils/fmgrtab.h"
#include "utils/hsearch.h"
}

namespace idp {

namespace {

using twin_rows::Form;
using twin_rows::kPrefix;
using twin_rows::Row;

const Row* row_of(std::string_view original) {
  for (const Row& row : twin_rows::kRows) {
    if (original == row.original) return &row;
  }
  return nullptr;
}

// The symbol of a function that is linked into the server; null for others.
const char* symbol_of(Oid function) {
  if (function >= FirstGenbkiObjectId) return nullptr;
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) return nullptr;
  const char* symbol = nullptr;
  if (reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang == INTERNALlanguageId) {
    bool is_null = false;
    const Datum source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &is_null);
    if (!is_null) symbol = TextDatumGetCString(source);
  }
  ReleaseSysCache(tuple);
  return symbol;
}

const Row* row_of_twin(Oid twin) {
  if (twin < FirstNormalObjectId) return nullptr;
  const char* name = get_func_name(twin);
  if (name == nullptr || strncmp(name, kPrefix, strlen(kPrefix)) != 0) return nullptr;
  const Row* row = row_of(name + strlen(kPrefix));
  return row != nullptr && own_function(name) == twin ? row : nullptr;
}

bool varies_in_length(Oid type) { return get_typlen(type) == -1; }

uint32 varying_arguments(Oid function) {
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  uint32 varying = 0;
  for (int i = 0; i < count; ++i) {
    if (varies_in_length(types[i])) varying |= uint32{1} << i;
  }
  return varying;
}

struct Noted {
  Oid twin;
  Original original;
};

HTAB* noted = nullptr;

void note(Oid twin, const Original& original) {
  if (noted == nullptr) {
    HASHCTL control = {};
    control.keysize = sizeof(Oid);
    control.entrysize = sizeof(Noted);
    control.hcxt = TopMemoryContext;
    noted = hash_create("idp: total twins", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  }
  static_cast<Noted*>(hash_search(noted, &twin, HASH_ENTER, nullptr))->original = original;
}

Original original_in(const Row& row, Oid twin) {
  const Oid function = fmgr_internal_function(row.original);
  if (!OidIsValid(function)) elog(ERROR, "function %s is not one of the server", row.original);
  return {function, row.form, varying_arguments(twin), varies_in_length(get_func_rettype(twin))};
}

bool is_text(Oid type) { return type == TEXTOID || type == VARCHAROID || type == BPCHAROID; }

// What an expression calls: the number of a function or an operator, and the function that is.
struct Callee {
  Oid number = InvalidOid;
  Oid function = InvalidOid;
  List* arguments = NIL;
  bool reads_text = false;
};

Callee callee_of(Node* expression) {
  switch (nodeTag(expression)) {
    case T_FuncExpr: {
      const auto* call = reinterpret_cast<const FuncExpr*>(expression);
      return {call->funcid, call->funcid, call->args, false};
    }
    case T_OpExpr: {
      const auto* call = reinterpret_cast<const OpExpr*>(expression);
      return {call->opno, get_opcode(call->opno), call->args, false};
    }
    case T_CoerceViaIO: {
      const auto* cast = reinterpret_cast<const CoerceViaIO*>(expression);
      if (!is_text(exprType(reinterpret_cast<Node*>(cast->arg)))) return {};
      Oid input = InvalidOid;
      Oid element = InvalidOid;
      getTypeInputInfo(cast->resulttype, &input, &element);
      return {input, input, list_make1(cast->arg), true};
    }
    default:
      return {};
  }
}

// The number of what a twin stands for is kept where the parser notes the place of a call, which
// is -1 if unknown: no number of the server's makes it that or a place.
int place_of(Oid number) { return -1 - static_cast<int>(number); }
Oid number_at(int place) { return place < -1 ? static_cast<Oid>(-1 - place) : InvalidOid; }

Node* original_call(const FuncExpr* twin, Oid number, Form form) {
  if (form == Form::kInput) {
    auto* cast = makeNode(CoerceViaIO);
    cast->arg = static_cast<Expr*>(linitial(twin->args));
    cast->resulttype = twin->funcresulttype;
    cast->resultcollid = twin->funccollid;
    cast->coerceformat = COERCE_EXPLICIT_CAST;
    cast->location = -1;
    return reinterpret_cast<Node*>(cast);
  }
  if (OidIsValid(get_opcode(number))) {
    auto* left = static_cast<Expr*>(linitial(twin->args));
    auto* right = list_length(twin->args) > 1 ? static_cast<Expr*>(lsecond(twin->args)) : nullptr;
    return reinterpret_cast<Node*>(make_opclause(number, twin->funcresulttype, false, left, right,
                                                 twin->funccollid, twin->inputcollid));
  }
  auto* call = static_cast<FuncExpr*>(copyObjectImpl(twin));
  call->funcid = number;
  return reinterpret_cast<Node*>(call);
}

Node* map_to_original(Node* node, void*) {
  if (node == nullptr) return nullptr;
  node = map_expression(node, map_to_original, nullptr);
  if (!IsA(node, FuncExpr)) return node;
  const auto* call = reinterpret_cast<const FuncExpr*>(node);
  const Oid number = number_at(call->location);
  const Row* row = OidIsValid(number) ? row_of_twin(call->funcid) : nullptr;
  return row == nullptr ? node : original_call(call, number, row->form);
}

}  // namespace

bool is_twin(Oid function) {
  const Row* row = row_of_twin(function);
  if (row == nullptr) return false;
  note(function, original_in(*row, function));
  return true;
}

Original original_of(Oid twin) {
  const Row* row = row_of_twin(twin);
  if (row == nullptr) elog(ERROR, "function %u is no total twin", twin);
  return original_in(*row, twin);
}

Original noted_original(Oid twin) {
  const void* found = noted ? hash_search(noted, &twin, HASH_FIND, nullptr) : nullptr;
  return found != nullptr ? static_cast<const Noted*>(found)->original : original_of(twin);
}

Node* twin_of(Node* expression) {
  const Callee callee = callee_of(expression);
  const char* symbol = symbol_of(callee.function);
  const Row* row = symbol ? row_of(symbol) : nullptr;
  if (row == nullptr || (row->form == Form::kInput) != callee.reads_text) return nullptr;
  const Oid twin = own_function(psprintf("%s%s", kPrefix, symbol));
  if (!OidIsValid(twin)) return nullptr;
  note(twin, original_in(*row, twin));
  const CoercionForm form = IsA(expression, FuncExpr)
                                ? reinterpret_cast<const FuncExpr*>(expression)->funcformat
                                : COERCE_EXPLICIT_CALL;
  FuncExpr* call = makeFuncExpr(twin, exprType(expression), callee.arguments,
                                exprCollation(expression), exprInputCollation(expression), form);
  call->location = place_of(callee.number);
  return reinterpret_cast<Node*>(call);
}

Node* with_originals(Node* expression) { return map_to_original(expression, nullptr); }

}  // namespace idp
