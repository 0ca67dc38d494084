// The rows of a page in columns: only those that are needed, each an array with a value for each
// row.
#pragma once

#include "extension/pg/pg.h"

#include "extension/pg/heap_pages.h"

namespace idp {

// A column that is needed.
struct PageColumn {
  AttrNumber number;
  int16 length;
  bool by_value;
  int offset;     // from where a row's values begin if none before is NULL; -1: not the same in all
  bool has_null;  // on this page
  Datum* values;
  bool* is_null;
};

// Of any column of the table, what is needed to find the one behind it.
struct ColumnShape {
  int16 length;
  uint8 alignment;  // in bytes
};

struct PageRows {
  TupleDesc table;
  int column_count;
  PageColumn* columns;  // in the order of their numbers
  int needed;           // the greatest number: nothing behind it is looked at
  int fixed;            // so many first columns of the table have a fixed place
  int fixed_bytes;      // where the next one begins, but for what aligns it
  bool walks;           // whether columns are needed that have none
  ColumnShape* shapes;

  int count;
  HeapRow* rows;
};

// Prepares for columns of a table, whose numbers are given; none is of the system.
PageRows* new_page_rows(TupleDesc table, const Bitmapset* numbers);

// Which of the columns has a number that was given.
int column_numbered(const PageRows* page, AttrNumber number);

// Makes room for the rows of a page and their values, in the current memory context.
void make_room(PageRows* page);

// Fills the columns with the values of the rows. Values that lie elsewhere stay there.
void read_columns(PageRows* page);

}  // namespace idp
