#include "extension/audit/run.h"

#include "core/aggregate/loss.h"
#include "extension/pg/nodes.h"
#include "extension/total/one_form.h"

extern "C" {
#include "access/relscan.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

// Tells a run from other receivers.
bool receive_row(TupleTableSlot*, DestReceiver*) { return true; }
void begin_rows(DestReceiver*, int, TupleDesc) {}
void end_rows(DestReceiver*) {}

HTAB* new_table(const char* name, Size key, Size entry) {
  HASHCTL control = {};
  control.keysize = key;
  control.entrysize = entry;
  control.hcxt = CurrentMemoryContext;
  return hash_create(name, 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

RowPlace key_of(Oid table, const ItemPointerData& place) {
  return {table, ItemPointerGetBlockNumberNoCheck(&place),
          ItemPointerGetOffsetNumberNoCheck(&place)};
}

// --- scans that pass over rows ---

struct PassingScan {
  PlanState* node;
  ExecProcNodeMtd next;  // as the server has it
};

bool is_left_out(HTAB* left_out, const ScanState* scan) {
  const ItemPointerData& place =
      IsA(scan, IndexOnlyScanState)
          ? reinterpret_cast<const IndexOnlyScanState*>(scan)->ioss_ScanDesc->xs_heaptid
          : scan->ss_ScanTupleSlot->tts_tid;
  const RowPlace key = key_of(RelationGetRelid(scan->ss_currentRelation), place);
  return hash_search(left_out, &key, HASH_FIND, nullptr) != nullptr;
}

TupleTableSlot* pass_over(PlanState* node) {
  const AuditRun* run = find_query(node->state)->audit;
  const auto* scan =
      static_cast<const PassingScan*>(hash_search(run->scans, &node, HASH_FIND, nullptr));
  for (;;) {
    TupleTableSlot* row = scan->next(node);
    if (TupIsNull(row) || !is_left_out(run->left_out, reinterpret_cast<ScanState*>(node))) {
      return row;
    }
    CHECK_FOR_INTERRUPTS();
  }
}

[[noreturn]] void refuse_scan(Relation table) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("idp.audit cannot leave rows out of table \"%s\"",
                         RelationGetRelationName(table)),
                  errdetail("Its rows lie in another server, or are read by another extension.")));
  pg_unreachable();
}

bool passes_rows_by_place(const PlanState* node) {
  switch (nodeTag(node)) {
    case T_SeqScanState:
    case T_SampleScanState:
    case T_IndexScanState:
    case T_IndexOnlyScanState:
    case T_BitmapHeapScanState:
    case T_TidScanState:
    case T_TidRangeScanState:
      return true;
    default:
      return false;
  }
}

// The table that a node reads rows of; null if it reads none.
Relation table_of(const PlanState* node) {
  switch (nodeTag(node)) {
    case T_ForeignScanState:
    case T_CustomScanState:
      return reinterpret_cast<const ScanState*>(node)->ss_currentRelation;
    default:
      return passes_rows_by_place(node)
                 ? reinterpret_cast<const ScanState*>(node)->ss_currentRelation
                 : nullptr;
  }
}

// A bitmap scan that needs no columns may count rows of a page without reading it, and does not
// know their places then.
bool may_skip_rows(const PlanState* node) {
  return IsA(node, BitmapHeapScanState) && node->plan->targetlist == NIL && node->plan->qual == NIL;
}

[[noreturn]] void refuse_skipped_rows(Relation table) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("idp.audit cannot leave rows out of a bitmap scan of table \"%s\"",
                         RelationGetRelationName(table)),
                  errdetail("The scan may count rows without reading them."),
                  errhint("SET enable_seqscan = on.")));
  pg_unreachable();
}

bool change_scans(PlanState* node, void* context) {
  auto* run = static_cast<AuditRun*>(context);
  Relation table = table_of(node);
  if (table != nullptr && accounts_of(RelationGetRelid(table)) != NIL) {
    if (!passes_rows_by_place(node)) refuse_scan(table);
    if (may_skip_rows(node)) refuse_skipped_rows(table);
    bool is_known = false;
    auto* scan = static_cast<PassingScan*>(hash_search(run->scans, &node, HASH_ENTER, &is_known));
    if (!is_known) {
      scan->next = node->ExecProcNodeReal;
      ExecSetExecProcNode(node, pass_over);
    }
  }
  return walk_plan_states(node, change_scans, context);
}

void change_all_scans(AuditRun& run, PlanState* root) {
  run.scans = new_table("idp: scans of an audit", sizeof(PlanState*), sizeof(PassingScan));
  (void)change_scans(root, &run);
  for (auto* plan : list<PlanState>(root->state->es_subplanstates)) {  // CTEs are among them
    if (plan != nullptr) (void)change_scans(plan, &run);
  }
}

// --- calls ---

void require_comparable(const BoundCall& call) {
  const Mechanism used = mechanism(call.request.spec.statistic);
  if (can_compare(used)) return;
  const bool finds_bounds = used == Mechanism::kClipping;
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("idp.audit does not know how to look at %s%s", call.name,
                  finds_bounds ? " that finds its own bounds" : ""),
           errdetail("It compares values that noise is added to, ranks of the exponential "
                     "mechanism, and numbers of rows of dp_keep_group."),
           finds_bounds ? errhint("Give it bounds, as in dp_sum(x, epsilon, lower, upper), or the "
                                  "column a domain; or leave it out of the query.")
                        : errhint("Leave the call out of the query.")));
}

bytea* copy_of(bytea* value) {
  return reinterpret_cast<bytea*>(DatumGetPointer(datumCopy(PointerGetDatum(value), false, -1)));
}
Datum copy_of(Datum amount) { return amount == 0 ? 0 : datumCopy(amount, false, -1); }

AuditedCall* audited(const AuditRun& run, const BoundCall& call, int node, CostOfCall cost) {
  auto* found = static_cast<AuditedCall*>(palloc0(sizeof(AuditedCall)));
  found->name = pstrdup(call.name);
  found->node = node;
  found->request = call.request;
  found->memory = run.memory;
  for (const auto* account : list<Account>(call.charge.accounts)) {
    auto* charge = static_cast<AuditedCharge*>(palloc0(sizeof(AuditedCharge)));
    const AuditedCharge charged = cost(call, *account);
    *charge = {charged.account, copy_of(charged.epsilon), copy_of(charged.delta)};
    found->charges = lappend(found->charges, charge);
  }
  const int number = list_length(run.calls);
  if (run.before != nullptr) {
    if (number >= list_length(run.before->calls)) elog(ERROR, "calls of an audit differ");
    found->first = static_cast<const AuditedCall*>(list_nth(run.before->calls, number));
  }
  return found;
}

// Of an execution that has ended: its witnesses are in order.
const Witness* witness_of(const AuditedCall& call, const char* group) {
  int first = 0, end = list_length(call.witnesses);
  while (first < end) {
    const int middle = (first + end) / 2;
    const auto* witness = static_cast<const Witness*>(list_nth(call.witnesses, middle));
    const int order = strcmp(witness->group, group);
    if (order == 0) return witness;
    (order < 0 ? first : end) = order < 0 ? middle + 1 : middle;
  }
  return nullptr;
}

}  // namespace

HTAB* new_left_out() { return new_table("idp: rows left out", sizeof(RowPlace), sizeof(RowPlace)); }

void leave_out(HTAB* left_out, Oid table, const ItemPointerData& place) {
  const RowPlace key = key_of(table, place);
  (void)hash_search(left_out, &key, HASH_ENTER, nullptr);
}

AuditRun new_audit_run(HTAB* left_out, const AuditRun* before) {
  AuditRun run = {};
  run.receiver.receiveSlot = receive_row;
  run.receiver.rStartup = begin_rows;
  run.receiver.rShutdown = end_rows;
  run.receiver.rDestroy = end_rows;
  run.receiver.mydest = DestNone;
  run.memory = CurrentMemoryContext;
  run.left_out = left_out;
  run.before = before;
  return run;
}

AuditRun* audit_run(const QueryDesc* query) {
  if (query->dest == nullptr || query->dest->receiveSlot != receive_row) return nullptr;
  return reinterpret_cast<AuditRun*>(query->dest);
}

void begin_audit(AuditRun& run, RunningQuery& query, PlanState* root, CostOfCall cost) {
  MemoryContext before = MemoryContextSwitchTo(run.memory);
  List* nodes = NIL;
  for (auto* call : list<BoundCall>(query.calls)) {
    const CallCharge& charge = call->charge;
    if (!charge.is_fixed || charge.accounts == NIL || charge.is_repeated) continue;
    require_comparable(*call);
    nodes = list_append_unique_ptr(nodes, call->node);
    int node = 0;
    while (list_nth(nodes, node) != call->node) ++node;
    call->audited = audited(run, *call, node, cost);
    run.calls = lappend(run.calls, call->audited);
  }
  if (run.left_out != nullptr) {
    query.audit = &run;
    change_all_scans(run, root);
  }
  MemoryContextSwitchTo(before);
}

NullableDatum put_down(BoundCall* call, const Witness& witness, bytea* nothing, Oid result) {
  AuditedCall* audited = call->audited;
  int16 length = 0;
  bool by_value = false;
  get_typlenbyval(result, &length, &by_value);
  MemoryContext before = MemoryContextSwitchTo(audited->memory);
  auto* copy = static_cast<Witness*>(palloc(sizeof(Witness)));
  copy->group = pstrdup(witness.group);
  copy->evidence = copy_of(witness.evidence);
  copy->is_null = witness.is_null;
  copy->answer = witness.is_null ? 0 : datumCopy(witness.answer, by_value, length);
  if (audited->of_nothing == nullptr) audited->of_nothing = copy_of(nothing);
  const Witness* earlier =
      audited->first == nullptr ? nullptr : witness_of(*audited->first, copy->group);
  if (earlier != nullptr) {
    copy->is_null = earlier->is_null;
    copy->answer = earlier->answer;
  }
  audited->witnesses = lappend(audited->witnesses, copy);
  MemoryContextSwitchTo(before);
  return {copy->answer, copy->is_null};
}

char* group_text(const AggState* node) {
  const auto* plan = as<Agg>(node->ss.ps.plan);
  StringInfoData text;
  initStringInfo(&text);
  const bool has_sets = plan->groupingSets != NIL || plan->chain != NIL;
  if (has_sets) appendStringInfo(&text, "%d.%d:", node->current_phase, node->projected_set);
  Bitmapset* columns = nullptr;
  for (int i = 0; i < plan->numCols; ++i) columns = bms_add_member(columns, plan->grpColIdx[i]);
  for (const int column : ints(has_sets ? node->all_grouped_cols : NIL)) {
    columns = bms_add_member(columns, column);
  }
  TupleTableSlot* row = node->ss.ps.ps_ExprContext->ecxt_outertuple;
  for (int column = -1; (column = bms_next_member(columns, column)) >= 0;) {
    bool is_null = false;
    const Datum value = slot_getattr(row, column, &is_null);
    if (is_null) {
      appendStringInfoString(&text, "null,");
      continue;
    }
    // whichever row of a group comes first
    int32 typmod = TupleDescAttr(row->tts_tupleDescriptor, column - 1)->atttypmod;
    const Oid type = getBaseTypeAndTypmod(
        TupleDescAttr(row->tts_tupleDescriptor, column - 1)->atttypid, &typmod);
    Oid output = InvalidOid;
    bool is_varlena = false;
    getTypeOutputInfo(type, &output, &is_varlena);
    const char* printed = OidOutputFunctionCall(output, value_in_one_form(type, typmod < 0, value));
    appendStringInfo(&text, "%zu %s,", strlen(printed), printed);
  }
  return text.data;
}

}  // namespace idp
