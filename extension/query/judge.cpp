#include "extension/query/judge.h"

#include <algorithm>

#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/certain.h"
#include "extension/plan/input.h"
#include "extension/query/walk.h"

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

const char* words_of(const UnitInput& input) {
  if (input.problem != nullptr) return input.problem->words;
  if (!input.most.is_bounded()) return "any number of rows";
  return psprintf("%d rows, %s groups, %d single values, %d masses", input.most.count(),
                  input.has_public_groups ? "public" : "hidden", bms_num_members(input.one_value),
                  list_length(input.masses));
}

const BoundedMass* mass_of(const List* masses, int aggregate) {
  for (const auto* mass : list<BoundedMass>(masses)) {
    if (mass->aggregate == aggregate) return mass;
  }
  return nullptr;
}

// The masses that both know, each the larger one.
List* in_both(const List* masses, const List* others) {
  List* both = NIL;
  for (auto* mass : list<BoundedMass>(masses)) {
    const BoundedMass* other = mass_of(others, mass->aggregate);
    if (other == nullptr) continue;
    const bool is_less = DatumGetBool(DirectFunctionCall2(numeric_lt, mass->bound, other->bound));
    both = lappend(both, is_less ? const_cast<BoundedMass*>(other) : mass);
  }
  return both;
}

}  // namespace

// Each of the two is right by its own proof. So is what both allow.
UnitInput stricter_input(AggState* node, const Level& level, const PrivacyUnit& unit,
                         UnitFacts::IsConstant is_constant) {
  const UnitInput of_plan = unit_input(node, unit);
  const UnitInput of_query = unit_input(level, unit, node->ss.ps.state, is_constant);
  const char* words = words_of(of_plan);
  const char* others = words_of(of_query);
  if (superuser() && strcmp(words, others) != 0) {  // how a query is planned is not for analysts
    ereport(DEBUG1,
            (errmsg_internal("judges of units differ: plan: %s; query: %s", words, others)));
  }
  UnitInput input = of_plan;
  if (input.problem == nullptr) input.problem = of_query.problem;
  if (of_query.problem != nullptr) return input;
  input.most = std::max(of_plan.most, of_query.most);
  if (input.unbounded == nullptr) input.unbounded = of_query.unbounded;
  input.has_public_groups &= of_query.has_public_groups;
  input.one_value = bms_intersect(of_plan.one_value, of_query.one_value);
  input.masses = in_both(of_plan.masses, of_query.masses);
  return input;
}

UnitInput unit_input(const Level& level, const PrivacyUnit& unit, EState* state,
                     UnitFacts::IsConstant is_constant) {
  UnitInput input{&kNotRead, Multiplicity::unbounded(), nullptr, false, nullptr, NIL};
  if (!level.is_known()) return input;
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
  const NodeInputs over = walk.inputs(rows);
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
  List* aggregates = NIL;
  (void)find_own(as<Node>(query->targetList), &aggregates);
  (void)find_own(query->havingQual, &aggregates);
  for (const auto* aggregate : list<Aggref>(aggregates)) {
    if (rows.has_absent && !leaves_out_absent(aggregate, over)) input.problem = &kAbsent;
    if (input.problem == nullptr) input.problem = problem_of_forms(facts, aggregate, over);
    if (input.problem == nullptr) {
      input.problem = expression_problem(as<Node>(aggregate->args));
    }
    if (input.problem == nullptr) {
      input.problem = expression_problem(as<Node>(const_cast<Expr*>(aggregate->aggfilter)));
    }
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
