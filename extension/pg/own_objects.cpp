#include "extension/pg/own_objects.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/catcache.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

struct Membership {
  Oid object;
  bool is_own;
};

struct Named {
  NameData name;
  Oid function;
};

// What is known; null before anything is, and after an error.
HTAB* own_or_not = nullptr;  // functions
HTAB* types_own_or_not = nullptr;
HTAB* functions = nullptr;
MemoryContext context = nullptr;
bool is_current = false;
uint64 changes = 0;

void forget(Datum, int, uint32) {
  is_current = false;
  ++changes;
}

void renew() {
  own_or_not = types_own_or_not = functions = nullptr;
  if (context == nullptr) {
    context = AllocSetContextCreate(TopMemoryContext, "idp: own functions", ALLOCSET_SMALL_SIZES);
  }
  MemoryContextReset(context);
  HASHCTL control = {};
  control.hcxt = context;
  control.keysize = sizeof(Oid);
  control.entrysize = sizeof(Membership);
  own_or_not =
      hash_create("idp: own functions", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  types_own_or_not =
      hash_create("idp: own types", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  control.keysize = sizeof(NameData);
  control.entrysize = sizeof(Named);
  functions =
      hash_create("idp: functions by name", 16, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
  is_current = true;
}

bool is_own(Oid catalog, Oid object) {
  const Oid extension = get_extension_oid("idp", true);
  return OidIsValid(extension) && getExtensionOfObject(catalog, object) == extension;
}

// known: of the catalog; made anew by renew().
bool is_known_as_own(HTAB*& known, Oid catalog, Oid object) {
  if (object < FirstNormalObjectId) return false;  // initdb made it
  if (!is_current) renew();
  if (const void* found = hash_search(known, &object, HASH_FIND, nullptr)) {
    return static_cast<const Membership*>(found)->is_own;
  }
  const uint64 before = changes;
  const bool is_ours = is_own(catalog, object);
  // Something may have changed while we looked: then it is looked up again the next time.
  if (changes == before) {
    static_cast<Membership*>(hash_search(known, &object, HASH_ENTER, nullptr))->is_own = is_ours;
  }
  return is_ours;
}

Oid look_up(const char* name) {
  const Oid schema = get_namespace_oid("idp", true);
  if (!OidIsValid(schema)) return InvalidOid;
  Oid function = InvalidOid;
  CatCList* found = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
  for (int i = 0; i < found->n_members; ++i) {
    const auto* row = reinterpret_cast<Form_pg_proc>(GETSTRUCT(&found->members[i]->tuple));
    if (row->pronamespace == schema && is_own_function(row->oid)) function = row->oid;
  }
  ReleaseSysCacheList(found);
  return function;
}

bool find_own_aggregate(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) return is_own_function(as<Aggref>(node)->aggfnoid);
  return walk_expression(node, find_own_aggregate, nullptr);
}

}  // namespace

bool is_own_function(Oid function) {
  return is_known_as_own(own_or_not, ProcedureRelationId, function);
}

bool is_own_function(Oid function, std::string_view name) {
  if (function < FirstNormalObjectId) return false;
  const char* named = get_func_name(function);
  return named != nullptr && name == named && is_own_function(function);
}

bool is_own_type(Oid type) { return is_known_as_own(types_own_or_not, TypeRelationId, type); }

bool has_own_aggregate(Node* expression) { return find_own_aggregate(expression, nullptr); }

Oid own_type(const char* name) {
  const Oid schema = get_namespace_oid("idp", false);
  return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
                         ObjectIdGetDatum(schema));
}

Oid own_relation(const char* name) {
  const Oid schema = get_namespace_oid("idp", true);
  return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

Oid own_function(const char* name) {
  if (!is_current) renew();
  if (const void* found = hash_search(functions, name, HASH_FIND, nullptr)) {
    return static_cast<const Named*>(found)->function;
  }
  const uint64 before = changes;
  const Oid function = look_up(name);
  if (changes == before) {
    static_cast<Named*>(hash_search(functions, name, HASH_ENTER, nullptr))->function = function;
  }
  return function;
}

void watch_functions() {
  CacheRegisterSyscacheCallback(PROCOID, forget, Datum{0});
  CacheRegisterSyscacheCallback(TYPEOID, forget, Datum{0});
  CacheRegisterSyscacheCallback(NAMESPACEOID, forget, Datum{0});
}

}  // namespace idp
