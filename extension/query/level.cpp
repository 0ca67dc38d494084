#include "extension/query/level.h"

namespace idp {

namespace {

List* at(const List* list, int place) { return static_cast<List*>(list_nth(list, place)); }

}  // namespace

List* level_node(Query* query, List* relations) { return list_make2(query, relations); }

const Query* Level::query() const { return static_cast<const Query*>(linitial(node_)); }

RangeTblEntry* Level::entry(int relation) const { return rt_fetch(relation, query()->rtable); }

const List* Level::part(int relation, int number) const {
  const List* parts = at(at(node_, 1), relation - 1);
  return parts == NIL ? NIL : at(parts, number);
}

Level Level::below(int relation) const { return Level(part(relation, 0)); }

Level::Member Level::member(int relation, int number) const {
  const List* found = at(part(relation, 1), number);
  return {linitial_int(at(found, 0)), at(found, 1)};
}

Level::Parameter Level::parameter(int relation, int number) const {
  const List* found = at(part(relation, 2), number);
  return {linitial_int(at(found, 0)), static_cast<const Node*>(lsecond(found))};
}

}  // namespace idp
