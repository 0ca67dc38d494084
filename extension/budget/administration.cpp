// The functions by which the owner of a table administers its budget and its releases, and readers
// refine one.
#include "extension/pg/pg.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/release/noise.h"
#include "extension/release/release.h"
#include "extension/catalog/store.h"

extern "C" {
#include "access/detoast.h"
#include "catalog/catalog.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

bool owns(Oid table) {
#if PG_VERSION_NUM >= 160000
  return object_ownercheck(RelationRelationId, table, GetUserId());
#else
  return pg_class_ownercheck(table, GetUserId());
#endif
}

void require_owner(Oid table) {
  if (owns(table)) return;
  aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(table));
}

// Runs a statement on the extension's own tables, with the rights of their owner. Names in it must
// not lead to what the caller may have put in the way.
void execute(const char* sql, int count, Oid* types, Datum* values, const char* nulls) {
  Oid user;
  int security;
  GetUserIdAndSecContext(&user, &security);
  SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID, security | SECURITY_LOCAL_USERID_CHANGE);
  const int settings = NewGUCNestLevel();
  (void)set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
                          GUC_ACTION_SAVE, true, 0, false);
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "SPI_connect failed");
  if (SPI_execute_with_args(sql, count, types, values, nulls, false, 0) < 0) {
    elog(ERROR, "could not execute: %s", sql);
  }
  SPI_finish();
  AtEOXact_GUC(true, settings);
  SetUserIdAndSecContext(user, security);
}

void require_epsilons(std::span<const double> epsilons, const char* name) {
  const auto violation = find_violation_of_epsilons(epsilons, false);
  if (!violation) return;
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s %s", name, violation->rule)));
}

void require_min_epsilon(const NullableDatum& argument) {
  if (argument.isnull) return;
  const double epsilon = DatumGetFloat8(argument.value);
  require_epsilons({&epsilon, 1}, "min_epsilon");
}

void require_floor(const NullableDatum& argument) {
  if (argument.isnull) return;
  const double floor = DatumGetFloat8(argument.value);
  if (floor > 0 && !isinf(floor)) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("floor must be a finite number greater than 0")));
}

void require_given(const NullableDatum& argument, const char* name) {
  if (!argument.isnull) return;
  ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

void require_budget(Datum budget) {
  const Datum zero = NumericGetDatum(int64_to_numeric(0));
  if (!numeric_is_nan(DatumGetNumeric(budget)) && !numeric_is_inf(DatumGetNumeric(budget)) &&
      DatumGetBool(DirectFunctionCall2(numeric_ge, budget, zero))) {
    return;
  }
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("budget must be a finite number, at least 0")));
}

void require_neighbours(Datum neighbours) {
  const char* relation = TextDatumGetCString(neighbours);
  if (strcmp(relation, "substitute") == 0 || strcmp(relation, "add_remove") == 0) return;
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("neighbours must be \"substitute\" or \"add_remove\"")));
}

void require_table(Oid table) {
  const char kind = get_rel_relkind(table);
  if (kind == '\0') {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table does not exist")));
  }
  const bool is_table = kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE;
  if (IsCatalogRelationOid(table)) {
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("\"%s\" is a system catalog", get_rel_name(table))));
  }
  if (kind == RELKIND_FOREIGN_TABLE || is_citus_table(table)) {
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("\"%s\" is a %s and cannot be protected", get_rel_name(table),
                    kind == RELKIND_FOREIGN_TABLE ? "foreign table" : "table of Citus"),
             errdetail("Answers that other servers compute are not charged here."),
             errhint("Protect the table in the server that holds its rows, and ask there.")));
  }
  if (is_table && get_rel_persistence(table) != RELPERSISTENCE_TEMP) return;
  ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                  errmsg("\"%s\" is not a permanent table", get_rel_name(table))));
}

Datum owner_name(Oid table) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", table);
  const Oid owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return CStringGetTextDatum(GetUserNameFromId(owner, false));
}

// The account of a table, or one that waits for a table of its name since that was dropped: its
// owner, or a superuser, takes it over. $1 the table, $2 its name, $3 its owner, $4 whether a
// superuser asks.
#define IDP_HAS_NO_TABLE "coalesce(relation::oid, 0) = 0"
#define IDP_ACCOUNT_OF_TABLE \
  "(relation::oid = $1 OR (" IDP_HAS_NO_TABLE " AND name = $2 AND (owner = $3 OR $4)))"

// Waits for the queries that read the table now. Later ones wait for the end of the transaction, so
// each sees the table protected, or not, from its beginning to its end.
void lock_out_queries(Oid table) {
  LockRelationOid(table, AccessExclusiveLock);
  require_table(table);  // still there?
  (void)find_all_inheritors(table, AccessExclusiveLock, nullptr);
}

Datum protect(FunctionCallInfo fcinfo) {
  constexpr const char* kNames[] = {"table", "budget", "neighbours"};
  for (int i = 0; i < 3; ++i) require_given(fcinfo->args[i], kNames[i]);
  const Oid table = PG_GETARG_OID(0);
  require_table(table);
  require_owner(table);
  require_budget(PG_GETARG_DATUM(1));
  require_neighbours(PG_GETARG_DATUM(2));
  require_min_epsilon(fcinfo->args[3]);
  require_floor(fcinfo->args[4]);
  lock_out_queries(table);
  StoreLock lock(Table::kAccount, 0);  // until the end: the number of a new account is its own
  Oid types[] = {OIDOID, TEXTOID, TEXTOID, BOOLOID, NUMERICOID, TEXTOID, FLOAT8OID, FLOAT8OID};
  Datum values[] = {ObjectIdGetDatum(table), CStringGetTextDatum(qualified_name(table)),
                    owner_name(table),       BoolGetDatum(superuser()),
                    PG_GETARG_DATUM(1),      PG_GETARG_DATUM(2),
                    fcinfo->args[3].value,   fcinfo->args[4].value};
  char nulls[] = "        ";
  if (fcinfo->args[3].isnull) nulls[6] = 'n';
  if (fcinfo->args[4].isnull) nulls[7] = 'n';
  execute(
      "WITH known AS ("
      "  UPDATE idp.account SET relation = $1, name = $2, owner = $3, active = true,"
      "    budget = $5, neighbours = $6, min_epsilon = $7, floor = $8"
      "  WHERE id = (SELECT id FROM idp.account WHERE " IDP_ACCOUNT_OF_TABLE
      "              ORDER BY " IDP_HAS_NO_TABLE
      ", id LIMIT 1)"
      "  RETURNING id) "
      "INSERT INTO idp.account (id, relation, name, owner, active, budget, neighbours,"
      "  min_epsilon, floor, since) "
      "SELECT coalesce(greatest((SELECT max(id) FROM idp.account),"
      "                         (SELECT max(account) FROM idp.charge)), 0) + 1,"
      "  $1, $2, $3, true, $5, $6, $7, $8, pg_catalog.clock_timestamp() "
      "WHERE NOT EXISTS (SELECT FROM known)",
      8, types, values, nulls);
  PG_RETURN_VOID();
}

Datum unprotect(FunctionCallInfo fcinfo) {
  const Oid table = PG_GETARG_OID(0);
  require_table(table);
  require_owner(table);
  lock_out_queries(table);
  Oid types[] = {OIDOID, TEXTOID, TEXTOID, BOOLOID};
  Datum values[] = {ObjectIdGetDatum(table), CStringGetTextDatum(qualified_name(table)),
                    owner_name(table), BoolGetDatum(superuser())};
  execute("UPDATE idp.account SET active = false WHERE " IDP_ACCOUNT_OF_TABLE, 4, types, values,
          nullptr);
  PG_RETURN_VOID();
}

// --- releases ---

StoredChain* chain_named(const char* name) {
  StoredChain* chain = find_chain(name);
  if (chain == nullptr) {
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("release \"%s\" does not exist", name)));
  }
  return chain;
}

StoredChain* readable_chain(const char* name) {
  StoredChain* chain = chain_named(name);
  require_readable(*chain);
  return chain;
}

StoredChain* owned_chain(const char* name) {
  StoredChain* chain = chain_named(name);
  const bool owned = OidIsValid(chain->table) && get_rel_name(chain->table) != nullptr
                         ? owns(chain->table)
                         : strcmp(chain->role, current_role_name()) == 0;
  if (!superuser() && !owned) {
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("must be owner of the table of release \"%s\"", name)));
  }
  return chain;
}

// The answer as text; a null datum if there is none.
NullableDatum answer_text(const StoredChain& chain, bytea* noise) {
  Datum answer;
  if (!answer_of(chain.record, noise, chain.result, &answer)) return {0, true};
  Oid output;
  bool is_varlena;
  getTypeOutputInfo(chain.result, &output, &is_varlena);
  return {CStringGetTextDatum(OidOutputFunctionCall(output, answer)), false};
}

Datum relax(FunctionCallInfo fcinfo, const double* epsilons, int count) {
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  require_epsilons({epsilons, static_cast<std::size_t>(count)}, "epsilon");
  prepare_to_write();
  make_all_durable();  // what others stored before
  StoredChain* chain = readable_chain(name);
  // Like a query of the table: idp.protect waits for it, and it for idp.protect.
  if (OidIsValid(chain->table)) LockRelationOid(chain->table, AccessShareLock);
  if (!has_begun(*chain)) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("release \"%s\" has not begun", name),
                    errhint("Ask for its answer over the table first.")));
  }
  if (count != record_epsilons(chain->record)) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("release \"%s\" has another number of epsilons", name)));
  }
  require_min_epsilon(*chain, epsilons[0]);
  const Stored stored = refine(*chain, epsilons, count, NIL);
  const NullableDatum answer = answer_text(*chain, stored.noise);
  if (answer.isnull) PG_RETURN_NULL();
  PG_RETURN_DATUM(answer.value);
}

Datum relax_one(FunctionCallInfo fcinfo) {
  const double epsilon = PG_GETARG_FLOAT8(1);
  return relax(fcinfo, &epsilon, 1);
}

Datum relax_groups(FunctionCallInfo fcinfo) {
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(1);
  const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  if (ARR_NDIM(array) != 1 || count > kMaxGroup || array_contains_nulls(array)) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("epsilons must be a one-dimensional array of 1 to %d numbers", kMaxGroup)));
  }
  return relax(fcinfo, reinterpret_cast<const double*>(ARR_DATA_PTR(array)), count);
}

Datum best_answer(FunctionCallInfo fcinfo, const StoredChain* chain) {
  if (chain == nullptr || !has_begun(*chain)) PG_RETURN_NULL();
  const NullableDatum answer = answer_text(*chain, finest_noise(*chain));
  if (answer.isnull) PG_RETURN_NULL();
  PG_RETURN_DATUM(answer.value);
}

Datum release_answer(FunctionCallInfo fcinfo) {
  make_all_durable();  // what others stored before
  return best_answer(fcinfo, readable_chain(text_to_cstring(PG_GETARG_TEXT_PP(0))));
}

// The same for a view: others may drop what it lists meanwhile.
Datum release_answer_if_any(FunctionCallInfo fcinfo) {
  make_all_durable();
  const StoredChain* chain = find_chain(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  const bool readable = chain != nullptr && may_read(chain->table, chain->role, chain->column);
  return best_answer(fcinfo, readable ? chain : nullptr);
}

// Whether a text may be that of a column: longer ones, which others may have stored, are not read.
bool may_name_column(Datum text) {
  return toast_raw_datum_size(text) - VARHDRSZ <= static_cast<Size>(2 * NAMEDATALEN);
}

Datum is_readable(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(1) || PG_ARGISNULL(2)) PG_RETURN_BOOL(false);
  const Datum column = PG_GETARG_DATUM(2);
  PG_RETURN_BOOL(may_read(PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0),
                          text_to_cstring(PG_GETARG_TEXT_PP(1)),
                          may_name_column(column) ? TextDatumGetCString(column) : "(expression)"));
}

Datum refresh(FunctionCallInfo fcinfo) {
  prepare_to_write();
  begin_again(*owned_chain(text_to_cstring(PG_GETARG_TEXT_PP(0))));
  PG_RETURN_VOID();
}

Datum drop_release(FunctionCallInfo fcinfo) {
  prepare_to_write();
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  (void)owned_chain(name);
  delete_chains(name);
  PG_RETURN_VOID();
}

// --- the type of the columns that name tables ---

Datum table_reference_in(FunctionCallInfo fcinfo) {
  const char* name = PG_GETARG_CSTRING(0);
  if (strcmp(name, "-") == 0) PG_RETURN_OID(InvalidOid);
  LOCAL_FCINFO(call, 1);
  InitFunctionCallInfoData(*call, nullptr, 1, InvalidOid, nullptr, nullptr);
  call->args[0].value = CStringGetTextDatum(name);
  call->args[0].isnull = false;
  const Datum table = to_regclass(call);
  PG_RETURN_OID(call->isnull ? InvalidOid : DatumGetObjectId(table));
}

Datum table_reference_out(FunctionCallInfo fcinfo) {
  char* name = qualified_name(PG_GETARG_OID(0));
  PG_RETURN_CSTRING(name ? name : pstrdup("-"));
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

#define IDP_FUNCTION(name, body)                             \
  PG_FUNCTION_INFO_V1(name);                                 \
  Datum name(PG_FUNCTION_ARGS) { return idp::body(fcinfo); } \
  static_assert(true)

IDP_FUNCTION(idp_table_reference_in, table_reference_in);
IDP_FUNCTION(idp_table_reference_out, table_reference_out);
IDP_FUNCTION(idp_protect, protect);
IDP_FUNCTION(idp_unprotect, unprotect);
IDP_FUNCTION(idp_relax, relax_one);
IDP_FUNCTION(idp_relax_groups, relax_groups);
IDP_FUNCTION(idp_release_answer, release_answer);
IDP_FUNCTION(idp_release_answer_if_any, release_answer_if_any);
IDP_FUNCTION(idp_is_readable, is_readable);
IDP_FUNCTION(idp_refresh, refresh);
IDP_FUNCTION(idp_drop_release, drop_release);

}  // extern "C"
#pragma GCC visibility pop
