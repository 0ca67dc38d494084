#include "extension/plan/ways.h"

#include <algorithm>

#include "extension/pg/nodes.h"
#include "extension/plan/constants.h"
#include "extension/plan/node_rules.h"

namespace idp {

namespace {

// Counts the CTEs and subqueries that are entered, each as often as there are ways to it; each is
// looked at once.
class Ways {
 public:
  explicit Ways(const PlannedStmt* statement)
      : statement_(statement),
        below_(static_cast<int*>(
            palloc0(sizeof(int) * static_cast<Size>(list_length(statement->subplans) + 1)))) {}

  // Of the CTE that has most, too: it may be read by none, and some look at it all the same.
  int all() {
    int most = ways_in(statement_->planTree);
    for (int number = 1; number <= list_length(statement_->subplans); ++number) {
      most = std::max(most, ways_into(number));
    }
    return most;
  }

 private:
  static int sum(int a, int b) { return std::min(a + b, kMostWays + 1); }

  int ways_in(const Plan* plan) {
    check_stack_depth();
    if (plan == nullptr) return 0;
    int count = sum(ways_in(plan->lefttree), ways_in(plan->righttree));
    for (const auto* below : list<Plan>(further_plans(plan))) count = sum(count, ways_in(below));
    if (IsA(plan, CteScan)) count = sum(count, ways_into(as<CteScan>(plan)->ctePlanId));
    for (const auto* initial : list<SubPlan>(plan->initPlan)) {
      if (initial->subLinkType != CTE_SUBLINK) count = sum(count, ways_into(initial->plan_id));
    }
    Search search{this, 0};
    (void)find_subqueries(as<Node>(plan->targetlist), &search);
    (void)find_subqueries(as<Node>(plan->qual), &search);
    (void)find_subqueries(as<Node>(further_expressions(plan, statement_)), &search);
    return sum(count, search.count);
  }

  int ways_into(int number) {
    CHECK_FOR_INTERRUPTS();
    int& known = below_[number];
    if (known == 0) {
      known = sum(1, ways_in(static_cast<const Plan*>(list_nth(statement_->subplans, number - 1))));
    }
    return known;
  }

  struct Search {
    Ways* ways;
    int count;
  };

  static bool find_subqueries(Node* node, void* context) {
    if (node == nullptr) return false;
    auto* search = static_cast<Search*>(context);
    if (IsA(node, SubPlan)) {
      search->count = sum(search->count, search->ways->ways_into(as<SubPlan>(node)->plan_id));
    }
    return walk_expression(node, find_subqueries, context);
  }

  const PlannedStmt* statement_;
  int* below_;  // by number of the subplan; 0: not known
};

}  // namespace

void refuse_many_ways() {
  ereport(ERROR, (errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
                  errmsg("a private aggregate reads subqueries in more than %d ways: read each CTE "
                         "once or twice",
                         kMostWays),
                  errdetail("CTEs that read CTEs more than once are looked at once for each way to "
                            "them.")));
  pg_unreachable();
}

void require_few_ways(const PlannedStmt* statement) {
  if (list_length(statement->subplans) < 2) return;
  if (Ways(statement).all() > kMostWays && has_private_aggregates(statement)) refuse_many_ways();
}

}  // namespace idp
