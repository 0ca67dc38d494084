#include "extension/distribute/remote_rows.h"

#include "extension/distribute/remote_query.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/gate.h"
#include "extension/plan/remote_plan.h"
#include "extension/state/running_query.h"

extern "C" {
#include "commands/explain.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"
}

namespace idp {

namespace {

struct RemoteRows {
  CustomScanState scan;
  Tuplestorestate* rows;  // what came; null until it was asked for
  List* columns;          // of int: of the table, for each column of these but the count
  bool has_counts;
  ExprState* rest;       // the conditions that were not sent
  TupleTableSlot* come;  // one of them
  int64 left;            // how often it is still to be given
  Repeater* repeater;    // or null
};

bool asking = false;

RemoteRows* rows_of(PlanState* node) { return reinterpret_cast<RemoteRows*>(node); }

// --- asking ---

// The columns of what comes, as the table has them, and the count.
TupleDesc description(const RemoteRows* node) {
  TupleDesc table = RelationGetDescr(node->scan.ss.ss_currentRelation);
  const int count = list_length(node->columns);
  TupleDesc columns = CreateTemplateTupleDesc(count + (node->has_counts ? 1 : 0));
  for (int i = 0; i < count; ++i) {
    TupleDescCopyEntry(columns, static_cast<AttrNumber>(i + 1), table,
                       static_cast<AttrNumber>(list_nth_int(node->columns, i)));
  }
  if (node->has_counts) {
    TupleDescInitEntry(columns, static_cast<AttrNumber>(count + 1), "count", INT8OID, -1, 0);
  }
  return columns;
}

[[noreturn]] void refuse_changed_rows(const RemoteRows* node) {
  ereport(ERROR,
          (errcode(ERRCODE_DATATYPE_MISMATCH),
           errmsg("rows of table \"%s\" came back in another form than it has here",
                  RelationGetRelationName(node->scan.ss.ss_currentRelation)),
           errhint("Run the query again; compare the table with that of the other server.")));
  pg_unreachable();
}

void require_form(const RemoteRows* node, TupleDesc come, TupleDesc expected) {
  if (come->natts != expected->natts) refuse_changed_rows(node);
  for (int i = 0; i < come->natts; ++i) {
    if (TupleDescAttr(come, i)->atttypid != TupleDescAttr(expected, i)->atttypid) {
      refuse_changed_rows(node);
    }
  }
}

// Passes rows on to a tuplestore, after it has seen what they are.
struct Receiver {
  DestReceiver server;
  RemoteRows* node;
};

void start_receiving(DestReceiver* self, int, TupleDesc come) {
  const RemoteRows* node = reinterpret_cast<Receiver*>(self)->node;
  require_form(node, come, node->come->tts_tupleDescriptor);
}

bool receive(TupleTableSlot* row, DestReceiver* self) {
  tuplestore_puttupleslot(reinterpret_cast<Receiver*>(self)->node->rows, row);
  return true;
}

void stop_receiving(DestReceiver*) {}

void run(RemoteRows* node, const char* text) {
  Receiver receiver = {{receive, start_receiving, stop_receiving, stop_receiving, DestTuplestore},
                       node};
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "SPI_connect failed");
  SPIExecuteOptions options = {};
  options.read_only = true;
  options.dest = &receiver.server;
  const int result = SPI_execute_extended(text, &options);
  if (result != SPI_OK_SELECT) elog(ERROR, "rows of another server were not asked for: %d", result);
  (void)SPI_finish();
}

// A gate that was not opened is never passed.
void require_open(const RemoteRows* node) {
  const PlanState* scan = &node->scan.ss.ps;
  if (!has_gate(scan->plan)) return;
  const RunningQuery* query = find_query(scan->state);
  if (query != nullptr && list_member_ptr(query->open_scans, scan)) return;
  elog(ERROR, "rows of table \"%s\" were read without approval",
       RelationGetRelationName(node->scan.ss.ss_currentRelation));
}

// With the rights of the owner, whom no row is hidden from, and with the server's own names.
void ask(RemoteRows* node) {
  EState* state = node->scan.ss.ps.state;
  Relation table = node->scan.ss.ss_currentRelation;
  require_open(node);
  MemoryContext before = MemoryContextSwitchTo(state->es_query_cxt);
  const RemoteQuery query =
      remote_query(as<Scan>(node->scan.ss.ps.plan), table, state->es_param_list_info);
  node->columns = query.columns;
  node->has_counts = query.has_counts;
  node->rest = ExecInitQual(query.rest, &node->scan.ss.ps);
  node->come = MakeSingleTupleTableSlot(description(node), &TTSOpsMinimalTuple);
  node->rows = tuplestore_begin_heap(true, false, work_mem);
  Oid user = InvalidOid;
  int context = 0;
  GetUserIdAndSecContext(&user, &context);
  PlainOutput plain;
  SetUserIdAndSecContext(table->rd_rel->relowner, context | SECURITY_LOCAL_USERID_CHANGE |
                                                      SECURITY_RESTRICTED_OPERATION |
                                                      SECURITY_NOFORCE_RLS);
  asking = true;
  PG_TRY();
  { run(node, query.text); }
  PG_FINALLY();
  { asking = false; }
  PG_END_TRY();
  SetUserIdAndSecContext(user, context);
  plain.end();
  MemoryContextSwitchTo(before);
}

// --- giving ---

// Puts what came into the place of a row of the table. Columns that nobody asked for are NULL.
TupleTableSlot* store(RemoteRows* node) {
  TupleTableSlot* slot = node->scan.ss.ss_ScanTupleSlot;
  ExecStoreAllNullTuple(slot);
  slot_getallattrs(node->come);
  int place = 0;
  for (const int number : ints(node->columns)) {
    slot->tts_values[number - 1] = node->come->tts_values[place];
    slot->tts_isnull[number - 1] = node->come->tts_isnull[place];
    ++place;
  }
  return slot;
}

int64 count_of(RemoteRows* node) {
  if (!node->has_counts) return 1;
  bool is_null = false;
  return DatumGetInt64(slot_getattr(node->come, list_length(node->columns) + 1, &is_null));
}

// The next one that came, and is there at all; false if there are no more.
bool take_next(RemoteRows* node) {
  do {
    CHECK_FOR_INTERRUPTS();
    if (!tuplestore_gettupleslot(node->rows, true, false, node->come)) return false;
    node->left = count_of(node);
  } while (node->left == 0);
  return true;
}

TupleTableSlot* give(RemoteRows* node) {
  ExprContext* context = node->scan.ss.ps.ps_ExprContext;
  ProjectionInfo* projection = node->scan.ss.ps.ps_ProjInfo;
  ResetExprContext(context);
  --node->left;
  return projection == nullptr ? node->scan.ss.ss_ScanTupleSlot : ExecProject(projection);
}

// A plan that did not start as a query does would ask once more.
void require_query(const RemoteRows* node) {
  if (node->scan.ss.ps.state->es_epq_active == nullptr) return;
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("rows of table \"%s\", which lie in other servers, cannot be looked at again "
                  "for a row that was changed",
                  RelationGetRelationName(node->scan.ss.ss_currentRelation)),
           errhint("Compute private answers in a statement of their own.")));
}

TupleTableSlot* execute(CustomScanState* scan) {
  auto* node = reinterpret_cast<RemoteRows*>(scan);
  ExprContext* context = scan->ss.ps.ps_ExprContext;
  require_query(node);
  if (node->rows == nullptr) ask(node);
  const bool is_taken = node->left > 0 && node->repeater != nullptr &&
                        node->repeater->repeat(node->left, node->repeater);
  if (node->left > 0 && !is_taken) return give(node);
  while (take_next(node)) {
    ResetExprContext(context);
    context->ecxt_scantuple = store(node);
    if (ExecQual(node->rest, context)) return give(node);
    InstrCountFiltered1(scan, node->left);
  }
  node->left = 0;
  ProjectionInfo* projection = scan->ss.ps.ps_ProjInfo;
  return ExecClearTuple(projection == nullptr ? scan->ss.ss_ScanTupleSlot
                                              : projection->pi_state.resultslot);
}

void begin(CustomScanState*, EState*, int) {}

void end(CustomScanState* scan) {
  auto* node = reinterpret_cast<RemoteRows*>(scan);
  if (node->rows != nullptr) tuplestore_end(node->rows);
  if (node->come != nullptr) ExecDropSingleTupleTableSlot(node->come);
}

void rescan(CustomScanState* scan) {
  auto* node = reinterpret_cast<RemoteRows*>(scan);
  if (node->rows != nullptr) tuplestore_rescan(node->rows);
  node->left = 0;
  ExecScanReScan(&scan->ss);
}

void explain(CustomScanState* scan, List*, ExplainState* out) {
  auto* node = reinterpret_cast<RemoteRows*>(scan);
  if (!out->verbose) return;
  const EState* state = scan->ss.ps.state;
  const RemoteQuery query = remote_query(
      as<Scan>(scan->ss.ps.plan), node->scan.ss.ss_currentRelation, state->es_param_list_info);
  ExplainPropertyText("Remote SQL", query.text, out);
}

CustomExecMethods exec_methods() {
  CustomExecMethods methods = {};
  methods.CustomName = remote_rows_methods.CustomName;
  methods.BeginCustomScan = begin;
  methods.ExecCustomScan = execute;
  methods.EndCustomScan = end;
  methods.ReScanCustomScan = rescan;
  methods.ExplainCustomScan = explain;
  return methods;
}

Node* create(CustomScan*) {
  static const CustomExecMethods methods = exec_methods();
  auto* node = static_cast<RemoteRows*>(palloc0(sizeof(RemoteRows)));
  NodeSetTag(node, T_CustomScanState);
  node->scan.methods = &methods;
  return as<Node>(&node->scan);
}

}  // namespace

void register_remote_rows() {
  remote_rows_methods.CreateCustomScanState = create;
  RegisterCustomScanMethods(&remote_rows_methods);
}

bool asks_remote_rows() { return asking; }

bool is_remote_rows(const PlanState* node) { return is_remote_rows(node->plan); }

void set_repeater(PlanState* node, Repeater* repeater) { rows_of(node)->repeater = repeater; }

void refuse_unknown_distribution(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("table \"%s\" is not distributed by hash, and cannot be read beside private "
                  "answers",
                  get_rel_name(table)),
           errhint("Distribute it by the hash of a column, or undistribute it.")));
  pg_unreachable();
}

void refuse_remote_sample(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("a sample of table \"%s\", whose rows lie in other servers, cannot be taken",
                  get_rel_name(table)),
           errhint("Leave TABLESAMPLE out.")));
  pg_unreachable();
}

}  // namespace idp
