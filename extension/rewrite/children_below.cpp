// Answers for each row of a public table in a query at any depth below the one that reads it.
#include "extension/rewrite/children_of_rows.h"

#include "extension/access/hidden.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/keyed_answers.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
}

namespace idp {

namespace {

constexpr unsigned kAnswers = step::kAggregates | step::kGroups | step::kHaving | step::kSubLinks;

// Rows of aggregates, or of groups, by those steps.
bool gives_answers(const Query* query, unsigned steps) {
  return query->hasAggs && takes_only(query, steps) && names_hidden_table(query) &&
         !contain_volatile_functions(as<Node>(query->targetList)) &&
         !contain_volatile_functions(query->havingQual);
}

// Which of them are shown, and in which order, it says as well.
bool is_plain(const Query* query) {
  return gives_answers(query, kAnswers | step::kDistinct | step::kDistinctOn | step::kLimit |
                                  step::kOffset) &&
         (query->groupClause != NIL || query->havingQual == nullptr);
}

bool shows_tie(const Query* query, const Tie& tie) {
  for (const auto* key : list<Node>(grouped_expressions(query))) {
    if (IsA(key, Var) && is_same_column(as<Var>(key), tie.own)) return true;
  }
  return false;
}

// The columns of the answers beside the key, in a query that reads them.
List* columns_beside_key(const Query* answers, const Query* query) {
  List* columns = NIL;
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    auto* column = static_cast<TargetEntry*>(copyObjectImpl(target));
    column->expr = as<Expr>(column_of_answers(answers, target->resno + 1));
    columns = lappend(columns, column);
  }
  return columns;
}

// The query reads the groups of its row, and does with them what it did.
void read_groups(Query* query, Query* read, const Query* answers) {
  read->targetList = columns_beside_key(answers, query);
  read->sortClause = query->sortClause;
  read->distinctClause = query->distinctClause;
  read->hasDistinctOn = query->hasDistinctOn;
  read->limitCount = query->limitCount;
  read->limitOffset = query->limitOffset;
  read->limitOption = query->limitOption;
  read->hasSubLinks = checkExprHasSubLink(as<Node>(read));
}

// What each column is of a row without an answer, in the order of SELECT; false if one of them is
// no answer.
bool shows_answers(const Query* query, List** of_no_rows) {
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    Node* value = nullptr;
    if (!shows_answer(as<Node>(target->expr), &value)) return false;
    *of_no_rows = lappend(*of_no_rows, value);
  }
  return true;
}

// One row of answers, also where there is none.
Query* one_row(const Query* query, const char* name, const Query* answers, const Tie& tie,
               Index level, const List* of_no_rows) {
  Query* row = new_query();
  row->jointree = makeFromExpr(NIL, nullptr);
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (target->resjunk) continue;
    auto* link = makeNode(SubLink);
    link->subLinkType = EXPR_SUBLINK;
    link->location = -1;
    Query* answer = answers_of_row(name, answers, tie, level + 1);
    answer->targetList =
        list_make1(output(as<Node>(column_of_answers(answers, target->resno + 1)), 1, "answer"));
    link->subselect = as<Node>(answer);
    auto* shown = static_cast<TargetEntry*>(copyObjectImpl(target));
    shown->ressortgroupref = 0;
    shown->expr = as<Expr>(or_of_no_rows(
        link, as<Node>(target->expr),
        static_cast<Node*>(list_nth(const_cast<List*>(of_no_rows), target->resno - 1))));
    row->targetList = lappend(row->targetList, shown);
  }
  row->limitCount = query->limitCount;
  row->limitOffset = query->limitOffset;
  row->limitOption = query->limitOption;
  row->hasSubLinks = true;
  return row;
}

void read_answers(Query* around, Query* query, Index level) {
  auto* answers = copy_of(query);
  answers->limitCount = answers->limitOffset = nullptr;
  List* of_no_rows = NIL;
  Tie tie;
  if (query->limitOption == LIMIT_OPTION_WITH_TIES && query->groupClause == NIL) return;
  if (!take_tie(answers, &tie, level) || shows_tie(answers, tie) || !is_whole(answers) ||
      !ties_to_public_row(around, tie)) {
    return;
  }
  const bool is_row = query->groupClause == NIL;
  if (is_row && !shows_answers(query, &of_no_rows)) return;
  put_groups_in_place(query);
  group_by_tied(answers, around, tie);
  const char* name = add_answers(around, answers);
  if (is_row) {
    *query = *one_row(query, name, answers, tie, level, of_no_rows);
    return;
  }
  Query* read = answers_of_row(name, answers, tie, level);
  read_groups(query, read, answers);
  *query = *read;
}

// Whether an entry is a subquery of answers that are the same for all rows around it.
bool are_same_answers(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral || OidIsValid(entry->relid)) return false;
  Query* answers = entry->subquery;
  if (!gives_answers(answers, kAnswers) || names_outer_columns(answers) || !is_whole(answers)) {
    return false;
  }
  for (const auto* target : list<TargetEntry>(answers->targetList)) {
    if (target->resjunk) return false;
  }
  return true;
}

// What hangs on rows around it reads answers that do not: the planner would ask them by a condition
// on such a row.
void read_same_answers(Query* around, Query* query, Index level) {
  if (!contain_vars_of_level(as<Node>(query), static_cast<int>(level))) return;
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (are_same_answers(entry)) read_answers_once(around, entry, level);
  }
}

struct Below {
  Query* around;
  bool has_rows;    // the query around: what is tied to its rows is not computed here
  Index level = 0;  // of the query that is visited, below that one
};

bool visit(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, context);
  auto* query = as<Query>(node);
  auto* below = static_cast<Below*>(context);
  ++below->level;
  if (is_plain(query)) {
    if (!below->has_rows) read_answers(below->around, query, below->level);
  } else if (!names_hidden_table(query)) {
    read_same_answers(below->around, query, below->level);
    (void)walk_queries(query, visit, context);
  }
  --below->level;
  return false;
}

}  // namespace

void count_children_below(Query* around) {
  Below below{around, names_hidden_table(around)};
  (void)walk_queries(around, visit, &below);
}

}  // namespace idp
