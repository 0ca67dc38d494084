#include "extension/batch/page.h"

extern "C" {
#include "access/tupmacs.h"
}

namespace idp {

namespace {

uint8 bytes_of_alignment(char alignment) {
  switch (alignment) {
    case TYPALIGN_CHAR:
      return 1;
    case TYPALIGN_SHORT:
      return ALIGNOF_SHORT;
    case TYPALIGN_INT:
      return ALIGNOF_INT;
    default:
      return ALIGNOF_DOUBLE;
  }
}

// Which columns lie at the same place in every row without NULL: those up to the first of variable
// length, and that one too where it needs no alignment that depends on what it is.
void find_places(PageRows* page) {
  int offset = 0;
  int at = 0;
  int i = 0;
  for (; i < page->needed; ++i) {
    const ColumnShape shape = page->shapes[i];
    if (shape.length < 0) break;
    offset = static_cast<int>(TYPEALIGN(shape.alignment, offset));
    if (at < page->column_count && page->columns[at].number == i + 1) {
      page->columns[at++].offset = offset;
    }
    offset += shape.length;
  }
  page->fixed = i;
  page->fixed_bytes = offset;
  page->walks = i < page->needed;
}

const char* values_of(HeapTupleHeader row) {
  return reinterpret_cast<const char*>(row) + row->t_hoff;
}

bool has_nulls(HeapTupleHeader row) { return (row->t_infomask & HEAP_HASNULL) != 0; }

// Whether none of the first columns of a row is NULL. A set bit says that a value is there.
bool are_there(HeapTupleHeader row, int columns) {
  const bits8* bits = row->t_bits;
  for (; columns >= 8; columns -= 8) {
    if (*bits++ != 0xff) return false;
  }
  if (columns == 0) return true;
  const auto rest = static_cast<bits8>((1 << columns) - 1);
  return (*bits & rest) == rest;
}

void put_null(PageColumn& column, int row) {
  column.values[row] = 0;
  column.is_null[row] = true;
  column.has_null = true;
}

// Also of rows that are older than a column.
void read_row_by_server(PageRows* page, int row) {
  HeapTupleData tuple = {};
  tuple.t_len = MaxHeapTupleSize;
  tuple.t_data = page->rows[row].header;
  for (int i = 0; i < page->column_count; ++i) {
    PageColumn& column = page->columns[i];
    column.values[row] = heap_getattr(&tuple, column.number, page->table, &column.is_null[row]);
    column.has_null |= column.is_null[row];
  }
}

// From column `from` of the table on, which begins at the offset but for what aligns it.
void walk_row(PageRows* page, int row, int from, int offset) {
  HeapTupleHeader header = page->rows[row].header;
  const char* values = values_of(header);
  const bool may_be_null = has_nulls(header);
  int at = 0;
  while (page->columns[at].number <= from) ++at;
  for (int i = from; i < page->needed; ++i) {
    const bool is_needed = page->columns[at].number == i + 1;
    if (may_be_null && att_isnull(i, header->t_bits)) {
      if (is_needed) put_null(page->columns[at++], row);
      continue;
    }
    const int length = page->shapes[i].length;
    // a short header of a varlena is not aligned, and no byte that aligns is like one
    if (length != -1 || values[offset] == 0) {
      offset = static_cast<int>(TYPEALIGN(page->shapes[i].alignment, offset));
    }
    const char* value = values + offset;
    if (is_needed) {
      PageColumn& column = page->columns[at++];
      column.values[row] = fetch_att(value, column.by_value, column.length);
      column.is_null[row] = false;
    }
    offset += length > 0     ? length
              : length == -1 ? static_cast<int>(VARSIZE_ANY(value))
                             : static_cast<int>(strlen(value)) + 1;
  }
}

void read_fixed_of_row(PageRows* page, int row) {
  const char* values = values_of(page->rows[row].header);
  for (int i = 0; i < page->column_count; ++i) {
    PageColumn& column = page->columns[i];
    if (column.offset < 0) break;
    column.values[row] = fetch_att(values + column.offset, column.by_value, column.length);
    column.is_null[row] = false;
  }
}

void read_row(PageRows* page, int row) {
  HeapTupleHeader header = page->rows[row].header;
  if (static_cast<int>(HeapTupleHeaderGetNatts(header)) < page->needed) {
    return read_row_by_server(page, row);
  }
  if (has_nulls(header) && !are_there(header, page->fixed)) return walk_row(page, row, 0, 0);
  read_fixed_of_row(page, row);
  if (page->walks) walk_row(page, row, page->fixed, page->fixed_bytes);
}

// Whether all rows have all columns up to the last one needed, and no NULL in those of a fixed place.
bool have_fixed_columns(const PageRows* page) {
  for (int i = 0; i < page->count; ++i) {
    HeapTupleHeader header = page->rows[i].header;
    if (static_cast<int>(HeapTupleHeaderGetNatts(header)) < page->needed) return false;
    if (has_nulls(header) && !are_there(header, page->fixed)) return false;
  }
  return true;
}

template <class Read>
void read_column(PageRows* page, PageColumn& column, Read read) {
  for (int i = 0; i < page->count; ++i) {
    column.values[i] = read(values_of(page->rows[i].header) + column.offset);
  }
  memset(column.is_null, 0, static_cast<std::size_t>(page->count));
}

// Of rows that have it, a column of a fixed place.
void read_fixed_column(PageRows* page, PageColumn& column) {
  if (!column.by_value) {
    return read_column(page, column, [](const char* at) { return PointerGetDatum(at); });
  }
  switch (column.length) {
    case sizeof(int32):
      return read_column(page, column, [](const char* at) {
        return Int32GetDatum(*reinterpret_cast<const int32*>(at));
      });
    case sizeof(int64):
      return read_column(page, column,
                         [](const char* at) { return *reinterpret_cast<const Datum*>(at); });
    default:
      return read_column(page, column, [length = column.length](const char* at) {
        return fetch_att(at, true, length);
      });
  }
}

}  // namespace

PageRows* new_page_rows(TupleDesc table, const Bitmapset* numbers) {
  auto* page = static_cast<PageRows*>(palloc0(sizeof(PageRows)));
  page->table = table;
  page->column_count = bms_num_members(numbers);
  page->columns = static_cast<PageColumn*>(palloc0(sizeof(PageColumn) * (page->column_count + 1)));
  int number = -1;
  for (int i = 0; i < page->column_count; ++i) {
    number = bms_next_member(numbers, number);
    const FormData_pg_attribute* attribute = TupleDescAttr(table, number - 1);
    page->columns[i].number = static_cast<AttrNumber>(number);
    page->columns[i].length = attribute->attlen;
    page->columns[i].by_value = attribute->attbyval;
    page->columns[i].offset = -1;
    page->needed = number;
  }
  page->columns[page->column_count].number = PG_INT16_MAX;  // behind all: who walks ends there
  page->shapes = static_cast<ColumnShape*>(
      palloc(sizeof(ColumnShape) * (static_cast<Size>(page->needed) + 1)));
  for (int i = 0; i < page->needed; ++i) {
    const FormData_pg_attribute* attribute = TupleDescAttr(table, i);
    page->shapes[i] = {attribute->attlen, bytes_of_alignment(attribute->attalign)};
  }
  find_places(page);
  return page;
}

int column_numbered(const PageRows* page, AttrNumber number) {
  int i = 0;
  while (page->columns[i].number != number) ++i;
  return i;
}

void make_room(PageRows* page) {
  page->rows = static_cast<HeapRow*>(palloc(sizeof(HeapRow) * kMostRowsOfPage));
  for (int i = 0; i < page->column_count; ++i) {
    PageColumn& column = page->columns[i];
    column.values = static_cast<Datum*>(palloc(sizeof(Datum) * kMostRowsOfPage));
    column.is_null = static_cast<bool*>(palloc(sizeof(bool) * kMostRowsOfPage));
  }
}

void read_columns(PageRows* page) {
  for (int i = 0; i < page->column_count; ++i) page->columns[i].has_null = false;
  if (page->column_count == 0) return;
  if (!have_fixed_columns(page)) {
    for (int i = 0; i < page->count; ++i) read_row(page, i);
    return;
  }
  for (int i = 0; i < page->column_count && page->columns[i].offset >= 0; ++i) {
    read_fixed_column(page, page->columns[i]);
  }
  if (!page->walks) return;
  for (int i = 0; i < page->count; ++i) walk_row(page, i, page->fixed, page->fixed_bytes);
}

}  // namespace idp
