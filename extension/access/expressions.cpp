#include "extension/access/expressions.h"

#include "extension/access/eager_opens.h"
#include "extension/access/lasting.h"
#include "extension/access/offset_check.h"
#include "extension/access/total_functions.h"
#include "extension/access/trusted.h"
#include "extension/pg/nodes.h"
#include "extension/state/running_query.h"
#include "extension/total/twins.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/stable_functions.h"
#include "extension/pg/versions.h"
#include "extension/plan/gate.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/settled.h"

extern "C" {
#include "access/detoast.h"
#include "access/transam.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

struct Search {
  PlanState* node;
  Unfit unfit;
};

bool is_builtin(Oid function) { return function < FirstGenbkiObjectId; }

// --- what does not depend on rows ---

// How often a constant expression is evaluated while a query runs, which may change settings.
enum class Evaluated : std::uint8_t { kOnce, kForEachRow };

struct ConstantSearch {
  Evaluated evaluated;
  Unfit unfit;
};

bool is_unfit_constant(Oid function, void* context) {
  auto* search = static_cast<ConstantSearch*>(context);
  const bool is_fixed = func_volatile(function) == PROVOLATILE_IMMUTABLE ||
                        (search->evaluated == Evaluated::kOnce && !is_unstable(function, nullptr));
  const bool is_fit =
      (is_builtin(function) && is_fixed) || is_offset_check(function) || is_trusted(function);
  if (!is_fit) search->unfit.function = function;
  return !is_fit;
}

// Lists what can be evaluated beforehand, with the same result as later.
bool find_unfit_constant(Node* node, void* context) {
  auto* search = static_cast<ConstantSearch*>(context);
  if (node == nullptr) return false;
  if (IsA(node, Const) || IsA(node, Param) || IsA(node, SQLValueFunction)) return false;
  if (!IsA(node, MinMaxExpr) && !only_calls_functions(node)) {
    search->unfit.words = "an expression of a kind that can fail";
    return true;
  }
  return check_functions_in_node(node, is_unfit_constant, context) ||
         walk_expression(node, find_unfit_constant, context);
}

Unfit unfit_constant(Node* expression, Evaluated evaluated) {
  ConstantSearch search = {evaluated, {}};
  (void)find_unfit_constant(expression, &search);
  search.unfit.is_constant = search.unfit.any();
  return search.unfit;
}

NullableDatum value_of(Node* expression, PlanState* node) {
  if (IsA(expression, Const)) {
    const auto* constant = as<Const>(expression);
    return {constant->constvalue, constant->constisnull};
  }
  ExprState* state = ExecInitExprWithParams(as<Expr>(expression), node->state->es_param_list_info);
  ExprContext* context =
      node->ps_ExprContext ? node->ps_ExprContext : GetPerTupleExprContext(node->state);
  NullableDatum value;
  value.value = ExecEvalExprSwitchContext(state, context, &value.isnull);
  return value;
}

// What is explained will be settled when it runs.
Unfit unfit_constant_of(Node* expression, const PlanState* node) {
  if (IsA(expression, Const) || is_settled(expression)) return {};
  const Unfit unfit = unfit_constant(expression, Evaluated::kOnce);
  if (unfit.any() || is_only_explained(node->state)) return unfit;
  return unfit_constant(expression, Evaluated::kForEachRow);
}

bool refuse(Search& search, const char* words, const char* way_out) {
  search.unfit.words = words;
  search.unfit.way_out = way_out;
  return true;
}

// Whether a constant or a parameter in an expression has a value that lies elsewhere: it would be
// fetched when the first row is compared with it, from a table of the asker's that may have
// changed.
bool find_elsewhere(Node* node, void* context) {
  if (node == nullptr) return false;
  const bool is_value =
      IsA(node, Const) || (IsA(node, Param) && as<Param>(node)->paramkind == PARAM_EXTERN);
  if (!is_value) return walk_expression(node, find_elsewhere, context);
  if (get_typlen(exprType(node)) != -1) return false;
  const NullableDatum value = value_of(node, static_cast<PlanState*>(context));
  return !value.isnull && VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(value.value));
}

// A parameter too: a variable of a function can have no value, which is an error where it is read.
// A long value, several times in a row that is sorted, would fail where there is such a row; a list
// of values that something is compared with is in none.
bool check_constant(Node* node, Search& search, bool may_be_long = false) {
  search.unfit = unfit_constant_of(node, search.node);
  if (search.unfit.any()) return true;
  if (!IsA(node, Const) && is_only_explained(search.node->state)) return false;
  if (find_elsewhere(node, search.node)) {
    return refuse(search, "a value that is stored in a table",
                  "assign it anew, as by v := v || ''");
  }
  const bool is_too_long = is_long(exprType(node), value_of(node, search.node)) && !may_be_long;
  return is_too_long && refuse(search, "a constant of more than 256 kB", "give a shorter one");
}

// --- what does ---

// Pattern matching and searching fail where they do not know the collation, or it takes different
// texts for equal.
bool is_fit_collation(Oid function, Oid collation) {
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  bool collatable = false;
  for (int i = 0; i < count; ++i) collatable |= type_is_collatable(types[i]);
  return !collatable || (OidIsValid(collation) && get_collation_isdeterministic(collation));
}

bool is_argument_fit(Needs needs, List* arguments, PlanState* node) {
  const int position = fitted_argument(needs);
  if (position < 0) return true;
  if (position >= list_length(arguments)) return false;  // not known
  auto* argument = static_cast<Node*>(list_nth(arguments, position));
  if (depends_on_rows(argument) || unfit_constant_of(argument, node).any()) return false;
  if (!IsA(argument, Const) && is_only_explained(node->state)) return true;
  const NullableDatum value = value_of(argument, node);
  return value.isnull || is_fit(needs, value.value);
}

bool check_collation(Oid collation, Search& search) {
  return !open_collation(collation) &&
         refuse(search, "a collation that belongs to no superuser", "use one of the server");
}

bool require_argument(Oid function, std::optional<Needs> needs, List* arguments, Search& search) {
  const bool fit = needs && is_argument_fit(*needs, arguments, search.node);
  if (!fit) search.unfit.function = function;
  return !fit;
}

bool check_function(Oid function, Oid collation, List* arguments, Search& search) {
  if (check_collation(collation, search)) return true;
  if (is_trusted(function)) return false;
  std::optional<Needs> needs;
  if (is_builtin(function) && is_fit_collation(function, collation)) needs = needs_of(function);
  return require_argument(function, needs, arguments, search);
}

bool check_operator(Oid op, Oid collation, List* arguments, Search& search) {
  if (!is_lasting_operator(op)) {
    return refuse(search, "an operator that belongs to no superuser", "use one of the server");
  }
  return check_function(get_opcode(op), collation, arguments, search);
}

bool check_type(const Node* node, Search& search) {
  const Oid type = exprType(node);
  if (!is_lasting_type(type, search.node->state)) {
    return refuse(search, "a value of a type that no column of the tables has", "leave it out");
  }
  return !is_type_of_owner(type, search.node->state) &&
         refuse(search, "a value of a type that another role owns",
                "have the owner of the tables own it");
}

Needs needs_of_form(twin_rows::Form form) {
  switch (form) {
    case twin_rows::Form::kPattern:
      return Needs::kPattern;
    case twin_rows::Form::kRegex:
      return Needs::kRegex;
    default:
      return Needs::kNothing;
  }
}

bool check_call(const FuncExpr* call, Search& search) {
  const std::optional<Twin> twin = twin_at(as<Node>(call));
  if (!twin) return check_function(call->funcid, call->inputcollid, call->args, search);
  return check_collation(call->inputcollid, search) ||
         require_argument(twin->function, needs_of_form(twin->row->form), twin->arguments, search);
}

// A cast by way of the text form.
bool check_cast(const CoerceViaIO* cast, Search& search) {
  if (cast->resulttype != TEXTOID && cast->resulttype != VARCHAROID) {
    return refuse(search, "a cast that can fail", "cast the answers");
  }
  Oid output = InvalidOid;
  bool is_varlena = false;
  getTypeOutputInfo(exprType(as<Node>(cast->arg)), &output, &is_varlena);
  return check_function(output, InvalidOid, NIL, search);
}

bool check(Node* node, void* context) {
  if (node == nullptr) return false;
  // What is executed of it is a condition of the plan's node.
  if (is_note_of_planner(node)) return false;
  auto& search = *static_cast<Search*>(context);
  if (IsA(node, List) || IsA(node, TargetEntry) || IsA(node, CaseWhen)) {
    return walk_expression(node, check, context);
  }
  if (expression_returns_set(node))
    return refuse(search, "a function that returns sets",
                  "aggregate them in a subquery with GROUP BY, and join that");
  if (!depends_on_rows(node)) return check_type(node, search) || check_constant(node, search);
  switch (nodeTag(node)) {
    case T_Aggref:
      return false;  // looked at with its node
    case T_Var:
      // Its values are fetched and put together, which fails for more than a gigabyte of them.
      if (as<Var>(node)->varattno == InvalidAttrNumber) {
        return refuse(search, "a whole row as a value", "name its columns");
      }
      break;
    case T_Param:
    case T_CaseTestExpr:
    case T_BoolExpr:
    case T_BooleanTest:
    case T_RelabelType:
    case T_CaseExpr:
    case T_CoalesceExpr:
      break;
    case T_NullTest:
      // The columns of a row are looked up with the first.
      if (as<NullTest>(node)->argisrow) {
        return refuse(search, "a test of the columns of a value", "test its columns");
      }
      break;
    case T_WindowFunc: {
      const auto* call = as<WindowFunc>(node);
      if (check_collation(call->inputcollid, search)) return true;
      if (search.node == nullptr || !is_total(call, plan_node(search.node))) {
        search.unfit.function = call->winfnoid;
        return true;
      }
      break;
    }
    case T_FuncExpr:
      if (check_call(as<FuncExpr>(node), search)) return true;
      break;
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr: {
      const auto* call = as<OpExpr>(node);
      if (check_operator(call->opno, call->inputcollid, call->args, search)) return true;
      break;
    }
    case T_ScalarArrayOpExpr: {
      const auto* call = as<ScalarArrayOpExpr>(node);
      if (check_operator(call->opno, call->inputcollid, NIL, search)) return true;
      auto* values = static_cast<Node*>(lsecond(call->args));
      if (depends_on_rows(values)) break;
      return check_constant(values, search, true) ||
             check(static_cast<Node*>(linitial(call->args)), context);
    }
    case T_MinMaxExpr: {
      const auto* choice = as<MinMaxExpr>(node);
      const Oid compare = lookup_type_cache(choice->minmaxtype, TYPECACHE_CMP_PROC)->cmp_proc;
      if (check_function(compare, choice->inputcollid, NIL, search)) return true;
      break;
    }
    case T_CoerceViaIO:
      if (check_cast(as<CoerceViaIO>(node), search)) return true;
      break;
    case T_SubPlan:
    case T_AlternativeSubPlan:
      return refuse(
          search, "a subquery in an expression",
          "aggregate first and apply it to the answers, or declare the domain of its column");
    default:
      return refuse(search, "an expression of a kind that can fail", "apply it to answers");
  }
  return check_type(node, search) || walk_expression(node, check, context);
}

}  // namespace

bool is_long(Oid type, NullableDatum value) {
  return !value.isnull && get_typlen(type) == -1 &&
         toast_raw_datum_size(value.value) > twin_rows::kLongest;
}

bool can_be_settled(Node* expression) {
  const auto* call = maybe<FuncExpr>(expression);
  if (call != nullptr && call->funcid == gate_function()) return false;  // it is opened
  return has_own_value(expression) && !depends_on_rows(expression) &&
         !unfit_constant(expression, Evaluated::kOnce).any();
}

Unfit find_unfit(Node* expression, PlanState* node) {
  Search search = {node, {}};
  (void)check(expression, &search);
  return search.unfit;
}

Unfit find_unfit_count(Node* count, PlanState* node) {
  Unfit unfit = find_unfit(count, node);
  if (unfit.any() || count == nullptr) return unfit;
  if (depends_on_rows(count)) {
    unfit.words = "a LIMIT or OFFSET that is not the same for all rows";
    unfit.way_out = "give a constant";
  } else if (IsA(count, Const) || !is_only_explained(node->state)) {
    const NullableDatum value = value_of(count, node);
    if (!value.isnull && DatumGetInt64(value.value) < 0) {
      unfit.words = "a negative LIMIT or OFFSET";
      unfit.way_out = "give one that is not";
    }
  }
  return unfit;
}

Unfit find_unfit_collation(Oid collation) {
  Search search = {nullptr, {}};
  (void)check_collation(collation, search);
  return search.unfit;
}

Unfit find_unfit_aggregate(const Aggref* aggref, PlanState* node) {
  Unfit unfit;
  if (!is_total(aggref, plan_node(node))) unfit.function = aggref->aggfnoid;
  return unfit;
}

Unfit find_unfit_equality(Oid op, Oid collation) {
  Unfit unfit = find_unfit_operator(op, collation);
  // The hash function of one that is not the server's is not known to be trusted, and is looked up
  // with the first row. Rows that are in order by one that depends on settings may be out of order
  // by another of its family.
  const Oid function = get_opcode(op);
  const bool is_fit = op < FirstNormalObjectId && is_builtin(function) &&
                      func_volatile(function) == PROVOLATILE_IMMUTABLE;
  if (!unfit.any() && !is_fit) unfit.function = function;
  return unfit;
}

Unfit find_unfit_operator(Oid op, Oid collation) {
  Search search = {nullptr, {}};
  (void)check_operator(op, collation, NIL, search);
  return search.unfit;
}

}  // namespace idp
