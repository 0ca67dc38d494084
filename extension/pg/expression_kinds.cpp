#include "extension/pg/expression_kinds.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "utils/typcache.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

bool find_row(Node* node, void*) {
  if (node == nullptr) return false;
  switch (nodeTag(node)) {
    case T_Var:
    case T_CaseTestExpr:
    case T_CoerceToDomainValue:
    case T_SubLink:
    case T_SubPlan:
    case T_AlternativeSubPlan:
    case T_Aggref:
    case T_GroupingFunc:
    case T_WindowFunc:
    case T_PlaceHolderVar:
      return true;
    case T_Param:
      return as<Param>(node)->paramkind != PARAM_EXTERN;
    default:
      return walk_expression(node, find_row, nullptr);
  }
}

bool find_parameters(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_parameters, context);
  if (IsA(node, Param) && as<Param>(node)->paramkind == PARAM_EXEC) {
    auto** found = static_cast<Bitmapset**>(context);
    *found = bms_add_member(*found, as<Param>(node)->paramid);
  }
  return walk_expression(node, find_parameters, context);
}

}  // namespace

bool only_calls_functions(const Node* node) {
  switch (nodeTag(node)) {
    case T_List:
    case T_FuncExpr:
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
    case T_ScalarArrayOpExpr:
    case T_BoolExpr:
    case T_NullTest:
    case T_BooleanTest:
    case T_RelabelType:
    case T_CoerceViaIO:
    case T_ArrayExpr:
    case T_CaseExpr:
    case T_CaseWhen:
    case T_CoalesceExpr:
      return true;
    default:
      return false;
  }
}

bool is_volatile_function(Oid function, void*) {
  return func_volatile(function) == PROVOLATILE_VOLATILE;
}

bool depends_on_rows(Node* expression) { return find_row(expression, nullptr); }

bool is_constant_condition(const Node* condition, bool value) {
  const auto* constant = maybe<Const>(condition);
  if (constant == nullptr) return false;
  if (constant->constisnull) return !value;
  return constant->consttype == BOOLOID && DatumGetBool(constant->constvalue) == value;
}

bool equates_columns(const Node* condition, Var** a, Var** b) {
  Var* first = nullptr;
  Var* second = nullptr;
  if (!equates_values_of_columns(condition, &first, &second)) return false;
  *a = maybe<Var>(static_cast<Node*>(linitial(as<OpExpr>(condition)->args)));
  *b = maybe<Var>(static_cast<Node*>(lsecond(as<OpExpr>(condition)->args)));
  return *a != nullptr && *b != nullptr;
}

bool equates_values_of_columns(const Node* condition, Var** a, Var** b) {
  if (!IsA(condition, OpExpr)) return false;
  const auto* comparison = as<OpExpr>(condition);
  if (list_length(comparison->args) != 2) return false;
  const auto column = [](void* side) {
    return const_cast<Var*>(maybe<Var>(without_relabels(static_cast<const Node*>(side))));
  };
  *a = column(linitial(comparison->args));
  *b = column(lsecond(comparison->args));
  return *a != nullptr && *b != nullptr && (*a)->vartype == (*b)->vartype &&
         comparison->opno == lookup_type_cache((*a)->vartype, TYPECACHE_EQ_OPR)->eq_opr;
}

void add_parameters(const Node* expression, Bitmapset** parameters) {
  (void)find_parameters(const_cast<Node*>(expression), parameters);
}

bool has_true_commutator(Oid op) {
  return op < FirstNormalObjectId && OidIsValid(get_commutator(op));
}

const Node* without_relabels(const Node* value) {
  while (IsA(value, RelabelType)) value = as<Node>(as<RelabelType>(value)->arg);
  return value;
}

bool find_row_of_subquery(Node* node, void*) {
  if (node == nullptr || IsA(node, SubLink)) return false;
  const bool is_row =
      IsA(node, Param) && reinterpret_cast<Param*>(node)->paramkind == PARAM_SUBLINK;
  return is_row || walk_expression(node, find_row_of_subquery, nullptr);
}

List* values_chosen(const Node* expression) {
  switch (nodeTag(expression)) {
    case T_CaseExpr: {
      const auto* choice = as<CaseExpr>(expression);
      List* results = NIL;
      for (const auto* when : list<CaseWhen>(choice->args))
        results = lappend(results, when->result);
      return choice->defresult == nullptr ? results : lappend(results, choice->defresult);
    }
    case T_CoalesceExpr:
      return as<CoalesceExpr>(expression)->args;
    case T_NullIfExpr:
      return list_make1(linitial(as<NullIfExpr>(expression)->args));
    case T_RelabelType:
      return list_make1(as<RelabelType>(expression)->arg);
    default:
      return NIL;
  }
}

List* conjuncts(const Node* condition) {
  check_stack_depth();
  if (condition == nullptr || is_truth(condition, true)) return NIL;
  if (!is_andclause(condition)) return list_make1(const_cast<Node*>(condition));
  List* parts = NIL;
  for (const auto* part : list<Node>(as<BoolExpr>(condition)->args)) {
    parts = list_concat(parts, conjuncts(part));
  }
  return parts;
}

Node* joined_by_and(List* conditions) {
  return conditions == NIL ? nullptr : as<Node>(make_ands_explicit(conditions));
}

bool is_truth(const Node* condition, bool value) {
  const auto* constant = maybe<Const>(condition);
  return constant != nullptr && !constant->constisnull &&
         DatumGetBool(constant->constvalue) == value;
}

List* union_of_conditions(List* conditions, const List* others) {
  constexpr int kMost = 500;
  CHECK_FOR_INTERRUPTS();
  return list_length(conditions) > kMost || list_length(others) > kMost
             ? list_concat(conditions, others)
             : list_concat_unique(conditions, others);
}

bool gives_field(Oid function) {
  switch (function) {
    case F_EXTRACT_TEXT_DATE:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_DATE_PART_TEXT_DATE:
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
      return true;
    default:
      return false;
  }
}

}  // namespace idp
