#include "extension/plan/identity.h"

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

struct Levels {
  Index depth;  // how many queries are around the place
};

bool find_outer_cte(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_outer_cte, context);
  auto* query = reinterpret_cast<::Query*>(node);
  Levels below{static_cast<Levels*>(context)->depth + 1};
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (entry->rtekind == RTE_CTE && entry->ctelevelsup >= below.depth) return true;
  }
  return walk_query(query, find_outer_cte, &below);
}

}  // namespace

namespace {

// What a node says of places, names and rights. The value follows: a number, a set, a node, or <>.
constexpr const char* kNoPart[] = {":location ",
                                   ":stmt_location ",
                                   ":stmt_len ",
                                   ":alias ",
                                   ":eref ",
                                   ":requiredPerms ",
                                   ":checkAsUser ",
                                   ":selectedCols ",
                                   ":insertedCols ",
                                   ":updatedCols ",
                                   ":extraUpdatedCols ",
                                   ":perminfoindex ",
                                   ":tleSortGroupRef ",
                                   ":ressortgroupref ",
                                   ":opfuncid "};

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

bool is_whole(::Query* query) {
  Levels outside{0};
  return !find_outer_cte(reinterpret_cast<Node*>(query), &outside);
}

}  // namespace idp
