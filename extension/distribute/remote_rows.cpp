#include "extension/distribute/remote_rows.h"

#include "extension/distribute/remote_ask.h"
#include "extension/distribute/remote_query.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/plan/gate.h"
#include "extension/plan/remote_plan.h"

extern "C" {
#include "commands/explain.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"
}

namespace idp {

namespace {

struct RemoteRows {
  CustomScanState scan;
  Tuplestorestate* rows;  // what came; null until it was asked for
  List* columns;          // of int: of the table, for each column of these but the count
  bool has_counts;
  List* summed;          // of SummedValues
  List* sums;            // of RemoteSum
  ExprState* rest;       // the conditions that were not sent
  TupleTableSlot* come;  // one of them
  int64 left;            // how often it is still to be given
  bool is_given;         // once at least
  Repeater* repeater;    // or null
  JointAsker* asker;     // or null
  RemoteGroups* groups;  // or null
  List* parts;           // of PlanState: those that groups are made of, itself the first
  bool are_sorted;       // the groups
  bool is_joined;        // to another one, which asks for both
};

RemoteRows* rows_of(PlanState* node) { return reinterpret_cast<RemoteRows*>(node); }

// --- asking ---

int columns_of(const List* summed) {
  int count = 0;
  for (const auto* values : list<SummedValues>(summed)) count += values->columns();
  return count;
}

// The columns of what comes (remote_query.h).
TupleDesc description(const RemoteRows* node) {
  TupleDesc table = RelationGetDescr(node->scan.ss.ss_currentRelation);
  const int count = list_length(node->columns) + (node->has_counts ? 1 : 0);
  TupleDesc columns =
      CreateTemplateTupleDesc(count + columns_of(node->summed) + list_length(node->sums));
  AttrNumber place = 0;
  const auto like = [&](int column) {
    TupleDescCopyEntry(columns, ++place, table, static_cast<AttrNumber>(column));
  };
  const auto of_type = [&](Oid type) { TupleDescInitEntry(columns, ++place, "", type, -1, 0); };
  for (const int column : ints(node->columns)) like(column);
  if (node->has_counts) of_type(INT8OID);
  for (const auto* values : list<SummedValues>(node->summed)) {
    if (values->is_counted) of_type(INT8OID);
    if (!values->has_ends) continue;
    like(values->column);
    like(values->column);
  }
  for (int i = 0; i < list_length(node->sums); ++i) of_type(TEXTOID);
  return columns;
}

ParamListInfo parameters_of(const RemoteRows* node) {
  return node->scan.ss.ps.state->es_param_list_info;
}

RemotePart part_of(const RemoteRows* node) {
  return {as<Scan>(node->scan.ss.ps.plan), node->scan.ss.ss_currentRelation};
}

RemoteQuery query_of(const RemoteRows* node) {
  const RemotePart part = part_of(node);
  return remote_query(part.scan, part.table, parameters_of(node), node->sums);
}

void ask_for(RemoteRows* node, const char* text, const List* beside) {
  EState* state = node->scan.ss.ps.state;
  node->rows = tuplestore_begin_heap(true, false, work_mem);
  ask_servers({node->scan.ss.ss_currentRelation, beside, state, text,
               node->come->tts_tupleDescriptor, false, false},
              node->rows);
}

void ask_alone(RemoteRows* node) {
  const RemoteQuery query = query_of(node);
  node->columns = query.columns;
  node->has_counts = query.has_counts;
  node->summed = query.summed;
  node->rest = ExecInitQual(query.rest, &node->scan.ss.ps);
  node->come = MakeSingleTupleTableSlot(description(node), &TTSOpsMinimalTuple);
  ask_for(node, query.text, NIL);
}

void ask_for_groups(RemoteRows* node);

void ask(RemoteRows* node) {
  MemoryContext before = MemoryContextSwitchTo(node->scan.ss.ps.state->es_query_cxt);
  if (node->groups != nullptr) {
    ask_for_groups(node);
  } else {
    require_approval(&node->scan.ss.ps);
    if (node->asker == nullptr || !node->asker->ask(node->asker)) ask_alone(node);
  }
  MemoryContextSwitchTo(before);
}

// --- giving ---

// What came of a summed column, and from 0 where it begins.
struct CameOf {
  const SummedValues* values;
  int place;
};

CameOf came_of(const RemoteRows* node, int column) {
  int place = list_length(node->columns) + 1;
  for (const auto* values : list<SummedValues>(node->summed)) {
    if (values->column == column) return {values, place};
    place += values->columns();
  }
  elog(ERROR, "column %d is not added up", column);
}

int64 count_of(RemoteRows* node);

// The text of a sum, by its place among these; null if it has no values.
const char* text_of_sum(const RemoteRows* node, int place) {
  const int column = list_length(node->columns) + 1 + columns_of(node->summed) + place;
  return node->come->tts_isnull[column] ? nullptr
                                        : TextDatumGetCString(node->come->tts_values[column]);
}

// As the first sum of the column tells it.
int64 count_by_sums(RemoteRows* node, int column) {
  int place = 0;
  for (const auto* sum : list<RemoteSum>(node->sums)) {
    if (sum->column == column) {
      return read_counting_sum(*sum, text_of_sum(node, place), count_of(node)).count;
    }
    ++place;
  }
  elog(ERROR, "column %d has no sum", column);
}

int64 count_of_values(RemoteRows* node, const CameOf& came) {
  if (came.values->is_counted_by_sums) return count_by_sums(node, came.values->column);
  return came.values->is_counted ? DatumGetInt64(node->come->tts_values[came.place])
                                 : count_of(node);
}

int place_of_least(const CameOf& came) { return came.place + (came.values->is_counted ? 1 : 0); }

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
  // NULL, if they have no values
  for (const auto* values : list<SummedValues>(node->summed)) {
    const CameOf came = came_of(node, values->column);
    slot->tts_values[values->column - 1] =
        values->has_ends ? node->come->tts_values[place_of_least(came)] : values->stand_in;
    slot->tts_isnull[values->column - 1] = count_of_values(node, came) == 0;
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
  node->is_given = true;
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

// Whether what was given stands for values that are still to be added up.
bool has_stand_ins(const RemoteRows* node) {
  for (const auto* values : list<SummedValues>(node->summed)) {
    if (!values->has_ends) return true;
  }
  return false;
}

TupleTableSlot* execute(CustomScanState* scan) {
  auto* node = reinterpret_cast<RemoteRows*>(scan);
  ExprContext* context = scan->ss.ps.ps_ExprContext;
  require_query(node);
  if (node->rows == nullptr) ask(node);
  const bool is_due = node->left > 0 || (node->is_given && has_stand_ins(node));
  const bool is_taken =
      is_due && node->repeater != nullptr && node->repeater->repeat(node->left, node->repeater);
  node->is_given = false;
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

// --- groups ---

int parts_of(const List* parts, RemotePart** all) {
  *all = static_cast<RemotePart*>(palloc(sizeof(RemotePart) * list_length(parts)));
  int count = 0;
  for (auto* part : list<PlanState>(parts)) (*all)[count++] = part_of(rows_of(part));
  return count;
}

char* text_of_groups(const RemoteRows* node) {
  RemotePart* parts = nullptr;
  const int count = parts_of(node->parts, &parts);
  return remote_groups(parts, count, parameters_of(node), *node->groups);
}

// The keys of groups, and what is computed of each.
TupleDesc description_of_groups(const RemoteRows* node) {
  const RemoteGroups& groups = *node->groups;
  TupleDesc columns = CreateTemplateTupleDesc(list_length(groups.keys) + list_length(groups.calls));
  AttrNumber place = 0;
  for (const auto* key : list<RemoteColumn>(groups.keys)) {
    auto* part = static_cast<PlanState*>(list_nth(node->parts, key->part));
    TupleDescCopyEntry(columns, ++place, RelationGetDescr(part_of(rows_of(part)).table),
                       static_cast<AttrNumber>(key->column));
  }
  for (const auto* call : list<RemoteCall>(groups.calls)) {
    TupleDescInitEntry(columns, ++place, "", call->type, -1, 0);
  }
  return columns;
}

void ask_for_groups(RemoteRows* node) {
  List* beside = NIL;
  for (auto* part : list<PlanState>(node->parts)) {
    RemoteRows* rows = rows_of(part);
    const RemotePart read = part_of(rows);
    require_approval(part);
    rows->rest = ExecInitQual(conditions_left(read.scan, parameters_of(node)), part);
    if (rows != node) beside = lappend_oid(beside, RelationGetRelid(read.table));
  }
  node->come = MakeSingleTupleTableSlot(description_of_groups(node), &TTSOpsMinimalTuple);
  ask_for(node, text_of_groups(node), beside);
}

// Whether what came has keys that fulfil the conditions of a table that are left.
bool fulfils(const RemoteRows* node, int number, ExprContext* context) {
  RemoteRows* part = rows_of(static_cast<PlanState*>(list_nth(node->parts, number)));
  if (part->rest == nullptr) return true;
  TupleTableSlot* slot = part->scan.ss.ss_ScanTupleSlot;
  ExecStoreAllNullTuple(slot);
  slot_getallattrs(node->come);
  int place = 0;
  for (const auto* key : list<RemoteColumn>(node->groups->keys)) {
    if (key->part == number) {
      slot->tts_values[key->column - 1] = node->come->tts_values[place];
      slot->tts_isnull[key->column - 1] = node->come->tts_isnull[place];
    }
    ++place;
  }
  context->ecxt_scantuple = slot;
  return ExecQual(part->rest, context);
}

void sort_groups(RemoteRows* node) {
  const RemoteGroups& groups = *node->groups;
  MemoryContext before = MemoryContextSwitchTo(node->scan.ss.ps.state->es_query_cxt);
  Tuplesortstate* sort = tuplesort_begin_heap(
      node->come->tts_tupleDescriptor, groups.sorted, groups.by, groups.operators,
      groups.collations, groups.nulls_first, work_mem, nullptr, kNoSortOptions);
  while (tuplestore_gettupleslot(node->rows, true, false, node->come)) {
    tuplesort_puttupleslot(sort, node->come);
  }
  tuplestore_end(node->rows);
  node->rows = tuplestore_begin_heap(true, false, work_mem);
  tuplesort_performsort(sort);
  while (tuplesort_gettupleslot(sort, true, false, node->come, nullptr)) {
    tuplestore_puttupleslot(node->rows, node->come);
  }
  (void)ExecClearTuple(node->come);
  tuplesort_end(sort);
  MemoryContextSwitchTo(before);
}

// Before anything is charged.
void begin(CustomScanState* scan, EState*, int flags) {
  if ((flags & EXEC_FLAG_EXPLAIN_ONLY) == 0) refuse_carried_settings(scan->ss.ss_currentRelation);
}

void end(CustomScanState* scan) {
  auto* node = reinterpret_cast<RemoteRows*>(scan);
  if (node->rows != nullptr) tuplestore_end(node->rows);
  if (node->come != nullptr) ExecDropSingleTupleTableSlot(node->come);
}

void rescan(CustomScanState* scan) {
  auto* node = reinterpret_cast<RemoteRows*>(scan);
  if (node->rows != nullptr) tuplestore_rescan(node->rows);
  node->left = 0;
  node->is_given = false;
  ExecScanReScan(&scan->ss);
}

void explain(CustomScanState* scan, List*, ExplainState* out) {
  auto* node = reinterpret_cast<RemoteRows*>(scan);
  if (!out->verbose || node->is_joined) return;
  ExplainPropertyText("Remote SQL",
                      node->groups == nullptr ? query_of(node).text : text_of_groups(node), out);
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

namespace {

struct Asking {
  List* ctes;  // of PlanState, that were looked at
};

bool ask_below(PlanState* node, void* context) {
  if (node == nullptr) return false;
  check_stack_depth();
  auto* asking = static_cast<Asking*>(context);
  if (is_remote_rows(node) && rows_of(node)->rows == nullptr && !rows_of(node)->is_joined &&
      is_gate_open(node)) {
    ask(rows_of(node));
  }
  if (IsA(node, CteScanState)) {
    PlanState* cte = as<CteScanState>(node)->cteplanstate;
    if (!list_member_ptr(asking->ctes, cte)) {
      asking->ctes = lappend(asking->ctes, cte);
      (void)ask_below(cte, context);
    }
  }
  return walk_plan_states(node, ask_below, context);
}

}  // namespace

void ask_all_remote_rows(PlanState* node) {
  Asking asking = {NIL};
  (void)ask_below(node, &asking);
}

bool is_remote_rows(const PlanState* node) { return is_remote_rows(node->plan); }

void set_repeater(PlanState* node, Repeater* repeater) { rows_of(node)->repeater = repeater; }

void set_asker(PlanState* node, JointAsker* asker) { rows_of(node)->asker = asker; }

void require_approval(PlanState* node) {
  Relation table = rows_of(node)->scan.ss.ss_currentRelation;
  if (!is_gate_open(node)) {
    elog(ERROR, "rows of table \"%s\" were read without approval", RelationGetRelationName(table));
  }
  refuse_carried_settings(table);
}

TupleDesc counted_column(PlanState* node, int column) {
  RemoteRows* rows = rows_of(node);
  rows->columns = list_make1_int(column);
  rows->has_counts = true;
  rows->summed = NIL;
  rows->rest = nullptr;
  rows->come = MakeSingleTupleTableSlot(description(rows), &TTSOpsMinimalTuple);
  return rows->come->tts_tupleDescriptor;
}

void set_rows(PlanState* node, Tuplestorestate* rows) { rows_of(node)->rows = rows; }

bool can_be_summed(const PlanState* node, int column) {
  return can_be_summed(as<Scan>(node->plan),
                       reinterpret_cast<const ScanState*>(node)->ss_currentRelation,
                       node->state->es_param_list_info, column);
}

void add_up(PlanState* node, List* sums) { rows_of(node)->sums = sums; }

SummedColumn summed_column(PlanState* node, int column) {
  RemoteRows* rows = rows_of(node);
  const CameOf came = came_of(rows, column);
  const bool has_ends = came.values->has_ends;
  return {count_of_values(rows, came), has_ends,
          has_ends ? rows->come->tts_values[place_of_least(came) + 1] : Datum{0}};
}

BoundedValues remote_sum(PlanState* node, int place) {
  RemoteRows* rows = rows_of(node);
  const auto& sum = *static_cast<const RemoteSum*>(list_nth(rows->sums, place));
  const CameOf came = came_of(rows, sum.column);
  const char* text = text_of_sum(rows, place);
  return came.values->is_counted_by_sums ? read_counting_sum(sum, text, count_of(rows))
                                         : read_sum(sum, text, count_of_values(rows, came));
}

bool can_be_grouped(const List* parts, const RemoteGroups& groups) {
  for (auto* part : list<PlanState>(parts)) {
    if (rows_of(part)->asker != nullptr || rows_of(part)->sums != NIL) return false;
  }
  RemotePart* all = nullptr;
  const int count = parts_of(parts, &all);
  return can_be_grouped(all, count,
                        parameters_of(rows_of(static_cast<PlanState*>(linitial(parts)))), groups);
}

void set_groups(List* parts, RemoteGroups* groups) {
  for (auto* part : list<PlanState>(parts)) rows_of(part)->is_joined = true;
  RemoteRows* first = rows_of(static_cast<PlanState*>(linitial(parts)));
  first->is_joined = false;
  first->groups = groups;
  first->parts = parts;
}

RemoteGroups* groups_of(const PlanState* node) {
  return reinterpret_cast<const RemoteRows*>(node)->groups;
}

TupleTableSlot* next_group(PlanState* state) {
  RemoteRows* node = rows_of(state);
  require_query(node);
  if (node->rows == nullptr) ask(node);
  if (node->groups->sorted > 0 && !node->are_sorted) sort_groups(node);
  node->are_sorted = true;
  ExprContext* context = state->ps_ExprContext;
  while (tuplestore_gettupleslot(node->rows, true, false, node->come)) {
    CHECK_FOR_INTERRUPTS();
    ResetExprContext(context);
    bool is_left = true;
    for (int i = 0; is_left && i < list_length(node->parts); ++i) {
      is_left = fulfils(node, i, context);
    }
    if (is_left) return node->come;
  }
  return nullptr;
}

void restart_groups(PlanState* node) {
  if (rows_of(node)->rows != nullptr) tuplestore_rescan(rows_of(node)->rows);
}

}  // namespace idp
