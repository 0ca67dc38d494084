// The writer of recorded questions (recorded_question.h): a query's level as names of tables and a
// list of items, the subqueries of its expressions apart.
//
//   question_level.cpp         names of the tables of a level, its items
//   question_expressions.cpp   expressions without what belongs to planning alone
//   question_tables.cpp        what stands behind FROM
//   question_query.cpp         a query as a whole
//
// They call each other: tables are queries, queries have expressions, which have queries.
#pragma once

#include "extension/pg/nodes.h"
#include "extension/pg/pg.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace idp::recorder {

template <class T>
Node* node_of(T* object) {
  return as<Node>(object);
}

// What is known of the question as a whole.
struct Whole {
  int subqueries = 0;    // how many it has so far
  int ways = 0;          // to CTEs, each of which is written for each way to it
  bool is_known = true;  // whether all that it asks is written
  List* moments = NIL;   // in subqueries with a digest: as in is_of_no_time()
  List* values = NIL;    // of Query: these
};

struct Level {
  Query* query;
  PlannerInfo* root;  // that plans it; null for a query that is planned later, from a copy
  const Level* outer;
  const SubPlan* plan;  // as which it is planned within the next one, if it is; or null
  Whole* whole;
  List* given = NIL;        // of String: names of tables here and further out, as often as given
  List* taken = NIL;        // of String: what became of them
  List* tables = NIL;       // of RangeTblEntry
  List* table_names = NIL;  // of String, empty for those that are not used
  List* items = NIL;
  List* subqueries = NIL;
};

// --- a level ---

// The range table, without anything that is told elsewhere.
void begin(Level& level);
// The level as it is recorded.
List* finish(const Level& level);

void write(Level& level, const char* text);
// Gives a table of the level its name: that of the relation, and a number if it is not the first.
const char* give_name(Level& level, Index number, const char* name);

// --- expressions ---

// An expression without what belongs to planning alone; context is a Level.
Node* portable(Node* node, void* context);
void write_expression(Level& level, Node* expression);
void write_expressions(Level& level, const char* before, List* expressions);

// Conditions, which may be lists of lists, without what belongs to planning alone.
void collect_conditions(Node* conditions, Level& level, List** collected);
// As one expression; null if there are none.
Node* conjunction(List* conditions);
void write_conditions(Level& level, const char* before, List* conditions);

// --- tables ---

// The column of a table that a query puts out as it is, or null.
const char* passed_column(const Query* query, const TargetEntry* target);
// Writes the tables, and collects the conditions that hold for all rows.
void write_from(Level& level, Node* from, List** conditions);
void write_set_operation(Level& level, Node* node);

// --- a query within another ---

// How what is outside refers to the columns of a query within.
enum class Columns { kByName, kByPlace };

// Where it was planned already, root and plan say how; otherwise they are null.
struct Within {
  Query* query;
  PlannerInfo* root = nullptr;
  const SubPlan* plan = nullptr;
};
List* describe(const Within& within, Columns columns, const Level& outer);

}  // namespace idp::recorder
