// What a level of a query asks, as the planner has understood it: subqueries are pulled up, outer
// joins that keep nothing are inner joins, expressions are simplified, and partitions are there by
// name; but no path was looked at. It is carried in the plan of the node that gives its answers.
//
// A Query has few kinds of things, and says what they mean; how the executor comes to its rows is
// the planner's business.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

class Level {
 public:
  // node: of level_node(). It may be NIL: then nothing is known.
  explicit Level(const List* node) : node_(node) {}

  bool is_known() const { return node_ != NIL; }
  const Query* query() const;
  int relations() const { return list_length(query()->rtable); }
  RangeTblEntry* entry(int relation) const;

  // The level that a subquery is, or a CTE.
  Level below(int relation) const;

  // The members that a relation is put together of, by UNION ALL or as the parts of a table. Empty
  // if it is none.
  struct Member {
    int relation;
    const List* columns;  // of Node: what it gives in each; null for none
  };
  int members(int relation) const { return list_length(part(relation, 1)); }
  Member member(int relation, int number) const;

  // The values of rows beside it that a subquery is handed over.
  struct Parameter {
    int number;
    const Node* value;
  };
  int parameters(int relation) const { return list_length(part(relation, 2)); }
  Parameter parameter(int relation, int number) const;

 private:
  const List* part(int relation, int number) const;

  const List* node_;
};

// For each level, of lists and nodes that are copied with the plan:
//   Query, of which subqueries and CTEs are left out; for each relation
//     the level of the subquery, ((number), columns) for each member, ((number), value) for each
//     parameter; or NIL for none of these.
List* level_node(Query* query, List* relations);

}  // namespace idp
