#include "extension/rewrite/rows_of_keys.h"

#include <utility>

#include "extension/access/hidden.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/spine_joins.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// The column of keys that a subquery shows once each, where an outer join may have NULL in place of
// it; null if it is another one.
Var* absent_key(const RangeTblEntry* entry, const Var* column) {
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral || column->varattno <= 0) return nullptr;
  const Query* keys = entry->subquery;
  const bool is_each_once = takes_only(keys, step::kDistinct) || takes_only(keys, step::kGroups);
  const bool is_plain = is_each_once && (keys->distinctClause != NIL || keys->groupClause != NIL) &&
                        keys->jointree->fromlist != NIL;
  const TargetEntry* target = is_plain ? column_shown(keys->targetList, column->varattno) : nullptr;
  auto* key = target == nullptr ? nullptr : maybe<Var>(as<Node>(target->expr));
  const bool is_absent = key != nullptr && key->varlevelsup == 0 && key->varattno > 0 &&
                         may_be_absent(keys, static_cast<Index>(key->varno));
  return is_absent ? key : nullptr;
}

bool reads_hidden(const Query* query, int number) {
  const RangeTblEntry* entry = rt_fetch(number, query->rtable);
  return entry->rtekind == RTE_RELATION && is_hidden(entry->relid);
}

// The key that is joined to rows by a left join of which the query counts none that finds no row;
// null if there is none.
Var* key_of_join(Query* query, const JoinExpr* join, int* keys) {
  const bool is_left = join->jointype == JOIN_LEFT && IsA(join->larg, RangeTblRef) &&
                       IsA(join->rarg, RangeTblRef) && list_length(conjuncts(join->quals)) == 1;
  if (!is_left) return nullptr;
  *keys = as<RangeTblRef>(join->larg)->rtindex;
  const int rows = as<RangeTblRef>(join->rarg)->rtindex;
  Var* key = nullptr;
  Var* other = nullptr;
  if (!reads_hidden(query, rows) ||
      !equates_columns(static_cast<Node*>(linitial(conjuncts(join->quals))), &key, &other)) {
    return nullptr;
  }
  if (static_cast<int>(key->varno) == rows) std::swap(key, other);
  Bitmapset* absent = bms_make_singleton(rows);
  if (static_cast<int>(key->varno) != *keys || static_cast<int>(other->varno) != rows ||
      counts_absent(as<Node>(query->targetList), absent) ||
      counts_absent(query->havingQual, absent)) {
    return nullptr;
  }
  return absent_key(rt_fetch(*keys, query->rtable), key);
}

}  // namespace

void join_rows_of_keys(Query* query) {
  const bool is_plain = query->hasAggs && query->groupingSets == NIL && query->groupClause != NIL &&
                        list_length(query->jointree->fromlist) == 1;
  auto* join =
      is_plain ? maybe<JoinExpr>(static_cast<Node*>(linitial(query->jointree->fromlist))) : nullptr;
  int number = 0;
  Var* key = join == nullptr ? nullptr : key_of_join(query, join, &number);
  if (key == nullptr) return;
  Query* keys = rt_fetch(number, query->rtable)->subquery;
  Node* is_there = null_test(static_cast<Node*>(copyObjectImpl(key)), IS_NOT_NULL);
  keys->jointree->quals = make_and_qual(keys->jointree->quals, is_there);
  join->jointype = JOIN_INNER;
  if (join->rtindex == 0) return;
  rt_fetch(join->rtindex, query->rtable)->jointype = JOIN_INNER;
  forget_nulls_of(query, join->rtindex);
}

}  // namespace idp
