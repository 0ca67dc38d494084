// What row security of a table and its parts is like: as of now, whatever snapshot the transaction
// has. One that is older than a part, or than its lock, must not leave the part open.
#include "extension/pg/pg.h"
#include "extension/pg/sql_function.h"

#include "extension/access/hidden.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/plan/gate.h"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_policy.h"
#include "funcapi.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

// Columns of idp.part_locks.
namespace lock_column {
enum {
  kPart,
  kIsForeign,
  kIsEnabled,
  kHasLock,
  kHasAllRows,
  kHasOthers,
  kOpenParent,
  // An earlier version has no more.
  kIsWeak,  // the lock, by itself: it is permissive
  kIsOpen,  // the policy for all rows, by itself: it asks no gate
  kIsDistributed,
  kCount
};
}

constexpr char kLock[] = "idp_hidden";
constexpr char kAllRows[] = "idp_all_rows";

bool asks_gate(HeapTuple tuple, TupleDesc columns) {
  bool is_null = false;
  const Datum condition = heap_getattr(tuple, Anum_pg_policy_polqual, columns, &is_null);
  return !is_null && is_gate(static_cast<Node*>(stringToNode(TextDatumGetCString(condition))));
}

void find_policies(Oid table, Datum* values) {
  Relation catalog = table_open(PolicyRelationId, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_policy_polrelid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(table));
  SysScanDesc scan =
      systable_beginscan(catalog, PolicyPolrelidPolnameIndexId, true, nullptr, 1, &key);
  HeapTuple tuple;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    const auto* policy = reinterpret_cast<Form_pg_policy>(GETSTRUCT(tuple));
    const char* name = NameStr(policy->polname);
    const bool is_lock = strcmp(name, kLock) == 0;
    const bool is_all_rows = strcmp(name, kAllRows) == 0;
    values[is_lock       ? lock_column::kHasLock
           : is_all_rows ? lock_column::kHasAllRows
                         : lock_column::kHasOthers] = BoolGetDatum(true);
    if (is_lock) values[lock_column::kIsWeak] = BoolGetDatum(policy->polpermissive);
    if (is_all_rows) {
      values[lock_column::kIsOpen] = BoolGetDatum(!asks_gate(tuple, RelationGetDescr(catalog)));
    }
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
}

// A table that it is a part of and whose rows are not hidden; invalid if there is none.
Oid open_parent(Oid table) {
  for (const Oid oid : oids(parents_of(table))) {
    if (!has_hiding_account(oid)) return oid;
  }
  return InvalidOid;
}

HeapTuple lock_of(Oid table, TupleDesc columns) {
  using namespace lock_column;
  Datum values[kCount] = {};
  bool nulls[kCount] = {};
  values[kPart] = ObjectIdGetDatum(table);
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (HeapTupleIsValid(tuple)) {
    const auto* row = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple));
    values[kIsForeign] = BoolGetDatum(row->relkind == RELKIND_FOREIGN_TABLE);
    values[kIsEnabled] = BoolGetDatum(row->relrowsecurity);
    ReleaseSysCache(tuple);
  }
  find_policies(table, values);
  values[kIsDistributed] =
      BoolGetDatum(is_citus_table(table) || OidIsValid(citus_table_of_shard(table)));
  values[kOpenParent] = ObjectIdGetDatum(open_parent(table));
  nulls[kOpenParent] = !OidIsValid(DatumGetObjectId(values[kOpenParent]));
  return heap_form_tuple(columns, values, nulls);
}

// A set of rows, one in each call.
Datum next_part_lock(FunctionCallInfo fcinfo) {
  FuncCallContext* calls;
  if (SRF_IS_FIRSTCALL()) {
    if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(PG_GETARG_OID(0)))) {
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table does not exist")));
    }
    calls = SRF_FIRSTCALL_INIT();
    MemoryContext before = MemoryContextSwitchTo(calls->multi_call_memory_ctx);
    (void)get_call_result_type(fcinfo, nullptr, &calls->tuple_desc);
    BlessTupleDesc(calls->tuple_desc);
    calls->user_fctx = find_all_inheritors(PG_GETARG_OID(0), NoLock, nullptr);
    MemoryContextSwitchTo(before);
  }
  calls = SRF_PERCALL_SETUP();
  auto* parts = static_cast<List*>(calls->user_fctx);
  if (calls->call_cntr >= static_cast<uint64>(list_length(parts))) SRF_RETURN_DONE(calls);
  const Oid part = list_nth_oid(parts, static_cast<int>(calls->call_cntr));
  SRF_RETURN_NEXT(calls, HeapTupleGetDatum(lock_of(part, calls->tuple_desc)));
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_part_locks, next_part_lock);

}  // extern "C"
#pragma GCC visibility pop
