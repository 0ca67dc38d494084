#include "extension/plan/identity.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "extension/pg/digest.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/gate.h"
#include "extension/plan/new_query.h"

extern "C" {
#include "access/transam.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// Behind the brace that closes a node. The server escapes those that are no braces of nodes.
const char* end_of_node(const char* text) {
  int depth = 0;
  for (; *text != '\0'; ++text) {
    if (*text == '\\' && text[1] != '\0') {
      ++text;
    } else if (*text == '{') {
      ++depth;
    } else if (*text == '}' && --depth == 0) {
      return text + 1;
    }
  }
  return text;
}

// What a node says of places, names and rights. The value follows: a number, a set, a node, or <>.
constexpr std::string_view kNoPart[] = {
    ":location ",         ":stmt_location ", ":stmt_len ",     ":alias ",        ":eref ",
    ":requiredPerms ",    ":checkAsUser ",   ":selectedCols ", ":insertedCols ", ":updatedCols ",
    ":extraUpdatedCols ", ":perminfoindex ", ":opfuncid ",     ":resname "};

// For each letter that such a name begins with, those that may be its second one.
struct FirstLetters {
  std::uint32_t second[26] = {};
  constexpr FirstLetters() {
    for (const std::string_view name : kNoPart) second[name[1] - 'a'] |= 1U << (name[2] - 'a');
  }
  bool begin(const char* name) const {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return is_letter(name[0]) && is_letter(name[1]) &&
           (second[name[0] - 'a'] >> (name[1] - 'a') & 1U) != 0;
  }
};
constexpr FirstLetters kFirstLetters;

// The name of such a part that a text begins with, as they do with a colon; empty if it is none.
std::string_view name_of_no_part(const char* text) {
  if (!kFirstLetters.begin(text + 1)) return {};
  for (const std::string_view name : kNoPart) {
    if (text[1] == name[1] && strncmp(text, name.data(), name.size()) == 0) return name;
  }
  return {};
}

const char* behind_value(const char* text) {
  if (*text == '{') return end_of_node(text);
  if (*text == '(') return text + strcspn(text, ")") + 1;
  return text + strcspn(text, " )}");
}

}  // namespace

char* identity_of(const void* node) {
  const char* text = nodeToString(node);
  char* const identity = static_cast<char*>(palloc(strlen(text) + 1));
  char* end = identity;
  const char* from = text;  // what is not taken yet
  // all of them begin with a colon
  for (const char* colon = strchr(text, ':'); colon != nullptr;) {
    const std::string_view name = name_of_no_part(colon);
    if (name.empty()) {
      colon = strchr(colon + 1, ':');
      continue;
    }
    end = static_cast<char*>(mempcpy(end, from, static_cast<std::size_t>(colon - from)));
    from = behind_value(colon + name.size());
    colon = strchr(from, ':');
  }
  (void)strcpy(end, from);
  return identity;
}

namespace {

// What the identity of a node begins with, of the kinds that conditions mostly are; null of others.
// No one of these words begins like another to its end.
const char* first_word(const void* node) {
  switch (nodeTag(node)) {
    case T_OpExpr:
      return "{OPEXPR ";
    case T_ScalarArrayOpExpr:
      return "{SCALARARRAYOPEXPR ";
    case T_BoolExpr:
      return "{BOOLEXPR ";
    case T_NullTest:
      return "{NULLTEST ";
    default:
      return nullptr;
  }
}

// Its identity is written where its first word does not tell what it comes before.
struct Element {
  const void* told;
  void* node;
  const char* word;
  char* identity;
};

const char* identity_in(Element* element) {
  if (element->identity == nullptr) element->identity = identity_of(element->told);
  return element->identity;
}

int by_identity(const void* a, const void* b) {
  auto* one = static_cast<Element*>(const_cast<void*>(a));
  auto* other = static_cast<Element*>(const_cast<void*>(b));
  if (one->word != nullptr && other->word != nullptr && one->word != other->word) {
    return strcmp(one->word, other->word);
  }
  return strcmp(identity_in(one), identity_in(other));
}

}  // namespace

List* in_order_of_identity(const List* elements, const void* (*told)(const void*)) {
  const auto count = static_cast<std::size_t>(list_length(elements));
  auto* all = static_cast<Element*>(palloc(count * sizeof(Element)));
  Element* end = all;
  for (auto* node : list<void>(elements)) {
    CHECK_FOR_INTERRUPTS();
    const void* as_told = told == nullptr ? node : told(node);
    *end++ = {as_told, node, as_told == nullptr ? nullptr : first_word(as_told), nullptr};
  }
  qsort(all, count, sizeof(Element), by_identity);
  List* ordered = NIL;
  for (const Element* element = all; element != end; ++element) {
    ordered = lappend(ordered, element->node);
    if (element->identity != nullptr) pfree(element->identity);
  }
  pfree(all);
  return ordered;
}

namespace {

// In a digest; a word, which is written as it is.
constexpr char kWithParameter[] = "_with_parameter";

}  // namespace

bool says_parameter(const char* identity) {
  return strstr(identity, ":paramkind 0") != nullptr || strstr(identity, kWithParameter) != nullptr;
}

char* digest_of_text(const char* identity) {
  return psprintf("%s%s", sha256_of(identity), says_parameter(identity) ? kWithParameter : "");
}

char* digest_of_identity(const void* node) { return digest_of_text(identity_of(node)); }

namespace {

bool is_of_time(Oid type) {
  return type == TIMESTAMPTZOID || type == TIMETZOID || type == TIMESTAMPOID || type == DATEOID ||
         type == INTERVALOID;
}

bool follows_other_settings(Oid function, void*) {
  if (func_volatile(function) == PROVOLATILE_IMMUTABLE) return false;
  if (function >= FirstNormalObjectId) return !is_own_function(function);
  Oid* types = nullptr;
  int count = 0;
  const Oid result = get_func_signature(function, &types, &count);
  return !is_of_time(result) && std::none_of(types, types + count, is_of_time);
}

// What is written alike under all settings.
bool is_plainly_written(Oid type) {
  switch (type) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case NUMERICOID:
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case UUIDOID:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_plain_cast(const CoerceViaIO* text) {
  const Oid type = exprType(as<Node>(text->arg));
  if (type_is_enum(type)) return text->resulttype == TEXTOID || text->resulttype == VARCHAROID;
  return is_plainly_written(type) && is_plainly_written(text->resulttype);
}

bool joins_plain_texts(const Node* node) {
  Oid function = InvalidOid;
  const List* values = NIL;
  if (IsA(node, OpExpr)) {
    const auto* call = reinterpret_cast<const OpExpr*>(node);
    function = OidIsValid(call->opfuncid) ? call->opfuncid : get_opcode(call->opno);
    values = call->args;
  } else if (IsA(node, FuncExpr) && !as<FuncExpr>(node)->funcvariadic) {
    function = as<FuncExpr>(node)->funcid;
    values = as<FuncExpr>(node)->args;
  }
  if (function != F_ANYTEXTCAT && function != F_TEXTANYCAT && function != F_CONCAT &&
      function != F_CONCAT_WS && function != F_FORMAT_TEXT_ANY) {
    return false;
  }
  for (const auto* value : list<Node>(values)) {
    const Oid type = exprType(value);
    if (!is_plainly_written(type) && type != UNKNOWNOID) return false;
  }
  return true;
}

namespace {

// Whether a call writes a number with digits, points and commas, and not with those of a locale.
bool writes_digits(const Node* node) {
  if (!IsA(node, FuncExpr)) return false;
  const auto* call = as<FuncExpr>(node);
  if (call->funcid != F_TO_CHAR_INT4_TEXT && call->funcid != F_TO_CHAR_INT8_TEXT &&
      call->funcid != F_TO_CHAR_NUMERIC_TEXT) {
    return false;
  }
  const auto* format = static_cast<const Node*>(lsecond(call->args));
  if (!IsA(format, Const) || as<Const>(format)->constisnull) return false;
  const char* written = TextDatumGetCString(as<Const>(format)->constvalue);
  return strspn(written, "09.,FMfm -/") == strlen(written);
}

// Whether a node itself calls a function of that kind.
bool calls(Node* node, bool (*is_of_kind)(Oid, void*)) {
  const auto* text = maybe<CoerceViaIO>(node);
  if (text != nullptr && is_plain_cast(text)) return false;  // labels of an enum are looked up
  return !joins_plain_texts(node) && !writes_digits(node) &&
         check_functions_in_node(node, is_of_kind, nullptr);
}

// Whether a value is written as a text, by a function that is immutable and follows a setting of
// those of dates and times, or extra_float_digits, all the same.
bool is_written_by_session(const CoerceViaIO* text) {
  const Oid type = exprType(as<Node>(text->arg));
  const bool is_known =
      is_of_time(type) || type == TIMEOID || type == FLOAT4OID || type == FLOAT8OID;
  return is_known && is_plainly_written(text->resulttype);
}

// Likewise by a function that may follow any setting, or reads a text by one.
bool is_by_other_settings(const Node* node) {
  const auto* text = maybe<CoerceViaIO>(node);
  if (text == nullptr || is_written_by_session(text) || is_plain_cast(text)) return false;
  if (!is_plainly_written(exprType(as<Node>(text->arg)))) return true;
  // an interval is read by a setting of dates, and no word in it means now
  return text->resulttype != INTERVALOID;
}

bool is_by_settings(const Node* node) {
  const auto* text = maybe<CoerceViaIO>(node);
  return text != nullptr && (is_written_by_session(text) || is_by_other_settings(node));
}

bool find_setting(Node* node, void* context) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const)) return false;
  if (is_by_other_settings(node)) return true;
  return calls(node, follows_other_settings) || walk_expression(node, find_setting, context);
}

// Of the functions that read and write texts some follow settings and are immutable all the same.
bool reads_or_writes_text(Oid function) {
  Oid* types = nullptr;
  int count = 0;
  const Oid result = get_func_signature(function, &types, &count);
  return result == CSTRINGOID || std::find(types, types + count, CSTRINGOID) != types + count;
}

bool may_follow_settings(Oid function, void*) {
  if (function == gate_function()) return false;
  return func_volatile(function) != PROVOLATILE_IMMUTABLE || reads_or_writes_text(function);
}

bool find_any_setting(Node* node, void* context) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const)) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_any_setting, context);
  return IsA(node, SQLValueFunction) || is_by_settings(node) || calls(node, may_follow_settings) ||
         walk_expression(node, find_any_setting, context);
}

// Digits as ISO 8601 has them, and no word such as today: how they are read is up to settings.
bool says_instant(Datum value) {
  const char* written = TextDatumGetCString(value);
  return strspn(written, "0123456789:.+-TZ ") == strlen(written);
}

bool says_instant(const Node* node, const ParamListInfoData* parameters) {
  if (exprType(node) != TEXTOID) return false;
  if (const auto* value = IsA(node, Const) ? as<Const>(node) : nullptr) {
    return !value->constisnull && says_instant(value->constvalue);
  }
  if (!IsA(node, Param) || parameters == nullptr) return false;
  const auto* param = as<Param>(node);
  if (param->paramkind != PARAM_EXTERN || param->paramid > parameters->numParams) return false;
  const ParamExternData& value = parameters->params[param->paramid - 1];
  return (value.pflags & PARAM_FLAG_CONST) != 0 && value.ptype == TEXTOID && !value.isnull &&
         says_instant(value.value);
}

// The functions that read and write text tell the time of one word or another.
bool may_tell_time(const CoerceViaIO* text, const ParamListInfoData* parameters) {
  if (!is_by_other_settings(as<Node>(text))) return false;
  return !is_own_type(text->resulttype) &&
         !(is_of_time(text->resulttype) && says_instant(as<Node>(text->arg), parameters));
}

// Of the stable functions of the server, those that look at times they are given and at settings do
// not tell what time it is. Ages are counted to today, and times of day may be those of today.
bool tells_time(Oid function) {
  if (func_volatile(function) == PROVOLATILE_VOLATILE) return true;
  if (function == F_AGE_TIMESTAMP || function == F_AGE_TIMESTAMPTZ) return true;
  // fields that a text does not have are those of the year 1
  if (function == F_TO_DATE || function == F_TO_TIMESTAMP_TEXT_TEXT) return false;
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  bool has_time = false;
  for (int i = 0; i < count; ++i) {
    const bool is_time = is_of_time(types[i]) && types[i] != TIMETZOID;
    if (!is_time && !is_plainly_written(types[i])) return true;
    has_time |= is_time;
  }
  return !has_time;
}

// Of the extension's own, the gate and the marks of keys are the same at all times.
bool is_changing(Oid function, void*) {
  if (func_volatile(function) == PROVOLATILE_IMMUTABLE || is_own_function(function)) return false;
  return follows_other_settings(function, nullptr) || tells_time(function);
}

bool changes(Node* node, const ParamListInfoData* parameters) {
  if (IsA(node, CoerceViaIO)) return may_tell_time(as<CoerceViaIO>(node), parameters);
  return IsA(node, SQLValueFunction) || calls(node, is_changing);
}

bool find_change(Node* node, void* context) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const)) return false;
  return changes(node, static_cast<const ParamListInfoData*>(context)) ||
         walk_expression(node, find_change, context);
}

bool is_no_function_of_moment(Oid function, void*) {
  return func_volatile(function) == PROVOLATILE_VOLATILE || get_func_retset(function) ||
         follows_other_settings(function, nullptr);
}

// Finds what keeps an expression from having one value in all of a statement that follows from the
// settings of dates and times.
bool find_no_moment(Node* node, void* context) {
  if (node == nullptr || IsA(node, Const)) return false;
  if (IsA(node, Param)) return as<Param>(node)->paramkind != PARAM_EXTERN;
  if (IsA(node, SQLValueFunction)) return !is_of_time(exprType(node));
  return !only_calls_functions(node) || is_by_other_settings(node) ||
         calls(node, is_no_function_of_moment) || walk_expression(node, find_no_moment, context);
}

bool is_moment(Node* node) {
  const bool is_part = IsA(node, List) || IsA(node, CaseWhen);
  return !is_part && !find_no_moment(node, nullptr);
}

struct TimeSearch {
  const ParamListInfoData* parameters;
  List* moments;
};

// Finds what tells the time other than by a moment, and notes the moments that do.
bool find_time(Node* node, void* context) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const)) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_time, context);
  if (IsA(node, TableSampleClause)) return true;  // other rows each time
  auto* search = static_cast<TimeSearch*>(context);
  auto* parameters = const_cast<ParamListInfoData*>(search->parameters);
  if (is_moment(node)) {
    if (find_change(node, parameters)) search->moments = lappend(search->moments, node);
    return false;
  }
  return changes(node, parameters) || walk_expression(node, find_time, context);
}

}  // namespace

bool follows_settings(Node* expression) { return find_setting(expression, nullptr); }

namespace {

// The same in what an aggregate reads: what is computed beside answers follows no question.
bool find_setting_in_aggregate(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) return walk_expression(node, find_any_setting, context);
  if (IsA(node, Query)) return find_any_setting(node, context);
  return walk_expression(node, find_setting_in_aggregate, context);
}

}  // namespace

bool is_without_settings(Query* query) {
  Query rows = *query;
  rows.targetList = NIL;
  if (find_any_setting(as<Node>(&rows), nullptr)) return false;
  for (auto* target : list<TargetEntry>(query->targetList)) {
    const bool is_beside = query->hasAggs && target->ressortgroupref == 0;
    const auto find = is_beside ? find_setting_in_aggregate : find_any_setting;
    if (find(as<Node>(target->expr), nullptr)) return false;
  }
  return true;
}

bool follows_session(Node* expression) {
  return find_change(expression, nullptr) || find_setting(expression, nullptr);
}

namespace {

bool find_executor_parameter(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_executor_parameter, nullptr);
  if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan)) return true;
  if (IsA(node, Param)) return as<Param>(node)->paramkind == PARAM_EXEC;
  return walk_expression(node, find_executor_parameter, nullptr);
}

}  // namespace

bool has_executor_parameter(Node* node) { return find_executor_parameter(node, nullptr); }

char* digest_of_value(Query* subquery, ParamListInfo parameters, List** moments) {
  TimeSearch search{parameters, NIL};
  if (!is_whole(subquery) || has_executor_parameter(as<Node>(subquery)) ||
      find_time(as<Node>(subquery), &search)) {
    return pstrdup("");
  }
  *moments = list_concat(*moments, search.moments);
  auto* told = static_cast<Query*>(copyObjectImpl(subquery));
  told->rtable = entries_that_count(told);
  return digest_of_identity(told);
}

bool is_of_no_time(const Query* query, ParamListInfoData* parameters, List** moments) {
  TimeSearch search{parameters, NIL};
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    for (const void* part :
         {static_cast<const void*>(entry->subquery), static_cast<const void*>(entry->functions),
          static_cast<const void*>(entry->values_lists), static_cast<const void*>(entry->tablefunc),
          static_cast<const void*>(entry->tablesample)}) {
      if (find_time(static_cast<Node*>(const_cast<void*>(part)), &search)) return false;
    }
  }
  for (const auto* cte : list<CommonTableExpr>(query->cteList)) {
    if (find_time(cte->ctequery, &search)) return false;
  }
  *moments = search.moments;
  return true;
}

}  // namespace idp
