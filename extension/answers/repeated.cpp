#include "extension/answers/repeated.h"

#include <algorithm>

#include "extension/access/hidden.h"
#include "extension/answers/node.h"
#include "extension/answers/row_texts.h"
#include "extension/budget/account.h"
#include "extension/budget/owned_table.h"
#include "extension/call/bound_call.h"
#include "extension/catalog/columns.h"
#include "extension/catalog/own_rows.h"
#include "extension/catalog/store.h"
#include "extension/catalog/stored_text.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/plain_output.h"
#include "extension/pg/sql_function.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/bind.h"
#include "extension/plan/identity.h"
#include "extension/plan/question.h"
#include "extension/plan/sources.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "access/heapam.h"
#include "access/xact.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/regproc.h"
}

namespace idp {

namespace {

// Larger answers are not kept.
constexpr int kMostValues = 100000;
constexpr Size kMostBytes = Size{1} << 20;

// What functions of dates and times follow, and how values are written. Other functions that follow
// settings are in no question that is repeated.
constexpr const char* kSettings[] = {
    "TimeZone",      "timezone_abbreviations", "DateStyle",  "lc_time",
    "IntervalStyle", "extra_float_digits",     "lc_numeric", "lc_monetary",
    "bytea_output"};

// --- the question of a node ---

struct Asked {
  PlanState* node;
  List* calls;     // of BoundCall, in the order of its columns
  List* accounts;  // of int
  List* tables;    // of Oid
  char* text;      // for people
  bytea* key;
};

BoundCall* call_in(const List* calls, const Aggref* aggref) {
  ListCell* cell;
  foreach (cell, calls) {
    auto* call = static_cast<BoundCall*>(lfirst(cell));
    if (call->aggref->aggno == aggref->aggno) return call;
  }
  return nullptr;
}

List* calls_of(const RunningQuery& query, const PlanState* drawing) {
  List* calls = NIL;
  ListCell* cell;
  foreach (cell, query.calls) {
    auto* call = static_cast<BoundCall*>(lfirst(cell));
    if (&call->node->ss.ps == drawing) calls = lappend(calls, call);
  }
  return calls;
}

bool may_be_kept(const BoundCall& call) {
  return call.has_request && call.release.name == nullptr && !call.charge.is_idle &&
         all_repeat(call.charge.accounts);
}

// The arguments that follow epsilon.
void append_arguments(StringInfo text, const BoundCall& call) {
  PlanNode place = plan_node(&call.node->ss.ps);
  const Aggref* half = half_with_arguments(place, call.aggref);
  for (int i = 1; i < call.call.parameters; ++i) {
    const auto* entry =
        static_cast<const TargetEntry*>(list_nth(half->args, call.call.column_arguments + i));
    const NullableDatum& value = call.parameters[i];
    Oid output = InvalidOid;
    bool is_varlena = false;
    getTypeOutputInfo(exprType(reinterpret_cast<const Node*>(entry->expr)), &output, &is_varlena);
    appendStringInfo(text, ", %s",
                     value.isnull ? "NULL" : OidOutputFunctionCall(output, value.value));
  }
}

// Finds what is made of anything but the keys of groups.
bool find_no_key(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    const auto* plan = static_cast<const Agg*>(context);
    const AttrNumber number = reinterpret_cast<const Var*>(node)->varattno;
    return std::find(plan->grpColIdx, plan->grpColIdx + plan->numCols, number) ==
           plan->grpColIdx + plan->numCols;
  }
  if (!IsA(node, Const) && !only_calls_functions(node)) return true;
  return contain_volatile_functions(node) || walk_expression(node, find_no_key, context);
}

// An expression over the keys, which are named by where GROUP BY has them.
bool append_key(StringInfo key, const Agg* plan, Node* expression) {
  if (find_no_key(expression, const_cast<Agg*>(plan))) return false;
  appendStringInfoString(key, identity_of(expression));
  appendStringInfoChar(key, '\n');
  return true;
}

List* aggrefs_of(const Agg* plan) {
  List* aggrefs = NIL;
  ListCell* cell;
  foreach (cell, plan->plan.targetlist) {
    auto* value = static_cast<const TargetEntry*>(lfirst(cell))->expr;
    if (IsA(value, Aggref)) aggrefs = lappend(aggrefs, value);
  }
  return aggrefs;
}

// What the columns of the node's rows are. False if that is not known.
bool append_columns(StringInfo key, StringInfo text, Asked& asked, List* calls) {
  auto* drawing = reinterpret_cast<AggState*>(const_cast<PlanState*>(drawing_node(asked.node)));
  const auto* plan = reinterpret_cast<const Agg*>(drawing->ss.ps.plan);
  List* aggrefs = aggrefs_of(plan);
  List* questions = aggrefs == NIL ? NIL : whole_questions(drawing, aggrefs);
  if (questions == NIL) return false;
  appendStringInfo(key, "%s\n", static_cast<const WholeQuestion*>(linitial(questions))->of_level);
  int number = 0;
  ListCell* cell;
  foreach (cell, plan->plan.targetlist) {
    const auto* target = static_cast<const TargetEntry*>(lfirst(cell));
    const auto* value = reinterpret_cast<const Node*>(target->expr);
    appendStringInfo(key, "%s,", format_type_with_typemod(exprType(value), exprTypmod(value)));
    if (!IsA(value, Aggref)) {
      if (!append_key(key, plan, const_cast<Node*>(value))) return false;
      continue;
    }
    BoundCall* call = call_in(calls, reinterpret_cast<const Aggref*>(value));
    if (call == nullptr) return false;
    const auto* question = static_cast<const WholeQuestion*>(list_nth(questions, number++));
    asked.calls = lappend(asked.calls, call);
    appendStringInfo(key, "%s", format_procedure_qualified(call->aggref->aggfnoid));
    append_arguments(key, *call);
    appendStringInfo(key, " %s\n", question->identity);
    appendStringInfo(text, "%s%s", text->len > 0 ? ", " : "", call->name);
    append_arguments(text, *call);
    appendStringInfo(text, " %s", question->text);
  }
  return true;
}

// Which of the columns decide whether a row is given.
void append_deciding(StringInfo key, const CustomScan* plan) {
  ListCell* cell;
  foreach (cell, deciding_columns(plan)) appendStringInfo(key, "if %d\n", lfirst_int(cell));
}

int compare_oids(const ListCell* a, const ListCell* b) {
  return lfirst_oid(a) < lfirst_oid(b) ? -1 : lfirst_oid(a) > lfirst_oid(b) ? 1 : 0;
}

int compare_numbers(const ListCell* a, const ListCell* b) {
  return lfirst_int(a) < lfirst_int(b) ? -1 : lfirst_int(a) > lfirst_int(b) ? 1 : 0;
}

Oid relation_file(Relation table) {
  return RELKIND_HAS_STORAGE(table->rd_rel->relkind) ? table->rd_rel->relfilenode : InvalidOid;
}

void append_world(StringInfo key, Asked& asked) {
  ListCell* cell;
  list_sort(asked.tables, compare_oids);
  foreach (cell, asked.tables) {
    // Other values in a column, or all rows taken away, come with another file.
    Relation table = table_open(lfirst_oid(cell), NoLock);
    appendStringInfo(key, "\n%u %u%s", lfirst_oid(cell), relation_file(table),
                     is_hidden(lfirst_oid(cell)) ? " hidden" : "");
    table_close(table, NoLock);
  }
  list_sort(asked.accounts, compare_numbers);
  foreach (cell, asked.accounts) appendStringInfo(key, "\naccount %d", lfirst_int(cell));
  const auto* call = static_cast<const BoundCall*>(linitial(asked.calls));
  const bool substitutes = neighbours_of(call->charge.accounts) == Neighbours::kSubstitute;
  appendStringInfo(key, "\nneighbours %d", substitutes);  // the noise is for these
  for (const char* setting : kSettings) {
    appendStringInfo(key, "\n%s %s", setting, GetConfigOption(setting, true, false));
  }
}

bytea* digest_of(const StringInfoData& text) {
  auto* digest = static_cast<bytea*>(palloc(VARHDRSZ + PG_SHA256_DIGEST_LENGTH));
  SET_VARSIZE(digest, VARHDRSZ + PG_SHA256_DIGEST_LENGTH);
  pg_cryptohash_ctx* hash = pg_cryptohash_create(PG_SHA256);
  const bool is_done =
      hash != nullptr && pg_cryptohash_init(hash) == 0 &&
      pg_cryptohash_update(hash, reinterpret_cast<const uint8*>(text.data), text.len) == 0 &&
      pg_cryptohash_final(hash, reinterpret_cast<uint8*>(VARDATA(digest)),
                          PG_SHA256_DIGEST_LENGTH) == 0;
  if (!is_done) elog(ERROR, "could not compute the digest of a question");
  pg_cryptohash_free(hash);
  return digest;
}

// Views are what they read.
List* tables_read(EState* state) {
  List* tables = NIL;
  ListCell* cell;
  foreach (cell, tables_of_query(state)) {
    if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_VIEW) continue;
    tables = list_append_unique_oid(tables, lfirst_oid(cell));
  }
  return tables;
}

// Null if what the node answers is not kept.
Asked* asked_of(const RunningQuery& query, PlanState* node) {
  const auto* scan = reinterpret_cast<const CustomScan*>(node->plan);
  const auto* plan = reinterpret_cast<const Agg*>(drawing_plan(scan));
  const bool is_sorted = plan->numCols > 0 && order_of_answers(scan).columns == NIL;
  if (draws_again(node) || is_sorted || plan->groupingSets != NIL || plan->chain != NIL) {
    return nullptr;
  }
  List* calls = calls_of(query, drawing_node(node));
  auto* asked = static_cast<Asked*>(palloc0(sizeof(Asked)));
  asked->node = node;
  ListCell* cell;
  ListCell* inner;
  foreach (cell, calls) {
    const auto* call = static_cast<const BoundCall*>(lfirst(cell));
    if (!may_be_kept(*call)) return nullptr;
    foreach (inner, call->charge.accounts) {
      asked->accounts =
          list_append_unique_int(asked->accounts, static_cast<const Account*>(lfirst(inner))->id);
    }
  }
  if (!have_plain_texts(columns_of_answers(node))) return nullptr;
  asked->tables = tables_read(node->state);
  StringInfoData key;
  StringInfoData text;
  initStringInfo(&key);
  initStringInfo(&text);
  PlainOutput plain;
  const bool is_known = append_columns(&key, &text, *asked, calls);
  plain.end();
  if (!is_known || list_length(asked->calls) != list_length(calls)) return nullptr;
  append_deciding(&key, scan);
  append_world(&key, *asked);
  asked->text = short_form(text.data);
  asked->key = digest_of(key);
  return asked;
}

// --- what was answered ---

using namespace answer_column;

// Until when answers of that time are given again: the least that one of the accounts says.
bool is_current(const Asked& asked, TimestampTz at) {
  ListCell* cell;
  ListCell* inner;
  foreach (cell, asked.calls) {
    foreach (inner, static_cast<const BoundCall*>(lfirst(cell))->charge.accounts) {
      const auto* account = static_cast<const Account*>(lfirst(inner));
      const Datum ends = DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(at),
                                             IntervalPGetDatum(account->repeats));
      if (DatumGetTimestampTz(ends) <= GetCurrentTimestamp()) return false;
    }
  }
  return true;
}

bool are_enough(const Asked& asked, Datum epsilons) {
  ArrayType* paid = DatumGetArrayTypeP(epsilons);
  const int count = ArrayGetNItems(ARR_NDIM(paid), ARR_DIMS(paid));
  const auto* values = reinterpret_cast<const double*>(ARR_DATA_PTR(paid));
  int i = 0;
  ListCell* cell;
  foreach (cell, asked.calls) {
    for (const double epsilon :
         static_cast<const BoundCall*>(lfirst(cell))->request.epsilon_span()) {
      if (i >= count || values[i] < epsilon) return false;
      ++i;
    }
  }
  return i == count;
}

List* texts_of(Datum array) {
  Datum* values = nullptr;
  bool* nulls = nullptr;
  int count = 0;
  deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls,
                    &count);
  List* texts = NIL;
  for (int i = 0; i < count; ++i) {
    texts = lappend(texts, nulls[i] ? nullptr : TextDatumGetCString(values[i]));
  }
  return texts;
}

// The last ones that are current and enough, and can be read. False if there are none.
bool find_answers(const Asked& asked, List** rows) {
  StoreScan scan(Table::kAnswer, "answer_key", StoreScan::Order::kBackward);
  scan.add_key(kKey + 1, F_BYTEAEQ, PointerGetDatum(asked.key));
  Datum values[answer_column::kCount];
  bool nulls[answer_column::kCount];
  bool found = false;
  while (!found && scan.next(values, nulls)) {
    if (!is_current(asked, DatumGetTimestampTz(values[kAt]))) break;
    found = are_enough(asked, values[kEpsilons]) &&
            read_rows(columns_of_answers(asked.node), texts_of(values[kRows]), rows);
  }
  const XLogRecPtr written = scan.written();
  scan.close();
  if (found) make_durable(written);
  return found;
}

void give(const Asked& asked, const List* rows) {
  ListCell* cell;
  foreach (cell, asked.calls) {
    auto* call = static_cast<BoundCall*>(lfirst(cell));
    call->charge.is_repeated = call->charge.is_idle = true;
    call->charge.accounts = NIL;
  }
  give_again(asked.node, rows);
}

// --- keeping ---

uint32 number_of(const Asked& asked) {
  uint32 number;
  memcpy(&number, VARDATA(asked.key), sizeof number);
  return number;
}

struct Keeper {
  Asked asked;
  StoreLock lock;
};

Datum array_of(const List* texts) {
  const int count = list_length(texts);
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (count + 1)));
  auto* nulls = static_cast<bool*>(palloc(sizeof(bool) * (count + 1)));
  for (int i = 0; i < count; ++i) {
    const auto* text = static_cast<const char*>(list_nth(texts, i));
    nulls[i] = text == nullptr;
    values[i] = nulls[i] ? Datum{0} : CStringGetTextDatum(text);
  }
  int dimensions[] = {count};
  int bounds[] = {1};
  return PointerGetDatum(construct_md_array(values, nulls, count > 0 ? 1 : 0, dimensions, bounds,
                                            TEXTOID, -1, false, TYPALIGN_INT));
}

template <class Number>
Datum numbers_array(const List* numbers, Oid type, Number number_in) {
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (list_length(numbers) + 1)));
  int count = 0;
  ListCell* cell;
  foreach (cell, numbers) values[count++] = number_in(cell);
  return PointerGetDatum(construct_array(values, count, type, sizeof(int32), true, TYPALIGN_INT));
}

Datum epsilons_of(const Asked& asked) {
  ListCell* cell;
  int count = 0;
  foreach (cell, asked.calls) {
    count += static_cast<int>(
        static_cast<const BoundCall*>(lfirst(cell))->request.epsilon_span().size());
  }
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (count + 1)));
  int i = 0;
  foreach (cell, asked.calls) {
    for (const double epsilon :
         static_cast<const BoundCall*>(lfirst(cell))->request.epsilon_span()) {
      values[i++] = Float8GetDatum(epsilon);
    }
  }
  return PointerGetDatum(
      construct_array(values, count, FLOAT8OID, sizeof(double), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

Datum types_of(const Asked& asked) {
  TupleDesc columns = columns_of_answers(asked.node);
  List* types = NIL;
  for (int i = 0; i < columns->natts; ++i) {
    const Form_pg_attribute column = TupleDescAttr(columns, i);
    types = lappend(types, format_type_with_typemod(column->atttypid, column->atttypmod));
  }
  return array_of(types);
}

bool is_small(const List* rows) {
  if (list_length(rows) > kMostValues) return false;
  Size bytes = 0;
  ListCell* cell;
  foreach (cell, rows) {
    const auto* text = static_cast<const char*>(lfirst(cell));
    if (text != nullptr) bytes += strlen(text);
  }
  return bytes <= kMostBytes;
}

void keep(bool is_drawn, const List* rows, void* context) {
  auto* keeper = static_cast<Keeper*>(context);
  const Asked& asked = keeper->asked;
  if (is_drawn && is_small(rows)) {
    Datum values[answer_column::kCount];
    bool nulls[answer_column::kCount] = {};
    values[kKey] = PointerGetDatum(asked.key);
    values[kAt] = TimestampTzGetDatum(GetCurrentTimestamp());
    values[kAccounts] = numbers_array(asked.accounts, INT4OID, [](const ListCell* cell) {
      return Int32GetDatum(lfirst_int(cell));
    });
    values[kTables] = numbers_array(asked.tables, OIDOID, [](const ListCell* cell) {
      return ObjectIdGetDatum(lfirst_oid(cell));
    });
    values[kQuestion] = CStringGetTextDatum(asked.text);
    values[kEpsilons] = epsilons_of(asked);
    values[kColumns] = types_of(asked);
    values[kRows] = array_of(rows);
    insert_row(Table::kAnswer, values, nulls);
  }
  keeper->lock.release();
}

bool has_number(Datum numbers, uint32 wanted) {
  ArrayType* array = DatumGetArrayTypeP(numbers);
  const auto* values = reinterpret_cast<const uint32*>(ARR_DATA_PTR(array));
  const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  return std::find(values, values + count, wanted) != values + count;
}

// Whether answers read a table, or were paid by one of those accounts.
bool are_about(const Datum* values, Oid table, const List* accounts) {
  if (has_number(values[kTables], table)) return true;
  ListCell* cell;
  foreach (cell, accounts) {
    const auto id = static_cast<uint32>(static_cast<const Account*>(lfirst(cell))->id);
    if (has_number(values[kAccounts], id)) return true;
  }
  return false;
}

Datum forget_answers(FunctionCallInfo fcinfo) {
  const Oid table = PG_GETARG_OID(0);
  require_owner(table);
  PreventCommandIfReadOnly("idp.forget_answers()");
  Relation answers = table_open(own_relation("answer"), RowExclusiveLock);
  SysScanDesc scan = systable_beginscan(answers, InvalidOid, false, SnapshotSelf, 0, nullptr);
  const List* accounts = accounts_of(table);
  int64 count = 0;
  HeapTuple tuple;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    Datum values[answer_column::kCount];
    bool nulls[answer_column::kCount];
    heap_deform_tuple(tuple, RelationGetDescr(answers), values, nulls);
    if (!are_about(values, table, accounts)) continue;
    simple_heap_delete(answers, &tuple->t_self);
    ++count;
  }
  systable_endscan(scan);
  table_close(answers, NoLock);
  PG_RETURN_INT64(count);
}

}  // namespace

void repeat_answers(RunningQuery& query, const List* nodes, bool runs) {
  if (!query.reads_hidden_rows) return;
  List* left = NIL;
  ListCell* cell;
  foreach (cell, nodes) {
    Asked* asked = asked_of(query, static_cast<PlanState*>(lfirst(cell)));
    if (asked == nullptr) continue;
    List* rows = NIL;
    if (find_answers(*asked, &rows)) {
      give(*asked, rows);
    } else {
      left = lappend(left, asked);
    }
  }
  // Answers about rows of the past are those of the transaction that sees them.
  if (!runs || left == NIL || RecoveryInProgress() || IsolationUsesXactSnapshot()) return;
  // Everybody locks questions in one order.
  list_sort(left, [](const ListCell* a, const ListCell* b) {
    const uint32 first = number_of(*static_cast<const Asked*>(lfirst(a)));
    const uint32 second = number_of(*static_cast<const Asked*>(lfirst(b)));
    return first < second ? -1 : first > second ? 1 : 0;
  });
  prepare_to_write();
  foreach (cell, left) {
    const auto* asked = static_cast<const Asked*>(lfirst(cell));
    auto* keeper = static_cast<Keeper*>(palloc(sizeof(Keeper)));
    new (keeper) Keeper{*asked, StoreLock(Table::kAnswer, number_of(*asked))};
    List* rows = NIL;
    if (find_answers(*asked, &rows)) {  // another session's, meanwhile
      give(*asked, rows);
      keeper->lock.release();
    } else {
      hand_over(asked->node, keep, keeper);
    }
  }
}

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_forget_answers, forget_answers);

}  // extern "C"
#pragma GCC visibility pop
