#include "extension/rewrite/first_rows.h"

#include <algorithm>

#include "extension/access/hidden.h"
#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace idp {

bool gives_first_row(const Query* query) {
  if (query->limitCount == nullptr || query->limitOption == LIMIT_OPTION_WITH_TIES ||
      !takes_only(query, step::kLimit | step::kSubLinks) || query->jointree->fromlist == NIL ||
      contain_volatile_functions(as<Node>(query->targetList))) {
    return false;
  }
  const auto* count = maybe<Const>(folded(query->limitCount));
  return count != nullptr && !count->constisnull && count->consttype == INT8OID &&
         DatumGetInt64(count->constvalue) == 1;
}

AttrNumber give_first_of_each(Query* query, const Tie& tie) {
  Index reference = 0;
  AttrNumber number = 0;
  List* shown = NIL;
  List* others = NIL;
  for (auto* target : list<TargetEntry>(query->targetList)) {
    reference = std::max(reference, target->ressortgroupref);
    List*& part = target->resjunk ? others : shown;
    part = lappend(part, target);
  }
  number = static_cast<AttrNumber>(list_length(shown) + 1);
  TargetEntry* key = output(static_cast<Node*>(copyObjectImpl(tie.own)), number, "key");
  SortGroupClause* clause = clause_of(key, reference + 1);
  query->targetList = list_concat(lappend(shown, key), others);
  AttrNumber resno = 0;
  for (auto* target : list<TargetEntry>(query->targetList)) target->resno = ++resno;
  query->distinctClause = list_make1(clause);
  query->hasDistinctOn = true;
  query->sortClause = lcons(copyObjectImpl(clause), query->sortClause);
  query->limitCount = nullptr;
  return number;
}

namespace {

bool is_entry(const Node* part, int number) {
  return IsA(part, RangeTblRef) && as<RangeTblRef>(part)->rtindex == number;
}

// The join of the entry to what is before it; null if it is joined in another way.
JoinExpr* join_of(Node* part, int number) {
  check_stack_depth();
  auto* join = maybe<JoinExpr>(part);
  if (join == nullptr) return nullptr;
  const bool keeps_left = join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT;
  if (is_entry(join->rarg, number)) return keeps_left ? join : nullptr;
  JoinExpr* found = join_of(join->larg, number);
  return found != nullptr ? found : join_of(join->rarg, number);
}

// Where a condition on rows of the entry stands; null if it is joined in another way.
Node** conditions_on(Query* query, int number) {
  for (auto* part : list<Node>(query->jointree->fromlist)) {
    if (is_entry(part, number)) return &query->jointree->quals;
    if (JoinExpr* join = join_of(part, number)) return &join->quals;
  }
  return nullptr;
}

void join_first_row(Query* query, int number) {
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  const bool is_first = entry->rtekind == RTE_SUBQUERY && entry->lateral &&
                        entry->securityQuals == NIL && gives_first_row(entry->subquery) &&
                        names_hidden_table(entry->subquery) && !names_whole_row(query, number);
  Node** conditions = is_first ? conditions_on(query, number) : nullptr;
  if (conditions == nullptr) return;
  auto* rows = copy_of(entry->subquery);
  Tie tie;
  if (!take_tie(rows, &tie)) return;
  const AttrNumber key = give_first_of_each(rows, tie);
  entry->subquery = rows;
  entry->lateral = false;
  auto* names = static_cast<Alias*>(copyObjectImpl(entry->eref));
  names->colnames = names_of(rows);
  entry->eref = names;
  auto* outer = static_cast<Var*>(copyObjectImpl(tie.outer));
  outer->varlevelsup = 0;
  auto* equality = static_cast<OpExpr*>(copyObjectImpl(tie.equality));
  auto* own = column_like(number, static_cast<TargetEntry*>(list_nth(rows->targetList, key - 1)));
  const bool is_left = equal(linitial(tie.equality->args), tie.own);
  equality->args = is_left ? list_make2(own, outer) : list_make2(outer, own);
  *conditions = make_and_qual(*conditions, as<Node>(equality));
}

}  // namespace

void join_first_rows(Query* query) {
  if (query->commandType != CMD_SELECT || query->setOperations != nullptr ||
      query->jointree == nullptr) {
    return;
  }
  for (int number = 1; number <= list_length(query->rtable); ++number) {
    join_first_row(query, number);
  }
}

}  // namespace idp
