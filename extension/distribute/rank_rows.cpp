#include "extension/distribute/rank_rows.h"

#include <cmath>

#include "extension/distribute/rank_statements.h"
#include "extension/distribute/remote_rows.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_am.h"
#include "foreign/fdwapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace idp {

namespace {

// All values of so few rows are moved as quickly as they are looked for.
constexpr int64 kFewRows = 20000;
// The part of all values that may be moved, and how many in any case, of those that take twelve
// bytes each; of shorter ones more.
constexpr double kPartMoved = 0.0035;
constexpr double kMostMoved = 30000;
constexpr double kBytesMoved = 12;
// Of more rows the part becomes smaller, as this server has to hold it: four times as many rows
// have twice as much moved, and a larger part of them sampled.
constexpr double kManyRows = 1e7;
// If it comes otherwise than a sample said, up to so many times as many.
constexpr double kTolerance = 6;
// So many times as many are asked for rather than a further sample.
constexpr double kEnough = 3;
// Of how much of a table it is counted what a sample of a certain size is.
constexpr double kShareCounted = 0.01;
constexpr double kFirstSample = 15000;
constexpr int64 kLeastSample = 1000;
// A further sample has more than so many times as many.
constexpr double kLarger = 2;
// How often samples are taken before all values are counted in cells.
constexpr int kMostSought = 3;
// Where values come so often in a sample, and near the ranks one of them so often that it would
// have to be counted by itself, all different ones are counted in one statement.
constexpr int64 kOften = 8;
// Values that are less out of order are taken to lie as they are sorted.
constexpr double kInOrder = 0.7;
// How often cells are counted, and rows asked for that turn out to be others.
constexpr int kMostRounds = 16;
constexpr int kMostMisses = 4;
// Each shard sends its own.
constexpr int kCellsOfShards = 200;
constexpr int kCells = 500;

struct RankQuestion {
  JointAsker asker;
  List* nodes;
  List* numbers;  // of the columns
  WantedRanks wanted;
  ColumnForm form;
  bool is_asked;
  bool is_sampled;  // whether samples can be taken of each table
  RankColumn* columns;
};

int parts_of(const RankQuestion& question) { return list_length(question.nodes); }

PlanState* node_of(const RankQuestion& question, int part) {
  return static_cast<PlanState*>(list_nth(question.nodes, part));
}

// How many of some values are as many bytes as so many of twelve.
double as_many_bytes(const RankQuestion& question, double count) {
  constexpr int kBytesOfLength = 4;
  const int16 length = get_typlen(question.form.type);
  return count * kBytesMoved / (length > 0 ? kBytesOfLength + length : kBytesMoved);
}

double most_moved(const RankQuestion& question, double n) {
  return as_many_bytes(question, Max(kMostMoved, kPartMoved * std::sqrt(n * Min(n, kManyRows))));
}

// A value that has a good part of these is counted by itself. That takes longer, for each row.
double most_of_gap(const RankQuestion& question, double n) {
  return as_many_bytes(question, Max(kMostMoved, kPartMoved * n));
}

// --- what is asked of each table, together ---

KnownValues list_sample(const RankQuestion& question, const RankDivision& division, Rows rows,
                        double share, double* order) {
  KnownValues all;
  InOrder in_order = {};
  for (int i = 0; i < parts_of(question); ++i) {
    add_all(all, list_values(question.form, question.columns[i], division, rows, share,
                             order == nullptr ? nullptr : &in_order)
                     .values);
  }
  sort_ranges(all);
  if (order != nullptr) *order = disorder(all, in_order.keys, in_order.count);
  return all;
}

KnownValues count_within(const RankQuestion& question, const Gap& gap, const Key128* splitters,
                         int count) {
  auto* cells =
      static_cast<ValueRange*>(palloc0(sizeof(ValueRange) * static_cast<Size>(count + 1)));
  for (int i = 0; i < parts_of(question); ++i) {
    count_cells(question.form, question.columns[i], gap, splitters, count, cells);
  }
  KnownValues known;
  for (int i = 0; i <= count; ++i) add_range(known, cells[i]);
  sort_ranges(known);
  return known;
}

// --- the rows that are given ---

void put_row(Tuplestorestate* rows, TupleDesc columns, Datum value, bool is_null, int64 count) {
  if (count <= 0) return;
  Datum values[] = {value, Int64GetDatum(count)};
  bool nulls[] = {is_null, false};
  tuplestore_putvalues(rows, columns, values, nulls);
}

Datum nan_of(const ColumnForm& form) {
  Oid input = InvalidOid;
  Oid parameter = InvalidOid;
  getTypeInputInfo(form.type, &input, &parameter);
  return OidInputFunctionCall(input, pstrdup("NaN"), parameter, -1);
}

// The key that a range is given as: an end of a gap.
Key128 stand_in(const ColumnForm& form, const ValueRange& range) {
  return range.least == least_key(form) ? range.greatest : range.least;
}

void give_rows(const RankQuestion& question, int part, const ListedValues& listed) {
  const ColumnForm& form = question.form;
  PlanState* node = node_of(question, part);
  MemoryContext before = MemoryContextSwitchTo(node->state->es_query_cxt);
  TupleDesc columns = counted_column(node, list_nth_int(question.numbers, part));
  Tuplestorestate* rows = tuplestore_begin_heap(true, false, work_mem);
  MemoryContextSwitchTo(before);
  put_row(rows, columns, Datum{0}, true, listed.nulls);
  if (listed.nans > 0) put_row(rows, columns, nan_of(form), false, listed.nans);
  for (int64 i = 0; i < listed.values.count; ++i) {
    CHECK_FOR_INTERRUPTS();
    const ValueRange& range = listed.values.ranges[i];
    put_row(rows, columns, value_of_key(form, stand_in(form, range)), false, range.count);
  }
  set_rows(node, rows);
}

// Asks all rows, and gives them if they have what is wanted. known: what they said.
bool give_if_found(const RankQuestion& question, const RankDivision& division, KnownValues& known) {
  const int parts = parts_of(question);
  auto* listed =
      static_cast<ListedValues*>(palloc0(sizeof(ListedValues) * static_cast<Size>(parts)));
  known = {};
  for (int i = 0; i < parts; ++i) {
    listed[i] = list_values(question.form, question.columns[i], division, Rows::kAll, 1, nullptr);
    add_all(known, listed[i].values);
  }
  sort_ranges(known);
  if (!has_wanted(known, question.wanted)) return false;
  for (int i = 0; i < parts; ++i) give_rows(question, i, listed[i]);
  return true;
}

// --- narrower and narrower cells ---

struct Within {
  Key128 least;
  Key128 greatest;
  int64 count;      // of values
  bool is_divided;  // whether each range is one value
};

Within within(const KnownValues& known, const Gap& gap) {
  Within all = {{}, {}, 0, true};
  for (int64 i = 0; i < known.count; ++i) {
    const ValueRange& range = known.ranges[i];
    if (gap.has_low && range.least <= gap.low) continue;
    if (gap.has_high && range.greatest >= gap.high) break;
    if (all.count == 0) all.least = range.least;
    all.greatest = range.greatest;
    all.count += range.count;
    all.is_divided = all.is_divided && range.is_value();
  }
  return all;
}

// Counts smaller cells where there are many values within a gap. False if that is nowhere.
bool refine(const RankQuestion& question, const RankDivision& division, double most,
            KnownValues& known) {
  bool any = false;
  const int about = question.is_sampled ? kCellsOfShards : kCells;
  for (int i = 0; i < division.count; ++i) {
    const Gap& gap = division.gaps[i];
    const Within inside = within(known, gap);
    if (inside.is_divided || static_cast<double>(inside.count) <= most / division.count) continue;
    auto* splitters = static_cast<Key128*>(palloc(sizeof(Key128) * kMostSplittersAsked));
    // what lies beyond a gap that missed has no end that is a value
    const bool is_open =
        inside.least == least_key(question.form) || inside.greatest == greatest_key(question.form);
    const int count =
        is_open ? 0
                : choose_splitters(question.form, inside.least, inside.greatest, about, splitters);
    const KnownValues cells = count_within(question, gap, splitters, count);
    replace_between(known, gap.has_low ? &gap.low : nullptr, gap.has_high ? &gap.high : nullptr,
                    cells);
    any = true;
  }
  return any;
}

bool narrow_down(const RankQuestion& question, KnownValues known) {
  int misses = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const double most = most_moved(question, static_cast<double>(known.total));
    const RankDivision division =
        divide_near_ranks(known, kAllRows, question.wanted, 1,
                          most_of_gap(question, static_cast<double>(known.total)));
    if (division.listed > most && refine(question, division, most, known)) {
      if (known.total > 0) continue;
      return false;  // all have gone: what comes instead is not known
    }
    if (give_if_found(question, division, known)) return true;
    if (++misses == kMostMisses) return false;
  }
  return false;
}

// Whether no more than a few different ones fit between the least and the greatest one.
bool has_few_values(const RankQuestion& question, const KnownValues& known) {
  const auto least = static_cast<Uint128>(int128(known.ranges[0].least));
  const auto greatest = static_cast<Uint128>(int128(known.ranges[0].greatest));
  return !question.form.grid.is_float() && greatest - least < Uint128{kFewRows};
}

bool find_by_counts(const RankQuestion& question) {
  const KnownValues known = count_within(question, {}, nullptr, 0);
  return known.total > kFewRows && !has_few_values(question, known) && narrow_down(question, known);
}

// --- samples ---

// What a sample says, and the gaps that follow from it.
struct Sampled {
  KnownValues values;
  Sampling sampling;
  RankDivision gaps;
};

// A larger sample, of the rows within the gaps of one: of so many that these are few, and that few
// are listed of the gaps that follow, as far as both can be had. False if it would not be larger.
bool sample_within(const RankQuestion& question, Rows rows, double n, Sampled& sampled) {
  const double most = most_moved(question, n);
  const double each = rows == Rows::kOneByOne ? 1
                                              : sampled.sampling.independent /
                                                    static_cast<double>(sampled.values.total);
  const double most_of_each = most * Min(1.0, kEnough / sampled.gaps.count);
  const double share = Min(1.0, Min(share_for(n, most_of_each, each), most / sampled.gaps.listed));
  if (share <= kLarger * sampled.sampling.share) return false;
  const double most_listed = most_of_gap(question, n);
  const RankDivision gaps =
      divide_near_ranks(sampled.values, sampled.sampling, question.wanted, share, most_listed);
  const KnownValues larger = list_sample(question, gaps, rows, share, nullptr);
  if (larger.total < kLeastSample) return false;
  const Sampling again = {share, each * static_cast<double>(larger.total)};
  sampled = {larger, again, divide_near_ranks(larger, again, question.wanted, 1, most_listed)};
  return true;
}

// What came of sampling: gaps few enough to be asked for, none, or that all different values are to
// be asked for.
enum class Sought { kFound, kNotFound, kAllValues };

// A sample of blocks is one of rows if these lie in no order. If they do, those that follow are
// taken row by row, which reads the whole table.
Sought find_gaps(const RankQuestion& question, double n, RankDivision& gaps) {
  double order = 1;
  const double share = kFirstSample / n;
  Sampled sampled = {list_sample(question, one_gap(), Rows::kOfBlocks, share, &order), {}, {}};
  const KnownValues first = sampled.values;
  if (first.total < kLeastSample) return Sought::kNotFound;
  sampled.sampling = {share, Max(1.0, order * static_cast<double>(first.total))};
  sampled.gaps =
      divide_near_ranks(first, sampled.sampling, question.wanted, 1, most_of_gap(question, n));
  if (first.count * kOften <= first.total && sampled.gaps.frequent > 0) return Sought::kAllValues;
  const Rows rows = order < kInOrder ? Rows::kOneByOne : Rows::kOfBlocks;
  const double most = most_moved(question, n);
  double enough = most;
  while (sampled.gaps.listed > enough && sample_within(question, rows, n, sampled)) {
    enough = kEnough * most;
  }
  gaps = sampled.gaps;
  return gaps.listed > kTolerance * most ? Sought::kNotFound : Sought::kFound;
}

// A sample may mislead the next one.
bool find_by_samples(const RankQuestion& question) {
  int64 counted = 0;
  for (int i = 0; i < parts_of(question); ++i) {
    counted += count_values(question.columns[i], kShareCounted);
  }
  const double n = static_cast<double>(counted) / kShareCounted;
  if (n < static_cast<double>(kFewRows)) return false;
  RankDivision gaps;
  Sought sought = Sought::kNotFound;
  for (int i = 0; i < kMostSought && sought == Sought::kNotFound; ++i) {
    sought = find_gaps(question, n, gaps);
  }
  if (sought == Sought::kAllValues) return false;
  if (sought == Sought::kNotFound) return find_by_counts(question);
  KnownValues known;
  return give_if_found(question, gaps, known) || narrow_down(question, known);
}

// --- which nodes ---

// The servers of a foreign table need not know samples; nor do tables that lie in columns.
bool is_sampled(Relation table) {
  return is_citus_table(RelationGetRelid(table)) && table->rd_rel->relkind == RELKIND_RELATION &&
         table->rd_rel->relam == HEAP_TABLE_AM_OID;
}

// Whether what is counted is counted where the rows lie, so that asking again moves nothing.
bool counts_there(Relation table) {
  return table->rd_rel->relkind != RELKIND_FOREIGN_TABLE ||
         GetFdwRoutineForRelation(table, false)->GetForeignUpperPaths != nullptr;
}

bool set_column(RankQuestion& question, int part) {
  PlanState* node = node_of(question, part);
  Relation table = reinterpret_cast<ScanState*>(node)->ss_currentRelation;
  const int number = list_nth_int(question.numbers, part);
  RankColumn& column = question.columns[part];
  column.query = remote_query(as<Scan>(node->plan), table, node->state->es_param_list_info, NIL);
  column.table = table;
  column.state = node->state;
  const auto* row = TupleDescAttr(RelationGetDescr(table), number - 1);
  column.name = quote_identifier(NameStr(row->attname));
  // What a foreign table says of its columns is checked nowhere.
  column.is_never_null = row->attnotnull && is_citus_table(RelationGetRelid(table));
  question.is_sampled = question.is_sampled && is_sampled(table);
  return column.query.rest == NIL && list_length(column.query.columns) == 1 &&
         linitial_int(column.query.columns) == number && counts_there(table);
}

bool ask_joint(JointAsker* asker) {
  auto* question = reinterpret_cast<RankQuestion*>(asker);
  if (question->is_asked) return false;
  question->is_asked = true;
  for (auto* node : list<PlanState>(question->nodes)) require_approval(node);
  MemoryContext rounds =
      AllocSetContextCreate(CurrentMemoryContext, "values near ranks", ALLOCSET_DEFAULT_SIZES);
  MemoryContext before = MemoryContextSwitchTo(rounds);
  const auto parts = static_cast<Size>(parts_of(*question));
  question->columns = static_cast<RankColumn*>(palloc0(sizeof(RankColumn) * parts));
  question->is_sampled = true;
  bool is_given = true;
  for (int i = 0; is_given && i < parts_of(*question); ++i) is_given = set_column(*question, i);
  if (is_given) {
    is_given = question->is_sampled ? find_by_samples(*question) : find_by_counts(*question);
  }
  MemoryContextSwitchTo(before);
  MemoryContextDelete(rounds);
  return is_given;
}

}  // namespace

void read_near_ranks(List* nodes, List* columns, const WantedRanks& wanted) {
  auto* question = static_cast<RankQuestion*>(palloc0(sizeof(RankQuestion)));
  for (int i = 0; i < list_length(nodes); ++i) {
    auto* node = static_cast<ScanState*>(list_nth(nodes, i));
    const auto* column =
        TupleDescAttr(RelationGetDescr(node->ss_currentRelation), list_nth_int(columns, i) - 1);
    if (!set_column_form(question->form, column->atttypid, column->atttypmod)) return;
    for (int k = 0; k < wanted.count; ++k) {
      if (!(wanted.specs[k]->grid == question->form.grid)) return;
    }
  }
  question->asker.ask = ask_joint;
  question->nodes = nodes;
  question->numbers = columns;
  question->wanted = wanted;
  for (auto* node : list<PlanState>(nodes)) set_asker(node, &question->asker);
}

}  // namespace idp
