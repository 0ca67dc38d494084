#include "extension/distribute/rank_statements.h"

#include <algorithm>
#include <cmath>

#include "extension/distribute/remote_ask.h"
#include "extension/pg/plain_output.h"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace idp {

// --- keys ---

bool set_column_form(ColumnForm& form, Oid type, int32 typmod) {
  const ValueType value_type = value_type_of(type);
  if (value_type == ValueType::kNone || is_opaque(value_type)) return false;
  const bool is_numeric = value_type == ValueType::kNumeric;
  if (is_numeric && typmod < static_cast<int32>(VARHDRSZ)) return false;
  form.grid = grid_of(value_type, typmod);
  form.type = type;
  form.array = get_array_type(type);
  form.has_nan = is_numeric || form.grid.is_float();
  return OidIsValid(form.array);
}

Key128 least_key(const ColumnForm& form) {
  return form.grid.is_wide() ? KeyLimits<Key128>::kMin : widen(KeyLimits<Key64>::kMin);
}

Key128 greatest_key(const ColumnForm& form) {
  return form.grid.is_wide() ? KeyLimits<Key128>::kMax : widen(KeyLimits<Key64>::kMax);
}

Datum value_of_key(const ColumnForm& form, const Key128& key) {
  const Grid& grid = form.grid;
  return grid.is_wide() ? datum_of_key(grid, key) : datum_of_key(grid, narrow(key));
}

namespace {

bool key_of_value(const Column& column, Datum value, Key128& key) {
  if (column.grid.is_wide()) return wide_key(column, value, key);
  Key64 found = 0;
  if (!narrow_key(column, value, found)) return false;
  key = widen(found);
  return true;
}

// --- texts ---

const char* type_name(const ColumnForm& form) { return format_type_be(form.type); }

char* text_of_key(const ColumnForm& form, const Key128& key) {
  Oid output = InvalidOid;
  bool is_varlena = false;
  getTypeOutputInfo(form.type, &output, &is_varlena);
  return OidOutputFunctionCall(output, value_of_key(form, key));
}

char* literal(const ColumnForm& form, const Key128& key) {
  return psprintf("%s::%s", quote_literal_cstr(text_of_key(form, key)), type_name(form));
}

// That the column has a value within the gap, and not NaN, which is above all others.
char* is_within(const ColumnForm& form, const RankColumn& column, const Gap& gap) {
  const char* name = column.name;
  StringInfoData text;
  initStringInfo(&text);
  if (gap.has_low) appendStringInfo(&text, "%s > %s", name, literal(form, gap.low));
  if (gap.has_low && (gap.has_high || form.has_nan)) appendStringInfoString(&text, " AND ");
  if (gap.has_high) {
    appendStringInfo(&text, "%s < %s", name, literal(form, gap.high));
  } else if (form.has_nan) {
    appendStringInfo(&text, "%s < 'NaN'::%s", name, type_name(form));
  } else if (!gap.has_low) {
    appendStringInfo(&text, "%s IS NOT NULL", name);
  }
  return text.data;
}

void append_source(StringInfo text, const RankColumn& column, Rows rows, double share,
                   const char* condition) {
  appendStringInfo(text, " FROM %s", column.query.from);
  if (rows != Rows::kAll) {
    appendStringInfo(text, " TABLESAMPLE %s (%.9g)",
                     rows == Rows::kOfBlocks ? "SYSTEM" : "BERNOULLI", 100 * share);
  }
  const char* sent = column.query.condition;
  if (sent != nullptr) appendStringInfo(text, " WHERE (%s)", sent);
  if (condition != nullptr) {
    appendStringInfo(text, " %s (%s)", sent == nullptr ? "WHERE" : "AND", condition);
  }
}

// --- asking ---

struct Came {
  Tuplestorestate* rows;
  TupleTableSlot* slot;
};

Came ask(const RankColumn& column, const char* text, TupleDesc columns) {
  const Came came = {tuplestore_begin_heap(false, false, work_mem),
                     MakeSingleTupleTableSlot(columns, &TTSOpsMinimalTuple)};
  ask_servers({column.table, NIL, column.state, text, columns, true, true}, came.rows);
  return came;
}

bool next(const Came& came) {
  if (!tuplestore_gettupleslot(came.rows, true, false, came.slot)) return false;
  slot_getallattrs(came.slot);
  return true;
}

void end(const Came& came) {
  ExecDropSingleTupleTableSlot(came.slot);
  tuplestore_end(came.rows);
}

int64 count_at(const Came& came, int place) {
  return came.slot->tts_isnull[place] ? 0 : DatumGetInt64(came.slot->tts_values[place]);
}

}  // namespace

int64 count_values(const RankColumn& column, double share) {
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfo(&text, "SELECT pg_catalog.count(%s)", column.name);
  append_source(&text, column, Rows::kOfBlocks, share, nullptr);
  TupleDesc columns = CreateTemplateTupleDesc(1);
  TupleDescInitEntry(columns, 1, "", INT8OID, -1, 0);
  const Came came = ask(column, text.data, columns);
  const int64 count = next(came) ? count_at(came, 0) : 0;
  end(came);
  return count;
}

// --- lists ---

namespace {

// Of the ranges that are counted, what lies below the first gap and between two; what lies above
// the last one is the rest.
bool is_counted(const RankDivision& division, int before) {
  return before > 0 || division.gaps[0].has_low;
}

char* text_of_list(const ColumnForm& form, const RankColumn& column, const RankDivision& division,
                   Rows rows, double share) {
  PlainOutput plain;
  const char* name = column.name;
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, "SELECT pg_catalog.count(*)");
  if (!column.is_never_null) appendStringInfo(&text, ", pg_catalog.count(%s)", name);
  if (form.has_nan) {
    appendStringInfo(&text, ", pg_catalog.count(*) FILTER (WHERE %s = 'NaN'::%s)", name,
                     type_name(form));
  }
  for (int i = 0; i < division.count; ++i) {
    if (!is_counted(division, i)) continue;
    appendStringInfoString(&text, ", pg_catalog.count(*) FILTER (WHERE ");
    if (i > 0) {
      appendStringInfo(&text, "%s >= %s AND ", name, literal(form, division.gaps[i - 1].high));
    }
    appendStringInfo(&text, "%s <= %s)", name, literal(form, division.gaps[i].low));
  }
  for (int i = 0; i < division.count; ++i) {
    appendStringInfo(&text, ", pg_catalog.array_agg(%s) FILTER (WHERE %s)", name,
                     is_within(form, column, division.gaps[i]));
  }
  append_source(&text, column, rows, share, nullptr);
  plain.end();
  return text.data;
}

TupleDesc columns_of_list(const ColumnForm& form, const RankColumn& column,
                          const RankDivision& division) {
  int counts = 1 + (column.is_never_null ? 0 : 1) + (form.has_nan ? 1 : 0);
  for (int i = 0; i < division.count; ++i) counts += is_counted(division, i) ? 1 : 0;
  TupleDesc columns = CreateTemplateTupleDesc(counts + division.count);
  for (int i = 1; i <= columns->natts; ++i) {
    TupleDescInitEntry(columns, static_cast<AttrNumber>(i), "", i <= counts ? INT8OID : form.array,
                       -1, 0);
  }
  return columns;
}

// The keys of an array's values, in their order.
Key128* keys_of_list(const ColumnForm& form, ArrayType* values, int64& count) {
  const Column column = Column::of(form.grid);
  const auto most = static_cast<Size>(ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values)));
  auto* keys = static_cast<Key128*>(
      MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Key128) * (most + 1)));
  ArrayIterator next = array_create_iterator(values, 0, nullptr);
  Datum value;
  bool is_null = false;
  while (array_iterate(next, &value, &is_null)) {
    if (!is_null && key_of_value(column, value, keys[count])) ++count;
  }
  array_free_iterator(next);
  return keys;
}

void add_in_order(const Key128* keys, int64 count, InOrder& in_order) {
  const Size bytes = sizeof(Key128) * static_cast<Size>(in_order.count + count + 1);
  in_order.keys = static_cast<Key128*>(in_order.keys == nullptr
                                           ? MemoryContextAllocHuge(CurrentMemoryContext, bytes)
                                           : repalloc_huge(in_order.keys, bytes));
  memcpy(in_order.keys + in_order.count, keys, sizeof(Key128) * static_cast<Size>(count));
  in_order.count += count;
}

// A value that is listed again and again is one range.
void add_list(const ColumnForm& form, Datum array, ListedValues& listed, InOrder* in_order) {
  int64 count = 0;
  Key128* keys = keys_of_list(form, DatumGetArrayTypeP(array), count);
  if (in_order != nullptr) add_in_order(keys, count, *in_order);
  CHECK_FOR_INTERRUPTS();
  std::sort(keys, keys + count);
  for (int64 i = 0; i < count;) {
    int64 end = i + 1;
    while (end < count && keys[end] == keys[i]) ++end;
    add_range(listed.values, {keys[i], keys[i], end - i});
    i = end;
  }
  listed.listed += count;
  pfree(keys);
}

}  // namespace

ListedValues list_values(const ColumnForm& form, const RankColumn& column,
                         const RankDivision& division, Rows rows, double share, InOrder* in_order) {
  const char* text = text_of_list(form, column, division, rows, share);
  const Came came = ask(column, text, columns_of_list(form, column, division));
  ListedValues listed = {};
  if (next(came)) {
    int place = 0;
    const int64 all = count_at(came, place++);
    int64 left = column.is_never_null ? all : count_at(came, place++);
    listed.nulls = all - left;
    if (form.has_nan) listed.nans = count_at(came, place++);
    left -= listed.nans;
    for (int i = 0; i < division.count; ++i) {
      if (!is_counted(division, i)) continue;
      const int64 count = count_at(came, place++);
      const Key128 least = i == 0 ? least_key(form) : division.gaps[i - 1].high;
      add_range(listed.values, {least, division.gaps[i].low, count});
      left -= count;
    }
    for (int i = 0; i < division.count; ++i, ++place) {
      if (came.slot->tts_isnull[place]) continue;
      add_list(form, came.slot->tts_values[place], listed, in_order);
    }
    const Gap& last = division.gaps[division.count - 1];
    if (last.has_high) {
      add_range(listed.values, {last.high, greatest_key(form), left - listed.listed});
    }
  }
  end(came);
  sort_ranges(listed.values);
  return listed;
}

// --- cells ---

namespace {

// Keys that stand for a value of the type, and lie in between.
bool is_splitter(const ColumnForm& form, const Key128& least, const Key128& greatest, Key128& key) {
  const Grid& grid = form.grid;
  if (grid.type == ValueType::kFloat32) {
    const auto value = static_cast<float>(from_ordered_bits(narrow(key)));
    key = widen(ordered_bits(static_cast<double>(value)));
  }
  if (!(least < key) || greatest < key) return false;
  return grid.is_wide() ? grid.admits(key) : grid.admits(narrow(key));
}

}  // namespace

// Keys as far apart as each other; and for data that are skewed, floats that are so, or others near
// one of the ends.
int choose_splitters(const ColumnForm& form, const Key128& least, const Key128& greatest, int about,
                     Key128* splitters) {
  int count = 0;
  const auto add = [&](Key128 key) {
    if (count < kMostSplittersAsked && is_splitter(form, least, greatest, key)) {
      splitters[count++] = key;
    }
  };
  const auto first = static_cast<Uint128>(int128(least));
  const Uint128 width = static_cast<Uint128>(int128(greatest)) - first;
  const auto at = [&](Uint128 offset) { return key128(static_cast<Int128>(first + offset)); };
  const auto parts = static_cast<Uint128>(about / 2);
  if (width <= parts) {
    for (Uint128 i = 1; i <= width; ++i) add(at(i));
  } else {
    for (Uint128 i = 1; i <= parts; ++i) add(at(width / parts * i));
    add(greatest);
  }
  if (form.grid.is_float()) {
    const double low = from_ordered_bits(narrow(least));
    const double high = from_ordered_bits(narrow(greatest));
    for (int i = 1; i < about / 2; ++i) {
      const double part = i / (about / 2.0);
      const double value = low * (1 - part) + high * part;
      if (std::isfinite(value)) add(widen(ordered_bits(value)));
    }
  } else {
    for (Uint128 offset = 1; offset < width && offset != 0; offset <<= 1) {
      add(at(offset));
      add(at(width - offset));
    }
  }
  std::sort(splitters, splitters + count);
  return static_cast<int>(std::unique(splitters, splitters + count) - splitters);
}

namespace {

char* array_literal(const ColumnForm& form, const Key128* keys, int count) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < count; ++i) {
    appendStringInfo(&list, "%c\"%s\"", i == 0 ? '{' : ',', text_of_key(form, keys[i]));
  }
  appendStringInfoChar(&list, '}');
  return psprintf("%s::%s[]", quote_literal_cstr(list.data), type_name(form));
}

char* text_of_cells(const ColumnForm& form, const RankColumn& column, const Gap& within,
                    const Key128* splitters, int count) {
  PlainOutput plain;
  const char* name = column.name;
  const char* cell = count == 0 ? "0"
                                : psprintf("pg_catalog.width_bucket(%s, %s)", name,
                                           array_literal(form, splitters, count));
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfo(&text, "SELECT %s, pg_catalog.count(*), pg_catalog.min(%s), pg_catalog.max(%s)",
                   cell, name, name);
  append_source(&text, column, Rows::kAll, 1, is_within(form, column, within));
  if (count > 0) appendStringInfoString(&text, " GROUP BY 1");
  plain.end();
  return text.data;
}

}  // namespace

void count_cells(const ColumnForm& form, const RankColumn& column, const Gap& within,
                 const Key128* splitters, int count, ValueRange* cells) {
  TupleDesc columns = CreateTemplateTupleDesc(4);
  TupleDescInitEntry(columns, 1, "", INT4OID, -1, 0);
  TupleDescInitEntry(columns, 2, "", INT8OID, -1, 0);
  TupleDescInitEntry(columns, 3, "", form.type, -1, 0);
  TupleDescInitEntry(columns, 4, "", form.type, -1, 0);
  const Column keys = Column::of(form.grid);
  const Came came = ask(column, text_of_cells(form, column, within, splitters, count), columns);
  while (next(came)) {
    const Datum* values = came.slot->tts_values;
    Key128 least;
    Key128 greatest;
    const int64 more = count_at(came, 1);
    if (more == 0 || !key_of_value(keys, values[2], least)) continue;
    if (!key_of_value(keys, values[3], greatest)) continue;
    ValueRange& cell = cells[std::clamp(DatumGetInt32(values[0]), 0, count)];
    cell.least = cell.count == 0 ? least : std::min(cell.least, least);
    cell.greatest = cell.count == 0 ? greatest : std::max(cell.greatest, greatest);
    cell.count += more;
  }
  end(came);
}

}  // namespace idp
