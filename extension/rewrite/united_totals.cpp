#include "extension/rewrite/united_totals.h"

#include "extension/domain/all_groups.h"
#include "extension/domain/keys_below.h"
#include "extension/domain/public_table.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/rewrite/labelled_parts.h"
#include "extension/rewrite/private_call.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

Node* argument_of(const Aggref* call) {
  return call->args == NIL ? nullptr
                           : as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
}

// The sum of values of a type, and its type; invalid of any that are no numbers.
struct SumOf {
  Oid function = InvalidOid;
  Oid type = InvalidOid;
};

SumOf sum_of(Oid type) {
  switch (type) {
    case INT2OID:
      return {F_SUM_INT2, INT8OID};
    case INT4OID:
      return {F_SUM_INT4, INT8OID};
    case INT8OID:
      return {F_SUM_INT8, NUMERICOID};
    case NUMERICOID:
      return {F_SUM_NUMERIC, NUMERICOID};
    case FLOAT4OID:
      return {F_SUM_FLOAT4, FLOAT4OID};
    case FLOAT8OID:
      return {F_SUM_FLOAT8, FLOAT8OID};
    default:
      return {};
  }
}

// Whether it is a count or a sum of rows.
bool adds_up(const Aggref* call) {
  const bool is_plain = call->aggfnoid < FirstNormalObjectId && call->agglevelsup == 0 &&
                        call->aggkind == AGGKIND_NORMAL && call->aggdistinct == NIL &&
                        call->aggorder == NIL && list_length(call->args) <= 1;
  if (!is_plain) return false;
  const char* name = get_func_name(call->aggfnoid);
  if (strcmp(name, "count") == 0) return true;
  Node* argument = argument_of(call);
  return argument != nullptr && OidIsValid(sum_of(exprType(argument)).function) &&
         strcmp(name, "sum") == 0;
}

bool find_other(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, SubLink)) return true;
  if (IsA(node, Aggref)) return !adds_up(as<Aggref>(node));
  return walk_expression(node, find_other, nullptr);
}

// --- what stands above the parts ---

struct Totals {
  List* keys;           // of Node: what the query groups by
  List* targets = NIL;  // of TargetEntry: the columns of each part, keys first
};

Node* column_of_parts(Totals& totals, Node* value) {
  return column_showing(&totals.targets, value, psprintf("column %d", list_length(totals.targets)));
}

Node* total(Totals& totals, Node* of_part) {
  Node* column = column_of_parts(totals, of_part);
  const SumOf sum = sum_of(exprType(column));
  return as<Node>(aggregate_call(sum.function, sum.type, column));
}

Node* as_type_of(const Aggref* call, Node* value) {
  return exprType(value) == call->aggtype ? value
                                          : cast_to(value, call->aggtype, COERCE_EXPLICIT_CAST);
}

// context: Totals.
Node* over_parts(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto& totals = *static_cast<Totals*>(context);
  if (!IsA(node, List) && list_member(totals.keys, node)) {
    return IsA(node, Const) ? node
                            : column_of_parts(totals, static_cast<Node*>(copyObjectImpl(node)));
  }
  if (IsA(node, Aggref)) {
    const auto* call = as<Aggref>(node);
    return as_type_of(call, total(totals, static_cast<Node*>(copyObjectImpl(node))));
  }
  return map_expression(node, over_parts, context);
}

// --- the parts ---

// What is asked of each: the columns, by groups of the keys.
Query* of_columns(const Query* query, const Totals& totals) {
  auto* rows = copy_of(query);
  rows->targetList = static_cast<List*>(copyObjectImpl(totals.targets));
  rows->groupClause = rows->sortClause = NIL;
  rows->havingQual = nullptr;
  rows->limitCount = rows->limitOffset = nullptr;
  Index reference = 0;
  for (auto* target : list<TargetEntry>(rows->targetList)) {
    if (!list_member(totals.keys, target->expr)) continue;
    rows->groupClause = lappend(rows->groupClause, clause_of(target, ++reference));
  }
  return rows;
}

// Whether everybody may know the keys of a part, as of one that no hidden rows are in: a calendar,
// with a 0 for each day.
bool has_keys(const Query* part) {
  if (part->groupClause == NIL || !reads_hidden_table(part)) return true;
  auto* probe = copy_of(part);
  probe->targetList = NIL;
  for (auto* target : list<TargetEntry>(part->targetList)) {
    if (target->ressortgroupref != 0)
      probe->targetList = lappend(probe->targetList, copyObjectImpl(target));
  }
  Aggref* count = private_call("dp_count", list_make1(float_constant(1)));
  if (count == nullptr) return false;
  const int number = list_length(probe->targetList) + 1;
  probe->targetList = lappend(probe->targetList, output(as<Node>(count), number, "number"));
  leave_out_rows_below(probe);
  return give_groups_of(probe);
}

}  // namespace

void add_up_parts(Query* query) {
  constexpr unsigned kSteps =
      step::kAggregates | step::kGroups | step::kHaving | step::kLimit | step::kOffset;
  if (!query->hasAggs || !takes_only(query, kSteps)) return;
  List* parts = NIL;
  const int entry = union_of_parts(query, &parts);
  if (entry == 0 || find_other(as<Node>(query->targetList), nullptr) ||
      find_other(query->havingQual, nullptr) ||
      contain_volatile_functions(as<Node>(query->targetList))) {
    return;
  }
  auto* whole = copy_of(query);
  put_groups_in_place(whole);
  Totals totals{grouped_expressions(whole)};
  for (auto* key : list<Node>(totals.keys)) {
    if (!IsA(key, Const)) (void)column_of_parts(totals, static_cast<Node*>(copyObjectImpl(key)));
  }
  auto* targets = reinterpret_cast<List*>(over_parts(as<Node>(whole->targetList), &totals));
  Node* having = over_parts(whole->havingQual, &totals);
  List* alone = NIL;
  const Query* columns = of_columns(whole, totals);
  for (const auto* part : list<Query>(parts)) {
    Query* one = query_of_part(columns, entry, part);
    if (!has_keys(one)) return;
    alone = lappend(alone, one);
  }
  whole->targetList = targets;
  whole->havingQual = having;
  Query* answers = united_answers(alone);
  IncrementVarSublevelsUp(as<Node>(answers), 1, 1);
  read_rows(whole, answers, "parts", nullptr);
  *query = *whole;
}

}  // namespace idp
