// Reads a level from the bottom up: what FROM and WHERE give, then groups, windows, DISTINCT, set
// operations, LIMIT. A rule for each; what has none is refused.
#pragma once

#include "extension/query/unit_keys.h"
#include "extension/query/unit_pairs.h"
#include "extension/query/level.h"

namespace idp {

// A part of the join tree.
struct Part {
  Rows rows;             // in columns of the level
  Bitmapset* relations;  // that it is made of
  // Whether it is another thing for each of some rows beside it, or outside of the level.
  bool is_given;
  List* pending = NIL;  // conditions that speak of relations beside it, too
  int fitness = 0;      // how well its last join fits the rules, to choose an order
};

class LevelWalk {
 public:
  LevelWalk(UnitFacts& facts, const Level& level);

  // The rows of the level, in its output columns.
  Rows rows();
  // Those of FROM and WHERE alone, in columns of its relations.
  Rows rows_of_from();

  Inputs inputs(const Rows& rows) const;

  // Why an expression over rows is refused, whatever it is for; or null.
  const Problem* problem_of(const Node* expression, const Inputs& over);
  // Likewise, where rows are not grouped or joined by its value.
  const Problem* problem_of_shown(const Node* expression, const Inputs& over, bool windows = false);

 private:
  // relations.cpp
  Rows rows_of_relation(int relation);
  Rows rows_of_table(const RangeTblEntry* entry);
  Rows rows_of_members(int relation);
  Rows rows_of_values(int relation);
  Rows rows_of_cte(int relation);
  Rows one_row();
  Rows unknown_columns(int count);
  Rows in_level(int relation, const Rows& own);

  // joins.cpp
  Part part_of(Node* node);
  Part part_of_relation(int relation);
  Part inner_join(Node* node);
  Part outer_join(const JoinExpr* join);
  Part without_partners(Part left, const JoinExpr* join);
  // What stands on the right may be computed for each row on the left.
  Part join(const Part& left, Node* node, const Part* known, JoinType type, List* conditions);
  Part join(const Part& left, const Part& right, JoinType type, List* conditions,
            Bitmapset* of_loop, bool is_steady, bool is_given);
  bool may_come_now(Node* node, const Bitmapset* relations);
  void filter(Part* part, List* conditions);
  Rows beside(const Rows& rows, const Bitmapset* relations);

  // groups.cpp
  Rows rows_of_select();
  Rows columns_of_targets(const List* targets, const Inputs& over);
  Rows grouped(Rows* below, List** targets, Node** having);
  Rows distinct(const Rows& below, const List* targets);
  Rows limited(Rows rows);

  // windows.cpp
  const Problem* add_windows(Rows* rows, const List* targets, const Rows& columns, Inputs* over,
                             List** ranks);

  // sets.cpp
  Rows rows_of_sets(Node* node);
  Rows rows_of_leaf(int relation, const SetOperationStmt* parent);

  const Query* query() const { return level_.query(); }

  UnitFacts& facts_;
  Level level_;
  Layout layout_;
  Bitmapset* given_;  // the parameters that the level is another thing for each of
  Rows beside_;       // columns that a part of the join tree may be computed from
};

// The conditions that are joined by AND.
List* conditions_in(const Node* condition);
// Whether no row, or pair of rows, fits them.
bool are_never(const List* conditions);

// The relations of the level that an expression names columns of.
Bitmapset* relations_in(const Node* expression);

// The parameters that a level, with what is below it, depends on.
Bitmapset* parameters_in(const Level& level);

// Of an entry that is no table and no subquery: the expressions that it is made of.
List* made_of(const RangeTblEntry* entry);

// What conditions that hold for all rows say about columns that are equal to constants or to
// parameters.
void apply_pins(UnitFacts& facts, const List* conditions, const Inputs& over, Rows* rows);

// Column by column what some expressions are.
Rows projected(UnitFacts& facts, const List* expressions, const Inputs& over);

// One row has one value in each column. Not where there is one for each value of a parameter.
void set_columns_of_one_row(Rows* rows, bool is_given);

// The columns that clauses (of SortGroupClause) name, of targets whose facts those are.
Keys keys_of_clauses(const List* clauses, const List* targets, const Rows& columns);

// Rows are not grouped or joined by such values: those that are equal by sorting are not by
// hashing, and a plan may do either.
extern const Problem kHashedOtherwise;
bool is_hashed_otherwise(const Node* expression);

// Whether one of the keys tells forms of equal values apart.
bool tells_forms(const Keys& keys, const List* clauses, const List* targets);

}  // namespace idp
