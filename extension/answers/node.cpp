#include "extension/answers/node.h"

#include <algorithm>

#include "extension/access/answered_values.h"
#include "extension/access/eager_opens.h"
#include "extension/access/hidden.h"
#include "extension/access/kept_tables.h"
#include "extension/pg/temporary_files.h"
#include "extension/access/usage_counters.h"
#include "extension/answers/row_texts.h"
#include "extension/budget/account.h"
#include "extension/call/bound_call.h"
#include "extension/distribute/remote_rows.h"
#include "extension/pg/fixed_settings.h"
#include "extension/domain/session_zone.h"
#include "extension/pg/nodes.h"
#include "extension/pg/plain_output.h"
#include "extension/pg/stack.h"
#include "extension/pg/versions.h"
#include "extension/plan/node_rules.h"
#include "extension/state/running_query.h"

extern "C" {
#include "access/xact.h"
#include "commands/explain.h"
#include "utils/inval.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"
}

namespace idp {

namespace {

struct Answers {
  CustomScanState scan;
  PlanState* drawing;          // the aggregation
  Tuplestorestate* rows;       // null until it was read
  TupleTableSlot* kept;        // for one of them
  List* explained;             // of char*
  bool is_correlated;          // whether there are others for each row of an outer query
  bool has_given;              // whether others were drawn before, which it gives again:
  const List* given;           // those, of HeapTuple
  const Bitmapset* filled_in;  // which columns of them, if it draws others; null if it draws none
  const List* keys;            // then: by which columns groups are told apart
  List* copied_from;           // columns that are shown in others, of int, from 0,
  List* copied_to;             // and which these are
  Watcher* watcher;            // who sees those that it draws; or null
  Answers* source;             // the node whose rows it gives; or null
  const List* source_columns;  // then: of these its own, of int, from 0
};

Answers* answers_of(CustomScanState* node) { return reinterpret_cast<Answers*>(node); }

const CustomScan* plan_of(const Answers* answers) {
  return as<CustomScan>(answers->scan.ss.ps.plan);
}

// --- reading once ---

// Whether each answer that decides about a row is true.
bool is_given(const List* deciding, TupleTableSlot* row) {
  for (const int number : ints(deciding)) {
    bool is_null = false;
    const Datum value = slot_getattr(row, number, &is_null);
    if (is_null || !DatumGetBool(value)) return false;
  }
  return true;
}

Tuplesortstate* begin_sort(const AnswerOrder& order, TupleDesc columns) {
  const int count = list_length(order.columns);
  auto* numbers = static_cast<AttrNumber*>(palloc(sizeof(AttrNumber) * count));
  auto* operators = static_cast<Oid*>(palloc(sizeof(Oid) * count));
  auto* collations = static_cast<Oid*>(palloc(sizeof(Oid) * count));
  auto* nulls_first = static_cast<bool*>(palloc(sizeof(bool) * count));
  for (int i = 0; i < count; ++i) {
    numbers[i] = static_cast<AttrNumber>(list_nth_int(order.columns, i));
    operators[i] = list_nth_oid(order.operators, i);
    collations[i] = list_nth_oid(order.collations, i);
    nulls_first[i] = list_nth_int(order.nulls_first, i) != 0;
  }
  return tuplesort_begin_heap(columns, count, numbers, operators, collations, nulls_first, work_mem,
                              nullptr, kNoSortOptions);
}

// Ends the sort.
void keep_in_order(Answers* answers, Tuplesortstate* sort) {
  tuplesort_performsort(sort);
  while (tuplesort_gettupleslot(sort, true, false, answers->kept, nullptr)) {
    tuplestore_puttupleslot(answers->rows, answers->kept);
  }
  (void)ExecClearTuple(answers->kept);
  tuplesort_end(sort);
}

// A row that was drawn, where each number is in all columns that it is shown in. copied: the place
// for it; null if each is in one.
TupleTableSlot* with_copies(const Answers* answers, TupleTableSlot* row, TupleTableSlot* copied) {
  if (copied == nullptr) return row;
  (void)ExecClearTuple(copied);
  slot_getallattrs(row);
  const int count = row->tts_tupleDescriptor->natts;
  std::copy_n(row->tts_values, count, copied->tts_values);
  std::copy_n(row->tts_isnull, count, copied->tts_isnull);
  ListCell* from;
  ListCell* to;
  forboth(from, answers->copied_from, to, answers->copied_to) {
    copied->tts_values[lfirst_int(to)] = row->tts_values[lfirst_int(from)];
    copied->tts_isnull[lfirst_int(to)] = row->tts_isnull[lfirst_int(from)];
  }
  return ExecStoreVirtualTuple(copied);
}

// Calls put with each row that is given.
template <class Put>
void draw_rows(Answers* answers, Put put) {
  const List* deciding = deciding_columns(plan_of(answers));
  TupleTableSlot* copied =
      answers->copied_to == NIL
          ? nullptr
          : MakeSingleTupleTableSlot(ExecGetResultType(answers->drawing), &TTSOpsVirtual);
  TupleTableSlot* row = nullptr;
  while (row = ExecProcNode(answers->drawing), !TupIsNull(row)) {
    CHECK_FOR_INTERRUPTS();
    if (!is_given(deciding, row)) continue;
    row = with_copies(answers, row, copied);
    if (answers->watcher != nullptr) answers->watcher->see(row, answers->watcher);
    put(row);
  }
  if (copied != nullptr) ExecDropSingleTupleTableSlot(copied);
}

void keep_sorted(Answers* answers, const AnswerOrder& order) {
  Tuplesortstate* sort = begin_sort(order, ExecGetResultType(answers->drawing));
  draw_rows(answers, [&](TupleTableSlot* row) { tuplesort_puttupleslot(sort, row); });
  keep_in_order(answers, sort);
}

void keep_as_they_come(Answers* answers) {
  draw_rows(answers, [&](TupleTableSlot* row) { tuplestore_puttupleslot(answers->rows, row); });
}

void read_to_end(Answers* answers) {
  const CustomScan* plan = plan_of(answers);
  EState* state = answers->scan.ss.ps.state;
  MemoryContext before = MemoryContextSwitchTo(state->es_query_cxt);
  ask_all_remote_rows(answers->drawing);
  for (auto* cte : list<PlanState>(plans_to_share(state))) ask_all_remote_rows(cte);
  read_shared_rows(state);
  answers->rows = tuplestore_begin_heap(true, false, work_mem);
  const AnswerOrder order = order_of_answers(plan);
  if (order.columns != NIL) {
    keep_sorted(answers, order);
  } else {
    keep_as_they_come(answers);
  }
  (void)ExecShutdownNode(answers->drawing);
  end_shared_rows(state);
  (void)MemoryContextSwitchTo(before);
}

// What was said to be never executed was not charged. That fails before a row is read: later, it
// would fail or not by what the rows are.
void require_charged(const RunningQuery* query, const PlanState* drawing) {
  for (const auto* call : list<BoundCall>(query->calls)) {
    if (&call->node->ss.ps != drawing) continue;
    if (!call->charge.is_idle || call->charge.is_repeated) continue;  // which draws nothing
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("private answer of a protected table cannot be charged here")));
  }
}

// In a quiet room. A plan that did not start as a query does, such as the recheck of a row that was
// updated meanwhile, has no answers of its own: nothing was charged for it.
void draw(Answers* answers) {
  EState* state = answers->scan.ss.ps.state;
  const RunningQuery* query = find_query(state);
  if (query == nullptr || state->es_epq_active != nullptr) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("private answers cannot be computed again for a row that was changed"),
                    errdetail("They would be drawn a second time."),
                    errhint("Compute them in a statement of their own.")));
  }
  require_charged(query, answers->drawing);
  compute_answered_values(answers->drawing);
  // what other answers share is read with the first of them
  for (auto* cte : list<PlanState>(plans_to_share(state))) compute_answered_values(cte);
  require_stack();  // a cursor may be read elsewhere than it was opened
  require_zone_of(state->es_plannedstmt);
  require_period(query->charged_until);
  const int instrument = state->es_instrument;
  if (query->reads_hidden_rows) state->es_instrument = 0;  // nor do parallel workers count
  // What other sessions have committed is heard now, and once more afterwards: whether the server
  // looks something up for a row, and hears it then, is not told by what is known later.
  AcceptInvalidationMessages();
  if (query->reads_hidden_rows) look_up_enums(state);  // what was looked up may be forgotten now
  with_fixed_settings(query->reads_hidden_rows, [&] {
    if (!query->reads_hidden_rows) return read_to_end(answers);
    uncounted_usage(nullptr, [&] { with_temporary_files([&] { read_to_end(answers); }); });
  });
  state->es_instrument = instrument;
  AcceptInvalidationMessages();
  require_period(query->charged_until);
}

// --- answers that were drawn before ---

void take_given(Answers* answers) {
  EState* state = answers->scan.ss.ps.state;
  MemoryContext before = MemoryContextSwitchTo(state->es_query_cxt);
  answers->rows = tuplestore_begin_heap(true, false, work_mem);
  TupleDesc columns = ExecGetResultType(answers->drawing);
  const AnswerOrder order = order_of_answers(plan_of(answers));  // maybe another one than before
  Tuplesortstate* sort = order.columns == NIL ? nullptr : begin_sort(order, columns);
  TupleTableSlot* given = MakeSingleTupleTableSlot(columns, &TTSOpsHeapTuple);
  ListCell* cell;
  foreach (cell, answers->given) {
    auto* row = static_cast<HeapTuple>(lfirst(cell));
    if (sort == nullptr) {
      tuplestore_puttuple(answers->rows, row);
    } else {
      ExecStoreHeapTuple(row, given, false);
      tuplesort_puttupleslot(sort, given);
    }
  }
  if (sort != nullptr) keep_in_order(answers, sort);
  (void)MemoryContextSwitchTo(before);
}

// A row that was drawn with columns of one that was given.
void put_filled_in(Answers* answers, TupleTableSlot* drawn, TupleTableSlot* given) {
  slot_getallattrs(drawn);
  slot_getallattrs(given);
  for (int i = 0; i < drawn->tts_tupleDescriptor->natts; ++i) {
    const bool is_given = bms_is_member(i, answers->filled_in);
    if (!is_given) {
      given->tts_values[i] = drawn->tts_values[i];
      given->tts_isnull[i] = drawn->tts_isnull[i];
    }
  }
  tuplestore_putvalues(answers->rows, drawn->tts_tupleDescriptor, given->tts_values,
                       given->tts_isnull);
}

bool are_of_one_group(const Answers* answers, TupleTableSlot* a, TupleTableSlot* b) {
  const List* first = texts_of_row(a);
  const List* second = texts_of_row(b);
  for (const int number : ints(answers->keys)) {
    const auto* one = static_cast<const char*>(list_nth(first, number));
    const auto* other = static_cast<const char*>(list_nth(second, number));
    if (one == nullptr || other == nullptr ? one != other : strcmp(one, other) != 0) return false;
  }
  return true;
}

// Both are in the order of their keys.
void fill_in_given(Answers* answers) {
  EState* state = answers->scan.ss.ps.state;
  MemoryContext before = MemoryContextSwitchTo(state->es_query_cxt);
  Tuplestorestate* drawn = answers->rows;
  take_given(answers);
  Tuplestorestate* given = answers->rows;
  answers->rows = tuplestore_begin_heap(true, false, work_mem);
  TupleTableSlot* other =
      MakeSingleTupleTableSlot(answers->kept->tts_tupleDescriptor, &TTSOpsMinimalTuple);
  PlainOutput plain;
  while (tuplestore_gettupleslot(drawn, true, false, answers->kept)) {
    if (!tuplestore_gettupleslot(given, true, false, other) ||
        !are_of_one_group(answers, answers->kept, other)) {
      elog(ERROR, "groups of answers that were kept are not those of the others");
    }
    put_filled_in(answers, answers->kept, other);
  }
  plain.end();
  (void)ExecClearTuple(answers->kept);
  ExecDropSingleTupleTableSlot(other);
  tuplestore_end(drawn);
  tuplestore_end(given);
  (void)MemoryContextSwitchTo(before);
}

// --- what the server calls ---

void begin(CustomScanState* node, EState* state, int flags) {
  Answers* answers = answers_of(node);
  const int instrument = state->es_instrument;
  if (instrument != 0 && OidIsValid(first_hidden_of(state->es_plannedstmt))) {
    state->es_instrument = 0;
  }
  const int none = EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK;
  answers->drawing = ExecInitNode(drawing_plan(plan_of(answers)), state, flags & ~none);
  state->es_instrument = instrument;
  node->custom_ps = list_make1(answers->drawing);
  answers->kept =
      ExecInitExtraTupleSlot(state, ExecGetResultType(answers->drawing), &TTSOpsMinimalTuple);
}

TupleTableSlot* next(ScanState* scan) {
  auto* answers = reinterpret_cast<Answers*>(scan);
  const bool forward = ScanDirectionIsForward(scan->ps.state->es_direction);
  if (!tuplestore_gettupleslot(answers->rows, forward, false, answers->kept)) {
    return ExecClearTuple(scan->ss_ScanTupleSlot);
  }
  return ExecCopySlot(scan->ss_ScanTupleSlot, answers->kept);
}

bool recheck(ScanState*, TupleTableSlot*) { return true; }

void finish_drawn(Answers* answers) {
  if (answers->filled_in != nullptr) fill_in_given(answers);
  if (answers->watcher != nullptr) answers->watcher->end(true, answers->watcher);
}

HeapTuple row_of_source(const Answers* answers, TupleDesc columns, TupleTableSlot* row) {
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * columns->natts));
  auto* nulls = static_cast<bool*>(palloc(sizeof(bool) * columns->natts));
  slot_getallattrs(row);
  for (int i = 0; i < columns->natts; ++i) {
    const int column = list_nth_int(answers->source_columns, i);
    values[i] = row->tts_values[column];
    nulls[i] = row->tts_isnull[column];
  }
  return heap_form_tuple(columns, values, nulls);
}

void make_rows(Answers* answers);

// From where it begins, wherever its own reader is.
void take_rows_of_source(Answers* answers) {
  constexpr int kOwnReader = 0;
  Answers* source = answers->source;
  make_rows(source);
  MemoryContext before = MemoryContextSwitchTo(answers->scan.ss.ps.state->es_query_cxt);
  TupleDesc columns = ExecGetResultType(answers->drawing);
  TupleTableSlot* row =
      MakeSingleTupleTableSlot(ExecGetResultType(source->drawing), &TTSOpsMinimalTuple);
  const int reader = tuplestore_alloc_read_pointer(source->rows, EXEC_FLAG_REWIND);
  tuplestore_select_read_pointer(source->rows, reader);
  tuplestore_rescan(source->rows);
  List* rows = NIL;
  while (tuplestore_gettupleslot(source->rows, true, false, row)) {
    rows = lappend(rows, row_of_source(answers, columns, row));
  }
  ExecDropSingleTupleTableSlot(row);
  tuplestore_select_read_pointer(source->rows, kOwnReader);
  answers->given = rows;
  (void)MemoryContextSwitchTo(before);
  take_given(answers);
}

void make_rows(Answers* answers) {
  if (answers->rows != nullptr) return;
  if (answers->source != nullptr) return take_rows_of_source(answers);
  if (answers->has_given) return take_given(answers);
  draw(answers);
  finish_drawn(answers);
}

TupleTableSlot* execute(CustomScanState* node) {
  make_rows(answers_of(node));  // not within, where a recheck finds no rows instead
  return ExecScan(&node->ss, next, recheck);
}

void end(CustomScanState* node) {
  Answers* answers = answers_of(node);
  if (answers->rows == nullptr && answers->watcher != nullptr) {
    answers->watcher->end(false, answers->watcher);
  }
  if (answers->rows != nullptr) tuplestore_end(answers->rows);
  ExecEndNode(answers->drawing);
}

// What draws_again() does not find out: the answers that are kept are not those of these values.
[[noreturn]] void refuse_other_answers() {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("private answers cannot be computed over values of an outer query"),
                  errdetail("They would be drawn for each of its rows."),
                  errhint("Compute them once, in a CTE that is MATERIALIZED, and join it.")));
  pg_unreachable();
}

void rescan(CustomScanState* node) {
  Answers* answers = answers_of(node);
  if (answers->rows != nullptr) {
    UpdateChangedParamSet(answers->drawing, node->ss.ps.chgParam);
    const bool differs = answers->drawing->chgParam != nullptr;
    if (differs && !answers->is_correlated) refuse_other_answers();
    if (answers->is_correlated) {
      tuplestore_end(answers->rows);
      answers->rows = nullptr;
      if (!differs) ExecReScan(answers->drawing);
    } else {
      tuplestore_rescan(answers->rows);
    }
  }
  ExecScanReScan(&node->ss);
}

void explain(CustomScanState* node, List*, ExplainState* out) {
  List* lines = answers_of(node)->explained;
  if (out->format != EXPLAIN_FORMAT_TEXT) {
    ExplainPropertyList("Answers", lines, out);
    return;
  }
  for (auto* name : list<char>(lines)) ExplainPropertyText("Answer", name, out);
}

CustomExecMethods exec_methods() {
  CustomExecMethods methods = {};
  methods.CustomName = answers_methods.CustomName;
  methods.BeginCustomScan = begin;
  methods.ExecCustomScan = execute;
  methods.EndCustomScan = end;
  methods.ReScanCustomScan = rescan;
  methods.ExplainCustomScan = explain;
  return methods;
}

Node* create(CustomScan*) {
  static const CustomExecMethods methods = exec_methods();
  auto* answers = static_cast<Answers*>(palloc0(sizeof(Answers)));
  NodeSetTag(answers, T_CustomScanState);
  answers->scan.methods = &methods;
  return as<Node>(answers);
}

}  // namespace

void register_answers() {
  answers_methods.CreateCustomScanState = create;
  RegisterCustomScanMethods(&answers_methods);
}

bool draws_again(PlanState* node) {
  auto* answers = reinterpret_cast<Answers*>(node);
  answers->is_correlated |= depends_on_outer_rows(drawing_plan(plan_of(answers)), node->state);
  return answers->is_correlated;
}

PlanState* drawing_node(const PlanState* node) {
  return reinterpret_cast<const Answers*>(node)->drawing;
}

void give_again(PlanState* node, const List* rows) {
  auto* answers = reinterpret_cast<Answers*>(node);
  answers->has_given = true;
  answers->given = rows;
}

void fill_in(PlanState* node, const List* rows, const Bitmapset* columns, const List* keys) {
  auto* answers = reinterpret_cast<Answers*>(node);
  answers->given = rows;
  answers->filled_in = columns;
  answers->keys = keys;
}

void copy_column(PlanState* node, int from, int to) {
  auto* answers = reinterpret_cast<Answers*>(node);
  answers->copied_from = lappend_int(answers->copied_from, from);
  answers->copied_to = lappend_int(answers->copied_to, to);
}

void give_rows_of(PlanState* node, PlanState* source, const List* columns) {
  auto* answers = reinterpret_cast<Answers*>(node);
  answers->source = reinterpret_cast<Answers*>(source);
  answers->source_columns = columns;
}

void watch(PlanState* node, Watcher* watcher) {
  reinterpret_cast<Answers*>(node)->watcher = watcher;
}

namespace {

// With the workers that the plan asks for, as where it runs to its end. Those of a subquery that is
// read in part would go on beyond that.
void draw_with_workers(Answers* answers) {
  EState* state = answers->scan.ss.ps.state;
  const PlannedStmt* plan = state->es_plannedstmt;
  if (!plan->parallelModeNeeded || plan->subplans != NIL) return draw(answers);
  EnterParallelMode();
  state->es_use_parallel_mode = true;
  draw(answers);
  state->es_use_parallel_mode = false;
  ExitParallelMode();
}

}  // namespace

void draw_at_once(PlanState* node) {
  auto* answers = reinterpret_cast<Answers*>(node);
  if (answers->watcher == nullptr || answers->rows != nullptr) return;
  draw_with_workers(answers);
  finish_drawn(answers);
}

TupleDesc columns_of_answers(const PlanState* node) {
  return ExecGetResultType(reinterpret_cast<const Answers*>(node)->drawing);
}

void explain_as(PlanState* node, List* lines) {
  reinterpret_cast<Answers*>(node)->explained = lines;
}

void hide_below(PlanState* node) { as<CustomScanState>(node)->custom_ps = NIL; }

void hide_ctes(PlanState* node, const List* read_below) {
  ListCell* cell;
  foreach (cell, node->initPlan) {
    PlanState* cte = static_cast<const SubPlanState*>(lfirst(cell))->planstate;
    if (!list_member_ptr(read_below, cte)) continue;
    if (depends_on_outer_rows(cte->plan, cte->state)) continue;
    node->initPlan = foreach_delete_current(node->initPlan, cell);
  }
}

}  // namespace idp
