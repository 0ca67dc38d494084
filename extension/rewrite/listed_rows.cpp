#include "extension/rewrite/listed_rows.h"

#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/domain/domain.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/public_table.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/constant_lists.h"
#include "extension/rewrite/existence.h"
#include "extension/rewrite/labelled_parts.h"
#include "extension/rewrite/spine_joins.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- what is asked ---

// A hidden table that a part of FROM reads; invalid if it reads none, or is computed for each row
// beside it.
Oid hidden_table_of(const Query* query, const Node* from) {
  Oid table = InvalidOid;
  for (const int number : ints(entries_read(from))) {
    const RangeTblEntry* entry = rt_fetch(number, query->rtable);
    if (entry->lateral) return InvalidOid;
    if (OidIsValid(table)) continue;
    if (entry->rtekind == RTE_RELATION && is_hidden(entry->relid)) table = entry->relid;
    if (entry->rtekind == RTE_SUBQUERY) {
      table = hidden_table_of(entry->subquery, as<Node>(entry->subquery->jointree));
    }
  }
  return table;
}

bool names_columns_of_joins(Query* query) {
  int number = 0;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    ++number;
    if (entry->rtekind == RTE_JOIN && names_column_of(query, number)) return true;
  }
  return false;
}

// The leftmost entry of the joins that a query reads, where that may be a list, and others have
// hidden rows; 0 if there is none.
int leftmost_entry(Query* query) {
  constexpr unsigned kSteps =
      step::kAggregates | step::kGroups | step::kHaving | step::kLimit | step::kOffset;
  const bool is_plain = query->hasAggs && query->groupClause != NIL && takes_only(query, kSteps) &&
                        list_length(query->jointree->fromlist) == 1;
  const auto* from =
      is_plain ? static_cast<const Node*>(linitial(query->jointree->fromlist)) : nullptr;
  if (from == nullptr || !IsA(from, JoinExpr) || !OidIsValid(hidden_table_of(query, from)) ||
      names_columns_of_joins(query)) {
    return 0;
  }
  while (IsA(from, JoinExpr)) from = as<JoinExpr>(from)->larg;
  const int number = as<RangeTblRef>(from)->rtindex;
  return names_whole_row(query, number) ? 0 : number;
}

// The join of the list and all else; null if there is none.
JoinExpr* join_of_list(const Query* query, int list) {
  auto* join = maybe<JoinExpr>(static_cast<Node*>(linitial(query->jointree->fromlist)));
  const bool is_known = join != nullptr && IsA(join->larg, RangeTblRef) &&
                        as<RangeTblRef>(join->larg)->rtindex == list &&
                        (join->jointype == JOIN_LEFT || join->jointype == JOIN_INNER) &&
                        join->quals != nullptr && join->rtindex != 0;
  return is_known ? join : nullptr;
}

// Whether a condition says that a column of the list is equal to what is computed of columns that
// have keys, however many: date_trunc('month', at) = g.
bool equates_image(const Query* query, const Node* condition, int list) {
  const auto* comparison = as<OpExpr>(condition);
  if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2) return false;
  for (const int i : {0, 1}) {
    const auto* column = maybe<Var>(static_cast<Node*>(list_nth(comparison->args, i)));
    auto* image = static_cast<Node*>(list_nth(comparison->args, 1 - i));
    if (column == nullptr || static_cast<int>(column->varno) != list ||
        !is_equality(comparison, as<Node>(column))) {
      continue;
    }
    UsedColumns used{entry_of_groups(query)};
    add_used_columns(&used, image);
    bool are_keys = used.columns != NIL;
    for (const auto* each : idp::list<Var>(used.columns)) {
      const KeyColumn* keys =
          static_cast<int>(each->varno) == list ? nullptr : key_of_column(query, each);
      are_keys &= keys != nullptr && keys->count() > 0;
    }
    if (are_keys) return true;
  }
  return false;
}

// Whether keys that everybody may know tell for which rows of the list the condition is true: by
// equality, or as there are few values of the columns that it names.
bool is_by_few_keys(const Query* query, const JoinExpr* join, int list) {
  int64 number = 1;
  bool compares = false;
  List* columns = NIL;
  for (auto* condition : idp::list<Node>(conjuncts(join->quals))) {
    UsedColumns used{entry_of_groups(query)};
    add_used_columns(&used, condition);
    bool names_list = false;
    List* others = NIL;
    for (auto* column : idp::list<Var>(used.columns)) {
      const bool is_of_list = static_cast<int>(column->varno) == list;
      names_list |= is_of_list;
      if (!is_of_list) others = lappend(others, column);
    }
    if (!names_list || equates_image(query, condition, list)) continue;
    Var* first = nullptr;
    Var* second = nullptr;
    compares |= !equates_columns(condition, &first, &second);
    columns = list_concat_unique(columns, others);
  }
  if (!compares) return true;
  for (const auto* column : idp::list<Var>(columns)) {
    const KeyColumn* keys = key_of_column(query, column);
    if (keys == nullptr || keys->count() == 0) return false;
    number *= keys->count();
    if (number > kMostKeys) return false;
  }
  return true;
}

// --- rows that share hidden rows ---

bool find_no_sum(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_no_sum, nullptr);
  const auto* call = as<Aggref>(node);
  const char* name = get_func_name(call->aggfnoid);
  return call->aggdistinct != NIL ||
         (strcmp(name, "count") != 0 && strcmp(name, "sum") != 0 && strcmp(name, "avg") != 0);
}

// Whether an aggregate of the query is no sum of what it is for parts of the rows, as
// count(DISTINCT customer) is none.
bool has_no_sum(const Query* query) {
  return find_no_sum(as<Node>(query->targetList), nullptr) ||
         find_no_sum(query->havingQual, nullptr);
}

// The ends between which the rows lie that a row of the list finds, as far as conditions say.
struct Ends {
  Node* lower = nullptr;  // over columns of the list
  Node* upper = nullptr;
};

bool names_only(const Query* query, Node* node, int list) {
  UsedColumns used{entry_of_groups(query)};
  add_used_columns(&used, node);
  for (const auto* column : idp::list<Var>(used.columns)) {
    if (static_cast<int>(column->varno) != list) return false;
  }
  return used.is_plain && used.columns != NIL;
}

Ends ends_of(const Query* query, const JoinExpr* join, int list) {
  Ends ends;
  for (auto* condition : idp::list<Node>(conjuncts(join->quals))) {
    const auto* comparison = as<OpExpr>(condition);
    if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2) continue;
    for (const int i : {0, 1}) {
      auto* end = static_cast<Node*>(list_nth(comparison->args, i));
      const Oid op = i == 1 ? comparison->opno : get_commutator(comparison->opno);
      if (!OidIsValid(op) || !names_only(query, end, list)) continue;
      const char* name = get_opname(op);
      if (name[0] == '>') ends.lower = end;
      if (name[0] == '<') ends.upper = end;
    }
  }
  return ends;
}

Const* end_for(Node* end, int list, const List* row) {
  auto* constant = maybe<Const>(over_row(end, list, row));
  return constant == nullptr || constant->constisnull ? nullptr : constant;
}

// Whether the rows that one row of the list finds begin before those of another end, as the last
// seven days of each day do.
bool share_rows(const Query* query, const JoinExpr* join, int list, const List* rows) {
  const Ends ends = ends_of(query, join, list);
  if (ends.lower == nullptr && ends.upper == nullptr) return false;
  if (ends.lower == nullptr || ends.upper == nullptr) return list_length(rows) > 1;
  const Oid type = exprType(ends.lower);
  const TypeCacheEntry* order = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
  if (type != exprType(ends.upper) || !OidIsValid(order->cmp_proc_finfo.fn_oid)) return false;
  const Const* upper = nullptr;  // of the row before
  for (const auto* row : idp::list<List>(rows)) {
    const Const* lower = end_for(ends.lower, list, row);
    if (lower == nullptr) return false;
    const bool is_before =
        upper != nullptr && DatumGetInt32(FunctionCall2Coll(
                                const_cast<FmgrInfo*>(&order->cmp_proc_finfo), lower->constcollid,
                                lower->constvalue, upper->constvalue)) < 0;
    if (is_before) return true;
    upper = end_for(ends.upper, list, row);
    if (upper == nullptr) return false;
  }
  return false;
}

// Whether a calendar is asked for all of it at once, by keys (lift_conditions.cpp): by equality, or
// for what adds up over them, or in parts that have none in common.
bool is_by_keys(const Query* query, const JoinExpr* join, int list, const List* rows) {
  return is_by_few_keys(query, join, list) &&
         !(has_no_sum(query) && share_rows(query, join, list, rows));
}

// orders o JOIN (VALUES …) l ON … is (VALUES …) l JOIN orders o ON …
void put_list_first(const Query* query) {
  const List* from = query->jointree == nullptr ? NIL : query->jointree->fromlist;
  auto* join =
      list_length(from) == 1 ? maybe<JoinExpr>(static_cast<Node*>(linitial(from))) : nullptr;
  if (join == nullptr || join->jointype != JOIN_INNER || !IsA(join->rarg, RangeTblRef)) return;
  const int right = as<RangeTblRef>(join->rarg)->rtindex;
  const List* rows = rows_of_list(rt_fetch(right, query->rtable));
  const bool has_list =
      IsA(join->larg, RangeTblRef) &&
      rows_of_list(rt_fetch(as<RangeTblRef>(join->larg)->rtindex, query->rtable)) != NIL;
  if (rows != NIL && !has_list && join->quals != nullptr && !is_by_keys(query, join, right, rows)) {
    std::swap(join->larg, join->rarg);
  }
}

// The key that a row of the list has: a column of it, or the day of one; null if it is another one.
Const* key_in_row(Node* key, int list, const List* row) {
  const FuncExpr* cast = as_day(key);
  const auto* column = maybe<Var>(cast != nullptr ? static_cast<Node*>(linitial(cast->args)) : key);
  const bool is_of_list = column != nullptr && static_cast<int>(column->varno) == list &&
                          column->varlevelsup == 0 && column->varattno > 0;
  if (!is_of_list) return nullptr;
  auto* value = static_cast<Const*>(list_nth(row, column->varattno - 1));
  return cast == nullptr ? value : day_of(cast, value);
}

bool is_same(const Const* a, const Const* b) {
  if (a->constisnull || b->constisnull) return a->constisnull && b->constisnull;
  return datumIsEqual(a->constvalue, b->constvalue, a->constbyval, a->constlen);
}

// Whether no two rows of the list have the same keys, and there are no others to group by.
bool have_own_keys(const Query* query, int list, const List* rows) {
  List* seen = NIL;  // of List of Const
  for (const auto* row : idp::list<List>(rows)) {
    List* keys = NIL;
    for (auto* key : idp::list<Node>(grouped_expressions(query))) {
      Const* value = key_in_row(key, list, row);
      if (value == nullptr ||
          !has_one_form(value->consttype, value->consttypmod, value->constcollid))
        return false;
      keys = lappend(keys, value);
    }
    for (const auto* other : idp::list<List>(seen)) {
      bool are_same = true;
      ListCell* one;
      ListCell* another;
      forboth(one, keys, another, other) {
        are_same &= is_same(static_cast<Const*>(lfirst(one)), static_cast<Const*>(lfirst(another)));
      }
      if (are_same) return false;
    }
    seen = lappend(seen, keys);
  }
  return true;
}

// --- the parts ---

// What the row of the list shows in each of its columns.
List* values_of(const List* row) {
  List* values = NIL;
  for (auto* value : list<Const>(row)) {
    values = lappend(values, output(as<Node>(value), list_length(values) + 1, "value"));
  }
  return values;
}

// The query of a row of the list alone.
Query* of_row(Query* query, const JoinExpr* join, const List* row) {
  const int number = as<RangeTblRef>(join->larg)->rtindex;
  auto* alone = copy_of(query);
  alone->groupClause = NIL;
  alone = with_values(alone, number, values_of(row));
  const auto* joined = static_cast<JoinExpr*>(linitial(alone->jointree->fromlist));
  Node* where = make_and_qual(joined->quals, alone->jointree->quals);
  alone->jointree = makeFromExpr(list_make1(joined->rarg), where);
  forget_nulls_of(alone, join->rtindex);
  Bitmapset* gone = bms_make_singleton(number);
  drop_entries(alone, bms_add_member(gone, join->rtindex));
  show_all_unsorted(alone);
  return alone;
}

// --- subqueries for each row of a list ---

// Whether a subquery is one answer over hidden rows that hangs on the row of the list.
bool find_answer_of_row(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  const auto* link = maybe<SubLink>(node);
  if (link != nullptr && link->subLinkType == EXPR_SUBLINK && IsA(link->subselect, Query)) {
    const auto* answers = as<Query>(link->subselect);
    if (answers->hasAggs && answers->groupClause == NIL && answers->setOperations == nullptr &&
        names_hidden_table(answers) && contain_vars_of_level(answers->jointree->quals, 1)) {
      return true;
    }
  }
  return walk_expression(node, find_answer_of_row, nullptr);
}

// The query over a row of the list, which is all that it reads.
Query* with_only_row(Query* query, int number, const List* row) {
  auto* alone = copy_of(query);
  alone = with_values(alone, number, values_of(row));
  alone->jointree = makeFromExpr(NIL, alone->jointree->quals);
  drop_entries(alone, bms_make_singleton(number));
  show_all_unsorted(alone);
  return alone;
}

}  // namespace

void answer_beside_listed_rows(Query* query) {
  const bool is_plain =
      query->hasSubLinks && takes_only(query, step::kSubLinks | step::kLimit | step::kOffset);
  const int number = is_plain ? only_entry(query) : 0;
  if (number == 0 || names_whole_row(query, number) ||
      !(find_answer_of_row(as<Node>(query->targetList), nullptr) ||
        find_answer_of_row(query->jointree->quals, nullptr))) {
    return;
  }
  List* parts = NIL;
  for (const auto* row : list<List>(rows_of_list(rt_fetch(number, query->rtable)))) {
    parts = lappend(parts, with_only_row(query, number, row));
  }
  if (parts != NIL) read_answers_of(query, parts);
}

namespace {

bool is_list_of_values(const RangeTblEntry* entry) {
  if (entry->rtekind == RTE_VALUES) return true;
  const int within = entry->rtekind == RTE_SUBQUERY ? only_entry(entry->subquery) : 0;
  return within != 0 && is_list_of_values(rt_fetch(within, entry->subquery->rtable));
}

// Whether conditions compare hidden rows with ends that a list gives.
bool is_by_ranges(const Query* query, const JoinExpr* join, int list) {
  const Ends ends = ends_of(query, join, list);
  return ends.lower != nullptr || ends.upper != nullptr;
}

// are_apart: whether its rows are to be asked for one by one also where they might be keys. False
// if they are not.
bool answer_rows_of_list(Query* query, int number, const List* rows, bool are_apart) {
  move_joins_of_spine(query, [&](const Node* from) {
    return IsA(from, RangeTblRef) && as<RangeTblRef>(from)->rtindex == number;
  });
  const JoinExpr* join = join_of_list(query, number);
  if (join == nullptr || (!are_apart && is_by_keys(query, join, number, rows))) return false;
  // those of a list may be keys all the same
  const bool may_be_keys = is_list_of_values(rt_fetch(number, query->rtable));
  if (are_apart && may_be_keys && !is_by_ranges(query, join, number) && !has_no_sum(query)) {
    return false;
  }
  Bitmapset* absent = entries_of(join->rarg);
  const bool is_outer = join->jointype == JOIN_LEFT;
  if (is_outer && query->jointree->quals != nullptr) return false;
  if (is_outer && (counts_absent(as<Node>(query->targetList), absent) ||
                   counts_absent(query->havingQual, absent))) {
    refuse_counts_of_list(hidden_table_of(query, join->rarg));
  }
  put_groups_in_place(query);
  if (!have_own_keys(query, number, rows)) {
    if (is_outer) refuse_groups_of_list(hidden_table_of(query, join->rarg));
    return false;
  }
  List* parts = NIL;
  for (const auto* row : list<List>(rows)) parts = lappend(parts, of_row(query, join, row));
  read_answers_of(query, parts);
  return true;
}

}  // namespace

void answer_listed_rows(Query* query) {
  put_list_first(query);
  const int number = leftmost_entry(query);
  const List* rows = number == 0 ? NIL : rows_of_list(rt_fetch(number, query->rtable));
  if (rows != NIL) (void)answer_rows_of_list(query, number, rows, false);
}

namespace {

// --- groups of a list beside others ---

// Whether a key has another value for each row of the list.
bool tells_rows_of_list(Node* key, int list, const List* rows) {
  List* seen = NIL;  // of Const
  for (const auto* row : idp::list<List>(rows)) {
    Const* value = key_in_row(key, list, row);
    if (value == nullptr || value->constisnull ||
        !has_one_form(value->consttype, value->consttypmod, value->constcollid)) {
      return false;
    }
    for (const auto* other : idp::list<Const>(seen)) {
      if (is_same(value, other)) return false;
    }
    seen = lappend(seen, value);
  }
  return true;
}

bool groups_by_list(const Query* query, int list, const List* rows) {
  for (auto* key : idp::list<Node>(grouped_expressions(query))) {
    if (tells_rows_of_list(key, list, rows)) return true;
  }
  return false;
}

// A part of FROM without an entry that inner joins join, whose conditions go to where; null if
// nothing is left. gone: the entries of it and of these joins.
Node* without_entry(Node* from, int entry, Node** where, Bitmapset** gone) {
  check_stack_depth();
  if (IsA(from, RangeTblRef)) {
    if (as<RangeTblRef>(from)->rtindex != entry) return from;
    *gone = bms_add_member(*gone, entry);
    return nullptr;
  }
  auto* join = as<JoinExpr>(from);
  join->larg = without_entry(join->larg, entry, where, gone);
  if (join->larg != nullptr) join->rarg = without_entry(join->rarg, entry, where, gone);
  if (join->larg != nullptr && join->rarg != nullptr) return from;
  *where = make_and_qual(*where, join->quals);
  if (join->rtindex > 0) *gone = bms_add_member(*gone, join->rtindex);
  return join->larg != nullptr ? join->larg : join->rarg;
}

// Whether inner joins alone stand beside an entry of that part of FROM.
bool is_joined_by_inner(const Node* from, int entry) {
  if (IsA(from, RangeTblRef)) return true;
  const auto* join = as<JoinExpr>(from);
  for (const Node* side : {join->larg, join->rarg}) {
    const bool is_side = IsA(side, RangeTblRef) && as<RangeTblRef>(side)->rtindex == entry;
    if (is_side && join->jointype != JOIN_INNER) return false;
    if (!is_joined_by_inner(side, entry)) return false;
  }
  return true;
}

// The query of a row of the list, with all of its other groups.
Query* groups_of_row(Query* query, int number, const List* row) {
  auto* alone = copy_of(query);
  alone = with_values(alone, number, values_of(row));
  Bitmapset* gone = nullptr;
  Node* where = alone->jointree->quals;
  List* left = NIL;
  for (auto* part : list<Node>(alone->jointree->fromlist)) {
    Node* rest = without_entry(part, number, &where, &gone);
    if (rest != nullptr) left = lappend(left, rest);
  }
  alone->jointree = makeFromExpr(left, folded(where));
  drop_entries(alone, gone);
  const auto fold = [](Node* node) { return folded(node); };
  change_shown(alone, fold);
  change_grouped(alone, fold);
  show_all_unsorted(alone);
  return alone;
}

// FROM orders CROSS JOIN generate_series(0, 1) g GROUP BY g, CASE WHEN g = 1 THEN channel END: of
// Malloy, where not everybody may know the keys of channel.
bool answer_crossed_list(Query* query) {
  constexpr unsigned kSteps =
      step::kAggregates | step::kGroups | step::kHaving | step::kLimit | step::kOffset;
  if (!query->hasAggs || query->groupClause == NIL || !takes_only(query, kSteps) ||
      !names_hidden_table(query) || names_columns_of_joins(query)) {
    return false;
  }
  for (const int number : ints(entries_read(as<Node>(query->jointree)))) {
    const List* rows = rows_of_list(rt_fetch(number, query->rtable));
    if (list_length(rows) < 2 || may_be_absent(query, static_cast<Index>(number)) ||
        names_whole_row(query, number) || !groups_by_list(query, number, rows)) {
      continue;
    }
    bool is_inner = true;
    for (const auto* part : list<Node>(query->jointree->fromlist)) {
      is_inner = is_inner && is_joined_by_inner(part, number);
    }
    if (!is_inner) continue;
    put_groups_in_place(query);
    List* parts = NIL;
    for (const auto* row : list<List>(rows)) {
      parts = lappend(parts, groups_of_row(query, number, row));
    }
    read_answers_of(query, parts);
    return true;
  }
  return false;
}

}  // namespace

bool answer_calendar_by_rows(Query* query) {
  const int number = leftmost_entry(query);
  const List* rows = number == 0 ? NIL : rows_of_list(rt_fetch(number, query->rtable));
  if (rows != NIL && answer_rows_of_list(query, number, rows, true)) return true;
  return answer_crossed_list(query);
}

}  // namespace idp
