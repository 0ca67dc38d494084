// What is asked of the values of a column to find those near some ranks (rank_rows.h), and what
// comes back.
//
// Each statement is one of aggregates over one table, so that it sees one state of the rows as far
// as the rows of the table are ever seen so, and moves a row, or a few hundred. Functions and
// operators are the server's own, of the type itself; none fails for a value.
#pragma once

#include "extension/pg/pg.h"

#include "extension/distribute/rank_division.h"
#include "extension/distribute/remote_query.h"
#include "extension/types/types.h"

extern "C" {
#include "nodes/execnodes.h"
}

namespace idp {

// The type of a column, and its grid. No 128-bit integers, which lie in no memory of the server.
struct ColumnForm {
  Grid grid;
  Oid type;
  Oid array;
  bool has_nan;
};
// False if no ranks are looked for in columns of that type.
bool set_column_form(ColumnForm& form, Oid type, int32 typmod);

// A column of one table.
struct RankColumn {
  Relation table;
  const EState* state;
  const char* name;    // in SQL
  bool is_never_null;  // for sure, in each row there
  RemoteQuery query;
};

// Which rows are asked.
enum class Rows {
  kAll,
  kOfBlocks,  // of a share of the blocks that the table has
  kOneByOne,  // a share of the rows
};

// How many rows have a value, in a share of the blocks.
int64 count_values(const RankColumn& column, double share);

struct ListedValues {
  int64 nulls;
  int64 nans;
  KnownValues
      values;  // sorted; what lies beyond the outer gaps reaches to least_key() and greatest_key()
  int64 listed;
};
// Keys of values as they came.
struct InOrder {
  Key128* keys;
  int64 count;
};
// in_order: what is listed is added to it; or null.
ListedValues list_values(const ColumnForm& form, const RankColumn& column,
                         const RankDivision& division, Rows rows, double share, InOrder* in_order);

Key128 least_key(const ColumnForm& form);
Key128 greatest_key(const ColumnForm& form);

// Where to divide the values from one to another, which are not equal: keys in between, ascending,
// about as many as told. Below and above each of them lies one of the two at least.
int choose_splitters(const ColumnForm& form, const Key128& least, const Key128& greatest, int about,
                     Key128* splitters);
constexpr int kMostSplittersAsked = 1200;

// Adds up what lies between two splitters, within a gap: cells has one more than there are of them.
void count_cells(const ColumnForm& form, const RankColumn& column, const Gap& within,
                 const Key128* splitters, int count, ValueRange* cells);

// The value that a key stands for.
Datum value_of_key(const ColumnForm& form, const Key128& key);

}  // namespace idp
