// idp.synthesize: rows like those of a table, for people who may not ask it anything.
//
// The table is charged once, before a row is read: epsilon, because the model is epsilon-DP for the
// neighbours of its accounts (core/mechanism/synthetic.h). Where these are substituted records, one
// that is added or removed loses half of that: so is what each partition pays whose account a
// record may leave. Everything that can be refused is refused before that.
#include "extension/synthesis/table_counts.h"

#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/budget/links.h"
#include "extension/catalog/store.h"
#include "extension/distribute/elsewhere.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/guard.h"
#include "extension/pg/nodes.h"
#include "extension/pg/server_bits.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "funcapi.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/json.h"
#include "utils/rls.h"
#include "utils/tuplestore.h"
}

namespace idp {

namespace {

constexpr std::int64_t kMostValues = 50000000;  // of all rows together

[[noreturn]] void refuse(const char* message) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message)));
  pg_unreachable();
}

char** strings_of(ArrayType* array, int& count) {
  Datum* values;
  deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, nullptr, &count);
  auto** strings = static_cast<char**>(palloc(static_cast<Size>(count + 1) * sizeof(char*)));
  for (int i = 0; i < count; ++i) strings[i] = TextDatumGetCString(values[i]);
  return strings;
}

// names text[], sizes integer[], and the domains one after the other as text[]
SynthesisColumn* columns_argument(FunctionCallInfo fcinfo, int& count) {
  ArrayType* sizes = PG_GETARG_ARRAYTYPE_P(2);
  for (int i = 1; i <= 3; ++i) {
    if (array_contains_nulls(PG_GETARG_ARRAYTYPE_P(i))) refuse("a domain must not contain nulls");
  }
  int listed;
  char** names = strings_of(PG_GETARG_ARRAYTYPE_P(1), count);
  char** values = strings_of(PG_GETARG_ARRAYTYPE_P(3), listed);
  if (count < 1 || count > kMostSynthesisColumns) {
    refuse(psprintf("columns must name between 1 and %d columns", kMostSynthesisColumns));
  }
  auto* columns =
      static_cast<SynthesisColumn*>(palloc0(static_cast<Size>(count) * sizeof(SynthesisColumn)));
  const auto* size = reinterpret_cast<const int32*>(ARR_DATA_PTR(sizes));
  if (ArrayGetNItems(ARR_NDIM(sizes), ARR_DIMS(sizes)) != count) refuse("domains do not fit");
  int first = 0;
  for (int i = 0; i < count; ++i) {
    if (size[i] < 0 || size[i] > listed - first) refuse("domains do not fit");
    columns[i].name = names[i];
    columns[i].size = size[i];
    columns[i].values = values + first;
    first += size[i];
  }
  return columns;
}

void require_table(Oid table) {
  const char* name = get_rel_name(table);
  if (name == nullptr) {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table does not exist")));
  }
  const char kind = get_rel_relkind(table);
  if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE && kind != RELKIND_MATVIEW) {
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a table", name)));
  }
}

// What is counted are the rows that lie in a table: one that Citus distributes is empty here.
void require_rows_here(Oid table, List* tables) {
  for (const Oid part : oids(tables)) {
    const bool is_distributed = is_citus_table(part);
    if (!is_distributed && get_rel_relkind(part) != RELKIND_FOREIGN_TABLE) continue;
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("synthetic rows cannot be made of table \"%s\"", get_rel_name(table)),
             errdetail("Rows of \"%s\" lie in other servers.", get_rel_name(part)),
             is_distributed
                 ? errhint("Undistribute the table.")
                 : errhint("Detach it, and make synthetic rows of it in the server of its rows.")));
  }
}

void require_readable(Oid table, const SynthesisColumn* columns, int count) {
  const char* name = get_rel_name(table);
  if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) != ACLCHECK_OK) {
    for (int i = 0; i < count; ++i) {
      const AclResult result =
          pg_attribute_aclcheck(table, get_attnum(table, columns[i].name), GetUserId(), ACL_SELECT);
      if (result != ACLCHECK_OK) aclcheck_error(result, OBJECT_TABLE, name);
    }
  }
}

// Reading them here passes by both locks of hidden tables, and by policies.
void require_all_rows(Oid table, List* tables) {
  if (const Oid hidden = first_hidden(tables); OidIsValid(hidden)) refuse_rows(hidden, nullptr);
  if (check_enable_rls(table, InvalidOid, false) == RLS_ENABLED) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("rows of table \"%s\" have security policies", get_rel_name(table)),
                    errdetail("Synthetic rows are made of all rows of a table.")));
  }
}

// What is charged is the loss of one row.
void require_rows_are_units(List* accounts, List* tables) {
  for (const auto* account : list<Account>(accounts)) {
    for (const auto* table : list<UnitTable>(unit_of(*account, tables, nullptr)->tables)) {
      if (table->problem == nullptr && table->is_unit()) continue;
      ereport(ERROR,
              (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
               errmsg("synthetic rows cannot be made of table \"%s\"", get_rel_name(table->table)),
               errdetail("One unit of protected table \"%s\" may have any number of its "
                         "rows.",
                         account->name),
               errhint("Make them of the table of the units.")));
    }
  }
}

List* accounts_of_rows(List* tables) {
  List* accounts = NIL;
  for (const Oid oid : oids(tables)) {
    // has no rows but those of its partitions
    if (get_rel_relkind(oid) == RELKIND_PARTITIONED_TABLE) continue;
    accounts = union_of(accounts, accounts_of(oid));
  }
  return accounts;
}

void charge(List* tables, List* accounts, double epsilon) {
  if (accounts == NIL) return;
  require_rows_are_units(accounts, tables);
  require_min_epsilon(accounts, epsilon);
  require_max_epsilon(accounts, epsilon);
  prepare_to_write();
  Charging charging(accounts);
  for (const auto* account : list<Account>(accounts)) {
    charging.add({account, "idp.synthesize", decimal_of(epsilon), nullptr, nullptr, 0, false});
  }
  if (charging.commit()) make_durable();
}

// Which value of its domain each column of each row has, row by row.
std::uint16_t* draw_rows(const TableCounts& counts, double epsilon, Neighbours neighbours,
                         std::int64_t rows) {
  const auto size = static_cast<Size>(rows * counts.columns) * sizeof(std::uint16_t);
  auto* drawn = static_cast<std::uint16_t*>(palloc_extended(Max(size, 1), MCXT_ALLOC_HUGE));
  guarded([&] {
    const TableMarginals marginals(counts);
    const TreeModel model = fit_tree(marginals, epsilon, server_bits(), neighbours);
    std::uint16_t* next = drawn;
    for (std::int64_t i = 0; i < rows; ++i) {
      if (i % 1024 == 0) stop_if_asked(interrupt_pending);
      for (const std::size_t value : synthetic_row(model, server_bits())) {
        *next++ = static_cast<std::uint16_t>(value);
      }
    }
  });
  return drawn;
}

void put_row(const TableCounts& counts, const std::uint16_t* row, StringInfo json) {
  resetStringInfo(json);
  for (int i = 0; i < counts.columns; ++i) {
    const SynthesisColumn& column = counts.column[i];
    appendStringInfoString(json, i == 0 ? "{" : ", ");
    escape_json(json, column.name);
    appendStringInfoString(json, ": ");
    escape_json(json, column.values[row[i]]);
  }
  appendStringInfoChar(json, '}');
}

Datum synthesize(FunctionCallInfo fcinfo) {
  auto* result = as<ReturnSetInfo>(fcinfo->resultinfo);
  if (result == nullptr || !IsA(result, ReturnSetInfo) ||
      (result->allowedModes & SFRM_Materialize) == 0) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("rows can be synthesized in FROM only")));
  }
  const Oid table = PG_GETARG_OID(0);
  const double epsilon = PG_GETARG_FLOAT8(4);
  const std::int64_t rows = PG_GETARG_INT64(5);
  require_epsilons({&epsilon, 1}, "epsilon");
  int count;
  SynthesisColumn* columns = columns_argument(fcinfo, count);
  if (rows < 0 || rows > kMostValues / count) {
    refuse(psprintf("rows must be between 0 and " INT64_FORMAT " for so many columns",
                    kMostValues / count));
  }
  LockRelationOid(table, AccessShareLock);
  require_table(table);
  require_synthesis_columns(table, columns, count);
  require_readable(table, columns, count);
  List* tables = find_all_inheritors(table, AccessShareLock, nullptr);  // what is charged is read
  require_rows_here(table, tables);
  refuse_answers_of_worker(tables);
  require_all_rows(table, tables);
  List* accounts = accounts_of_rows(tables);
  charge(tables, accounts, epsilon);
  const TableCounts counts = count_tables(tables, columns, count);
  const std::uint16_t* drawn = draw_rows(counts, epsilon, neighbours_of(accounts), rows);

  MemoryContext before = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
  TupleDesc row = CreateTemplateTupleDesc(1);
  TupleDescInitEntry(row, 1, "synthesize", JSONBOID, -1, 0);
  Tuplestorestate* store =
      tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
  MemoryContextSwitchTo(before);
  MemoryContext each =
      AllocSetContextCreate(CurrentMemoryContext, "idp synthetic row", ALLOCSET_SMALL_SIZES);
  StringInfoData json;
  initStringInfo(&json);
  for (std::int64_t i = 0; i < rows; ++i) {
    CHECK_FOR_INTERRUPTS();
    put_row(counts, drawn + i * count, &json);
    MemoryContextSwitchTo(each);
    const Datum value = DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
    const bool is_null = false;
    tuplestore_putvalues(store, row, const_cast<Datum*>(&value), const_cast<bool*>(&is_null));
    MemoryContextSwitchTo(before);
    MemoryContextReset(each);
  }
  result->returnMode = SFRM_Materialize;
  result->setResult = store;
  result->setDesc = row;
  return 0;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(idp_synthesize);
Datum idp_synthesize(PG_FUNCTION_ARGS) { return idp::synthesize(fcinfo); }

}  // extern "C"
#pragma GCC visibility pop
