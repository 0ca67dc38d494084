#include "extension/answers/numbers.h"

#include <algorithm>

#include "extension/access/hidden.h"
#include "extension/answers/node.h"
#include "extension/answers/row_texts.h"
#include "extension/budget/account.h"
#include "extension/catalog/stored_text.h"
#include "extension/pg/digest.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/bind.h"
#include "extension/plan/identity.h"
#include "extension/plan/key_rows.h"
#include "extension/plan/question.h"
#include "extension/plan/sources.h"
#include "extension/query/tables.h"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "optimizer/optimizer.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/regproc.h"
}

namespace idp {

namespace {

// What functions of dates and times follow, and how values are written. Other functions that follow
// settings are in no question that is repeated.
constexpr const char* kSettings[] = {
    "TimeZone",      "timezone_abbreviations", "DateStyle",  "lc_time",
    "IntervalStyle", "extra_float_digits",     "lc_numeric", "lc_monetary",
    "bytea_output"};

BoundCall* call_in(const List* calls, const Aggref* aggref) {
  for (auto* call : list<BoundCall>(calls)) {
    if (call->aggref->aggno == aggref->aggno) return call;
  }
  return nullptr;
}

List* calls_of(const RunningQuery& query, const PlanState* drawing) {
  List* calls = NIL;
  for (auto* call : list<BoundCall>(query.calls)) {
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
    getTypeOutputInfo(exprType(as<Node>(entry->expr)), &output, &is_varlena);
    appendStringInfo(text, ", %s",
                     value.isnull ? "NULL" : OidOutputFunctionCall(output, value.value));
  }
}

bool has_grouping_sets(const Agg* plan) { return plan->groupingSets != NIL || plan->chain != NIL; }

// Finds what is made of anything but the keys of groups: columns of the rows below, as int.
bool find_no_key(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    const auto* keys = static_cast<const List*>(context);
    return !list_member_int(keys, reinterpret_cast<const Var*>(node)->varattno);
  }
  if (!IsA(node, Const) && !only_calls_functions(node)) return true;
  return contain_volatile_functions(node) || walk_expression(node, find_no_key, context);
}

// Keys are told by their place among them: which columns there are below, and in which order
// groups are sorted, follows from all that a statement asks.
Node* number_keys(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, number_keys, context);
  auto* var = static_cast<Var*>(copyObjectImpl(node));
  int place = 0;
  while (list_nth_int(static_cast<const List*>(context), place) != var->varattno) ++place;
  var->varattno = static_cast<AttrNumber>(place + 1);
  return reinterpret_cast<Node*>(var);
}

// The places of the keys that a function tells of whether a grouping set has them.
char* places_of(const GroupingFunc* function, const List* keys) {
  StringInfoData places;
  initStringInfo(&places);
  ListCell* cell;
  ListCell* inner;
  foreach (cell, function->cols) {
    foreach (inner, keys) {
      if (lfirst_int(inner) != lfirst_int(cell)) continue;
      appendStringInfo(&places, " %d", foreach_current_index(inner));
    }
  }
  return places.data;
}

// Whether it tells grouping sets apart.
bool tells_sets(const GroupingFunc* function, const List* keys) {
  return list_difference_int(keys, function->cols) == NIL;
}

// A column that is no answer: one of the keys, or made of them, or of which grouping set it is.
struct KeyColumn {
  char* identity;
  int column;  // of the node's rows, from 0
};

int by_identity(const ListCell* a, const ListCell* b) {
  return strcmp(static_cast<const KeyColumn*>(lfirst(a))->identity,
                static_cast<const KeyColumn*>(lfirst(b))->identity);
}

int position_of(const List* aggrefs, const Aggref* aggref) {
  ListCell* cell;
  foreach (cell, aggrefs) {
    if (lfirst(cell) == aggref) return foreach_current_index(cell);
  }
  elog(ERROR, "could not find the question of an answer");
  pg_unreachable();
}

List* aggrefs_of(const Agg* plan) {
  List* aggrefs = NIL;
  for (const auto* target : list<TargetEntry>(plan->plan.targetlist)) {
    auto* value = target->expr;
    if (IsA(value, Aggref)) aggrefs = lappend(aggrefs, value);
  }
  return aggrefs;
}

// The columns that are no answers, in one order. False if what they are is not known.
bool append_keys(StringInfo key, Agg* plan, List* keys, AskedNode& asked) {
  List* columns = NIL;
  bool has_sets = has_grouping_sets(plan);
  ListCell* cell;
  foreach (cell, plan->plan.targetlist) {
    const auto* target = static_cast<const TargetEntry*>(lfirst(cell));
    auto* value = reinterpret_cast<Node*>(target->expr);
    if (IsA(value, Aggref)) continue;
    auto* column = static_cast<KeyColumn*>(palloc(sizeof(KeyColumn)));
    if (IsA(value, GroupingFunc)) {
      const auto* function = reinterpret_cast<const GroupingFunc*>(value);
      has_sets &= !tells_sets(function, keys);
      *column = {psprintf("GROUPING%s", places_of(function, keys)), target->resno - 1};
      columns = lappend(columns, column);
      continue;
    }
    if (find_no_key(value, keys)) return false;
    *column = {psprintf("%s %s", format_type_with_typemod(exprType(value), exprTypmod(value)),
                        identity_of(number_keys(value, keys))),
               target->resno - 1};
    columns = lappend(columns, column);
  }
  if (has_sets) return false;  // that nothing tells apart
  list_sort(columns, by_identity);
  foreach (cell, columns) {
    const auto* column = static_cast<const KeyColumn*>(lfirst(cell));
    appendStringInfo(key, "%s\n", column->identity);
    asked.keys = lappend_int(asked.keys, column->column);
  }
  return true;
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

char* settings_of_session() {
  StringInfoData settings;
  initStringInfo(&settings);
  for (const char* setting : kSettings) {
    appendStringInfo(&settings, "\n%s %s", setting, GetConfigOption(setting, true, false));
  }
  return settings.data;
}

char* world_of(const AskedNode& asked) {
  StringInfoData world;
  initStringInfo(&world);
  list_sort(asked.tables, compare_oids);
  for (const Oid oid : oids(asked.tables)) {
    // Other values in a column, or all rows taken away, come with another file.
    Relation table = table_open(oid, NoLock);
    appendStringInfo(&world, "\n%u %u%s", oid, relation_file(table),
                     is_hidden(oid) ? " hidden" : "");
    table_close(table, NoLock);
  }
  return world.data;
}

void append_accounts(StringInfo key, List* accounts) {
  List* ids = NIL;
  for (const auto* account : list<Account>(accounts)) {
    ids = list_append_unique_int(ids, account->id);
  }
  list_sort(ids, compare_numbers);
  for (const int number : ints(ids)) appendStringInfo(key, "\naccount %d", number);
  const bool substitutes = neighbours_of(accounts) == Neighbours::kSubstitute;
  appendStringInfo(key, "\nneighbours %d", substitutes);  // the noise is for these
}

// Of what the node reads, where that is known: else of the whole statement. Views are what they
// read.
List* tables_read(const CustomScan* scan, EState* state) {
  List* tables = NIL;
  if (add_tables_of(Level(asking_level(scan)), &tables)) return tables;
  tables = NIL;
  for (const Oid oid : oids(tables_of_query(state))) {
    if (get_rel_relkind(oid) == RELKIND_VIEW) continue;
    tables = list_append_unique_oid(tables, oid);
  }
  return tables;
}

// --- of a node ---

// The columns of the calls in an expression over the rows of a node.
bool add_columns(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Var)) return walk_expression(node, add_columns, context);
  auto** columns = static_cast<Bitmapset**>(context);
  *columns = bms_add_member(*columns, as<Var>(node)->varattno - 1);
  return false;
}

void add_combined(AskedNode& asked, Node* expression) {
  Bitmapset* columns = nullptr;
  (void)add_columns(expression, &columns);
  for (const int number : ints(asked.keys)) columns = bms_del_member(columns, number);
  if (bms_membership(columns) == BMS_MULTIPLE) asked.combined = lappend(asked.combined, columns);
}

// Of conditions each says something by itself.
void find_combined(AskedNode& asked, const Plan* plan) {
  for (auto* target : list<TargetEntry>(plan->targetlist)) {
    add_combined(asked, as<Node>(target->expr));
  }
  for (auto* node : list<Node>(plan->qual)) add_combined(asked, node);
}

char* call_identity(const BoundCall& call, const WholeQuestion& question) {
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, format_procedure_qualified(call.aggref->aggfnoid));
  append_arguments(&text, call);
  appendStringInfo(&text, " %s\n", question.identity);
  return text.data;
}

List* types_of(const AskedNode& asked, int column) {
  TupleDesc columns = columns_of_answers(asked.node);
  List* types = NIL;
  for (const int number : ints(lappend_int(list_copy(asked.keys), column))) {
    const Form_pg_attribute one = TupleDescAttr(columns, number);
    types = lappend(types, format_type_with_typemod(one->atttypid, one->atttypmod));
  }
  return types;
}

// What all numbers of a node have: its rows and groups, and which of these it shows.
char* node_identity(AskedNode& asked, Agg* plan, const List* aggrefs, const List* questions,
                    const List* calls) {
  StringInfoData key;
  initStringInfo(&key);
  const auto* first = static_cast<const WholeQuestion*>(linitial(questions));
  appendStringInfo(&key, "%s\n", first->of_level);
  if (!append_keys(&key, plan, first->keys, asked)) return nullptr;
  for (const int number : ints(deciding_columns(as<CustomScan>(asked.node->plan)))) {
    const auto* target =
        static_cast<const TargetEntry*>(list_nth(plan->plan.targetlist, number - 1));
    const auto* aggref = as<Aggref>(target->expr);
    const BoundCall* call = call_in(calls, aggref);
    if (call == nullptr) return nullptr;
    const auto* question =
        static_cast<const WholeQuestion*>(list_nth(questions, position_of(aggrefs, aggref)));
    appendStringInfo(&key, "if %s", call_identity(*call, *question));
  }
  return key.data;
}

AskedNumber* number_of(const AskedNode& asked, BoundCall* call, int column, const char* node,
                       const WholeQuestion& question) {
  auto* number = static_cast<AskedNumber*>(palloc0(sizeof(AskedNumber)));
  number->call = call;
  number->column = column;
  number->accounts = call->charge.accounts;
  number->types = types_of(asked, column);
  number->question = &question;
  StringInfoData key;
  initStringInfo(&key);
  appendStringInfo(&key, "%s\n%s%s", node, static_cast<const char*>(llast(number->types)),
                   call_identity(*call, question));
  append_accounts(&key, number->accounts);
  number->key = sha256_bytes_of(key.data);
  return number;
}

// False if one of them is not known.
bool find_numbers(AskedNode& asked, const List* calls, const char* settings) {
  auto* drawing = as<AggState>(const_cast<PlanState*>(drawing_node(asked.node)));
  auto* plan = as<Agg>(drawing->ss.ps.plan);
  List* aggrefs = aggrefs_of(plan);
  List* questions = aggrefs == NIL ? NIL : whole_questions(drawing, aggrefs);
  if (questions == NIL) return false;
  const char* node = node_identity(asked, plan, aggrefs, questions, calls);
  if (node == nullptr) return false;
  const bool follows = !static_cast<const WholeQuestion*>(linitial(questions))->is_without_settings;
  node = psprintf("%s%s%s", node, world_of(asked), follows ? settings : "");
  for (const auto* target : list<TargetEntry>(plan->plan.targetlist)) {
    if (!IsA(target->expr, Aggref)) continue;
    const auto* aggref = as<Aggref>(target->expr);
    BoundCall* call = call_in(calls, aggref);
    if (call == nullptr) return false;
    const auto* question =
        static_cast<const WholeQuestion*>(list_nth(questions, position_of(aggrefs, aggref)));
    asked.numbers =
        lappend(asked.numbers, number_of(asked, call, target->resno - 1, node, *question));
  }
  return list_length(asked.numbers) == list_length(calls);
}

// Of sum(a) and sum(b), where both columns are computed alike, only one is drawn. What decides
// about groups is no copy: it decides by itself.
void take_copies_out(AskedNode& asked) {
  const List* deciding = deciding_columns(as<CustomScan>(asked.node->plan));
  List* once = NIL;
  for (auto* number : list<AskedNumber>(asked.numbers)) {
    const bool decides = list_member_int(deciding, number->column + 1);
    const AskedNumber* first = decides ? nullptr : same_number(once, *number);
    if (first == nullptr) {
      once = lappend(once, number);
      continue;
    }
    auto* copy = static_cast<NumberCopy*>(palloc(sizeof(NumberCopy)));
    *copy = {number->column, first};
    asked.copies = lappend(asked.copies, copy);
    charge_nothing(number->call);
    copy_column(asked.node, first->column, number->column);
  }
  asked.numbers = once;
}

// What is combined with a copy is combined with the number.
void combine_with_numbers(const AskedNode& asked) {
  ListCell* cell;
  foreach (cell, asked.combined) {
    for (const auto* copy : list<NumberCopy>(asked.copies)) {
      auto* columns = static_cast<Bitmapset*>(lfirst(cell));
      if (!bms_is_member(copy->column, columns)) continue;
      columns = bms_del_member(columns, copy->column);
      lfirst(cell) = bms_add_member(columns, copy->number->column);
    }
  }
}

}  // namespace

char* text_of(const AskedNumber& number) {
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, number.call->name);
  PlainOutput plain;
  append_arguments(&text, *number.call);
  plain.end();
  appendStringInfo(&text, " %s", text_of(*number.question));
  return short_form(text.data);
}

Bitmapset* columns_of(const AskedNode& asked, const AskedNumber& number) {
  Bitmapset* columns = bms_make_singleton(number.column);
  for (const auto* copy : list<NumberCopy>(asked.copies)) {
    if (copy->number == &number) columns = bms_add_member(columns, copy->column);
  }
  return columns;
}

const AskedNumber* same_number(const List* numbers, const AskedNumber& wanted) {
  for (const auto* number : list<AskedNumber>(numbers)) {
    const bool is_same =
        VARSIZE(number->key) == VARSIZE(wanted.key) &&
        memcmp(VARDATA(number->key), VARDATA(wanted.key), VARSIZE(wanted.key) - VARHDRSZ) == 0 &&
        std::ranges::equal(number->call->request.epsilon_span(),
                           wanted.call->request.epsilon_span());
    if (is_same) return number;
  }
  return nullptr;
}

void charge_nothing(BoundCall* call) {
  call->charge.is_repeated = call->charge.is_idle = true;
  call->charge.accounts = NIL;
}

AskedNode* asked_of(const RunningQuery& query, PlanState* node) {
  const auto* scan = as<CustomScan>(node->plan);
  const auto* plan = as<Agg>(drawing_plan(scan));
  // one group is in any order
  const bool is_sorted =
      plan->numCols > 0 && order_of_answers(scan).columns == NIL && !has_one_group(scan);
  if (draws_again(node) || is_sorted) return nullptr;
  List* calls = calls_of(query, drawing_node(node));
  for (const auto* call : list<BoundCall>(calls)) {
    if (!may_be_kept(*call)) return nullptr;
  }
  if (!have_plain_texts(columns_of_answers(node))) return nullptr;
  auto* asked = static_cast<AskedNode*>(palloc0(sizeof(AskedNode)));
  asked->node = node;
  asked->tables = tables_read(scan, node->state);
  const char* settings = settings_of_session();  // as they are
  PlainOutput plain;
  const bool is_known = find_numbers(*asked, calls, settings);
  plain.end();
  if (!is_known) return nullptr;
  asked->has_same_groups = deciding_columns(scan) == NIL && !has_grouping_sets(plan) &&
                           (plan->numCols == 0 || has_listed_keys(&plan->plan));
  find_combined(*asked, &scan->scan.plan);
  take_copies_out(*asked);
  combine_with_numbers(*asked);
  return asked;
}

}  // namespace idp
