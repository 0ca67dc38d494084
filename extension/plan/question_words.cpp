// What there is of ruleutils.h for plans prints most of it: the deparser of EXPLAIN, for a plan
// that is nothing but a range table.
#include "extension/plan/question_words.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parameters.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/clauses.h"
#include "optimizer/prep.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/ruleutils.h"
}

namespace idp {

namespace {

Node* executor_parameter(const Param* param, const Values& values) {
  const int count = list_length(values.state->es_plannedstmt->paramExecTypes);
  if (values.varies == nullptr || param->paramid < 0 || param->paramid >= count) return nullptr;
  *values.varies = true;
  const ParamExecData& data = values.state->es_param_exec_vals[param->paramid];
  if (!values.live || data.execPlan != nullptr) return nullptr;
  return constant_of(param, data.value, data.isnull);
}

// Parameters by value.
Node* fill_in(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Query)) return as<Node>(map_query(as<Query>(node), fill_in, context));
  if (IsA(node, Param)) {
    const auto* values = static_cast<Values*>(context);
    const auto* param = as<Param>(node);
    Node* value = nullptr;
    if (param->paramkind == PARAM_EXTERN) {
      value = given_value(param, values->state->es_param_list_info);
    } else if (param->paramkind == PARAM_EXEC) {
      value = executor_parameter(param, *values);
    }
    if (value != nullptr) return value;
  }
  return map_expression(node, fill_in, context);
}

bool is_known(const Var* var, const Scope& scope) {
  if (static_cast<int>(var->varlevelsup) >= list_length(scope.tables)) return false;
  List* tables = part(scope.tables, static_cast<int>(var->varlevelsup));
  if (static_cast<int>(var->varno) > list_length(tables)) return false;
  const auto* entry = rt_fetch(var->varno, tables);
  return entry->rtekind == RTE_RELATION || var->varattno <= list_length(entry->eref->colnames);
}

// What the server would look up elsewhere: the window of a function, which is told by its number;
// the fields of a record without a type.
Node* call_of_window(const WindowFunc* function) {
  auto* number = makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
                           Int32GetDatum(static_cast<int32>(function->winref)), false, true);
  List* args = lappend(list_copy(function->args), number);
  if (function->aggfilter) args = lappend(args, function->aggfilter);
  return as<Node>(makeFuncExpr(function->winfnoid, function->wintype, args, function->wincollid,
                               function->inputcollid, COERCE_EXPLICIT_CALL));
}

Node* row_of_field(const FieldSelect* select) {
  auto* number = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(select->fieldnum),
                           false, true);
  auto* row = makeNode(RowExpr);
  row->args = list_make2(select->arg, number);
  row->row_typeid = RECORDOID;
  row->row_format = COERCE_EXPLICIT_CALL;
  row->location = -1;
  return as<Node>(row);
}

Node* collated(Node* node, Oid collation) {
  auto* collate = makeNode(CollateExpr);
  collate->arg = as<Expr>(node);
  collate->collOid = collation;
  collate->location = -1;
  return as<Node>(collate);
}

bool differ(Oid collation, Oid other) {
  return OidIsValid(collation) && OidIsValid(other) && collation != other;
}

// To the planner COLLATE is a change of type that changes none, which the server does not print.
Node* with_printed_collate(RelabelType* relabel) {
  auto* arg = as<Node>(relabel->arg);
  const Oid collation = exprCollation(arg);
  if (!differ(relabel->resultcollid, collation)) return as<Node>(relabel);
  if (relabel->resulttype == exprType(arg) && relabel->resulttypmod == exprTypmod(arg)) {
    return collated(arg, relabel->resultcollid);
  }
  auto* same = static_cast<RelabelType*>(copyObjectImpl(relabel));
  same->resultcollid = collation;
  return collated(as<Node>(same), relabel->resultcollid);
}

void print_collation(List* arguments, Oid collation) {
  ListCell* cell;
  foreach (cell, arguments) {
    auto* arg = static_cast<Node*>(lfirst(cell));
    const Oid other = exprCollation(arg);
    if (differ(collation, other)) lfirst(cell) = collated(arg, collation);
    if (OidIsValid(other)) return;
  }
}

// Nor does it print of a constant that it had COLLATE. A function compares by the collation of its
// first argument that has one, or its text says by which.
Node* with_printed_collations(Node* node) {
  if (IsA(node, RelabelType)) return with_printed_collate(as<RelabelType>(node));
  const Oid collation = exprInputCollation(node);
  if (!OidIsValid(collation) && !IsA(node, RowCompareExpr)) return node;
  node = static_cast<Node*>(copyObjectImpl(node));
  switch (nodeTag(node)) {
    case T_FuncExpr:
      print_collation(as<FuncExpr>(node)->args, collation);
      break;
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
      print_collation(as<OpExpr>(node)->args, collation);
      break;
    case T_ScalarArrayOpExpr:
      print_collation(as<ScalarArrayOpExpr>(node)->args, collation);
      break;
    case T_MinMaxExpr:
      print_collation(as<MinMaxExpr>(node)->args, collation);
      break;
    case T_RowCompareExpr: {
      const auto* compare = as<RowCompareExpr>(node);
      for (int i = 0; i < list_length(compare->largs); ++i) {
        ListCell* cell = list_nth_cell(compare->largs, i);
        auto* arg = static_cast<Node*>(lfirst(cell));
        const Oid by = list_nth_oid(compare->inputcollids, i);
        if (differ(by, exprCollation(arg))) lfirst(cell) = collated(arg, by);
      }
      break;
    }
    default:
      break;
  }
  return node;
}

// And what it would look up in a plan: subqueries, and columns from further out than is told.
Node* make_printable(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  node = with_printed_collations(node);
  const auto* scope = static_cast<Scope*>(context);
  if (IsA(node, Param) || (IsA(node, Var) && !is_known(as<Var>(node), *scope))) {
    return parameter_like(PARAM_EXTERN, IsA(node, Param) ? as<Param>(node)->paramid : 0, node);
  }
  if (IsA(node, WindowFunc)) node = call_of_window(as<WindowFunc>(node));
  if (IsA(node, FieldSelect) && exprType(as<Node>(as<FieldSelect>(node)->arg)) == RECORDOID) {
    node = row_of_field(as<FieldSelect>(node));
  }
  return map_expression(node, make_printable, context);
}

// "5 = x" is "x = 5".
void turn_round(Node* node) {
  if (!IsA(node, OpExpr)) return;
  auto* op = as<OpExpr>(node);
  if (list_length(op->args) != 2 || !IsA(linitial(op->args), Const) ||
      IsA(lsecond(op->args), Const) || !has_true_commutator(op->opno)) {
    return;
  }
  CommuteOpExpr(op);
}

void append_level(StringInfo text, List* level, const Scope& outer, const Values& values);

// "ANY (test) (SELECT …)"
char* subquery_text(List* subquery, const Scope& scope, const Values& values) {
  const Values within{values.state, false, nullptr};
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, strVal(list_nth(subquery, recorded::kWords)));
  auto* test = static_cast<Node*>(list_nth(subquery, recorded::kTest));
  if (test != nullptr) appendStringInfo(&text, "%s ", text_of(test, scope, within));
  append_level(&text, part(subquery, recorded::kBody), scope, within);
  return text.data;
}

// A text with its subqueries in their places.
char* expanded(char* sql, const Scope& scope, const Values& values) {
  for (auto* subquery : list<List>(scope.subqueries)) {
    const char* mark = psprintf("$%d", number_at(subquery, recorded::kNumber));
    if (strstr(sql, mark) == nullptr) continue;
    const Datum whole = DirectFunctionCall3Coll(
        replace_text, C_COLLATION_OID, CStringGetTextDatum(sql), CStringGetTextDatum(mark),
        CStringGetTextDatum(subquery_text(subquery, scope, values)));
    sql = TextDatumGetCString(whole);
  }
  return sql;
}

int by_text(const ListCell* a, const ListCell* b) {
  return strcmp(static_cast<char*>(lfirst(a)), static_cast<char*>(lfirst(b)));
}

List* names_of(List* strings) {
  List* names = NIL;
  ListCell* cell;
  foreach (cell, strings) {
    char* name = strVal(lfirst(cell));
    names = lappend(names, name[0] ? name : nullptr);
  }
  return names;
}

void append_level(StringInfo text, List* level, const Scope& outer, const Values& values) {
  check_stack_depth();
  appendStringInfoChar(text, '(');
  append_items(text, level, scope_of(level, &outer, true), values);
  appendStringInfoChar(text, ')');
}

}  // namespace

Scope scope_of(List* level, const Scope* outer, bool prefix) {
  auto* plan = makeNode(PlannedStmt);
  plan->rtable = part(level, recorded::kTables);
  List* context = deparse_context_for_plan_tree(plan, names_of(part(level, recorded::kNames)));
  return {list_concat(context, outer ? outer->contexts : NIL),
          lcons(plan->rtable, list_copy(outer ? outer->tables : NIL)),
          part(level, recorded::kSubqueries), prefix};
}

Node* with_values(Node* node, const Values& values) {
  return with_constants(fill_in(node, const_cast<Values*>(&values)), true);
}

Node* simplified(Node* expression, const Values& values) {
  return estimated(fill_in(expression, const_cast<Values*>(&values)));
}

char* text_of(Node* expression, const Scope& scope, const Values& values) {
  Node* simple = simplified(expression, values);
  turn_round(simple);
  Node* printable = make_printable(simple, const_cast<Scope*>(&scope));
  return expanded(deparse_expression(printable, scope.contexts, scope.prefix, false), scope,
                  values);
}

List* conditions_of(Node* expression, const Values& values) {
  if (expression == nullptr) return NIL;
  auto* simple = as<Expr>(simplified(expression, values));
  List* conditions = NIL;
  for (auto* condition : list<Node>(make_ands_implicit(canonicalize_qual(simple, false)))) {
    if (is_constant_condition(condition, false)) return list_make1(makeBoolConst(false, false));
    if (!is_constant_condition(condition, true)) conditions = lappend(conditions, condition);
  }
  return conditions;
}

List* condition_texts(Node* expression, const Scope& scope, const Values& values) {
  List* texts = NIL;
  for (auto* node : list<Node>(conditions_of(expression, values))) {
    texts = lappend(texts, text_of(node, scope, values));
  }
  return texts;
}

List* ordered(List* texts) {
  list_sort(texts, by_text);
  List* result = NIL;
  for (auto* text : list<char>(texts)) {
    if (result == NIL || strcmp(text, static_cast<char*>(llast(result))) != 0) {
      result = lappend(result, text);
    }
  }
  return result;
}

void append_joined(StringInfo text, List* parts, const char* none) {
  if (parts == NIL) appendStringInfoString(text, none);
  ListCell* cell;
  foreach (cell, parts) {
    if (foreach_current_index(cell)) appendStringInfoString(text, " AND ");
    appendStringInfoString(text, static_cast<char*>(lfirst(cell)));
  }
}

void append_items(StringInfo text, List* level, const Scope& scope, const Values& values) {
  for (auto* item : list<Node>(part(level, recorded::kItems))) {
    if (IsA(item, String)) {
      appendStringInfoString(text, strVal(item));
    } else if (IsA(item, List) && list_length(as<List>(item)) == 1) {
      auto* condition = static_cast<Node*>(linitial(as<List>(item)));
      append_joined(text, ordered(condition_texts(condition, scope, values)), "true");
    } else if (IsA(item, List)) {
      append_level(text, as<List>(item), scope, values);
    } else {
      appendStringInfoString(text, text_of(item, scope, values));
    }
  }
}

}  // namespace idp
