#include "extension/rewrite/private_call.h"

#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "utils/catcache.h"
}

namespace idp {

namespace {

// The aggregate of that name and those argument types. Only the extension's own: others may have
// made one of the name in its schema.
Oid aggregate_named(const char* name, const List* arguments) {
  Oid types[FUNC_MAX_ARGS];
  int count = 0;
  for (auto* node : list<Node>(arguments)) types[count++] = exprType(node);
  Oid found = InvalidOid;
  CatCList* functions = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
  for (int i = 0; i < functions->n_members; ++i) {
    const auto* row = reinterpret_cast<Form_pg_proc>(GETSTRUCT(&functions->members[i]->tuple));
    if (row->pronargs != count || row->prokind != PROKIND_AGGREGATE) continue;
    if (memcmp(row->proargtypes.values, types, sizeof(Oid) * count) != 0) continue;
    if (is_own_function(row->oid)) found = row->oid;
  }
  ReleaseSysCacheList(functions);
  return found;
}

}  // namespace

Node* as_type(Node* value, Oid type) { return cast_to(value, type, COERCE_IMPLICIT_CAST); }

Const* float_constant(double value) {
  return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(value), false,
                   FLOAT8PASSBYVAL);
}

Aggref* private_call(const char* name, const Aggref* plain, List* arguments) {
  Aggref* call = private_call(name, arguments);
  if (call != nullptr) call->aggfilter = static_cast<Expr*>(copyObjectImpl(plain->aggfilter));
  return call;
}

Aggref* private_call(const char* name, List* arguments) {
  const Oid aggregate = aggregate_named(name, arguments);
  if (!OidIsValid(aggregate)) return nullptr;
  auto* call = makeNode(Aggref);
  call->aggfnoid = aggregate;
  call->aggtype = get_func_rettype(aggregate);
  call->aggkind = AGGKIND_NORMAL;
  call->aggsplit = AGGSPLIT_SIMPLE;
  call->aggno = call->aggtransno = -1;
  call->location = -1;
  ListCell* cell;
  foreach (cell, arguments) {
    auto* value = static_cast<Expr*>(lfirst(cell));
    const auto number = static_cast<AttrNumber>(foreach_current_index(cell) + 1);
    call->args = lappend(call->args, makeTargetEntry(value, number, nullptr, false));
    call->aggargtypes = lappend_oid(call->aggargtypes, exprType(as<Node>(value)));
  }
  const Oid collation = exprCollation(static_cast<Node*>(linitial(arguments)));
  call->inputcollid = collation;
  if (type_is_collatable(call->aggtype)) call->aggcollid = collation;
  return call;
}

Node* as_type_of(const Aggref* plain, Node* answer) { return as_type(answer, plain->aggtype); }

namespace {

constexpr int kPartOfTotal = -2;  // a location, where -1 is that of none

}  // namespace

void mark_part_of_total(Aggref* call) { call->location = kPartOfTotal; }
bool is_part_of_total(const Aggref* call) { return call->location == kPartOfTotal; }

Node* never_negative(const Aggref* plain, Node* answer) {
  return is_part_of_total(plain) ? answer : at_least_zero(answer);
}

Node* at_least_zero(Node* answer) {
  const Oid type = exprType(answer);
  Node* zero = type == INT8OID ? bigint(0) : as_type(integer(0), type);
  return end_of(IS_GREATEST, answer, zero);
}

}  // namespace idp
