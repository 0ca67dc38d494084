#include "extension/batch/push.h"

#include <initializer_list>

#include "extension/batch/take.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/datum.h"
}

namespace idp {

namespace {

ExprContext* context_of(const Feed& feed) { return feed.scan->ss.ps.ps_ExprContext; }

// As the executor does it for a row whose values are not NULL.
pg_noinline void call_transition(AggState* aggregation, const FedTransition& fed,
                                 AggStatePerGroup group, Datum value) {
  CHECK_FOR_INTERRUPTS();
  AggStatePerTrans transition = fed.transition;
  FunctionCallInfo function = transition->transfn_fcinfo;
  if (group->transValueIsNull && transition->transfn.fn_strict) return;
  function->args[0].value = group->transValue;
  function->args[0].isnull = group->transValueIsNull;
  if (fed.has_value) {
    function->args[1].value = value;
    function->args[1].isnull = false;
  }
  function->isnull = false;
  Datum state = FunctionCallInvoke(function);
  if (DatumGetPointer(state) != DatumGetPointer(group->transValue)) {
    state = keep_state(aggregation, transition, state, function->isnull, *group);
  }
  group->transValue = state;
  group->transValueIsNull = function->isnull;
  ResetExprContext(aggregation->tmpcontext);
}

void add_to_count(AggStatePerGroup group, std::int64_t rows) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(DatumGetInt64(group->transValue), rows, &sum)) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("bigint out of range")));
  }
  group->transValue = Int64GetDatum(sum);
}

// What a transition takes: values, and groups where there are any.
struct Batch {
  const Datum* values;
  AggStatePerGroup* groups;
  int count;
};

// Computes values of the rows, one by one. What that takes besides may be large, such as a text from
// elsewhere: it goes with each row.
void compute_values(const Feed& feed, const RowValue& value, const std::uint16_t* rows, int count,
                    Batch& batch) {
  Hand& hand = *feed.hand;
  ExprContext* context = context_of(feed);
  MemoryContext before = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
  for (int i = 0; i < count; ++i) {
    CHECK_FOR_INTERRUPTS();
    bool is_null = false;
    fill_slot(feed, rows[i]);
    Datum result = ExecEvalExpr(value.other, context, &is_null);
    if (!is_null && !value.by_value) {
      MemoryContextSwitchTo(hand.computed);
      result = datumCopy(result, false, value.length);
      MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
    }
    hand.values[batch.count] = result;
    hand.groups[batch.count] = hand.group_of_row[rows[i]];
    batch.count += !is_null;
    ResetExprContext(context);
  }
  MemoryContextSwitchTo(before);
}

void gather_values(const Feed& feed, const PageColumn& column, const std::uint16_t* rows, int count,
                   Batch& batch) {
  Hand& hand = *feed.hand;
  const bool has_groups = feed.key_count > 0;
  if (!column.has_null && !has_groups) {
    if (count == feed.page->count) {  // all of them, in their order
      batch.values = column.values;
    } else {
      for (int i = 0; i < count; ++i) hand.values[i] = column.values[rows[i]];
    }
    batch.count = count;
    return;
  }
  for (int i = 0; i < count; ++i) {
    const std::uint16_t row = rows[i];
    hand.values[batch.count] = column.values[row];
    hand.groups[batch.count] = hand.group_of_row[row];
    batch.count += !column.is_null[row];
  }
}

Batch batch_of(const Feed& feed, const FedTransition& fed, const std::uint16_t* rows, int count) {
  Hand& hand = *feed.hand;
  Batch batch = {hand.values, hand.groups, 0};
  if (fed.has_value && fed.value.other != nullptr) {
    compute_values(feed, fed.value, rows, count, batch);
  } else if (fed.has_value) {
    gather_values(feed, feed.page->columns[fed.value.place], rows, count, batch);
  } else {
    if (feed.key_count > 0) {
      for (int i = 0; i < count; ++i) hand.groups[i] = hand.group_of_row[rows[i]];
    }
    batch.count = count;
  }
  return batch;
}

void take_into_groups(Feed& feed, const FedTransition& fed, const Batch& batch) {
  const int number = fed.transition->aggref->aggtransno;
  if (!fed.is_ours) {
    for (int i = 0; i < batch.count; ++i) add_to_count(batch.groups[i] + number, 1);
    return;
  }
  for (int i = 0; i < batch.count;) {
    i += take_values_of_groups(fed.transition->transfn_fcinfo, batch.groups + i, number,
                               batch.values + i, batch.count - i);
    if (i == batch.count) return;
    call_transition(feed.aggregation, fed, batch.groups[i] + number, batch.values[i]);
    ++i;
  }
}

}  // namespace

void put_values(AggState* aggregation, const FedTransition& fed, AggStatePerGroup group,
                const Datum* values, int count) {
  if (!fed.is_ours) return add_to_count(group, count);
  for (int i = 0; i < count;) {
    i += take_values(fed.transition->transfn_fcinfo, group->transValue, values + i, count - i);
    if (i == count) return;
    call_transition(aggregation, fed, group, values[i++]);
  }
}

void fill_slot(const Feed& feed, int row) {
  for (int i = 0; i < feed.page->column_count; ++i) {
    const PageColumn& column = feed.page->columns[i];
    feed.slot->tts_values[column.number - 1] = column.values[row];
    feed.slot->tts_isnull[column.number - 1] = column.is_null[row];
  }
}

int keep_fitting(const Feed& feed, const Conditions& conditions, std::uint16_t* rows, int count) {
  ExprContext* context = context_of(feed);
  MemoryContext before = MemoryContextSwitchTo(context->ecxt_per_tuple_memory);
  for (int i = 0; i < conditions.count; ++i) {
    count = keep_fitting(conditions.of_loops[i], *feed.page, rows, count);
  }
  MemoryContextSwitchTo(before);
  if (conditions.rest == nullptr) return count;
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    CHECK_FOR_INTERRUPTS();
    ResetExprContext(context);
    fill_slot(feed, rows[i]);
    rows[kept] = rows[i];
    kept += ExecQual(conditions.rest, context);
  }
  return kept;
}

Datum value_of_row(const Feed& feed, const RowValue& value, int row, bool& is_null) {
  if (value.other != nullptr) {
    return ExecEvalExprSwitchContext(value.other, context_of(feed), &is_null);
  }
  const PageColumn& column = feed.page->columns[value.place];
  is_null = column.is_null[row];
  return column.values[row];
}

// The executor has set them only where the first row was not left out by a FILTER.
void set_parameters(const FedTransition* transitions, int count) {
  for (int i = 0; i < count; ++i) {
    const FedTransition& fed = transitions[i];
    NullableDatum* arguments = fed.transition->transfn_fcinfo->args + (fed.has_value ? 2 : 1);
    for (int j = 0; j < fed.parameter_count; ++j) {
      arguments[j].value = fed.parameters[j];
      arguments[j].isnull = false;
    }
  }
}

void take_rows(Feed& feed, int from, int to) {
  if (from == to) return;
  AggState* node = feed.aggregation;
  Hand& hand = *feed.hand;
  const bool has_groups = feed.key_count > 0;
  for (PlanState* counted : {&feed.scan->ss.ps, feed.between}) {
    if (counted != nullptr && counted->instrument != nullptr) {
      counted->instrument->tuplecount += to - from;
    }
  }
  node->curaggcontext = has_groups ? node->hashcontext : node->aggcontexts[0];
  node->current_set = 0;
  for (int i = 0; i < feed.transition_count; ++i) {
    const FedTransition& fed = feed.transitions[i];
    const std::uint16_t* rows = hand.selected + from;
    int count = to - from;
    if (fed.filter.count > 0 || fed.filter.rest != nullptr) {
      memcpy(hand.chosen, rows, sizeof(*rows) * static_cast<Size>(count));
      count = keep_fitting(feed, fed.filter, hand.chosen, count);
      rows = hand.chosen;
    }
    const Batch batch = batch_of(feed, fed, rows, count);
    node->curpertrans = fed.transition;
    MemoryContext before = MemoryContextSwitchTo(node->tmpcontext->ecxt_per_tuple_memory);
    if (has_groups) {
      take_into_groups(feed, fed, batch);
    } else {
      put_values(node, fed, node->pergroups[0] + fed.transition->aggref->aggtransno, batch.values,
                 batch.count);
    }
    MemoryContextSwitchTo(before);
    ResetExprContext(node->tmpcontext);
    if (fed.value.other != nullptr) MemoryContextReset(hand.computed);
  }
}

}  // namespace idp
