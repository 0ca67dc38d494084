// Which aggregations read in batches, and how: whatever is not known to come out the same stays as
// it is.

#include "extension/batch/batch.h"

#include "extension/batch/fed_scan.h"
#include "extension/batch/feed.h"
#include "extension/batch/over_table.h"
#include "extension/batch/transitions.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/plan/gate.h"
#include "extension/state/running_query.h"

extern "C" {
#include "optimizer/clauses.h"
#include "utils/guc.h"
}

namespace idp {

namespace {

bool batches = true;

// --- the scan ---

// The conditions that its rows have to fulfil; false if it has a gate that was not opened.
bool conditions_of(const SeqScanState* scan, List*& conditions) {
  conditions = conditions_besides_gates(scan->ss.ps.plan);
  return is_gate_open(&scan->ss.ps);
}

// What is begun with one scan is used, or left where it is.
struct Plans {
  const SeqScanState* scan;
  const List* columns;  // of its output
  Index table;
  Bitmapset* numbers = nullptr;  // of the columns that are needed
  bool computes = false;
  int others = 0;  // in how many places functions of others are called
};

// Which columns an expression reads; false if it is none that may be computed of batches. A
// function of others may say something, whatever it was declared to be: at two places they would
// take turns, row by row.
bool note_columns(Plans& plans, Node* expression) {
  plans.others += calls_others(expression);
  return plans.others <= 1 && can_be_of_rows(expression, plans.table, plans.numbers);
}

ExprState* prepare(Plans& plans, Node* expression) {
  plans.computes = true;
  PlanState* parent = const_cast<PlanState*>(&plans.scan->ss.ps);
  return ExecInitExpr(as<Expr>(expression), has_outer_parameters(expression) ? parent : nullptr);
}

RowValue value_of(Plans& plans, Node* expression) {
  const auto* column = maybe<Var>(expression);
  if (column != nullptr) return {column->varattno, nullptr, 0, false};  // its place is found later
  RowValue value = {-1, prepare(plans, expression), 0, false};
  get_typlenbyval(exprType(expression), &value.length, &value.by_value);
  return value;
}

// Loops decide the first conditions, as far as they can: none is asked of a row that one before it
// has left out. by_server: what decides all of them; or null.
Conditions conditions_from(Plans& plans, const List* parts, ExprState* by_server) {
  Conditions conditions = {};
  const int count = list_length(parts);
  conditions.of_loops =
      static_cast<Condition*>(palloc0(sizeof(Condition) * static_cast<Size>(count + 1)));
  const bool is_kept_whole =
      by_server != nullptr && contain_subplans(as<Node>(const_cast<List*>(parts)));
  while (!is_kept_whole && conditions.count < count &&
         read_condition(static_cast<const Node*>(list_nth(parts, conditions.count)), plans.table,
                        conditions.of_loops[conditions.count])) {
    ++conditions.count;
  }
  if (conditions.count == count) return conditions;
  plans.computes = true;
  if (conditions.count == 0 && by_server != nullptr) {
    conditions.rest = by_server;
    return conditions;
  }
  List* rest = list_copy_tail(const_cast<List*>(parts), conditions.count);
  PlanState* parent = const_cast<PlanState*>(&plans.scan->ss.ps);
  conditions.rest = ExecInitQual(rest, has_outer_parameters(as<Node>(rest)) ? parent : nullptr);
  return conditions;
}

// --- both ---

struct Asked {
  Node* value;   // what a transition takes, over the columns of the table; or null
  List* filter;  // likewise, as conditions
};

// A FILTER is one expression: behind a part that is NULL the server computes the others, which may
// fail. Those that loops decide cannot.
bool are_all_of_loops(const Plans& plans, const List* parts) {
  Condition condition = {};
  for (const auto* part : list<Node>(parts)) {
    if (!read_condition(part, plans.table, condition)) return false;
  }
  return true;
}

// What a transition asks of each row; false if that is not known, or its parameters are not
// constants.
bool read_transition(Plans& plans, const AggStatePerTransData& transition, FedTransition& fed,
                     Asked& asked) {
  const Aggref* call = transition.aggref;
  Node* value = nullptr;
  if (!describe_transition(transition, fed, value)) return false;
  if (value != nullptr) {
    asked.value = over_table(value, plans.columns);
    if (!note_columns(plans, asked.value)) return false;
  }
  if (fed.has_value && asked.value == nullptr) return false;
  if (call->aggfilter == nullptr) return true;
  Node* filter = over_table(as<Node>(call->aggfilter), plans.columns);
  if (filter == nullptr) return false;
  asked.filter = conditions_without_constants(filter);
  if (!are_all_of_loops(plans, asked.filter)) asked.filter = list_make1(filter);
  return note_columns(plans, as<Node>(asked.filter));
}

bool read_keys(Plans& plans, const Agg* plan, Node** keys) {
  for (int i = 0; i < plan->numCols; ++i) {
    const auto* entry =
        static_cast<const TargetEntry*>(list_nth(plans.columns, plan->grpColIdx[i] - 1));
    keys[i] = as<Node>(entry->expr);
    // a row that is given after all has its key computed a second time
    if (calls_others(keys[i]) || !note_columns(plans, keys[i])) return false;
  }
  return true;
}

void find_place(const PageRows* page, RowValue& value) {
  if (value.other == nullptr) {
    value.place = column_numbered(page, static_cast<AttrNumber>(value.place));
  }
}

void find_places(const PageRows* page, const Conditions& conditions) {
  for (int i = 0; i < conditions.count; ++i) {
    Condition& condition = conditions.of_loops[i];
    condition.place = column_numbered(page, condition.number);
  }
}

bool make_keys(Plans& plans, Node** keys, Feed& feed) {
  feed.keys = static_cast<GroupKey*>(palloc0(sizeof(GroupKey) * kMostKeys));
  feed.key_words = feed.key_count > 1 ? 1 : 0;
  for (int i = 0; i < feed.key_count; ++i) {
    feed.keys[i] = {value_of(plans, keys[i]), form_of_key(exprType(keys[i]))};
    feed.key_words += feed.keys[i].form.words;
  }
  return feed.key_words <= kMostWords;
}

// The feed of a scan; null if it has none.
Feed* make_feed(AggState* node, SeqScanState* scan) {
  const auto* plan = as<Agg>(node->ss.ps.plan);
  Plans plans = {scan, scan->ss.ps.plan->targetlist, as<Scan>(scan->ss.ps.plan)->scanrelid};
  List* conditions = NIL;
  if (!is_heap(scan->ss.ss_currentRelation) || !conditions_of(scan, conditions)) return nullptr;
  plans.others += calls_others(as<Node>(conditions)) || contain_subplans(as<Node>(conditions));
  if (contain_volatile_functions(as<Node>(conditions)) ||
      !are_columns_of_rows(as<Node>(conditions), plans.table, plans.numbers)) {
    return nullptr;
  }
  auto* feed = static_cast<Feed*>(palloc0(sizeof(Feed)));
  feed->scan = scan;
  feed->aggregation = node;
  feed->transition_count = node->numtrans;
  feed->transitions = static_cast<FedTransition*>(
      palloc0(sizeof(FedTransition) * static_cast<Size>(node->numtrans)));
  auto* asked = static_cast<Asked*>(palloc0(sizeof(Asked) * static_cast<Size>(node->numtrans)));
  for (int i = 0; i < node->numtrans; ++i) {
    FedTransition& fed = feed->transitions[i];
    fed.transition = node->pertrans + i;
    if (!read_transition(plans, node->pertrans[i], fed, asked[i])) return nullptr;
  }
  Node* keys[kMostKeys] = {};
  feed->key_count = plan->numCols;
  if (!read_keys(plans, plan, keys) || !make_keys(plans, keys, *feed)) return nullptr;
  feed->conditions = conditions_from(plans, conditions, scan->ss.ps.qual);
  TupleDesc table = scan->ss.ss_ScanTupleSlot->tts_tupleDescriptor;
  feed->page = new_page_rows(table, plans.numbers);
  find_places(feed->page, feed->conditions);
  for (int i = 0; i < feed->key_count; ++i) find_place(feed->page, feed->keys[i].value);
  for (int i = 0; i < feed->transition_count; ++i) {
    FedTransition& fed = feed->transitions[i];
    if (fed.has_value) {
      fed.value = value_of(plans, asked[i].value);
      find_place(feed->page, fed.value);
    }
    fed.filter = conditions_from(plans, asked[i].filter, nullptr);
    find_places(feed->page, fed.filter);
  }
  if (plans.computes) {
    feed->slot = ExecInitExtraTupleSlot(scan->ss.ps.state, table, &TTSOpsVirtual);
    ExecStoreAllNullTuple(feed->slot);
  }
  return feed;
}

void begin_feed(AggState* node, PlanState* between, PlanState* child) {
  auto* scan = maybe<SeqScanState>(child);
  if (scan == nullptr || scan->ss.ss_currentRelation == nullptr) return;
  Feed* feed = make_feed(node, scan);
  if (feed == nullptr) return;
  RunningQuery* query = query_of(node->ss.ps.state);
  feed->between = between;
  feed->following = query->feeds;
  query->feeds = feed;
  feed->by_server = child->ExecProcNodeReal;
  ExecSetExecProcNode(child, next_row);
}

}  // namespace

void define_batches() {
  DefineCustomBoolVariable(
      "idp.batches", "Reads tables in batches for private aggregates.",
      "Answers are the same, and take less time. Off, the server gives rows one by one.", &batches,
      true, PGC_USERSET, 0, nullptr, nullptr, nullptr);
}

void read_in_batches(AggState* node) {
  if (!kKnowsHeapPages || !batches || node->ss.ps.state->es_epq_active != nullptr) return;
  if (!can_take_batches(node)) return;
  PlanState* child = outerPlanState(node);
  const auto* append = maybe<AppendState>(child);
  if (append == nullptr) return begin_feed(node, nullptr, child);
  for (int i = 0; i < append->as_nplans; ++i) begin_feed(node, child, append->appendplans[i]);
}

}  // namespace idp
