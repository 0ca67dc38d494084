#include "extension/pg/fold.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/in_place.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/parameters.h"
#include "extension/pg/plain_output.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

bool is_of_others(Oid function, void*) {
  return function >= FirstNormalObjectId && !is_own_function(function);
}

bool find_call(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_call, nullptr);
  return check_functions_in_node(node, is_of_others, nullptr) ||
         walk_expression(node, find_call, nullptr);
}

// What a query is made of, besides expressions.
bool is_part_of_query(const Node* node) {
  switch (nodeTag(node)) {
    case T_List:
    case T_TargetEntry:
    case T_CaseWhen:
    case T_FromExpr:
    case T_JoinExpr:
    case T_RangeTblRef:
    case T_RangeTblEntry:
    case T_RangeTblFunction:
    case T_TableSampleClause:
    case T_TableFunc:
    case T_CommonTableExpr:
    case T_SetOperationStmt:
    case T_WindowClause:
    case T_SortGroupClause:
    case T_GroupingSet:
    case T_RowMarkClause:
    case T_WithCheckOption:
    case T_OnConflictExpr:
      return true;
    default:
      return false;
  }
}

struct Settling {
  PlannerInfo* root;
  List* calls;   // of others, each once
  List* values;  // of these
  bool reads_hidden_rows;
};

// The planner does not put the text of a function with settings of its own in place of a call. That
// of a superuser keeps them while the query is planned: whoever asks cannot take them away.
bool keeps_its_settings(HeapTuple function) {
  const auto* row = reinterpret_cast<Form_pg_proc>(GETSTRUCT(function));
  return !heap_attisnull(function, Anum_pg_proc_proconfig, nullptr) && superuser_arg(row->proowner);
}

// Whether the planner could put its text in place of a call.
bool is_text_of_others(Oid function, void*) {
  if (!is_of_others(function, nullptr)) return false;
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) return true;
  const auto* row = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple));
  const bool is_text =
      row->prolang == SQLlanguageId && !row->proretset && !keeps_its_settings(tuple);
  ReleaseSysCache(tuple);
  return is_text;
}

// Not those that an aggregate sees.
bool find_bare_column(Node* node, void*) {
  if (node == nullptr || IsA(node, Aggref)) return false;
  return IsA(node, Var) || walk_expression(node, find_bare_column, nullptr);
}

bool find_text_over_columns(Node* node, void*) {
  if (node == nullptr) return false;
  const bool is_text = !IsA(node, Aggref) && !IsA(node, WindowFunc) && calls_text_of_others(node);
  if (is_text && find_bare_column(node, nullptr)) return true;
  return walk_expression(node, find_text_over_columns, nullptr);
}

// What is left may be evaluated once more, by the planner, each copy by itself.
void require_settled(Node* value) {
  if (!find_text_over_columns(value, nullptr)) return;
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("a function in SQL that cannot be replaced by its text is not applied to "
                         "columns beside hidden rows: write what it computes"),
                  errhint("Functions that call themselves, or are STRICT, are of this kind.")));
}

// Equal calls have one value: what is grouped by stands in several places of a query.
Node* value_of_call(Node* call, Settling* settling) {
  ListCell* one;
  ListCell* other;
  forboth(one, settling->calls, other, settling->values) {
    if (equal(lfirst(one), call)) return static_cast<Node*>(copyObjectImpl(lfirst(other)));
  }
  Node* value = eval_const_expressions(settling->root, static_cast<Node*>(copyObjectImpl(call)));
  if (settling->reads_hidden_rows) require_settled(value);
  settling->calls = lappend(settling->calls, call);
  settling->values = lappend(settling->values, copyObjectImpl(value));
  return value;
}

Query* settled_query(Query* query, Settling* settling, int flags);

// Calls of functions of others, those in arguments first.
Node* settled(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto* settling = static_cast<Settling*>(context);
  if (IsA(node, Query)) return as<Node>(settled_query(as<Query>(node), settling, 0));
  Node* inner = map_in_place(node, settled, context);
  const bool is_call = !is_part_of_query(inner) && !IsA(inner, Aggref) && !IsA(inner, WindowFunc) &&
                       check_functions_in_node(inner, is_of_others, nullptr);
  return is_call ? value_of_call(inner, settling) : inner;
}

// A function in FROM that is a query becomes one: the planner puts its text in as many places as
// its columns are read.
void put_in_place(RangeTblEntry* entry, Settling* settling) {
  if (entry->rtekind != RTE_FUNCTION) return;
  Query* query = inline_set_returning_function(settling->root, entry);
  if (query == nullptr) return;
  entry->rtekind = RTE_SUBQUERY;
  entry->subquery = settled_query(query, settling, 0);
  entry->security_barrier = false;
  entry->functions = NIL;
  entry->funcordinality = false;
}

Query* settled_query(Query* query, Settling* settling, int flags) {
  check_stack_depth();
  query = map_query(query, settled, settling, flags);
  for (auto* entry : list<RangeTblEntry>(query->rtable)) put_in_place(entry, settling);
  return query;
}

// By way of its text, which may follow a setting, IMMUTABLE or not.
bool find_text_form(Node* node, void*) {
  if (node == nullptr) return false;
  return IsA(node, CoerceViaIO) || IsA(node, ArrayCoerceExpr) ||
         walk_expression(node, find_text_form, nullptr);
}

bool is_enum(Oid type) {
  const Oid element = get_element_type(type);
  return type_is_enum(OidIsValid(element) ? element : type);
}

// 'paid'::text::status, and lists of such: the server has them wait for the executor, as labels may
// be added meanwhile. A literal, 'paid'::status, is its label from the start.
bool is_written_enum(const Node* node) {
  const Node* text = nullptr;
  if (IsA(node, CoerceViaIO)) text = as<Node>(as<CoerceViaIO>(node)->arg);
  if (IsA(node, ArrayCoerceExpr)) text = as<Node>(as<ArrayCoerceExpr>(node)->arg);
  return text != nullptr && IsA(text, Const) && is_enum(exprType(node));
}

// What a value is made of: what a cast does to each element names the element, which is none of a
// row.
Node* from_outside(Node* node) {
  return IsA(node, ArrayCoerceExpr) ? as<Node>(as<ArrayCoerceExpr>(node)->arg) : node;
}

Node* evaluated(Node* node) {
  return as<Node>(
      evaluate_expr(as<Expr>(node), exprType(node), exprTypmod(node), exprCollation(node)));
}

// Values in place of what names no columns, where it has one. Of what is computed of parameters
// only where settings matter: else questions have the parameters, with a plan for these values or
// without.
struct Filling {
  PlannerInfo* root = nullptr;
  bool is_now = false;  // what follows the time and settings has a value, too
};

Node* filled_in(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Query)) return as<Node>(map_query(as<Query>(node), filled_in, context));
  const bool is_constant = !is_part_of_query(node) && !IsA(node, Const) && !IsA(node, Param) &&
                           !depends_on_rows(from_outside(node)) &&
                           (!names_parameters(node) || find_text_form(node, nullptr));
  if (is_constant) {
    const auto* filling = static_cast<const Filling*>(context);
    Node* value = filling->is_now ? estimated(node)
                                  : eval_const_expressions(
                                        filling->root, static_cast<Node*>(copyObjectImpl(node)));
    if (is_written_enum(value)) value = evaluated(value);
    if (IsA(value, Const)) return value;
  }
  return map_in_place(node, filled_in, context);
}

}  // namespace

bool calls_text_of_others(Node* node) {
  return check_functions_in_node(node, is_text_of_others, nullptr);
}

bool calls_others(Node* node) { return find_call(node, nullptr); }

Dependencies settle_constants(Query* query, ParamListInfo parameters, bool reads_hidden_rows) {
  PlannerGlobal global{};
  global.type = T_PlannerGlobal;
  PlannerInfo root{};
  root.type = T_PlannerInfo;
  root.glob = &global;
  root.parse = query;
  global.boundParams = parameters;
  Settling settling{&root, NIL, NIL, reads_hidden_rows};
  (void)settled_query(query, &settling, QTW_DONT_COPY_QUERY);
  Filling filling{&root, false};
  (void)map_query(query, filled_in, &filling, QTW_DONT_COPY_QUERY);
  return {global.invalItems, global.dependsOnRole};
}

Node* estimated(const Node* expression) {
  auto* copy = static_cast<Node*>(copyObjectImpl(expression));
  const bool is_settled = !contain_mutable_functions(copy);
  PlannerGlobal global{};
  global.type = T_PlannerGlobal;
  PlannerInfo root{};
  root.type = T_PlannerInfo;
  root.glob = &global;
  if (is_settled) return estimate_expression_value(&root, copy);
  const SessionValues as_session;
  Node* value = estimate_expression_value(&root, copy);
  as_session.end();
  return value;
}

Node* with_constants(Node* node, bool is_now) {
  Filling filling{nullptr, is_now};
  return node == nullptr || calls_others(node) ? node : filled_in(node, &filling);
}

Node* folded(const Node* expression) {
  auto* copy = static_cast<Node*>(copyObjectImpl(expression));
  return calls_others(copy) ? copy : eval_const_expressions(nullptr, copy);
}

}  // namespace idp
