#include "extension/answers/row_texts.h"

#include <optional>

#include "extension/pg/attempt.h"
#include "extension/pg/nodes.h"
#include "extension/pg/plain_output.h"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
}

namespace idp {

namespace {

bool has_plain_text(Oid type) {
  check_stack_depth();
  type = getBaseType(type);
  switch (get_typtype(type)) {
    case TYPTYPE_BASE: {
      const Oid element = get_element_type(type);
      return !OidIsValid(element) || has_plain_text(element);
    }
    case TYPTYPE_ENUM:
      return true;
    case TYPTYPE_RANGE:
      return has_plain_text(get_range_subtype(type));
    default:
      return false;
  }
}

bool are_read_alike(TupleDesc columns) {
  for (int i = 0; i < columns->natts; ++i) {
    if (!is_read_alike(TupleDescAttr(columns, i)->atttypid)) return false;
  }
  return true;
}

struct Input {
  FmgrInfo function;
  Oid argument;
  int32 typmod;
};

struct Reading {
  TupleDesc columns;
  const List* texts;
  List* rows;
};

Input* inputs_of(TupleDesc columns) {
  auto* inputs = static_cast<Input*>(palloc(sizeof(Input) * columns->natts));
  for (int i = 0; i < columns->natts; ++i) {
    const Form_pg_attribute column = TupleDescAttr(columns, i);
    inputs[i].typmod = column->atttypmod;
    Oid function = InvalidOid;
    getTypeInputInfo(getBaseTypeAndTypmod(column->atttypid, &inputs[i].typmod), &function,
                     &inputs[i].argument);
    fmgr_info(function, &inputs[i].function);
  }
  return inputs;
}

void read(void* argument) {
  auto* reading = static_cast<Reading*>(argument);
  const int count = reading->columns->natts;
  Input* inputs = inputs_of(reading->columns);
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * count));
  auto* nulls = static_cast<bool*>(palloc(sizeof(bool) * count));
  std::optional<PlainOutput> plain;
  if (!are_read_alike(reading->columns)) plain.emplace();
  int column = 0;
  for (auto* text : list<char>(reading->texts)) {
    Input& input = inputs[column];
    nulls[column] = text == nullptr;
    values[column] = text == nullptr
                         ? Datum{0}
                         : InputFunctionCall(&input.function, text, input.argument, input.typmod);
    if (++column < count) continue;
    reading->rows = lappend(reading->rows, heap_form_tuple(reading->columns, values, nulls));
    column = 0;
  }
  if (plain) plain->end();
}

}  // namespace

bool have_plain_texts(TupleDesc columns) {
  for (int i = 0; i < columns->natts; ++i) {
    if (!has_plain_text(TupleDescAttr(columns, i)->atttypid)) return false;
  }
  return true;
}

List* texts_of_row(TupleTableSlot* row) {
  TupleDesc columns = row->tts_tupleDescriptor;
  List* texts = NIL;
  for (int i = 0; i < columns->natts; ++i) {
    bool is_null = false;
    const Datum value = slot_getattr(row, i + 1, &is_null);
    Oid output = InvalidOid;
    bool is_varlena = false;
    getTypeOutputInfo(TupleDescAttr(columns, i)->atttypid, &output, &is_varlena);
    texts = lappend(texts, is_null ? nullptr : OidOutputFunctionCall(output, value));
  }
  return texts;
}

bool read_rows(TupleDesc columns, const List* texts, List** rows) {
  Reading reading = {columns, texts, NIL};
  if (list_length(texts) % columns->natts != 0 || !succeeds(read, &reading)) return false;
  *rows = reading.rows;
  return true;
}

}  // namespace idp
