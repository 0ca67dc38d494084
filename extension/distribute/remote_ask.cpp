#include "extension/distribute/remote_ask.h"

#include "extension/pg/citus_catalog.h"
#include "extension/pg/citus_settings.h"
#include "extension/pg/nodes.h"
#include "extension/pg/plain_output.h"
#include "extension/state/running_query.h"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/guc.h"
}

namespace idp {

namespace {

Oid asked = InvalidOid;              // whose rows are asked for
const List* asked_beside = nullptr;  // of oid: and theirs

// When the transaction began that last asked for rows of a foreign table.
TimestampTz asked_foreign_in = 0;

// --- what comes ---

[[noreturn]] void refuse_changed_rows(Relation table) {
  ereport(ERROR,
          (errcode(ERRCODE_DATATYPE_MISMATCH),
           errmsg("rows of table \"%s\" came back in another form than it has here",
                  RelationGetRelationName(table)),
           errhint("Run the query again; compare the table with that of the other server.")));
  pg_unreachable();
}

void require_form(Relation table, TupleDesc come, TupleDesc expected) {
  if (come->natts != expected->natts) refuse_changed_rows(table);
  for (int i = 0; i < come->natts; ++i) {
    if (TupleDescAttr(come, i)->atttypid != TupleDescAttr(expected, i)->atttypid) {
      refuse_changed_rows(table);
    }
  }
}

// Passes rows on to a tuplestore, after it has seen what they are.
struct Receiver {
  DestReceiver server;
  const RemoteStatement* statement;
  Tuplestorestate* rows;
};

void start_receiving(DestReceiver* self, int, TupleDesc come) {
  const RemoteStatement* statement = reinterpret_cast<Receiver*>(self)->statement;
  require_form(statement->table, come, statement->columns);
}

bool receive(TupleTableSlot* row, DestReceiver* self) {
  tuplestore_puttupleslot(reinterpret_cast<Receiver*>(self)->rows, row);
  return true;
}

void stop_receiving(DestReceiver*) {}

// --- asking ---

void run(const RemoteStatement& statement, Tuplestorestate* rows) {
  Receiver receiver = {
      {receive, start_receiving, stop_receiving, stop_receiving, DestTuplestore}, &statement, rows};
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "SPI_connect failed");
  SPIExecuteOptions options = {};
  options.read_only = true;
  options.dest = &receiver.server;
  const int result = SPI_execute_extended(statement.text, &options);
  if (result != SPI_OK_SELECT) elog(ERROR, "rows of another server were not asked for: %d", result);
  (void)SPI_finish();
}

void run_as_owner(const RemoteStatement& statement, Tuplestorestate* rows) {
  Oid user = InvalidOid;
  int context = 0;
  GetUserIdAndSecContext(&user, &context);
  SetUserIdAndSecContext(statement.table->rd_rel->relowner, context | SECURITY_LOCAL_USERID_CHANGE |
                                                                SECURITY_RESTRICTED_OPERATION |
                                                                SECURITY_NOFORCE_RLS);
  run(statement, rows);
  SetUserIdAndSecContext(user, context);
}

void set_meanwhile(const char* name, const char* value) {
  (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

// Values come in the binary form, which no setting changes: Citus has the workers write text by
// settings of the session. And Citus takes a statement that another one asks for that of a
// function, which may write: it begins a transaction on each connection, and reads the shards of
// this server one after the other. Ours only read, so they go as those do that a user sends. In a
// transaction block, and where a connection has written, Citus does not look at this setting.
void fix_settings_of_citus() {
  constexpr char kBinary[] = "citus.enable_binary_protocol";
  constexpr char kBlock[] = "citus.function_opens_transaction_block";
  if (GetConfigOption(kBinary, true, false) != nullptr) set_meanwhile(kBinary, "on");
  if (GetConfigOption(kBlock, true, false) != nullptr) set_meanwhile(kBlock, "off");
}

// To the end of a transaction Citus asks for a shard by the connection that asked for it first. It
// opens more of them while a statement takes its time: samples, which take none, would leave all
// shards of a server to one or two, which read them one after the other. So there is one for each
// shard from the first statement on, if these are no more than a long one would open.
void read_shards_side_by_side(Oid table) {
  constexpr char kSetting[] = "citus.force_max_query_parallelization";
  const char* most = GetConfigOption("citus.max_adaptive_executor_pool_size", true, false);
  if (most == nullptr || GetConfigOption(kSetting, true, false) == nullptr) return;
  if (most_shards_of_one_server(table) <= atoi(most)) set_meanwhile(kSetting, "on");
}

bool hides_rows(const RemoteStatement& statement) {
  const RunningQuery* query = find_query(statement.state);
  return query == nullptr || query->reads_hidden_rows;
}

// --- errors ---

// What failed for a value may say which: of hidden rows nobody is told. How servers are reached,
// and what there is no room or time for, is no value.
bool tells_of_no_value(int sqlstate) {
  switch (ERRCODE_TO_CATEGORY(sqlstate)) {
    case ERRCODE_CONNECTION_EXCEPTION:
    case ERRCODE_FEATURE_NOT_SUPPORTED:
    case ERRCODE_INSUFFICIENT_RESOURCES:
    case ERRCODE_OPERATOR_INTERVENTION:
    case ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION:
    case ERRCODE_TRANSACTION_ROLLBACK:
      return true;
    default:
      return sqlstate == ERRCODE_FDW_UNABLE_TO_ESTABLISH_CONNECTION;
  }
}

// Where an error came about is told by the statement, which its context and the place in it quote.
[[noreturn]] void rethrow_without_statement(ErrorData* error) {
  FlushErrorState();
  error->context = error->internalquery = error->detail = nullptr;
  error->internalpos = error->cursorpos = 0;
  ReThrowError(error);
  pg_unreachable();
}

// Statements call nothing but the server's own functions and idp.bounded (bounded_sums.h).
void refuse_missing_function(const RemoteStatement& statement, int sqlstate) {
  if (sqlstate != ERRCODE_UNDEFINED_FUNCTION && sqlstate != ERRCODE_INVALID_SCHEMA_NAME) return;
  if (!is_citus_table(RelationGetRelid(statement.table))) return;
  FlushErrorState();
  ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
                  errmsg("a worker that has rows of table \"%s\" lacks a function of extension idp",
                         RelationGetRelationName(statement.table)),
                  errhint("Each server of the cluster needs the version of the extension that the "
                          "coordinator has: ALTER EXTENSION idp UPDATE.")));
}

void rethrow(const RemoteStatement& statement, MemoryContext context) {
  MemoryContextSwitchTo(context);
  ErrorData* error = CopyErrorData();
  refuse_missing_function(statement, error->sqlerrcode);
  if (!hides_rows(statement)) PG_RE_THROW();
  if (tells_of_no_value(error->sqlerrcode)) {
    if (statement.tells_of_rows) rethrow_without_statement(error);
    PG_RE_THROW();
  }
  FlushErrorState();
  const char* table = RelationGetRelationName(statement.table);
  ereport(LOG_SERVER_ONLY,
          (errcode(error->sqlerrcode), errmsg("rows of table \"%s\" were not read: %s", table,
                                              error->message == nullptr ? "" : error->message)));
  ereport(ERROR,
          (errcode(ERRCODE_FDW_ERROR),
           errmsg("rows of table \"%s\" cannot be read from the servers that have them", table),
           errdetail("The log of this server says why."),
           errhint("Have the owner compare the table with those of the other servers.")));
}

}  // namespace

void ask_servers(const RemoteStatement& statement, Tuplestorestate* rows) {
  MemoryContext context = CurrentMemoryContext;
  PlainOutput plain;
  fix_settings_of_citus();
  if (statement.tells_of_rows && hides_rows(statement)) {
    set_meanwhile("client_min_messages", "error");
  }
  if (statement.is_one_of_several) read_shards_side_by_side(RelationGetRelid(statement.table));
  asked = RelationGetRelid(statement.table);
  asked_beside = statement.beside;
  if (!is_citus_table(asked)) asked_foreign_in = GetCurrentTransactionStartTimestamp();
  PG_TRY();
  { run_as_owner(statement, rows); }
  PG_CATCH();
  {
    asked = InvalidOid;
    asked_beside = nullptr;
    rethrow(statement, context);
  }
  PG_END_TRY();
  asked = InvalidOid;
  asked_beside = nullptr;
  plain.end();
  MemoryContextSwitchTo(context);
}

bool is_asked_for(Oid table) {
  if (!OidIsValid(asked)) return false;
  const auto is_one = [](Oid one) { return one == asked || list_member_oid(asked_beside, one); };
  return is_one(table) || is_one(citus_table_of_shard(table));
}

bool may_be_of_the_past(EState* state) {
  if (asked_foreign_in != GetCurrentTransactionStartTimestamp()) return false;
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    if (entry->rtekind == RTE_RELATION && entry->relkind == RELKIND_FOREIGN_TABLE) return true;
  }
  return false;
}

void refuse_carried_settings(Relation table) {
  if (!is_citus_table(RelationGetRelid(table)) || !carries_settings()) return;
  ereport(
      ERROR,
      (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
       errmsg("rows of table \"%s\" cannot be read in a transaction whose settings Citus carries "
              "to its workers",
              RelationGetRelationName(table)),
       errdetail("SET LOCAL was used while citus.propagate_set_commands was on."),
       errhint("SET citus.propagate_set_commands = none, and begin another transaction.")));
}

}  // namespace idp
