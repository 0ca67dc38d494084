// The executor's side of question.h: what the planner recorded, as text.
#include "extension/plan/question.h"

#include <initializer_list>

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parameters.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/question_words.h"
#include "extension/plan/identity.h"
#include "extension/plan/level_identity.h"
#include "extension/plan/meanings.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "access/nbtree.h"
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/clauses.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"
}

namespace idp {

// A key of GROUP BY, as the plan node sees it.
struct Key {
  AttrNumber column;  // of the rows it reads
  Oid type;
  Oid collation;
  Node* expression;  // simplified; null if it is not known
  char* text;
};

// A part of WHERE.
struct Condition {
  char* text;
  Node* node;
  Bitmapset* keys;  // columns of the keys in it
  bool other;       // whether it is about anything else
};

struct Question {
  List* recorded;  // recorded_question.h
  Aggref* aggref;
  Oid table;
  bool varies;   // with what the executor sets: then what follows is made for each answer
  char* source;  // what is read, if that does not go without saying; or empty
  List* where;   // of Condition
  List* filter;  // of char*
  List* keys;    // of Key
};

namespace {

// --- what the planner recorded ---

// No name that a user gives is as long as this one.
const char* recorded_text(const RangeTblEntry* entry, int number) {
  if (entry->rtekind != RTE_RESULT || entry->alias != nullptr || entry->eref == nullptr ||
      entry->eref->colnames != NIL || strlen(entry->eref->aliasname) < NAMEDATALEN) {
    return nullptr;
  }
  const char* prefix = psprintf("%s%d ", kRecordedPrefix, number);
  const char* text = entry->eref->aliasname;
  return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : nullptr;
}

[[noreturn]] void refuse_unknown() {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("what a named release is asked for is not known"),
                  errdetail("Another extension has planned the query, or changed its plan.")));
  pg_unreachable();
}

List* recorded_question(const EState* state, const Aggref* aggref) {
  for (auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    const char* text = recorded_text(entry, aggref->location);
    if (text != nullptr) return static_cast<List*>(stringToNode(text));
  }
  refuse_unknown();
}

List* call_in(List* recorded, const Aggref* aggref) {
  for (auto* call : list<List>(part(recorded, recorded::kCalls))) {
    if (number_at(call, recorded::kCallNumber) == aggref->aggno) return call;
  }
  elog(ERROR, "could not find what a named release is asked for");
  pg_unreachable();
}

// Whether the query reads that table and no other.
bool reads_only(List* recorded, Oid table) {
  const int only = number_at(recorded, recorded::kOnlyTable);
  if (only == 0) return false;
  const auto* entry = rt_fetch(only, part(part(recorded, recorded::kLevel), recorded::kTables));
  return entry->relid == table;
}

// "FROM …" and what else is not a condition; empty if it goes without saying.
char* source_text(List* recorded, List* call, Oid table, const Scope& scope, const Values& values) {
  StringInfoData text;
  initStringInfo(&text);
  if (number_at(call, recorded::kDistinct)) appendStringInfoString(&text, "DISTINCT");
  if (reads_only(recorded, table)) return text.data;
  auto* column = static_cast<Node*>(list_nth(call, recorded::kColumn));
  if (text.len > 0) appendStringInfoChar(&text, ' ');
  if (column != nullptr) appendStringInfo(&text, "OF %s ", text_of(column, scope, values));
  appendStringInfoString(&text, "FROM ");
  append_items(&text, part(recorded, recorded::kLevel), scope, values);
  return text.data;
}

// The expression of the key that a column of the rows below is.
Node* key_expression(List* recorded, const TargetEntry* column) {
  for (auto* key : list<List>(part(recorded, recorded::kKeys))) {
    if (number_at(key, recorded::kKeyReference) == static_cast<int>(column->ressortgroupref)) {
      return static_cast<Node*>(list_nth(key, recorded::kKey));
    }
  }
  return nullptr;
}

List* keys_of(Agg* plan, Plan* below, List* recorded, const Scope& scope, const Values& values,
              List* keys) {
  for (int i = 0; i < plan->numCols; ++i) {
    const AttrNumber number = plan->grpColIdx[i];
    const TargetEntry* column = get_tle_by_resno(below->targetlist, number);
    Node* expression = key_expression(recorded, column);
    auto* key = static_cast<Key*>(palloc(sizeof(Key)));
    auto* value = as<Node>(column->expr);
    *key = {number, exprType(value), exprCollation(value),
            expression ? simplified(expression, values) : nullptr,
            expression ? text_of(expression, scope, values) : pstrdup("?")};
    keys = lappend(keys, key);
  }
  for (auto* agg : list<Agg>(plan->chain)) {
    keys = keys_of(agg, below, recorded, scope, values, keys);
  }
  return keys;
}

// --- WHERE and GROUP BY ---

// Whether equal values are the same in all respects: 1.0 and 1.00 are not.
bool is_exact(const Key& key) {
  const TypeCacheEntry* type = lookup_type_cache(key.type, TYPECACHE_BTREE_OPFAMILY);
  if (!OidIsValid(type->btree_opf)) return false;
  const Oid function = get_opfamily_proc(type->btree_opf, type->btree_opintype,
                                         type->btree_opintype, BTEQUALIMAGE_PROC);
  return OidIsValid(function) &&
         DatumGetBool(
             OidFunctionCall1Coll(function, key.collation, ObjectIdGetDatum(type->btree_opintype)));
}

struct Use {
  List* keys;
  Condition* condition;
};

// Looks for what is not a key, and notes which keys there are.
bool find_other(Node* node, void* context) {
  if (node == nullptr) return false;
  const auto* use = static_cast<Use*>(context);
  for (const auto* key : list<Key>(use->keys)) {
    if (key->expression == nullptr || !equal(node, key->expression) || !is_exact(*key)) continue;
    use->condition->keys = bms_add_member(use->condition->keys, key->column);
    return false;
  }
  return IsA(node, Var) || IsA(node, Param) || walk_expression(node, find_other, context);
}

List* where_of(Node* expression, List* keys, const Scope& scope, const Values& values) {
  List* where = NIL;
  for (auto* node : list<Node>(conditions_of(expression, values))) {
    auto* condition = static_cast<Condition*>(palloc0(sizeof(Condition)));
    Use use{keys, condition};
    condition->other = find_other(node, &use) || contain_volatile_functions(node);
    condition->text = text_of(node, scope, values);
    condition->node = node;
    where = lappend(where, condition);
  }
  return where;
}

// Whether a column is a key of the grouping set at work.
bool is_key(const AggState* node, AttrNumber column) {
  const AggStatePerPhaseData& phase = *node->phase;
  if (phase.grouped_cols != nullptr && phase.numsets > 0) {
    return bms_is_member(column, phase.grouped_cols[node->current_set]);
  }
  const Agg* plan = phase.aggnode;
  for (int i = 0; i < plan->numCols; ++i) {
    if (plan->grpColIdx[i] == column) return true;
  }
  return false;
}

// Whether a condition goes without saying, because it is about keys alone: the group is there, so
// it holds for all of its rows.
bool is_implied(const AggState* node, const Condition& condition) {
  if (condition.other || bms_is_empty(condition.keys)) return false;
  int column = -1;
  while ((column = bms_next_member(condition.keys, column)) >= 0) {
    if (!is_key(node, static_cast<AttrNumber>(column))) return false;
  }
  return true;
}

char* key_text(const Key& key, TupleTableSlot* slot) {
  bool is_null = false;
  const Datum value = slot_getattr(slot, key.column, &is_null);
  if (is_null) return psprintf("(%s IS NULL)", key.text);
  if (key.type == BOOLOID) {
    return DatumGetBool(value) ? pstrdup(key.text) : psprintf("(NOT %s)", key.text);
  }
  int16 length;
  bool by_value;
  get_typlenbyval(key.type, &length, &by_value);
  Const* constant = makeConst(key.type, -1, key.collation, length, value, false, by_value);
  return psprintf("(%s = %s)", key.text, deparse_expression(as<Node>(constant), NIL, false, false));
}

Scope scope_of_level(List* recorded) {
  return scope_of(part(recorded, recorded::kLevel), nullptr,
                  number_at(recorded, recorded::kOnlyTable) == 0);
}

void read_call(Question* question, const Scope& scope, const Values& values) {
  List* call = call_in(question->recorded, question->aggref);
  question->filter =
      condition_texts(static_cast<Node*>(list_nth(call, recorded::kFilter)), scope, values);
  question->source = source_text(question->recorded, call, question->table, scope, values);
}

// What calls of a level have in common. live: while a call is executed.
void read_level(Question* question, AggState* node, bool live) {
  List* recorded = question->recorded;
  const Values values{node->ss.ps.state, live, &question->varies};
  PlainOutput plain;
  const Scope scope = scope_of_level(recorded);
  question->keys =
      keys_of(as<Agg>(node->ss.ps.plan), outerPlan(node->ss.ps.plan), recorded, scope, values, NIL);
  question->where = where_of(static_cast<Node*>(list_nth(recorded, recorded::kConditions)),
                             question->keys, scope, values);
  plain.end();
}

void read_question(Question* question, AggState* node, bool live) {
  read_level(question, node, live);
  const Values values{node->ss.ps.state, live, &question->varies};
  PlainOutput plain;
  read_call(question, scope_of_level(question->recorded), values);
  plain.end();
}

bool is_known(List* recorded) { return number_at(recorded, recorded::kIsKnown) != 0; }

}  // namespace

Question* question_of(AggState* node, Aggref* aggref, Oid table) {
  List* recorded = recorded_question(node->ss.ps.state, aggref);
  if (!is_known(recorded)) refuse_unknown();
  auto* question = static_cast<Question*>(palloc0(sizeof(Question)));
  question->recorded = recorded;
  question->aggref = aggref;
  question->table = table;
  read_question(question, node, false);
  return question;
}

void bring_up_to_date(Question* question, AggState* node) {
  if (question->varies) read_question(question, node, true);
}

bool is_settled(const Question* question) { return !question->varies; }

char* question_text(const Question* question, AggState* node) {
  List* conditions = list_copy(question->filter);
  for (const auto* condition : list<Condition>(question->where)) {
    if (!is_implied(node, *condition)) conditions = lappend(conditions, condition->text);
  }
  if (question->keys != NIL) {
    PlainOutput plain;
    for (const auto* key : list<Key>(question->keys)) {
      if (!is_key(node, key->column)) continue;
      conditions = lappend(conditions, key_text(*key, node->ss.ps.ps_ExprContext->ecxt_outertuple));
    }
    plain.end();
  }
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, question->source);
  if (text.len > 0 && conditions != NIL) appendStringInfoChar(&text, ' ');
  if (conditions != NIL) appendStringInfoString(&text, "WHERE ");
  append_joined(&text, ordered(conditions), "");
  return text.data;
}

namespace {

bool depends_on_settings(List* recorded, const List* where) {
  for (const auto* condition : list<Condition>(where)) {
    if (follows_settings(condition->node)) return true;
  }
  for (auto* call : list<List>(part(recorded, recorded::kCalls))) {
    if (follows_settings(static_cast<Node*>(list_nth(call, recorded::kFilter))) ||
        follows_settings(static_cast<Node*>(list_nth(call, recorded::kColumn)))) {
      return true;
    }
  }
  for (auto* key : list<List>(part(recorded, recorded::kKeys))) {
    if (follows_settings(static_cast<Node*>(list_nth(key, recorded::kKey)))) return true;
  }
  return false;
}

}  // namespace

namespace {

// The values of parameters, where not only conditions have some.
void append_parameters(StringInfo all, const char* identity, ParamListInfo parameters) {
  if (parameters == nullptr || !says_parameter(identity)) return;
  for (int i = 0; i < parameters->numParams; ++i) {
    ParamExternData space;
    const ParamExternData* given = given_parameter(parameters, i + 1, false, &space);
    if (given->isnull || !OidIsValid(given->ptype)) {
      appendStringInfo(all, "$%d\n", i + 1);
      continue;
    }
    Oid output = InvalidOid;
    bool is_varlena = false;
    getTypeOutputInfo(given->ptype, &output, &is_varlena);
    const char* value = OidOutputFunctionCall(output, given->value);
    appendStringInfo(all, "$%d %u %zu %s\n", i + 1, given->ptype, strlen(value), value);
  }
}

// 30 < age as age > 30.
Node* with_constant_last(Node* condition) {
  auto* comparison = as<OpExpr>(condition);
  if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2 ||
      !IsA(linitial(comparison->args), Const) || !has_true_commutator(comparison->opno)) {
    return condition;
  }
  auto* turned = static_cast<OpExpr*>(copyObjectImpl(comparison));
  CommuteOpExpr(turned);
  return as<Node>(turned);
}

List* subqueries_of(List* recorded) {
  return part(part(recorded, recorded::kLevel), recorded::kSubqueries);
}

// The identity of an expression of the level.
char* told(const Node* expression, List* recorded, const List* meanings) {
  return identity_of(by_digest(by_meaning(expression, meanings), subqueries_of(recorded)));
}

char* told_as_is(List* call, int place, List* recorded) {
  auto* expression = static_cast<Node*>(list_nth(call, place));
  return identity_of(by_digest(expression, subqueries_of(recorded)));
}

struct NamedKey {
  char* identity;
  Key* key;
};

int by_identity(const ListCell* a, const ListCell* b) {
  return strcmp(static_cast<const NamedKey*>(lfirst(a))->identity,
                static_cast<const NamedKey*>(lfirst(b))->identity);
}

bool has_column(const List* keys, AttrNumber column) {
  for (const auto* named : list<NamedKey>(keys)) {
    if (named->key->column == column) return true;
  }
  return false;
}

// Each once, in an order that does not follow from the plan, which sorts groups as the statement
// asks. False if it is not known what they are.
bool put_in_order(List** keys, List* recorded, const List* meanings) {
  List* named = NIL;
  for (auto* key : list<Key>(*keys)) {
    if (key->expression == nullptr) return false;
    if (has_column(named, key->column)) continue;
    auto* one = static_cast<NamedKey*>(palloc(sizeof(NamedKey)));
    *one = {told(key->expression, recorded, meanings), key};
    named = lappend(named, one);
  }
  list_sort(named, by_identity);
  *keys = NIL;
  for (auto* one : list<NamedKey>(named)) *keys = lappend(*keys, one->key);
  return true;
}

// What all calls of a level say.
struct Words {
  char* where;  // for people
  char* groups;
  char* identity;
};

void append_clause(StringInfo text, const char* words, List* parts) {
  if (parts == NIL) return;
  appendStringInfoString(text, words);
  append_joined(text, ordered(parts), "");
}

// What those of a question are worth now. False if that is not known.
bool append_moments(StringInfo all, List* recorded, const Values& values) {
  for (auto* moment : list<Node>(part(recorded, recorded::kMoments))) {
    Node* value = simplified(moment, values);
    if (!IsA(value, Const)) return false;
    appendStringInfo(all, "%s\n", identity_of(value));
  }
  return true;
}

// An identity, with the values of all parameters where these matter.
char* with_parameters(const char* identity, ParamListInfo parameters) {
  StringInfoData all;
  initStringInfo(&all);
  append_parameters(&all, identity, parameters);
  appendStringInfoString(&all, identity);
  return all.data;
}

Words words_of_level(const Question& question, const char* level, const List* meanings,
                     ParamListInfo parameters) {
  StringInfoData where;
  StringInfoData groups;
  StringInfoData identity;
  initStringInfo(&where);
  initStringInfo(&groups);
  initStringInfo(&identity);
  List* texts = NIL;
  List* conditions = NIL;
  for (const auto* condition : list<Condition>(question.where)) {
    texts = lappend(texts, condition->text);
    conditions =
        lappend(conditions, told(with_constant_last(condition->node), question.recorded, meanings));
  }
  append_clause(&where, " WHERE ", texts);
  const char* separator = " GROUP BY ";
  for (auto* key : list<Key>(question.keys)) {
    appendStringInfo(&groups, "%s%s", separator, key->text);
    separator = ", ";
  }
  appendStringInfo(&identity, "%s\n", level);
  append_joined(&identity, ordered(conditions), "");
  return {where.data, groups.data, with_parameters(identity.data, parameters)};
}

// Of a call, where columns of subqueries are told by what they mean.
char* identity_by_meaning(List* recorded, List* call, const List* meanings, const Values& values) {
  const auto told_at = [&](int place) {
    auto* expression = static_cast<Node*>(list_nth(call, place));
    return expression == nullptr ? pstrdup("")
                                 : told(simplified(expression, values), recorded, meanings);
  };
  const char* identity =
      psprintf("%s%s\n%s", number_at(call, recorded::kDistinct) ? "DISTINCT " : "",
               told_at(recorded::kFilter), told_at(recorded::kColumn));
  return with_parameters(identity, values.state->es_param_list_info);
}

}  // namespace

struct QuestionText {
  Question question;  // without what it says of its call
  Words words;
  EState* state;
};

char* text_of(const WholeQuestion& whole) {
  Question question = whole.text->question;
  bool varies = false;
  const Values values{whole.text->state, false, &varies};
  PlainOutput plain;
  read_call(&question, scope_of_level(question.recorded), values);
  plain.end();
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfo(&text, "%s%s", question.source, whole.text->words.where);
  append_clause(&text, " FILTER ", question.filter);
  appendStringInfoString(&text, whole.text->words.groups);
  return text.data;
}

namespace {

// Whether what a level reads depends on what the executor sets.
bool find_executor_parameter(Node* node, void* context) {
  if (node == nullptr || IsA(node, String) || IsA(node, Integer)) return false;
  check_stack_depth();
  if (IsA(node, Param)) {
    const auto* param = as<Param>(node);
    return param->paramkind == PARAM_EXEC && param->paramid < kFirstSubquery;
  }
  if (!IsA(node, List)) return walk_expression(node, find_executor_parameter, context);
  for (auto* part : list<Node>(as<List>(node))) {
    // tables are told by what is read of them
    if (part == nullptr || IsA(part, RangeTblEntry)) continue;
    if (find_executor_parameter(part, context)) return true;
  }
  return false;
}

WholeQuestion* whole_question(const Question& question, const Words& words, const List* meanings,
                              const Values& values) {
  List* call = call_in(question.recorded, question.aggref);
  auto* whole = static_cast<WholeQuestion*>(palloc0(sizeof(WholeQuestion)));
  auto* text = static_cast<QuestionText*>(palloc0(sizeof(QuestionText)));
  *text = {question, words, values.state};
  for (const auto* key : list<Key>(question.keys)) {
    whole->keys = lappend_int(whole->keys, key->column);
  }
  whole->text = text;
  whole->is_without_settings = number_at(question.recorded, recorded::kIsWithoutSettings) != 0;
  whole->of_level = words.identity;
  whole->identity = has_meanings(meanings)
                        ? identity_by_meaning(question.recorded, call, meanings, values)
                        : psprintf("%s\n%s\n%s", text_of(*whole),
                                   told_as_is(call, recorded::kFilter, question.recorded),
                                   told_as_is(call, recorded::kColumn, question.recorded));
  return whole;
}

LevelIdentity level_now(List* recorded, const Values& values) {
  auto* to_fill_in = static_cast<Query*>(list_nth(recorded, recorded::kToFillIn));
  if (to_fill_in == nullptr) {
    const char* digest = strVal(list_nth(recorded, recorded::kIdentity));
    return {digest, part(recorded, recorded::kMeanings)};
  }
  List* keys = NIL;
  for (auto* key : list<List>(part(recorded, recorded::kKeys))) {
    auto* value = static_cast<Node*>(list_nth(key, recorded::kKey));
    keys = lappend(keys,
                   list_make2(list_nth(key, recorded::kKeyReference), with_values(value, values)));
  }
  const auto* told = as<Query>(with_values(as<Node>(to_fill_in), values));
  // over columns: the values that it has now say nothing of those that it had
  if (follows_session(told, keys)) return kUnknownLevel;
  return identity_of_level(told, keys, subqueries_of(recorded));
}

}  // namespace

List* whole_questions(AggState* node, const List* aggrefs) {
  const auto* first = static_cast<const Aggref*>(linitial(aggrefs));
  if (first->location >= -1) return NIL;
  List* recorded = recorded_question(node->ss.ps.state, first);
  if (!is_known(recorded)) return NIL;
  Question question = {};
  question.recorded = recorded;
  question.aggref = const_cast<Aggref*>(first);
  const Values values{node->ss.ps.state, false, &question.varies};
  const LevelIdentity level = level_now(recorded, values);
  if (*level.digest == '\0') return NIL;
  read_level(&question, node, false);
  for (const int place : {recorded::kLevel, recorded::kCalls}) {
    if (find_executor_parameter(as<Node>(part(recorded, place)), nullptr)) return NIL;
  }
  if (question.varies || depends_on_settings(recorded, question.where)) return NIL;
  const List* meanings = level.meanings;
  if (!put_in_order(&question.keys, recorded, meanings)) return NIL;
  StringInfoData whole_level;
  initStringInfo(&whole_level);
  if (!append_moments(&whole_level, recorded, values)) return NIL;
  appendStringInfoString(&whole_level, level.digest);
  const Words words =
      words_of_level(question, whole_level.data, meanings, node->ss.ps.state->es_param_list_info);
  for (const auto* aggregate : list<Aggref>(aggrefs)) {
    if (aggregate->location != first->location) return NIL;
  }
  List* questions = NIL;
  PlainOutput plain;
  for (auto* aggregate : list<Aggref>(aggrefs)) {
    question.aggref = aggregate;
    questions = lappend(questions, whole_question(question, words, meanings, values));
  }
  plain.end();
  return question.varies ? NIL : questions;
}

UsedColumns used_columns(const Question* question) {
  constexpr int kMostColumns = 32;  // what one role stores must not be slow for the others
  List* used = part(question->recorded, recorded::kUsed);
  UsedColumns columns{reads_only(question->recorded, question->table) &&
                          number_at(used, recorded::kAllKnown) != 0 &&
                          list_length(part(used, recorded::kUsedColumns)) <= kMostColumns,
                      NIL};
  ListCell* cell;
  foreach (cell, part(used, recorded::kUsedColumns)) {
    columns.names = lappend(columns.names, strVal(lfirst(cell)));
  }
  return columns;
}

}  // namespace idp
