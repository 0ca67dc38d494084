#include "extension/rewrite/same_rows.h"

#include "extension/domain/pull_up.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/rights.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/gate.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// The table of an entry whose whole rows a column tells apart; invalid if it does not.
Oid table_of_key(const RangeTblEntry* entry, const Var* column, const OpExpr* equality) {
  if (!reads_whole_table(entry)) return InvalidOid;
  if (entry->relkind == RELKIND_RELATION && has_subclass(entry->relid)) return InvalidOid;
  const UniqueKey* key = unique_key_on(entry->relid, column->varattno, snapshot_at_work());
  const bool tells_apart =
      key != nullptr && key->without_nulls &&
      is_equality_of(key->columns[0].family, equality->opno, equality->inputcollid);
  return tells_apart ? entry->relid : InvalidOid;
}

// What a column of a subquery is, which only chooses rows; null if that is no column.
const Var* column_below(const RangeTblEntry* entry, const Var* column) {
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral ||
      !takes_only(entry->subquery, step::kSubLinks)) {
    return nullptr;
  }
  const TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  return target == nullptr ? nullptr : maybe<Var>(as<Node>(target->expr));
}

// Whether a column is that of the table, at whatever depth below subqueries that choose rows.
bool is_key_of(const Query* query, const Var* column, Oid table, AttrNumber number) {
  check_stack_depth();
  if (column->varlevelsup > 0 || column->varattno <= 0) return false;
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  if (entry->rtekind == RTE_RELATION) {
    return reads_whole_table(entry) && entry->relid == table && column->varattno == number &&
           !may_be_absent(query, static_cast<Index>(column->varno));
  }
  const Var* below = column_below(entry, column);
  return below != nullptr && is_key_of(entry->subquery, below, table, number);
}

struct Same {
  Node** place;   // of the join
  int kept;       // the entry that has the row
  bool is_below;  // in a subquery of it
};

// Whether the right side of a join is the row that the left side has already.
bool finds_same_row(const Query* query, const JoinExpr* join, Same* same) {
  const bool keeps_left = join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT;
  const List* conditions = conjuncts(join->quals);
  if (!keeps_left || !IsA(join->rarg, RangeTblRef) || list_length(conditions) != 1) return false;
  const int found = as<RangeTblRef>(join->rarg)->rtindex;
  const auto* condition = static_cast<const Node*>(linitial(conditions));
  Var* kept = nullptr;
  Var* key = nullptr;
  if (!equates_columns(condition, &kept, &key)) return false;
  if (static_cast<int>(kept->varno) == found) std::swap(kept, key);
  const auto side = static_cast<Index>(kept->varno);
  if (key->varlevelsup > 0 || static_cast<int>(key->varno) != found || kept->varlevelsup > 0 ||
      !holds(join->larg, side) || may_be_absent(join->larg, side)) {
    return false;
  }
  const RangeTblEntry* entry = rt_fetch(found, query->rtable);
  const Oid table = table_of_key(entry, key, as<OpExpr>(condition));
  const RangeTblEntry* known = rt_fetch(side, query->rtable);
  *same = {nullptr, static_cast<int>(side), known->rtekind == RTE_SUBQUERY};
  if (!OidIsValid(table)) return false;
  if (same->is_below) return is_key_of(query, kept, table, key->varattno);
  // both are shown by the rights of one role
  return known->rtekind == RTE_RELATION && known->relid == table && reads_whole_table(known) &&
         kept->varattno == key->varattno &&
         list_length(known->securityQuals) == list_length(entry->securityQuals) &&
         rights_of(query, known)->checkAsUser == rights_of(query, entry)->checkAsUser &&
         (join->rtindex == 0 || !names_column_of(const_cast<Query*>(query), join->rtindex));
}

bool find_in(Node** part, const Query* query, Same* same) {
  check_stack_depth();
  if (!IsA(*part, JoinExpr)) return false;
  auto* join = as<JoinExpr>(*part);
  if (find_in(&join->larg, query, same) || find_in(&join->rarg, query, same)) return true;
  if (!finds_same_row(query, join, same)) return false;
  same->place = part;
  return true;
}

bool find_same(const Query* query, Same* same) {
  ListCell* cell;
  foreach (cell, query->jointree->fromlist) {
    if (find_in(reinterpret_cast<Node**>(&lfirst(cell)), query, same)) return true;
  }
  return false;
}

// The entry that the join found stays for the rights that it asks for.
void take_out(Query* query, const Same& same) {
  auto* join = as<JoinExpr>(*same.place);
  const int found = as<RangeTblRef>(join->rarg)->rtindex;
  *same.place = join->larg;
  if (join->rtindex > 0) {
    list_nth_cell(query->rtable, join->rtindex - 1)->ptr_value =
        new_entry(RTE_RESULT, "*RESULT*", NIL);
    if (join->jointype == JOIN_LEFT) forget_nulls_of(query, join->rtindex);
  }
  ChangeVarNodes(as<Node>(query), found, same.kept, 0);
}

}  // namespace

bool reads_whole_table(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_RELATION || entry->tablesample != nullptr) return false;
  if (entry->relkind == RELKIND_PARTITIONED_TABLE ? !entry->inh
                                                  : entry->relkind != RELKIND_RELATION) {
    return false;
  }
  for (const auto* condition : list<Node>(entry->securityQuals)) {
    if (!is_gate(condition)) return false;
  }
  return true;
}

void read_rows_once(Query* query) {
  const bool may_change = query->commandType == CMD_SELECT && query->jointree != nullptr &&
                          query->setOperations == nullptr && query->rowMarks == NIL;
  Same same;
  bool is_pulled_up = false;
  while (may_change && find_same(query, &same)) {
    if (!same.is_below) {
      take_out(query, same);
    } else if (is_pulled_up || !pull_up_rows(query)) {
      return;
    } else {
      is_pulled_up = true;
    }
  }
}

}  // namespace idp
