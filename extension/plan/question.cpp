// The executor's side of question.h for named calls: the text of what one asks.
#include "extension/plan/question.h"

#include "extension/pg/nodes.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/question_reader.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
}

namespace idp {

namespace {

// Whether a column is a key of the grouping set at work.
bool is_key(const AggState* node, AttrNumber column) {
  const AggStatePerPhaseData& phase = *node->phase;
  if (phase.grouped_cols != nullptr && phase.numsets > 0) {
    return bms_is_member(column, phase.grouped_cols[node->current_set]);
  }
  const Agg* plan = phase.aggnode;
  for (int i = 0; i < plan->numCols; ++i) {
    if (plan->grpColIdx[i] == column) return true;
  }
  return false;
}

// Whether a condition goes without saying, because it is about keys alone: the group is there, so
// it holds for all of its rows.
bool is_implied(const AggState* node, const Condition& condition) {
  if (condition.other || bms_is_empty(condition.keys)) return false;
  int column = -1;
  while ((column = bms_next_member(condition.keys, column)) >= 0) {
    if (!is_key(node, static_cast<AttrNumber>(column))) return false;
  }
  return true;
}

char* key_text(const Key& key, TupleTableSlot* slot) {
  bool is_null = false;
  const Datum value = slot_getattr(slot, key.column, &is_null);
  if (is_null) return psprintf("(%s IS NULL)", key.text);
  if (key.type == BOOLOID) {
    return DatumGetBool(value) ? pstrdup(key.text) : psprintf("(NOT %s)", key.text);
  }
  int16 length;
  bool by_value;
  get_typlenbyval(key.type, &length, &by_value);
  Const* constant = makeConst(key.type, -1, key.collation, length, value, false, by_value);
  return psprintf("(%s = %s)", key.text, deparse_expression(as<Node>(constant), NIL, false, false));
}

void read_question(Question* question, AggState* node, bool live) {
  read_level(question, node, live);
  const Values values{node->ss.ps.state, live, &question->varies};
  PlainOutput plain;
  read_call(question, scope_of_level(question->recorded), values);
  plain.end();
}

}  // namespace

Question* question_of(AggState* node, Aggref* aggref, Oid table) {
  List* recorded = recorded_question(node->ss.ps.state, aggref);
  if (!all_is_known(recorded)) refuse_unknown();
  auto* question = static_cast<Question*>(palloc0(sizeof(Question)));
  question->recorded = recorded;
  question->aggref = aggref;
  question->table = table;
  read_question(question, node, false);
  return question;
}

void bring_up_to_date(Question* question, AggState* node) {
  if (question->varies) read_question(question, node, true);
}

bool is_settled(const Question* question) { return !question->varies; }

char* question_text(const Question* question, AggState* node) {
  List* conditions = list_copy(question->filter);
  for (const auto* condition : list<Condition>(question->where)) {
    if (!is_implied(node, *condition)) conditions = lappend(conditions, condition->text);
  }
  if (question->keys != NIL) {
    PlainOutput plain;
    for (const auto* key : list<Key>(question->keys)) {
      if (!is_key(node, key->column)) continue;
      conditions = lappend(conditions, key_text(*key, node->ss.ps.ps_ExprContext->ecxt_outertuple));
    }
    plain.end();
  }
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, question->source);
  if (text.len > 0 && conditions != NIL) appendStringInfoChar(&text, ' ');
  if (conditions != NIL) appendStringInfoString(&text, "WHERE ");
  append_joined(&text, ordered(conditions), "");
  return text.data;
}

UsedColumns used_columns(const Question* question) {
  constexpr int kMostColumns = 32;  // what one role stores must not be slow for the others
  List* used = part(question->recorded, recorded::kUsed);
  UsedColumns columns{reads_only(question->recorded, question->table) &&
                          number_at(used, recorded::kAllKnown) != 0 &&
                          list_length(part(used, recorded::kUsedColumns)) <= kMostColumns,
                      NIL};
  ListCell* cell;
  foreach (cell, part(used, recorded::kUsedColumns)) {
    columns.names = lappend(columns.names, strVal(lfirst(cell)));
  }
  return columns;
}

}  // namespace idp
