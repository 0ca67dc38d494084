#include "extension/statement/explain.h"

#include "extension/answers/node.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/call/bound_call.h"
#include "extension/pg/nodes.h"
#include "extension/plan/answers_plan.h"
#include "extension/statement/charging.h"

namespace idp {

namespace {

const char* words_of(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kNone:
      return "no mechanism";
    case Mechanism::kLocal:
      return "discrete Laplace of the local sensitivity";
    case Mechanism::kTruncated:
      return "truncated discrete Laplace";
    case Mechanism::kGlobal:
      return "discrete Laplace of the global sensitivity";
    case Mechanism::kExponential:
      return "exponential mechanism";
    case Mechanism::kSmooth:
      return "smooth sensitivity";
    case Mechanism::kResponse:
      return "randomised response";
    case Mechanism::kPermuteAndFlip:
      return "permute and flip";
    case Mechanism::kSelection:
      return "selection of groups";
    case Mechanism::kClipping:
      return "clipping, then discrete Laplace";
  }
  return "unknown mechanism";
}

void append_epsilons(StringInfo line, const BoundCall& call) {
  const std::span<const double> epsilons = call.request.epsilon_span();
  const char* separator = ", epsilon ";
  for (const double epsilon : epsilons) {
    appendStringInfo(line, "%s%s", separator, amount_text(decimal_of(epsilon)));
    separator = " ";
  }
  if (call.request.spec.has(Parameter::kDelta)) {
    appendStringInfo(line, ", delta %s", amount_text(decimal_of(call.request.spec.delta)));
  }
}

void append_costs(StringInfo line, const BoundCall& call) {
  for (const auto* account : list<Account>(call.charge.accounts)) {
    if (call.release.name != nullptr) {
      appendStringInfo(line, ", released under a name, for table %s", account->name);
      continue;
    }
    const Loss cost = cost_of_call(call, *account);
    appendStringInfo(line, ", costs %s", amount_text(cost.epsilon));
    if (cost.delta != 0) appendStringInfo(line, " and delta %s", amount_text(cost.delta));
    appendStringInfo(line, " of table %s", account->name);
  }
  if (call.charge.accounts == NIL) appendStringInfoString(line, ", not charged");
}

char* line_of(const BoundCall& call) {
  StringInfoData line;
  initStringInfo(&line);
  appendStringInfoString(&line, call.name);
  if (!call.has_request) return line.data;  // parameters have no values yet
  appendStringInfo(&line, ": %s", words_of(mechanism(call.request.spec.statistic)));
  append_epsilons(&line, call);
  if (call.charge.paid != nullptr) {
    appendStringInfo(&line, ", refined from epsilon %s",
                     amount_text(decimal_of(call.charge.paid->epsilon)));
  } else if (call.charge.is_repeated) {
    appendStringInfoString(&line, ", answered before, free");
  }
  if (!call.charge.is_idle) append_costs(&line, call);
  return line.data;
}

void add_lines(const RunningQuery& query, const PlanState* drawing, List** lines) {
  for (const auto* call : list<BoundCall>(query.calls)) {
    if (&call->node->ss.ps == drawing) *lines = lappend(*lines, line_of(*call));
  }
}

struct Below {
  const RunningQuery* query;
  List** lines;
};

bool add_below(PlanState* node, void* context) {
  if (node == nullptr) return false;
  check_stack_depth();
  const auto* below = static_cast<const Below*>(context);
  if (is_answers(node->plan)) add_lines(*below->query, drawing_node(node), below->lines);
  return walk_plan_states(node, add_below, context);
}

}  // namespace

void explain_answers(const RunningQuery& query, const List* nodes) {
  for (auto* node : list<PlanState>(nodes)) {
    List* lines = NIL;
    add_lines(query, drawing_node(node), &lines);
    // what a subquery answers that rows are compared with is hidden with these
    Below below{&query, &lines};
    if (query.reads_hidden_rows) {
      (void)add_below(const_cast<PlanState*>(drawing_node(node)), &below);
    }
    explain_as(node, lines);
  }
}

}  // namespace idp
