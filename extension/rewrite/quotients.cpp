#include "extension/rewrite/quotients.h"

#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/statement_room.h"
#include "extension/rewrite/private_call.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

bool holds_answer(const QueryLevel& level, Node* node);

bool is_answer(const QueryLevel& level, AttrNumber number) {
  const Query* query = level.query;
  if (query->commandType != CMD_SELECT || query->setOperations != nullptr) return false;
  const TargetEntry* target = column_shown(query->targetList, number);
  return target != nullptr && holds_answer(level, as<Node>(target->expr));
}

// Whether a column of what a level reads is, or is made of, one.
bool comes_from_answer(const QueryLevel& level, const Var* column) {
  check_stack_depth();
  if (column->varlevelsup > 0 || column->varattno <= 0) return false;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  switch (entry->rtekind) {
    case RTE_SUBQUERY:
      return is_answer({entry->subquery, &level}, column->varattno);
    case RTE_CTE: {
      const FoundCte found = cte_of(level, entry);
      if (found.cte == nullptr || found.cte->cterecursive) return false;
      return is_answer({as<Query>(found.cte->ctequery), found.owner}, column->varattno);
    }
    case RTE_JOIN:
      return holds_answer(level,
                          static_cast<Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
    default:
      return false;
  }
}

bool find_answer(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (IsA(node, Var)) {
    return comes_from_answer(*static_cast<const QueryLevel*>(context), as<Var>(node));
  }
  if (IsA(node, Aggref)) {
    const Oid function = as<Aggref>(node)->aggfnoid;
    if (function >= FirstNormalObjectId) return is_own_function(function);
  }
  if (IsA(node, SubLink) && as<SubLink>(node)->subLinkType == EXPR_SUBLINK) {
    return is_answer(
        {as<Query>(as<SubLink>(node)->subselect), static_cast<const QueryLevel*>(context)}, 1);
  }
  return walk_expression(node, find_answer, context);
}

bool holds_answer(const QueryLevel& level, Node* node) {
  QueryLevel of_node = level;
  return find_answer(node, &of_node);
}

// div() and mod() of the server.
bool divides(Oid function) {
  switch (function) {
    case F_DIV:
    case F_MOD_INT2_INT2:
    case F_MOD_INT4_INT4:
    case F_MOD_INT8_INT8:
    case F_MOD_NUMERIC_NUMERIC:
      return true;
    default:
      return false;
  }
}

// The operands of a division; NIL if it is none.
List* operands_of(const Node* node) {
  if (const auto* call = maybe<FuncExpr>(node)) return divides(call->funcid) ? call->args : NIL;
  if (!IsA(node, OpExpr)) return NIL;
  const auto* operation = as<OpExpr>(node);
  if (operation->opno >= FirstNormalObjectId || list_length(operation->args) != 2) return NIL;
  const char* name = get_opname(operation->opno);
  const bool is_division = (strcmp(name, "/") == 0 || strcmp(name, "%") == 0) &&
                           is_number(exprType(static_cast<Node*>(lsecond(operation->args))));
  return is_division ? operation->args : NIL;
}

Node* null_if_zero(Node* value) {
  const Oid type = exprType(value);
  auto* zero = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true);
  auto* result = makeNode(NullIfExpr);
  result->opno = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
  result->opfuncid = get_opcode(result->opno);
  result->opresulttype = type;
  result->args = list_make2(value, as_type(as<Node>(zero), type));
  result->location = -1;
  return as<Node>(result);
}

Node* guard(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  Node* guarded = map_expression(node, guard, context);
  List* operands = operands_of(guarded);
  if (operands == NIL) return guarded;
  auto* divisor = static_cast<Node*>(lsecond(operands));
  if (!IsA(divisor, NullIfExpr) &&
      holds_answer(*static_cast<const QueryLevel*>(context), divisor)) {
    lfirst(list_nth_cell(operands, 1)) = null_if_zero(divisor);
  }
  return guarded;
}

bool find_division(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  return operands_of(node) != NIL || walk_expression(node, find_division, nullptr);
}

}  // namespace

void guard_quotients(const QueryLevel& level) {
  Query* query = level.query;
  QueryLevel of_query = level;
  const auto guarded = [&](Node* expression) {
    return find_division(expression, nullptr) ? guard(expression, &of_query) : expression;
  };
  change_shown(query, guarded);
  if (query->jointree != nullptr) query->jointree->quals = guarded(query->jointree->quals);
}

}  // namespace idp
