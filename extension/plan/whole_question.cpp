// The executor's side of question.h for all that calls ask, whatever their groups.
#include <initializer_list>

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parameters.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/identity.h"
#include "extension/plan/level_identity.h"
#include "extension/plan/meanings.h"
#include "extension/plan/question.h"
#include "extension/plan/question_reader.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "optimizer/clauses.h"
#include "utils/lsyscache.h"
}

namespace idp {

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
  if (!all_is_known(recorded)) return NIL;
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
}  // namespace idp
