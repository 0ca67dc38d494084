#include "extension/rewrite/children_of_groups.h"

#include "extension/access/hidden.h"
#include "extension/domain/all_groups.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/rewrite/children_of_rows.h"
#include "extension/rewrite/keyed_answers.h"
#include "extension/rewrite/private_call.h"

extern "C" {
#include "optimizer/optimizer.h"
}

namespace idp {

namespace {

// One row of answers.
bool is_plain(const Query* query) {
  return aggregates_all_rows(query) && names_hidden_table(query);
}

bool is_same(const TableColumn& a, const TableColumn& b) {
  return OidIsValid(a.table) && a.table == b.table && a.number == b.number;
}

// Whether everybody may know the keys of groups by the first column.
bool has_all_groups(const Query* answers) {
  auto* probe = copy_of(answers);
  Aggref* count = private_call("dp_count", list_make1(float_constant(1)));
  if (count == nullptr) return false;
  probe->targetList = list_make2(linitial(probe->targetList), output(as<Node>(count), 2, "number"));
  return give_groups_of(probe);
}

struct Groups {
  const QueryLevel* level;
  List* keys;  // of Node
};

// Null if the subquery is of another kind.
Node* counted_once(const Groups& groups, const SubLink* link) {
  if (link->subLinkType != EXPR_SUBLINK || !is_plain(as<Query>(link->subselect))) return nullptr;
  auto* answers = copy_of(as<Query>(link->subselect));
  auto* value = const_cast<Node*>(shown_by(answers));
  Node* of_no_rows = nullptr;
  Tie tie;
  if (value == nullptr || !shows_answer(value, &of_no_rows) || !take_tie(answers, &tie)) {
    return nullptr;
  }
  auto* key = static_cast<Var*>(copyObjectImpl(tie.outer));
  key->varlevelsup = 0;
  if (!list_member(groups.keys, key) ||
      !is_same(origin_of({answers, groups.level}, as<Node>(tie.own)),
               origin_of(*groups.level, as<Node>(key)))) {
    return nullptr;
  }
  answers->targetList = list_make1(output(value, 1, "answer"));
  group_first_by(answers, as<Node>(tie.own));
  if (!has_all_groups(answers)) return nullptr;
  const char* name = add_answers(groups.level->query, answers);
  Query* read = answers_of_row(name, answers, tie, 1);
  read->targetList = list_make1(output(as<Node>(column_of_answers(answers, 2)), 1, "answer"));
  auto* answer = makeNode(SubLink);
  *answer = *link;
  answer->subselect = as<Node>(read);
  return or_of_no_rows(answer, value, of_no_rows);
}

Node* with_answers(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query) || IsA(node, Aggref)) return node;
  if (IsA(node, SubLink)) {
    Node* answer = counted_once(*static_cast<const Groups*>(context), as<SubLink>(node));
    if (answer != nullptr) return answer;
  }
  return map_expression(node, with_answers, context);
}

}  // namespace

void count_children_of_groups(const QueryLevel& level) {
  Query* query = level.query;
  const bool is_plain = query->commandType == CMD_SELECT && query->hasSubLinks &&
                        query->groupClause != NIL && query->groupingSets == NIL &&
                        query->setOperations == nullptr && names_hidden_table(query);
  if (!is_plain) return;
  put_groups_in_place(query);
  Groups groups{&level, grouped_expressions(query)};
  change_shown(query, [&](Node* shown) { return with_answers(shown, &groups); });
  count_children_below(query);
}

}  // namespace idp
