#include "extension/synthesis/table_counts.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

// Types whose input and output are the server's own, read no tables and say all there is to know.
bool is_listable(Oid type) {
  switch (type) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case DATEOID:
    case UUIDOID:
      return true;
    default:
      return type_is_enum(type);
  }
}

// A value of the domain as the type of the column writes it.
char* as_written(SynthesisColumn& column, char* value) {
  Oid input, parameter;
  getTypeInputInfo(column.type, &input, &parameter);
  return OutputFunctionCall(&column.output,
                            OidInputFunctionCall(input, value, parameter, column.typmod));
}

void require_domain(SynthesisColumn& column) {
  if (column.size < 2 || column.size > kMostSynthesisValues) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the domain of column \"%s\" must have between 2 and %d values",
                           column.name, kMostSynthesisValues),
                    errhint("Give an array of the values that it may have, such as [\"a\", \"b\"]; "
                            "a column that has one value is better left out.")));
  }
  for (int i = 0; i < column.size; ++i) {
    column.values[i] = as_written(column, column.values[i]);
    for (int j = 0; j < i; ++j) {
      if (strcmp(column.values[i], column.values[j]) == 0) {
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the domain of column \"%s\" must not contain a value twice",
                               column.name)));
      }
    }
  }
}

int place_in(SynthesisColumn& column, Datum value, bool is_null) {
  if (is_null) return column.size - 1;
  const char* text = OutputFunctionCall(&column.output, value);
  for (int i = 0; i < column.size - 1; ++i) {
    if (strcmp(column.values[i], text) == 0) return i;
  }
  return column.size - 1;
}

std::int64_t* zeros(std::int64_t count) {
  return static_cast<std::int64_t*>(palloc_extended(static_cast<Size>(count) * sizeof(std::int64_t),
                                                    MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
}

void count_row(const TableCounts& counts, const int* places) {
  for (int a = 0; a < counts.columns; ++a) {
    ++counts.one_way[a][places[a]];
    for (int b = a + 1; b < counts.columns; ++b) {
      const std::int64_t cell = std::int64_t{places[a]} * counts.column[b].size + places[b];
      ++counts.two_way[a * counts.columns + b][cell];
    }
  }
}

void count_relation(Oid relation, const TableCounts& counts) {
  Relation table = table_open(relation, NoLock);  // locked with all it consists of
  if (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) {
    table_close(table, NoLock);
    return;
  }
  if (table->rd_rel->relkind != RELKIND_RELATION && table->rd_rel->relkind != RELKIND_MATVIEW) {
    ereport(ERROR,
            (errcode(ERRCODE_WRONG_OBJECT_TYPE),
             errmsg("\"%s\" is not a table with rows of its own", RelationGetRelationName(table))));
  }
  AttrNumber numbers[kMostSynthesisColumns];
  for (int i = 0; i < counts.columns; ++i) {
    numbers[i] = get_attnum(relation, counts.column[i].name);
  }
  MemoryContext row_memory =
      AllocSetContextCreate(CurrentMemoryContext, "idp synthesis", ALLOCSET_DEFAULT_SIZES);
  MemoryContext before = MemoryContextSwitchTo(row_memory);
  TupleTableSlot* slot = table_slot_create(table, nullptr);
  TableScanDesc scan = table_beginscan(table, GetActiveSnapshot(), 0, nullptr);
  MemoryContext each = AllocSetContextCreate(row_memory, "idp synthesis row", ALLOCSET_SMALL_SIZES);
  MemoryContextSwitchTo(each);
  while (table_scan_getnextslot(scan, ForwardScanDirection, slot)) {
    CHECK_FOR_INTERRUPTS();
    int places[kMostSynthesisColumns];
    for (int i = 0; i < counts.columns; ++i) {
      bool is_null;
      const Datum value = slot_getattr(slot, numbers[i], &is_null);
      places[i] = place_in(counts.column[i], value, is_null);
    }
    count_row(counts, places);
    MemoryContextReset(each);
  }
  MemoryContextSwitchTo(before);
  table_endscan(scan);
  ExecDropSingleTupleTableSlot(slot);
  MemoryContextDelete(row_memory);
  table_close(table, NoLock);
}

}  // namespace

void require_synthesis_columns(Oid table, SynthesisColumn* columns, int count) {
  for (int i = 0; i < count; ++i) {
    SynthesisColumn& column = columns[i];
    const AttrNumber number = get_attnum(table, column.name);
    if (number <= 0) {
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                      errmsg("column \"%s\" does not exist", column.name)));
    }
    for (int j = 0; j < i; ++j) {
      if (strcmp(column.name, columns[j].name) == 0) {
        ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
                        errmsg("column \"%s\" is named twice", column.name)));
      }
    }
    Oid collation;
    get_atttypetypmodcoll(table, number, &column.type, &column.typmod, &collation);
    column.type = getBaseTypeAndTypmod(column.type, &column.typmod);
    if (get_attgenerated(table, number) == 'v') {
      ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                      errmsg("column \"%s\" is not stored", column.name)));
    }
    if (!is_listable(column.type)) {
      ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                      errmsg("column \"%s\" cannot be synthesized", column.name),
                      errdetail("Its type is none of boolean, integers, strings, date, uuid and "
                                "enums."),
                      errhint("Add a generated, stored column with the parts of its range.")));
    }
    Oid output;
    bool is_varlena;
    getTypeOutputInfo(column.type, &output, &is_varlena);
    fmgr_info(output, &column.output);
    require_domain(column);
  }
  std::int64_t cells = 0;
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) cells += std::int64_t{columns[a].size} * columns[b].size;
  }
  if (cells > kMostSynthesisCells) {
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("domains are too large"),
                    errdetail("All pairs of columns together can have 4000000 pairs of values."),
                    errhint("Synthesize fewer columns, or smaller domains.")));
  }
}

TableCounts count_tables(List* tables, SynthesisColumn* columns, int count) {
  TableCounts counts{count, columns, nullptr, nullptr};
  counts.one_way = static_cast<std::int64_t**>(palloc0(static_cast<Size>(count) * sizeof(void*)));
  counts.two_way =
      static_cast<std::int64_t**>(palloc0(static_cast<Size>(count * count) * sizeof(void*)));
  for (int a = 0; a < count; ++a) {
    counts.one_way[a] = zeros(columns[a].size);
    for (int b = a + 1; b < count; ++b) {
      counts.two_way[a * count + b] = zeros(std::int64_t{columns[a].size} * columns[b].size);
    }
  }
  for (const Oid oid : oids(tables)) count_relation(oid, counts);
  return counts;
}

TableMarginals::TableMarginals(const TableCounts& counts) : counts_(counts) {
  for (int i = 0; i < counts.columns; ++i) {
    sizes_.push_back(static_cast<std::size_t>(counts.column[i].size));
  }
}

Counts TableMarginals::one_way(std::size_t column) const {
  const std::int64_t* first = counts_.one_way[column];
  return {first, first + sizes_[column]};
}

Counts TableMarginals::two_way(std::size_t a, std::size_t b) const {
  const auto columns = static_cast<std::size_t>(counts_.columns);
  if (a < b) {
    const std::int64_t* first = counts_.two_way[a * columns + b];
    return {first, first + sizes_[a] * sizes_[b]};
  }
  Counts turned(sizes_[a] * sizes_[b]);
  for (std::size_t x = 0; x < sizes_[a]; ++x) {
    for (std::size_t y = 0; y < sizes_[b]; ++y) {
      turned[x * sizes_[b] + y] = counts_.two_way[b * columns + a][y * sizes_[a] + x];
    }
  }
  return turned;
}

}  // namespace idp
