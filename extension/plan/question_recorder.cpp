// The planner's side of question.h.
#include <optional>

#include "extension/call/call.h"
#include "extension/call/functions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/plain_output.h"
#include "extension/plan/identity.h"
#include "extension/plan/level_identity.h"
#include "extension/plan/question.h"
#include "extension/plan/question_writer.h"
#include "extension/plan/recorded_node.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
}

namespace idp {

namespace {

using recorder::Level;
using recorder::node_of;

Node* make_number(int number) { return node_of(makeInteger(number)); }

bool is_named(const Aggref* aggref) {
  return aggref->aggfnoid >= FirstNormalObjectId && is_named_call(aggref->aggfnoid);
}

// Epsilon, and maybe a name, are all that a count of rows has, and delta what a decision has.
bool is_over_column(const Aggref* aggref) {
  if (list_length(aggref->args) <= (is_named(aggref) ? 2 : 1)) return false;
  FmgrInfo function;
  fmgr_info(transition_function_of(aggref->aggfnoid), &function);
  return statistic_of(function.fn_addr) != Statistic::kKeepGroup;
}

struct CallSearch {
  bool of_all;
  List* found;
};

bool find_calls(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_calls, context);
  auto* aggref = as<Aggref>(node);
  auto* search = static_cast<CallSearch*>(context);
  const bool is_meant = search->of_all ? has_own_aggregate(node) : is_named(aggref);
  if (is_meant) search->found = lappend(search->found, aggref);
  return false;
}

// The table, if the query reads no other: its rows go without saying.
Index only_table(Node* from, const Query* query) {
  while (IsA(from, FromExpr)) {
    const List* list = as<FromExpr>(from)->fromlist;
    if (list_length(list) != 1) return 0;
    from = static_cast<Node*>(linitial(list));
  }
  if (!IsA(from, RangeTblRef)) return 0;
  const auto number = static_cast<Index>(as<RangeTblRef>(from)->rtindex);
  const auto* entry = rt_fetch(number, query->rtable);
  const bool plain = entry->rtekind == RTE_RELATION && entry->tablesample == nullptr &&
                     (entry->inh || !has_subclass(entry->relid));
  return plain ? number : 0;
}

// The columns that a question is about, by name. What is no plain column of the table itself makes
// them unknown: a row as a whole, a system column, a subquery.
struct ColumnUse {
  Index table;
  Oid relation;
  bool all_known;
  List* names;  // of String
};

bool note_columns(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* used = static_cast<ColumnUse*>(context);
  if (IsA(node, Var)) {
    const auto* var = as<Var>(node);
    const char* name =
        var->varlevelsup == 0 && static_cast<Index>(var->varno) == used->table && var->varattno > 0
            ? column_name(used->relation, var->varattno)
            : nullptr;
    used->all_known &= name != nullptr;
    if (name) used->names = list_append_unique(used->names, makeString(pstrdup(name)));
    return false;
  }
  if (IsA(node, Param)) {
    used->all_known &= as<Param>(node)->paramkind == PARAM_EXTERN;
    return false;
  }
  if (IsA(node, SubLink) || IsA(node, SubPlan) || IsA(node, AlternativeSubPlan)) {
    used->all_known = false;
    return false;
  }
  return walk_expression(node, note_columns, context);
}

List* used_columns(const Query* query, Index only, List* conditions, List* calls, List* keys) {
  ColumnUse used{only, only ? rt_fetch(only, query->rtable)->relid : InvalidOid, only > 0, NIL};
  if (only > 0) {
    (void)note_columns(node_of(conditions), &used);
    (void)note_columns(node_of(calls), &used);
    for (auto* inner_list : idp::list<List>(keys)) {
      (void)note_columns(static_cast<Node*>(list_nth(inner_list, recorded::kKey)), &used);
    }
  }
  return list_make2(make_number(used.all_known), used.names);
}

// Columns that the query groups, or sorts, by, though the planner does not group by them, as they
// follow from a key: where all is asked, of TargetEntry (answers/dropped_keys.h).
List* dropped_keys(const PlannerInfo* root) {
  const Query* query = root->parse;
  if (query->groupClause == NIL || query->groupingSets != NIL) return NIL;
  const List* keys = get_sortgrouplist_exprs(query->groupClause, root->processed_tlist);
  List* dropped = NIL;
  for (auto* target : idp::list<TargetEntry>(root->processed_tlist)) {
    if (target->ressortgroupref == 0 || !IsA(target->expr, Var)) continue;
    if (!list_member(keys, target->expr)) dropped = lappend(dropped, target);
  }
  return dropped;
}

// Adds to a list of Oid whose the tables are that a query reads, wherever in it.
bool add_owners(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, add_owners, context);
  auto*& owners = *static_cast<List**>(context);
  auto* query = as<Query>(node);
  for (const auto* entry : idp::list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_RELATION || entry->relkind == RELKIND_VIEW) continue;
    owners = list_append_unique_oid(owners, owner_id_of(entry->relid));
  }
  return walk_queries(query, add_owners, context);
}

// What an answer is of besides protected rows changes by the hands of their owner, if it does. A
// table of somebody else's tells what it holds today.
bool reads_tables_of_one_owner(const Level& level) {
  List* owners = NIL;
  (void)add_owners(node_of(level.query), &owners);
  for (auto* query : idp::list<Query>(level.whole->values)) {
    (void)add_owners(node_of(query), &owners);
  }
  return list_length(owners) <= 1;
}

// Whether what is known of subqueries tells their values from others, and conditions, calls and
// keys alone have them.
bool says_values(const Level& level) {
  if (level.subqueries == NIL) return true;
  for (auto* subquery : idp::list<List>(level.subqueries)) {
    if (*strVal(list_nth(subquery, recorded::kDigest)) == '\0') return false;
  }
  return !has_executor_parameter(node_of(told_of_level(level.query)));
}

// Whether the text of a question and the identity of its level say all that it reads.
// moments: of which the values matter.
bool says_all(const Level& level, List** moments) {
  if (!says_values(level) || !is_whole(level.query) || !reads_tables_of_one_owner(level) ||
      !is_of_no_time(level.query, level.root->glob->boundParams, moments)) {
    return false;
  }
  *moments = list_concat(*moments, level.whole->moments);
  return true;
}

List* recorded_question(PlannerInfo* root, List* calls, bool of_all) {
  Query* query = root->parse;
  recorder::Whole whole;
  Level level{query, root, nullptr, nullptr, &whole};
  recorder::begin(level);
  List* conditions = NIL;
  recorder::write_from(level, node_of(query->jointree), &conditions);
  List* asked = NIL;
  for (const auto* aggref : idp::list<Aggref>(calls)) {
    List* filter = NIL;
    recorder::collect_conditions(node_of(aggref->aggfilter), level, &filter);
    const bool has_column = is_over_column(aggref);
    const auto* first = static_cast<TargetEntry*>(linitial(aggref->args));
    Node* column = has_column ? recorder::portable(node_of(first->expr), &level) : nullptr;
    asked = lappend(asked, list_make4(make_number(aggref->aggno), recorder::conjunction(filter),
                                      column, make_number(aggref->aggdistinct != NIL)));
  }
  List* keys = NIL;
  const auto add_key = [&](const TargetEntry* key) {
    keys = lappend(keys, list_make2(make_number(static_cast<int>(key->ressortgroupref)),
                                    recorder::portable(node_of(key->expr), &level)));
  };
  for (const auto* clause : idp::list<SortGroupClause>(query->groupClause)) {
    add_key(get_sortgroupref_tle(clause->tleSortGroupRef, root->processed_tlist));
  }
  if (of_all) {
    for (const auto* key : idp::list<TargetEntry>(dropped_keys(root))) add_key(key);
  }
  const Index only = only_table(node_of(query->jointree), query);
  List* question = list_make5(recorder::finish(level), recorder::conjunction(conditions),
                              make_number(static_cast<int>(only)), asked, keys);
  question = lappend(question, used_columns(query, only, conditions, calls, keys));
  List* moments = NIL;
  LevelIdentity identity = kUnknownLevel;
  Query* to_fill_in = nullptr;
  if (of_all && says_all(level, &moments)) {
    Query* told = told_of_level(query);
    if (has_parameters(told, keys) || follows_session(told, keys)) {
      to_fill_in = told;
    } else {
      identity = identity_of_level(told, keys, level.subqueries);
    }
  }
  question = lappend(question, makeString(pstrdup(identity.digest)));
  // what is not made for it stays as it is now: the planner changes its own nodes
  moments = static_cast<List*>(copyObjectImpl(moments));
  question = lappend(lappend(question, moments), identity.meanings);
  question = lappend(question, make_number(whole.is_known));
  question = lappend(question,
                     make_number(of_all && level.subqueries == NIL && is_without_settings(query)));
  return lappend(question, copyObjectImpl(to_fill_in));
}

// Unique in this process, and no position in a text.
int next_number() {
  static int number = -1;
  number = number == PG_INT32_MIN ? -2 : number - 1;
  return number;
}

}  // namespace

void record_question(PlannerInfo* root, bool of_all) {
  if (!root->parse->hasAggs) return;
  CallSearch search{of_all, NIL};
  (void)find_calls(node_of(root->processed_tlist), &search);
  (void)find_calls(root->parse->havingQual, &search);
  List* calls = search.found;
  if (calls == NIL || static_cast<Aggref*>(linitial(calls))->location < -1) return;
  const int number = next_number();
  // of all settings, what is recorded follows alone how names are quoted
  std::optional<PlainOutput> plain;
  if (quote_all_identifiers) plain.emplace();
  List* question = recorded_question(root, calls, of_all);
  if (plain) plain->end();
  root->parse->rtable = lappend(root->parse->rtable, entry_of_question(number, question));
  for (auto* aggregate : idp::list<Aggref>(calls)) aggregate->location = number;
}

}  // namespace idp
