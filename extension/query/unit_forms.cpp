// Equal values that look different: 1.0 and 1.00, -0 and 0, 24 hours and a day.
//
// Of values that are equal a group, an aggregate or DISTINCT shows one. Which one it is depends on
// the order in which the rows come; that of equal rows, on whether all rows were sorted already,
// and so on rows of other units. The form of such a value is therefore nobody's: it may be shown to
// nothing that tells forms apart. What is left is to pass it on, to compare it, to add and multiply
// numbers, and to read their values, as casts and the private aggregates over numbers do. Of a type
// whose equal values look the same (has_exact_equality) there is one form, and all of this is
// allowed.
//
// Proof: let two executions differ in forms of such columns alone. A column is passed on, chosen or
// put in order alike; a comparison, by the operators that the type's values are equal by, has the
// same result; so the next node gives the same rows but for forms of such columns. A private
// aggregate over numbers sees equal keys (core/grid/key.h).
#include "extension/query/unit_rows.h"

#include <algorithm>

#include "extension/plan/key_forms.h"
#include "extension/plan/group_functions.h"
#include "extension/total/twins.h"

extern "C" {
#include "nodes/pathnodes.h"
#include "access/stratnum.h"
#include "access/transam.h"
#include "utils/fmgroids.h"
#include "utils/typcache.h"
}

namespace idp {

const Problem kFormShown = {
    "a value of which there may be several equal ones that look different",
    "Bring values to one form before they are grouped or compared: x::numeric(12,2) for numbers, "
    "x::text for character(n), a deterministic collation for text.",
    "bring it to one form first, as x::numeric(12,2) does"};

namespace {

// The operators by which values of a type are equal, and in order.
Oid order_of_type(Oid type) { return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf; }

}  // namespace

bool compares_values(Oid op, Oid collation, const Node* argument) {
  const Oid family = order_of_type(exprType(argument));
  if (!OidIsValid(family)) return false;
  const Oid negator = get_negator(op);
  const bool is_comparison =
      get_op_opfamily_strategy(op, family) != 0 ||
      (OidIsValid(negator) && get_op_opfamily_strategy(negator, family) == BTEqualStrategyNumber);
  const Oid own = exprCollation(argument);
  return is_comparison && (!OidIsValid(own) || own == collation);
}

namespace {

// Whether values that are equal before are equal afterwards, and the other way round.
bool keeps_equality(const RelabelType* cast) {
  const auto* argument = reinterpret_cast<const Node*>(cast->arg);
  return order_of_type(cast->resulttype) == order_of_type(exprType(argument)) &&
         cast->resultcollid == exprCollation(argument);
}

bool is_exact(const Node* expression, int32 typmod) {
  const Oid type = getBaseTypeAndTypmod(exprType(expression), &typmod);
  return has_exact_equality(type, typmod, exprCollation(expression));
}

// A cast of the server by which values have one length or scale, and so one form.
bool gives_scale(const Node* expression) {
  const Node* call = original_of(const_cast<Node*>(expression));
  if (!IsA(call, FuncExpr) || !exprIsLengthCoercion(call, nullptr)) return false;
  const bool is_known = reinterpret_cast<const FuncExpr*>(call)->funcid < FirstGenbkiObjectId;
  return is_known && is_exact(call, exprTypmod(call));
}

const Node* only_argument(const List* targets) {
  if (list_length(targets) != 1) return nullptr;
  return reinterpret_cast<const Node*>(static_cast<const TargetEntry*>(linitial(targets))->expr);
}

Inputs read_by_aggregates(const Inputs& inputs) { return {inputs.grouped, inputs.layout}; }

struct Search {
  const UnitFacts* walk;
  const Inputs* inputs;
  Form worst;
};

bool find_forms(Node* node, void* context) {
  auto* search = static_cast<Search*>(context);
  search->worst = std::max(search->worst, form_of(*search->walk, node, *search->inputs));
  return false;
}

// The worst of what the parts of an expression show.
Form form_of_parts(const UnitFacts& walk, const Node* expression, const Inputs& inputs) {
  Search search{&walk, &inputs, Form::kOwn};
  (void)walk_expression(const_cast<Node*>(expression), find_forms, &search);
  return search.worst;
}

// Of what reads forms of its parts, if there are any.
Form form_of_reader(Form parts) { return parts == Form::kOwn ? Form::kOwn : Form::kShown; }

// A comparison: arguments may be of any form.
Form form_of_comparison(const UnitFacts& walk, const List* arguments, Oid op, Oid collation,
                        const Inputs& inputs) {
  Form worst = Form::kOwn;
  ListCell* cell;
  foreach (cell, arguments) {
    const auto* argument = static_cast<const Node*>(lfirst(cell));
    const Form form = form_of(walk, argument, inputs);
    if (form == Form::kAny && compares_values(op, collation, argument)) continue;
    worst = std::max(worst, form);
  }
  return form_of_reader(worst);
}

// Values of any form are counted, and the least and the greatest are found. Sums show how many
// digits each has.
Form form_of_aggregate(const UnitFacts& walk, const Aggref* call, const Inputs& inputs) {
  if (inputs.grouped == nullptr) return Form::kShown;
  const Inputs below = read_by_aggregates(inputs);
  const auto* filter = reinterpret_cast<const Node*>(call->aggfilter);
  const Form arguments = form_of(walk, reinterpret_cast<const Node*>(call->args), below);
  if (arguments == Form::kShown || form_of(walk, filter, below) != Form::kOwn) return Form::kShown;
  if (is_count(call->aggfnoid)) return Form::kOwn;
  const Node* argument = only_argument(call->args);
  const bool is_exact = argument != nullptr && has_one_form(walk, argument, below);
  if (gives_an_argument(call->aggfnoid)) {
    return is_exact || inputs.grouped->is_fixed ? arguments : Form::kAny;
  }
  const bool leaves_one = call->aggdistinct != NIL && !is_exact && !inputs.grouped->is_fixed;
  return leaves_one ? Form::kShown : form_of_reader(arguments);
}

// The order of rows decides which of equal values is met first.
Form form_of_window_call(const UnitFacts& walk, const WindowFunc* call, const Inputs& inputs) {
  const Form arguments = form_of(walk, reinterpret_cast<const Node*>(call->args), inputs);
  const auto* filter = reinterpret_cast<const Node*>(call->aggfilter);
  if (arguments == Form::kShown || form_of(walk, filter, inputs) != Form::kOwn) return Form::kShown;
  if (is_count(call->winfnoid) || is_clip(call->winfnoid)) return Form::kOwn;
  if (gives_value_of_row(call->winfnoid)) return arguments;
  if (!gives_an_argument(call->winfnoid)) return form_of_reader(arguments);
  const auto* argument = static_cast<const Node*>(linitial(call->args));
  const bool are_ordered = bms_is_member(call->winref, inputs.ordered);
  const bool is_settled =
      has_one_form(walk, argument, inputs) || are_ordered || inputs.rows->is_fixed;
  return is_settled ? arguments : Form::kAny;
}

Form form_of_choice(const UnitFacts& walk, const CaseExpr* choice, const Inputs& inputs) {
  const auto form = [&](const auto* part) {
    return form_of(walk, reinterpret_cast<const Node*>(part), inputs);
  };
  Form worst = std::max(form(choice->defresult), form_of_reader(form(choice->arg)));
  ListCell* cell;
  foreach (cell, choice->args) {
    const auto* when = static_cast<const CaseWhen*>(lfirst(cell));
    worst = std::max({worst, form(when->result), form_of_reader(form(when->expr))});
  }
  return worst;
}

// Of equal arguments they make equal values: their results are those of numbers. Digits behind the
// point that a product has no room for are those of the number as well.
constexpr Oid kArithmetic[] = {
    F_NUMERIC_ADD, F_NUMERIC_SUB, F_NUMERIC_MUL, F_NUMERIC_UMINUS, F_NUMERIC_UPLUS, F_NUMERIC_ABS,
    F_ABS_NUMERIC, F_FLOAT4PL,    F_FLOAT4MI,    F_FLOAT4MUL,      F_FLOAT4UM,      F_FLOAT8PL,
    F_FLOAT8MI,    F_FLOAT8MUL,   F_FLOAT8UM,    F_FLOAT4_FLOAT8,  F_FLOAT8_FLOAT4,
};

// Of equal arguments they make the same value.
constexpr Oid kOfNumber[] = {
    F_INT2_NUMERIC,       F_INT4_NUMERIC,       F_INT8_NUMERIC,    F_FLOAT4_NUMERIC,
    F_FLOAT8_NUMERIC,     F_NUMERIC_FLOAT4,     F_NUMERIC_FLOAT8,  F_INT2_FLOAT4,
    F_INT4_FLOAT4,        F_INT8_FLOAT4,        F_INT2_FLOAT8,     F_INT4_FLOAT8,
    F_INT8_FLOAT8,        F_CEIL_NUMERIC,       F_CEILING_NUMERIC, F_FLOOR_NUMERIC,
    F_ROUND_NUMERIC_INT4, F_TRUNC_NUMERIC_INT4,
};

Oid function_of(const Node* call) {
  const std::optional<Twin> twin = twin_at(call);
  if (twin) return twin->function;
  return IsA(call, FuncExpr) ? reinterpret_cast<const FuncExpr*>(call)->funcid
                             : get_opcode(reinterpret_cast<const OpExpr*>(call)->opno);
}

template <std::size_t kCount>
bool is_among(Oid function, const Oid (&functions)[kCount]) {
  return std::find(functions, functions + kCount, function) != functions + kCount;
}

// Of a call whose arguments may be of any form.
Form form_of_call(const Node* call, Form arguments) {
  if (arguments != Form::kAny) return arguments;
  const Oid function = function_of(call);
  if (is_among(function, kArithmetic)) return Form::kAny;
  if (is_among(function, kOfNumber) || (function == F_NUMERIC_NUMERIC_INT4 && gives_scale(call))) {
    return Form::kOwn;
  }
  return Form::kShown;
}

// It has all columns.
Form form_of_whole_row(const Var* var, const Inputs& inputs) {
  const NamedColumns columns = columns_of(var, inputs);
  if (columns.first == nullptr) return Form::kShown;
  const bool any = std::any_of(columns.first, columns.first + columns.count,
                               [](const ColumnFacts& facts) { return facts.is_of_any_form; });
  return any ? Form::kShown : Form::kOwn;
}

}  // namespace

Form form_of(const UnitFacts& walk, const Node* node, const Inputs& inputs) {
  if (node == nullptr) return Form::kOwn;
  check_stack_depth();
  switch (nodeTag(node)) {
    case T_Var:
      if (reinterpret_cast<const Var*>(node)->varattno == InvalidAttrNumber) {
        return form_of_whole_row(reinterpret_cast<const Var*>(node), inputs);
      }
      [[fallthrough]];
    case T_Param: {
      const ColumnFacts* column = column_of(walk, node, inputs);
      if (column == nullptr && IsA(node, Var)) return Form::kShown;
      return column != nullptr && column->is_of_any_form ? Form::kAny : Form::kOwn;
    }
    case T_List:
    case T_TargetEntry:
    case T_CoalesceExpr:
    case T_MinMaxExpr:
    case T_PlaceHolderVar:
      return form_of_parts(walk, node, inputs);
    case T_RelabelType: {
      const Form parts = form_of_parts(walk, node, inputs);
      return keeps_equality(reinterpret_cast<const RelabelType*>(node)) ? parts
                                                                        : form_of_reader(parts);
    }
    case T_CaseExpr:
      return form_of_choice(walk, reinterpret_cast<const CaseExpr*>(node), inputs);
    case T_OpExpr:
    case T_DistinctExpr: {
      const auto* call = reinterpret_cast<const OpExpr*>(node);
      const Form form = form_of_comparison(walk, call->args, call->opno, call->inputcollid, inputs);
      if (form != Form::kShown || IsA(node, DistinctExpr)) return form;
      return form_of_call(node, form_of_parts(walk, node, inputs));
    }
    case T_FuncExpr:
      return form_of_call(node, form_of_parts(walk, node, inputs));
    case T_NullTest: {
      const auto* test = reinterpret_cast<const NullTest*>(node);
      const Form parts = form_of_parts(walk, node, inputs);
      return parts == Form::kAny && !test->argisrow ? Form::kOwn : parts;
    }
    case T_Aggref:
      return form_of_aggregate(walk, reinterpret_cast<const Aggref*>(node), inputs);
    case T_WindowFunc:
      return form_of_window_call(walk, reinterpret_cast<const WindowFunc*>(node), inputs);
    default:
      return form_of_reader(form_of_parts(walk, node, inputs));
  }
}

bool has_one_form(const UnitFacts& walk, const Node* node, const Inputs& inputs) {
  if (is_exact(node, -1)) return true;
  switch (nodeTag(node)) {
    case T_Var:
    case T_Param: {
      const ColumnFacts* column = column_of(walk, node, inputs);
      return column != nullptr && column->has_one_form;
    }
    case T_RelabelType: {
      const auto* cast = reinterpret_cast<const RelabelType*>(node);
      return keeps_equality(cast) &&
             has_one_form(walk, reinterpret_cast<const Node*>(cast->arg), inputs);
    }
    case T_PlaceHolderVar:
      return has_one_form(
          walk,
          reinterpret_cast<const Node*>(reinterpret_cast<const PlaceHolderVar*>(node)->phexpr),
          inputs);
    case T_Aggref: {
      const auto* call = reinterpret_cast<const Aggref*>(node);
      const Node* argument = only_argument(call->args);
      return inputs.grouped != nullptr && argument != nullptr &&
             gives_an_argument(call->aggfnoid) &&
             has_one_form(walk, argument, read_by_aggregates(inputs));
    }
    case T_WindowFunc: {
      const auto* call = reinterpret_cast<const WindowFunc*>(node);
      return list_length(call->args) == 1 &&
             (gives_value_of_row(call->winfnoid) || gives_an_argument(call->winfnoid)) &&
             has_one_form(walk, static_cast<const Node*>(linitial(call->args)), inputs);
    }
    default:
      return gives_scale(node) || is_number_of_one_form(node);
  }
}

bool tells_apart_as(const UnitFacts& walk, const Node* cast, const Node* bare,
                    const Inputs& inputs) {
  if (cast == bare) return true;
  if (has_one_form(walk, cast, inputs) && has_one_form(walk, bare, inputs)) return true;
  for (; IsA(cast, RelabelType);
       cast = reinterpret_cast<const Node*>(reinterpret_cast<const RelabelType*>(cast)->arg)) {
    if (!keeps_equality(reinterpret_cast<const RelabelType*>(cast))) return false;
  }
  return true;
}

// Those over numbers read the value alone. Of values that DISTINCT takes for equal they see one.
const Problem* problem_of_forms(const UnitFacts& walk, const Aggref* aggref, const Inputs& inputs) {
  const auto* filter = reinterpret_cast<const Node*>(aggref->aggfilter);
  if (form_of(walk, filter, inputs) != Form::kOwn) return &kFormShown;
  ListCell* cell;
  foreach (cell, aggref->args) {
    const auto* target = static_cast<const TargetEntry*>(lfirst(cell));
    const auto* argument = reinterpret_cast<const Node*>(target->expr);
    const Form form = form_of(walk, argument, inputs);
    const Oid type = exprType(argument);
    const bool is_number = type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID;
    const bool is_first = cell == list_head(aggref->args);  // others are the same for all rows
    const bool leaves_one =
        is_first && aggref->aggdistinct != NIL && !has_one_form(walk, argument, inputs);
    const bool is_any = form == Form::kAny || leaves_one;
    if (form == Form::kShown || (is_any && !is_number)) return &kFormShown;
  }
  return nullptr;
}

}  // namespace idp
