#include "extension/rewrite/cell_comparisons.h"

#include "extension/access/hidden.h"
#include "extension/domain/cell_nodes.h"
#include "extension/domain/domain_rows.h"
#include "extension/domain/key_origin.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/in_place.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parameters.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/group_functions.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/time_comparisons.h"

extern "C" {
#include "access/stratnum.h"
#include "access/xact.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

// --- days and times ---

// A day is after a time if it is after the day of that, and not before it if it is after the day of
// the instant before.
Node* days_compared(const TimeComparison& compared) {
  const Oid type = exprType(compared.constant);
  if (!is_instant(type) || compared.strategy == BTEqualStrategyNumber) return nullptr;
  Node* time = compared.constant;
  const bool ends_before = compared.strategy == BTLessStrategyNumber ||
                           compared.strategy == BTGreaterEqualStrategyNumber;
  if (ends_before) time = moved_instant(type, time, "-1 microsecond");
  Node* day =
      as<Node>(makeFuncExpr(type == TIMESTAMPOID ? F_DATE_TIMESTAMP : F_DATE_TIMESTAMPTZ, DATEOID,
                            list_make1(time), InvalidOid, InvalidOid, COERCE_EXPLICIT_CAST));
  return comparison(
      compared.column,
      is_before(compared.strategy) ? BTLessEqualStrategyNumber : BTGreaterStrategyNumber,
      folded(day));
}

// --- instants and cells ---

// The constant as an instant of the column's type.
Node* instant_of(Oid type, const TimeComparison& compared) {
  Node* constant = compared.constant;
  if (compared.zone != nullptr) return time_of_zone(compared.zone, constant);
  if (type == TIMESTAMPOID && exprType(constant) == TIMESTAMPTZOID) {
    return as<Node>(makeFuncExpr(F_TIMESTAMP_TIMESTAMPTZ, type, list_make1(constant), InvalidOid,
                                 InvalidOid, COERCE_EXPLICIT_CAST));
  }
  return as_instant(type, constant);
}

// What lies within a cell is brought to the end of it: what begins before that is before the
// constant, and what begins then is after it.
struct End {
  Oid type;
  const Grain& grain;
  bool is_last;  // the last instant of the cell; otherwise the first of the next

  Node* of(Node* instant) const {
    Node* next = next_cell_of_node(type, grain, cell_of_node(type, grain, instant));
    return is_last ? moved_instant(type, next, "-1 microsecond") : next;
  }
  Datum of(Datum cell) const {
    const Datum next = next_cell(type, grain, cell);
    return is_last ? TimestampGetDatum(DatumGetTimestamp(next) - 1) : next;
  }
};

// Of a parameter whose value is not known yet: it may be what a cell begins with.
Node* end_or_begin(const End& end, Node* instant) {
  Node* is_begin =
      comparison(instant, BTEqualStrategyNumber, cell_of_node(end.type, end.grain, instant));
  Node* bound = cases(nullptr, with_when(NIL, is_begin, instant), end.of(instant));
  return static_cast<Node*>(copyObjectImpl(bound));  // each node once
}

// Null if the constant stays as it is.
Node* end_of_cell_of(const End& end, Node* instant) {
  if (names_parameters(instant)) return end_or_begin(end, instant);
  Node* known = estimated(instant);
  if (!IsA(known, Const) || as<Const>(known)->constisnull) return nullptr;
  const Datum value = as<Const>(known)->constvalue;
  if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value))) return nullptr;
  const Datum cell = cell_of(end.type, end.grain, value);
  if (DatumGetTimestamp(cell) == DatumGetTimestamp(value)) return nullptr;
  if (!IsA(instant, Const)) return end.of(instant);
  return as<Node>(
      makeConst(end.type, -1, InvalidOid, sizeof(Timestamp), end.of(cell), false, FLOAT8PASSBYVAL));
}

Node* cells_compared(const TimeComparison& compared, const Grain& grain) {
  if (compared.strategy == BTEqualStrategyNumber) return nullptr;
  const Oid type = exprType(compared.column);
  Node* instant = instant_of(type, compared);
  const bool is_last = compared.strategy == BTLessEqualStrategyNumber ||
                       compared.strategy == BTGreaterStrategyNumber;
  Node* end = instant == nullptr ? nullptr : end_of_cell_of({type, grain, is_last}, instant);
  return end == nullptr ? nullptr : comparison(compared.column, compared.strategy, end);
}

// Once in a statement, however many parts of it compare the column.
void tell(const char* column, const Grain& grain) {
  static TimestampTz when = 0;
  static NameData told;
  if (when == GetCurrentStatementStartTimestamp() && namestrcmp(&told, column) == 0) return;
  when = GetCurrentStatementStartTimestamp();
  namestrcpy(&told, column);
  const char* zone = grain.zone == nullptr ? "" : psprintf(" of zone %s", grain.zone);
  ereport(NOTICE,
          (errmsg("conditions see each \"%s\" as the start of its %s%s", column, grain.unit, zone),
           errhint("Compare it with the start of a %s, or ask its owner for a finer grain.",
                   grain.unit)));
}

// --- the level ---

struct Work {
  const QueryLevel* level;
  List* told;  // of String: the columns
};

// The column of a table that a value is, or of one of whose values it is: of each person's last
// day.
TableColumn origin_of_one(const QueryLevel& level, const Node* value) {
  check_stack_depth();
  if (const Var* column = column_of_one(value)) {
    return groups_by_unit(level) ? origin_of(level, as<Node>(column)) : TableColumn{};
  }
  const TableColumn origin = origin_of(level, value);
  if (OidIsValid(origin.table) || !IsA(value, Var)) return origin;
  const auto* column = as<Var>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0) return {};
  RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery->setOperations != nullptr) return {};
  const TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  return target == nullptr ? TableColumn{}
                           : origin_of_one({entry->subquery, &level}, as<Node>(target->expr));
}

// The same column of a whole table, if its rows are hidden; else none.
TableColumn hidden_column(const TableColumn& origin) {
  const TableColumn column = column_of_whole(origin);
  return OidIsValid(column.table) && is_hidden(column.table) ? column : TableColumn{};
}

struct Cells {
  const char* column = nullptr;  // null if it has none
  Grain grain;
};

Cells cells_of(const TableColumn& column) {
  if (!OidIsValid(column.table)) return {};
  const char* name = column_name(column.table, column.number);
  const DomainRow row = domain_row(column.table, name);
  if (!row.exists || row.grain().unit == nullptr) return {};
  return {name, row.grain()};
}

Node* by_cells(OpExpr* call, Work* work) {
  auto* same = as<Node>(call);
  const TimeComparison compared = time_comparison(call);
  if (compared.strategy == 0) return same;
  const TableColumn column = hidden_column(origin_of_one(*work->level, compared.column));
  if (!OidIsValid(column.table)) return same;
  if (exprType(compared.column) == DATEOID) {
    Node* days = days_compared(compared);
    return days == nullptr ? same : days;
  }
  const Cells cells = cells_of(column);
  if (cells.column == nullptr) return same;
  const bool is_of_zone = compared.zone == nullptr || is_same_zone(compared.zone, cells.grain);
  Node* changed = is_of_zone ? cells_compared(compared, cells.grain) : nullptr;
  if (changed == nullptr) return same;
  auto* column_told = makeString(pstrdup(cells.column));
  if (!list_member(work->told, column_told)) {
    work->told = lappend(work->told, column_told);
    tell(cells.column, cells.grain);
  }
  return changed;
}

bool find_comparison(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  return (IsA(node, OpExpr) && as<OpExpr>(node)->opresulttype == BOOLOID) ||
         walk_expression(node, find_comparison, nullptr);
}

Node* with_cells(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (IsA(node, TargetEntry) && !find_comparison(node, nullptr)) return node;
  Node* copy = map_in_place(node, with_cells, context);
  return IsA(copy, OpExpr) ? by_cells(as<OpExpr>(copy), static_cast<Work*>(context)) : copy;
}

// Whether an instant from what a cell begins with on, or before that, is told by its cell alone: at
// >= day, at < day. What is after the beginning, or until then, is not. place: that of the instant.
bool is_of_cells(Oid type, Oid op, int place) {
  const int strategy = order_strategy(op, type);
  return place == 0 ? strategy == BTGreaterEqualStrategyNumber || strategy == BTLessStrategyNumber
                    : strategy == BTLessEqualStrategyNumber || strategy == BTGreaterStrategyNumber;
}

// Whether it is so with the other side: an answer is no day of a calendar, and every order is that
// of the beginnings of cells.
bool is_by_cells(Oid type, const OpExpr* call, int place) {
  if (is_of_cells(type, call->opno, place)) return true;
  const int strategy = order_strategy(call->opno, type);
  return strategy != 0 && strategy != BTEqualStrategyNumber &&
         find_row_of_subquery(static_cast<Node*>(list_nth(call->args, 1 - place)), nullptr);
}

}  // namespace

OpExpr* compared_by_cell(const QueryLevel& level, OpExpr* call) {
  if (list_length(call->args) != 2) return call;
  for (int place = 0; place < 2; ++place) {
    auto* value = static_cast<Node*>(list_nth(call->args, place));
    const Oid type = exprType(value);
    if (!IsA(value, Var) || !is_instant(type) || !is_by_cells(type, call, place)) continue;
    const Cells cells = cells_of(hidden_column(origin_of(level, value)));
    if (cells.column == nullptr) continue;
    auto* changed = static_cast<OpExpr*>(copyObjectImpl(call));
    ListCell* cell = list_nth_cell(changed->args, place);
    cell->ptr_value = cell_of_node(type, cells.grain, static_cast<Node*>(lfirst(cell)));
    tell(cells.column, cells.grain);
    return changed;
  }
  return call;
}

void compare_by_cells(const QueryLevel& level) {
  Work work{&level, NIL};
  (void)map_query(level.query, with_cells, &work,
                  QTW_DONT_COPY_QUERY | QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
}

}  // namespace idp
