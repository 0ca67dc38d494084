#include "extension/rewrite/children_of_rows.h"

#include "extension/access/hidden.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/rewrite/keyed_answers.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
}

namespace idp {

namespace {

// One row of aggregates, or none where it groups by the column of the tie.
bool is_plain(const Query* query) {
  return query->hasAggs &&
         takes_only(query,
                    step::kAggregates | step::kGroups | step::kImpliedGroups | step::kSubLinks) &&
         list_length(query->groupClause) <= 1 && names_hidden_table(query);
}

// Whether it is what a query groups by.
bool is_key(const Query* query, const Node* shown) {
  return list_member(grouped_expressions(query), shown);
}

// SELECT answer FROM the CTE WHERE key = the column of the row.
Query* answer_of_row(const char* name, const Query* answers, const Tie& tie) {
  Query* query = answers_of_row(name, answers, tie, 1);
  query->targetList = list_make1(output(as<Node>(column_of_answers(answers, 2)), 1, "answer"));
  return query;
}

// Null if the subquery is of another kind.
Node* counted_once(Query* around, const SubLink* link) {
  if (link->subLinkType != EXPR_SUBLINK || !IsA(link->subselect, Query) ||
      !is_plain(as<Query>(link->subselect))) {
    return nullptr;
  }
  auto* rows = copy_of(as<Query>(link->subselect));
  auto* shown = const_cast<Node*>(shown_by(rows));
  Node* of_no_rows = nullptr;
  Tie tie;
  if (shown == nullptr || !shows_answer(shown, &of_no_rows) || !take_tie(rows, &tie) ||
      !groups_by_tie(rows, tie) || is_key(rows, shown) || !ties_to_public_row(around, tie)) {
    return nullptr;
  }
  if (rows->groupClause != NIL) of_no_rows = nullptr;  // no row, where there is no group
  rows->groupClause = NIL;
  rows->targetList = list_make1(output(shown, 1, "answer"));
  group_by_tied(rows, around, tie);
  const char* name = add_answers(around, rows);
  auto* read = makeNode(SubLink);
  *read = *link;
  read->subselect = as<Node>(answer_of_row(name, rows, tie));
  return or_of_no_rows(read, shown, of_no_rows);
}

struct Counted {
  const SubLink* link;
  Node* answer;  // in its place
  CommonTableExpr* cte;
};

struct Children {
  Query* around;
  List* counted = NIL;  // of Counted
};

// The same subquery twice is one answer.
Node* answer_again(const Children& children, const SubLink* link) {
  for (auto* counted : list<Counted>(children.counted)) {
    if (!equal(counted->link, link)) continue;
    ++counted->cte->cterefcount;
    return static_cast<Node*>(copyObjectImpl(counted->answer));
  }
  return nullptr;
}

Node* with_answers(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& children = *static_cast<Children*>(context);
  if (IsA(node, SubLink)) {
    const auto* link = as<SubLink>(node);
    if (Node* answer = answer_again(children, link)) return answer;
    if (Node* answer = counted_once(children.around, link)) {
      auto* counted = static_cast<Counted*>(palloc(sizeof(Counted)));
      *counted = {link, answer, static_cast<CommonTableExpr*>(llast(children.around->cteList))};
      children.counted = lappend(children.counted, counted);
      return static_cast<Node*>(copyObjectImpl(answer));
    }
  }
  return map_expression(node, with_answers, context);
}

// Those that are one value each.
void count_children_beside(Query* query) {
  Children children{query};
  change_shown(query, [&](Node* shown) { return with_answers(shown, &children); });
  query->jointree->quals = with_answers(query->jointree->quals, &children);
}

}  // namespace

void count_children_once(Query* query) {
  const bool is_plain = query->commandType == CMD_SELECT && query->groupingSets == NIL &&
                        query->setOperations == nullptr && query->jointree != nullptr &&
                        !names_hidden_table(query);
  if (!is_plain) return;
  if (query->hasSubLinks) count_children_beside(query);
  count_children_below(query);
}

}  // namespace idp
