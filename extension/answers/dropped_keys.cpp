#include "extension/answers/dropped_keys.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
}

namespace idp {

namespace {

bool is_grouped_by(const Agg* plan, AttrNumber column) {
  for (int i = 0; i < plan->numCols; ++i) {
    if (plan->grpColIdx[i] == column) return true;
  }
  return false;
}

template <class Item>
void append(Item** items, int count, Item item) {
  auto* copy = static_cast<Item*>(palloc(sizeof(Item) * (count + 1)));
  for (int i = 0; i < count; ++i) copy[i] = (*items)[i];
  copy[count] = item;
  *items = copy;
}

void group_by(Agg* plan, const TargetEntry* column, Oid equality) {
  append(&plan->grpColIdx, plan->numCols, column->resno);
  append(&plan->grpOperators, plan->numCols, equality);
  append(&plan->grpCollations, plan->numCols, exprCollation(as<Node>(column->expr)));
  ++plan->numCols;
}

}  // namespace

void give_back_keys(Agg* aggregation) {
  const bool is_known =
      aggregation->numCols > 0 && aggregation->groupingSets == NIL && aggregation->chain == NIL &&
      (aggregation->aggstrategy == AGG_HASHED || aggregation->aggstrategy == AGG_SORTED);
  if (!is_known) return;
  const List* below = outerPlan(aggregation)->targetlist;
  for (const auto* target : list<TargetEntry>(aggregation->plan.targetlist)) {
    if (target->ressortgroupref == 0 || !IsA(target->expr, Var)) continue;
    TargetEntry* column = tlist_member(target->expr, const_cast<List*>(below));
    if (column == nullptr || is_grouped_by(aggregation, column->resno)) continue;
    Oid equality = InvalidOid;
    bool is_hashable = false;
    get_sort_group_operators(exprType(as<Node>(target->expr)), false, false, false, nullptr,
                             &equality, nullptr, &is_hashable);
    if (!OidIsValid(equality)) continue;
    if (aggregation->aggstrategy == AGG_HASHED && !is_hashable) continue;
    // by which the question knows it (plan/question.cpp)
    if (column->ressortgroupref == 0) column->ressortgroupref = target->ressortgroupref;
    group_by(aggregation, column, equality);
  }
}

}  // namespace idp
