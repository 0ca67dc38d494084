#include "extension/query/judge.h"

#include <algorithm>

#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/certain.h"
#include "extension/plan/input.h"
#include "extension/plan/plan_kinds.h"
#include "extension/query/walk.h"
#include "extension/state/running_query.h"

extern "C" {
#include "utils/datum.h"
}

namespace idp {

namespace {

constexpr Problem kNotRead = {
    "a query that was not understood when it was planned",
    "Run the query again; if it fails again, without other extensions that plan queries.",
    "run the query again"};
constexpr Problem kSetReturning = {"a function that returns sets",
                                   "Apply the private aggregate to the rows of the table.",
                                   "apply it to the table"};

bool find_own(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_own, context);
  if (is_own_function(reinterpret_cast<Aggref*>(node)->aggfnoid)) {
    auto** found = static_cast<List**>(context);
    *found = lappend(*found, node);
  }
  return false;
}

}  // namespace

// What a query says holds of each plan for it that is made of nodes which do what it says.
UnitInput unit_input(AggState* node, const Level& level, const PrivacyUnit& unit,
                     UnitFacts::IsConstant is_constant) {
  UnitInput input{&kNotRead, Multiplicity::unbounded(), nullptr, false, nullptr, NIL};
  if (!level.is_known()) return input;
  EState* state = node->ss.ps.state;
  input.problem = problem_of_kinds(outerPlanState(node));
  if (input.problem != nullptr) return input;
  input.problem = &kNotRead;
  const Query* query = level.query();
  if (query->commandType != CMD_SELECT || query->rowMarks != NIL ||
      query->setOperations != nullptr) {
    return input;
  }
  UnitFacts facts(unit, state);
  facts.set_constants(is_constant);
  LevelWalk walk(facts, level);
  const Rows rows = walk.rows_of_from();
  input.problem = rows.problem;
  if (rows.problem != nullptr) return input;
  const Inputs over = walk.inputs(rows);
  bool are_public = rows.keeps_public && query->groupingSets == NIL;
  for (auto* clause : list<SortGroupClause>(query->groupClause)) {
    Node* key = get_sortgroupclause_expr(clause, query->targetList);
    input.problem = walk.problem_of(key, over);
    if (input.problem == nullptr && !rows.is_fixed && expression_returns_set(key)) {
      input.problem = &kSetReturning;
    }
    if (input.problem != nullptr) return input;
    are_public = are_public && facts_of(facts, key, over).of_public;
  }
  const Bitmapset* values = answered_values_of(state);
  List* aggregates = NIL;
  (void)find_own(as<Node>(query->targetList), &aggregates);
  (void)find_own(query->havingQual, &aggregates);
  for (const auto* aggregate : list<Aggref>(aggregates)) {
    if (rows.has_absent && !leaves_out_absent(aggregate, over)) input.problem = &kAbsent;
    if (input.problem == nullptr) {
      input.problem = expression_problem(as<Node>(aggregate->args), values);
    }
    if (input.problem == nullptr) {
      input.problem = expression_problem(as<Node>(const_cast<Expr*>(aggregate->aggfilter)), values);
    }
    if (input.problem == nullptr) input.problem = problem_of_forms(facts, aggregate, over);
    if (input.problem != nullptr) return input;
    if (rows.is_lateral || aggregate->args == NIL) continue;
    const auto* first = static_cast<const TargetEntry*>(linitial(aggregate->args));
    const ColumnFacts argument = facts_of(facts, as<Node>(first->expr), over);
    if (is_one_value(argument)) {
      input.one_value = bms_add_member(input.one_value, aggregate->aggno);
    }
    if (argument.mass == nullptr) continue;
    const std::optional<NullableDatum> bound = certain_value(argument.mass, state);
    if (!bound || bound->isnull) continue;
    auto* mass = static_cast<BoundedMass*>(palloc(sizeof(BoundedMass)));
    *mass = {aggregate->aggno, datumCopy(bound->value, false, -1)};
    input.masses = lappend(input.masses, mass);
  }
  // nothing of the account is read: as if one row were
  const Multiplicity most = rows.is_fixed ? Multiplicity::of(1) : rows.most;
  input.most = std::max(most, Multiplicity::of(1));
  input.unbounded = rows.unbounded;
  input.has_public_groups = are_public;
  return input;
}

}  // namespace idp
