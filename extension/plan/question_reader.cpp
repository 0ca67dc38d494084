#include "extension/plan/question_reader.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/plain_output.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/recorded_node.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "access/nbtree.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "utils/typcache.h"
}

namespace idp {

void refuse_unknown() {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("what a named release is asked for is not known"),
                  errdetail("Another extension has planned the query, or changed its plan.")));
  pg_unreachable();
}

List* recorded_question(const EState* state, const Aggref* aggref) {
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    const List* question = question_in(entry, aggref->location);
    if (question != NIL) return static_cast<List*>(copyObjectImpl(question));
  }
  refuse_unknown();
}

bool all_is_known(List* recorded) { return number_at(recorded, recorded::kIsKnown) != 0; }

List* call_in(List* recorded, const Aggref* aggref) {
  for (auto* call : list<List>(part(recorded, recorded::kCalls))) {
    if (number_at(call, recorded::kCallNumber) == aggref->aggno) return call;
  }
  elog(ERROR, "could not find what a named release is asked for");
  pg_unreachable();
}

bool reads_only(List* recorded, Oid table) {
  const int only = number_at(recorded, recorded::kOnlyTable);
  if (only == 0) return false;
  const auto* entry = rt_fetch(only, part(part(recorded, recorded::kLevel), recorded::kTables));
  return entry->relid == table;
}

namespace {

// "FROM …" and what else is not a condition; empty if it goes without saying.
char* source_text(List* recorded, List* call, Oid table, const Scope& scope, const Values& values) {
  StringInfoData text;
  initStringInfo(&text);
  if (number_at(call, recorded::kDistinct)) appendStringInfoString(&text, "DISTINCT");
  if (reads_only(recorded, table)) return text.data;
  auto* column = static_cast<Node*>(list_nth(call, recorded::kColumn));
  if (text.len > 0) appendStringInfoChar(&text, ' ');
  if (column != nullptr) appendStringInfo(&text, "OF %s ", text_of(column, scope, values));
  appendStringInfoString(&text, "FROM ");
  append_items(&text, part(recorded, recorded::kLevel), scope, values);
  return text.data;
}

// The expression of the key that a column of the rows below is.
Node* key_expression(List* recorded, const TargetEntry* column) {
  for (auto* key : list<List>(part(recorded, recorded::kKeys))) {
    if (number_at(key, recorded::kKeyReference) == static_cast<int>(column->ressortgroupref)) {
      return static_cast<Node*>(list_nth(key, recorded::kKey));
    }
  }
  return nullptr;
}

List* keys_of(Agg* plan, Plan* below, List* recorded, const Scope& scope, const Values& values,
              List* keys) {
  for (int i = 0; i < plan->numCols; ++i) {
    const AttrNumber number = plan->grpColIdx[i];
    const TargetEntry* column = column_shown(below->targetlist, number);
    Node* expression = key_expression(recorded, column);
    auto* key = static_cast<Key*>(palloc(sizeof(Key)));
    auto* value = as<Node>(column->expr);
    *key = {number, exprType(value), exprCollation(value),
            expression ? simplified(expression, values) : nullptr,
            expression ? text_of(expression, scope, values) : pstrdup("?")};
    keys = lappend(keys, key);
  }
  for (auto* agg : list<Agg>(plan->chain)) {
    keys = keys_of(agg, below, recorded, scope, values, keys);
  }
  return keys;
}

// --- WHERE and GROUP BY ---

// Whether equal values are the same in all respects: 1.0 and 1.00 are not.
bool is_exact(const Key& key) {
  const TypeCacheEntry* type = lookup_type_cache(key.type, TYPECACHE_BTREE_OPFAMILY);
  if (!OidIsValid(type->btree_opf)) return false;
  const Oid function = get_opfamily_proc(type->btree_opf, type->btree_opintype,
                                         type->btree_opintype, BTEQUALIMAGE_PROC);
  return OidIsValid(function) &&
         DatumGetBool(
             OidFunctionCall1Coll(function, key.collation, ObjectIdGetDatum(type->btree_opintype)));
}

struct Use {
  List* keys;
  Condition* condition;
};

// Looks for what is not a key, and notes which keys there are.
bool find_other(Node* node, void* context) {
  if (node == nullptr) return false;
  const auto* use = static_cast<Use*>(context);
  for (const auto* key : list<Key>(use->keys)) {
    if (key->expression == nullptr || !equal(node, key->expression) || !is_exact(*key)) continue;
    use->condition->keys = bms_add_member(use->condition->keys, key->column);
    return false;
  }
  return IsA(node, Var) || IsA(node, Param) || walk_expression(node, find_other, context);
}

List* where_of(Node* expression, List* keys, const Scope& scope, const Values& values) {
  List* where = NIL;
  for (auto* node : list<Node>(conditions_of(expression, values))) {
    auto* condition = static_cast<Condition*>(palloc0(sizeof(Condition)));
    Use use{keys, condition};
    condition->other = find_other(node, &use) || contain_volatile_functions(node);
    condition->text = text_of(node, scope, values);
    condition->node = node;
    where = lappend(where, condition);
  }
  return where;
}

}  // namespace

Scope scope_of_level(List* recorded) {
  return scope_of(part(recorded, recorded::kLevel), nullptr,
                  number_at(recorded, recorded::kOnlyTable) == 0);
}

void read_call(Question* question, const Scope& scope, const Values& values) {
  List* call = call_in(question->recorded, question->aggref);
  question->filter =
      condition_texts(static_cast<Node*>(list_nth(call, recorded::kFilter)), scope, values);
  question->source = source_text(question->recorded, call, question->table, scope, values);
}

void read_level(Question* question, AggState* node, bool live) {
  List* recorded = question->recorded;
  const Values values{node->ss.ps.state, live, &question->varies};
  PlainOutput plain;
  const Scope scope = scope_of_level(recorded);
  question->keys =
      keys_of(as<Agg>(node->ss.ps.plan), outerPlan(node->ss.ps.plan), recorded, scope, values, NIL);
  question->where = where_of(static_cast<Node*>(list_nth(recorded, recorded::kConditions)),
                             question->keys, scope, values);
  plain.end();
}

}  // namespace idp
