#include "extension/rewrite/symmetric_sums.h"

#include "extension/pg/groups.h"
#include "extension/pg/in_place.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/rewrite/row_keys.h"
#include "extension/rewrite/unit_column.h"

#include <algorithm>
#include <initializer_list>

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
}

namespace idp {

namespace {

const OpExpr* operation_of(const Node* node, Oid function) {
  if (!IsA(node, OpExpr)) return nullptr;
  const auto* found = as<OpExpr>(node);
  return get_opcode(found->opno) == function && list_length(found->args) == 2 ? found : nullptr;
}

// --- the hash of a key ---
//
// ('x' || md5(key::text))::bit(64)::bigint::numeric * 18446744073709551616
// + ('x' || substr(md5(key::text), 17))::bit(64)::bigint::numeric

// The one argument of a function, but for constants that follow it.
Node* argument_of(const Node* node, std::initializer_list<Oid> functions) {
  const auto* call = maybe<FuncExpr>(node);
  if (call == nullptr || std::ranges::find(functions, call->funcid) == functions.end()) {
    return nullptr;
  }
  for (const auto* other : list<Node>(list_copy_tail(call->args, 1))) {
    if (!IsA(other, Const)) return nullptr;
  }
  return static_cast<Node*>(linitial(call->args));
}

// What becomes text, or the text itself.
const Node* without_casts_to_text(const Node* node) {
  while (true) {
    if (IsA(node, RelabelType)) {
      node = as<Node>(as<RelabelType>(node)->arg);
    } else if (IsA(node, CoerceViaIO)) {
      node = as<Node>(as<CoerceViaIO>(node)->arg);
    } else {
      return node;
    }
  }
}

// The number of a first or a second half, of 64 bits, of hexadecimal digits that follow 'x'.
const Node* digits_of(const Node* node) {
  const Node* number = argument_of(node, {F_NUMERIC_NUMERIC_INT4});
  const Node* whole = argument_of(number == nullptr ? node : number, {F_NUMERIC_INT8});
  const Node* bits = whole == nullptr ? nullptr : argument_of(whole, {F_INT8_BIT});
  const Node* written = bits == nullptr ? nullptr : argument_of(bits, {F_BIT_BIT_INT4_BOOL});
  if (written == nullptr) written = bits;
  if (written == nullptr || exprTypmod(bits) != 64) return nullptr;
  const OpExpr* joined = operation_of(without_casts_to_text(written), F_TEXTCAT);
  if (joined == nullptr) return nullptr;
  const auto* prefix = maybe<Const>(static_cast<Node*>(linitial(joined->args)));
  const bool is_hexadecimal = prefix != nullptr && !prefix->constisnull &&
                              prefix->consttype == TEXTOID &&
                              strcmp(TextDatumGetCString(prefix->constvalue), "x") == 0;
  return is_hexadecimal ? static_cast<const Node*>(lsecond(joined->args)) : nullptr;
}

// The column whose md5 that is; null if it is something else.
const Var* hashed(const Node* digits) {
  const Node* value = argument_of(without_casts_to_text(digits), {F_MD5_TEXT});
  return value == nullptr ? nullptr : maybe<Var>(without_casts_to_text(value));
}

bool is_constant(const Node* node, const char* value) {
  const auto* constant = maybe<Const>(node);
  if (constant == nullptr || constant->constisnull || constant->consttype != NUMERICOID)
    return false;
  return strcmp(DatumGetCString(DirectFunctionCall1(numeric_out, constant->constvalue)), value) ==
         0;
}

const Var* first_half(const Node* node) {
  const OpExpr* product = operation_of(node, F_NUMERIC_MUL);
  if (product == nullptr ||
      !is_constant(static_cast<Node*>(lsecond(product->args)), "18446744073709551616")) {
    return nullptr;
  }
  const Node* digits = digits_of(static_cast<Node*>(linitial(product->args)));
  return digits == nullptr ? nullptr : hashed(digits);
}

const Var* second_half(const Node* node) {
  const Node* digits = digits_of(node);
  const auto* part = digits == nullptr ? nullptr : maybe<FuncExpr>(digits);
  if (part == nullptr || part->funcid != F_SUBSTR_TEXT_INT4) return nullptr;
  const auto* from = maybe<Const>(static_cast<Node*>(lsecond(part->args)));
  if (from == nullptr || from->constisnull || DatumGetInt32(from->constvalue) != 17) return nullptr;
  return hashed(static_cast<Node*>(linitial(part->args)));
}

// --- the sums ---

// What a sum adds up, as the terms of it.
void add_terms(Node* node, List** terms) {
  check_stack_depth();
  const OpExpr* sum = operation_of(node, F_NUMERIC_ADD);
  if (sum == nullptr) {
    *terms = lappend(*terms, node);
    return;
  }
  add_terms(static_cast<Node*>(linitial(sum->args)), terms);
  add_terms(static_cast<Node*>(lsecond(sum->args)), terms);
}

const Aggref* sum_of_different(const Node* node, List** terms) {
  const auto* sum = maybe<Aggref>(node);
  if (sum == nullptr || sum->aggfnoid != F_SUM_NUMERIC || sum->aggdistinct == NIL ||
      sum->agglevelsup > 0) {
    return nullptr;
  }
  add_terms(as<Node>(static_cast<const TargetEntry*>(linitial(sum->args))->expr), terms);
  return sum;
}

// The key whose hash the terms are; null if they are something else.
const Var* key_of_hash(const List* terms) {
  if (list_length(terms) != 2) return nullptr;
  const Var* first = first_half(static_cast<Node*>(linitial(terms)));
  const Var* second = second_half(static_cast<Node*>(lsecond(terms)));
  return first != nullptr && second != nullptr && equal(first, second) ? first : nullptr;
}

// sum(x) of the rows that have the key; null if the difference is something else.
Node* sum_of_rows(const Query* query, Node* difference) {
  SumByKey found;
  if (!read_sum_by_key(difference, &found) ||
      !tells_apart_rows_that_have_one(query, as<Node>(found.key))) {
    return nullptr;
  }
  return as<Node>(sum_where_not_null(found.sum, found.value, found.sum->aggfilter, found.key));
}

bool find_sum_of_different(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  const auto* sum = maybe<Aggref>(node);
  return (sum != nullptr && sum->aggfnoid == F_SUM_NUMERIC && sum->aggdistinct != NIL) ||
         walk_expression(node, find_sum_of_different, nullptr);
}

Node* with_sums_of_rows(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  Node* sum = sum_of_rows(static_cast<const Query*>(context), node);
  return sum != nullptr ? sum : map_in_place(node, with_sums_of_rows, context);
}

}  // namespace

bool read_sum_by_key(Node* node, SumByKey* found) {
  const OpExpr* difference = operation_of(node, F_NUMERIC_SUB);
  if (difference == nullptr) return false;
  List* all = NIL;
  List* hash = NIL;
  const Aggref* sum = sum_of_different(static_cast<Node*>(linitial(difference->args)), &all);
  const Aggref* other = sum_of_different(static_cast<Node*>(lsecond(difference->args)), &hash);
  const Var* key = key_of_hash(hash);
  if (sum == nullptr || other == nullptr || key == nullptr ||
      !equal(sum->aggfilter, other->aggfilter)) {
    return false;
  }
  for (auto* term : list<Node>(hash)) {
    if (!list_member(all, term)) return false;
    all = list_delete(all, term);
  }
  if (list_length(all) != 1) return false;
  *found = {sum, key, static_cast<Node*>(linitial(all))};
  return true;
}

bool is_of_own_row(const QueryLevel& level, const SumByKey& sum) {
  const RangeTblEntry* entry = rt_fetch(sum.key->varno, level.query->rtable);
  if (entry->rtekind != RTE_RELATION || !is_unit_table(entry->relid) ||
      !is_unit(level, as<Node>(sum.key))) {
    return false;
  }
  for (const auto* column : list<Var>(pull_var_clause(sum.value, 0))) {
    if (column->varno != sum.key->varno) return false;
  }
  return !contain_volatile_functions(sum.value) && !contain_subplans(sum.value);
}

Aggref* sum_where_not_null(const Aggref* sum, Node* value, const Expr* filter, const Var* key) {
  auto* rows = static_cast<Aggref*>(copyObjectImpl(sum));
  rows->aggdistinct = rows->aggorder = NIL;
  auto* argument = static_cast<TargetEntry*>(linitial(rows->args));
  argument->expr = as<Expr>(value);
  argument->ressortgroupref = 0;
  Node* has_key = null_test(static_cast<Node*>(copyObjectImpl(key)), IS_NOT_NULL);
  auto* conditions = static_cast<Node*>(copyObjectImpl(filter));
  rows->aggfilter = as<Expr>(make_and_qual(conditions, has_key));
  return rows;
}

void sum_rows_by_keys(Query* query) {
  if (!query->hasAggs || query->setOperations != nullptr) return;
  if (!find_sum_of_different(as<Node>(query->targetList), nullptr) &&
      !find_sum_of_different(query->havingQual, nullptr)) {
    return;
  }
  change_shown(query, [&](Node* shown) { return with_sums_of_rows(shown, query); });
}

}  // namespace idp
