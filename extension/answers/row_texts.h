// Rows of answers as text, which the types of their columns write and read: kept so, they are read
// by versions of the server that lay values out otherwise.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "access/htup.h"
#include "access/tupdesc.h"
#include "executor/tuptable.h"
}

namespace idp {

// Whether all columns have types whose values are written and read without calling what users
// wrote: numbers, texts, dates, enums, arrays and ranges of such, and domains over them.
bool have_plain_texts(TupleDesc columns);

// Of char*, one for each column; null stands for NULL. In plain settings (plain_output.h).
List* texts_of_row(TupleTableSlot* row);

// Of HeapTuple, of texts row by row. False if one of them is no value of its type any more: the
// value of an enum has another name, say. CHECKs of domains are not asked again.
bool read_rows(TupleDesc columns, const List* texts, List** rows);

}  // namespace idp
