#include "extension/plan/identity.h"

#include <algorithm>

#include "extension/pg/catalog_lookup.h"

extern "C" {
#include "access/transam.h"
}

namespace idp {

namespace {

bool begins_with(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

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

// context: how many queries are around the place.
bool find_outer_cte(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_outer_cte, context);
  auto* query = reinterpret_cast<Query*>(node);
  Index below = *static_cast<Index*>(context) + 1;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (entry->rtekind == RTE_CTE && entry->ctelevelsup >= below) return true;
  }
  return walk_query(query, find_outer_cte, &below);
}

// What a node says of places, names and rights. The value follows: a number, a set, a node, or <>.
constexpr const char* kNoPart[] = {
    ":location ",         ":stmt_location ", ":stmt_len ",     ":alias ",        ":eref ",
    ":requiredPerms ",    ":checkAsUser ",   ":selectedCols ", ":insertedCols ", ":updatedCols ",
    ":extraUpdatedCols ", ":perminfoindex ", ":opfuncid "};

const char* behind_value(const char* text) {
  if (*text == '{') return end_of_node(text);
  if (*text == '(') return text + strcspn(text, ")") + 1;
  return text + strcspn(text, " )}");
}

}  // namespace

char* identity_of(const void* node) {
  const char* text = nodeToString(node);
  StringInfoData identity;
  initStringInfo(&identity);
  while (*text != '\0') {
    const char* from = text;
    for (const char* name : kNoPart) {
      if (begins_with(text, name)) text = behind_value(text + strlen(name));
    }
    if (text == from) appendStringInfoChar(&identity, *text++);
  }
  return identity.data;
}

bool is_whole(Query* query) {
  Index outside = 0;
  return !find_outer_cte(reinterpret_cast<Node*>(query), &outside);
}

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
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case UUIDOID:
      return true;
    default:
      return false;
  }
}

// Texts follow settings, too, though the functions that write and read them are immutable.
bool is_by_settings(const Node* node) {
  if (!IsA(node, CoerceViaIO)) return false;
  const auto* text = reinterpret_cast<const CoerceViaIO*>(node);
  return !is_plainly_written(exprType(reinterpret_cast<const Node*>(text->arg))) ||
         !is_plainly_written(text->resulttype);
}

bool find_setting(Node* node, void* context) {
  if (node == nullptr) return false;
  if (is_by_settings(node)) return true;
  return check_functions_in_node(node, follows_other_settings, context) ||
         walk_expression(node, find_setting, context);
}

// Of the extension's own, the gate and the marks of keys are the same at all times.
bool is_changing(Oid function, void*) {
  return func_volatile(function) != PROVOLATILE_IMMUTABLE && !is_own_function(function);
}

bool makes_text(const Node* node) {
  return is_by_settings(node) &&
         !is_own_type(reinterpret_cast<const CoerceViaIO*>(node)->resulttype);
}

bool find_column(Node* node, void* context) {
  if (node == nullptr) return false;
  return IsA(node, Var) || walk_expression(node, find_column, context);
}

bool find_time(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(reinterpret_cast<Query*>(node), find_time, context);
  if (IsA(node, SQLValueFunction) || makes_text(node)) return true;
  if (check_functions_in_node(node, is_changing, nullptr) &&
      (check_functions_in_node(node, follows_other_settings, nullptr) ||
       !find_column(node, nullptr))) {
    return true;
  }
  return walk_expression(node, find_time, context);
}

}  // namespace

bool follows_settings(Node* expression) { return find_setting(expression, nullptr); }

bool is_of_no_time(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    auto* entry = static_cast<RangeTblEntry*>(lfirst(cell));
    for (const void* part :
         {static_cast<const void*>(entry->subquery), static_cast<const void*>(entry->functions),
          static_cast<const void*>(entry->values_lists),
          static_cast<const void*>(entry->tablefunc)}) {
      if (find_time(static_cast<Node*>(const_cast<void*>(part)), nullptr)) return false;
    }
  }
  foreach (cell, query->cteList) {
    if (find_time(static_cast<const CommonTableExpr*>(lfirst(cell))->ctequery, nullptr)) {
      return false;
    }
  }
  return true;
}

}  // namespace idp
