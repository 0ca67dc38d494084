#include "extension/plan/answers_plan.h"

#include "extension/pg/nodes.h"

namespace idp {

CustomScanMethods answers_methods = {"PrivateAnswers", nullptr};

bool is_answers(const Plan* plan) {
  return IsA(plan, CustomScan) && as<CustomScan>(plan)->methods == &answers_methods;
}

Plan* drawing_plan(const CustomScan* plan) {
  return static_cast<Plan*>(linitial(plan->custom_plans));
}

namespace {

// Places in custom_private. The first is no empty list: Citus looks at it, of any custom scan.
enum { kOneGroup, kColumns, kOperators, kCollations, kNullsFirst, kDeciding, kLevel };

List* list_at(const CustomScan* plan, int place) {
  return static_cast<List*>(list_nth(plan->custom_private, place));
}

}  // namespace

List* private_list(const AnswerOrder& order, List* deciding, bool has_one_group, List* level) {
  List* places =
      list_make5(order.columns, order.operators, order.collations, order.nulls_first, deciding);
  return lcons(list_make1_int(has_one_group), lappend(places, level));
}

AnswerOrder order_of_answers(const CustomScan* plan) {
  return {list_at(plan, kColumns), list_at(plan, kOperators), list_at(plan, kCollations),
          list_at(plan, kNullsFirst)};
}

List* deciding_columns(const CustomScan* plan) { return list_at(plan, kDeciding); }

const List* asking_level(const CustomScan* plan) { return list_at(plan, kLevel); }

bool has_one_group(const CustomScan* plan) { return linitial_int(list_at(plan, kOneGroup)) != 0; }

}  // namespace idp
