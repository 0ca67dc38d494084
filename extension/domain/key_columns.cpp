#include "extension/domain/key_columns.h"

#include "extension/domain/key_conditions.h"
#include "extension/domain/used_columns.h"

extern "C" {
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
}

namespace idp {

namespace {

// --- where a column comes from ---

struct Origin {
  Oid table = InvalidOid;
  AttrNumber column = InvalidAttrNumber;
  bool may_be_null = false;
  List* conditions = NIL;  // on the way, over the column of the query that was asked about
};

bool has_outer_join(const Node* node) {
  if (node == nullptr || IsA(node, RangeTblRef)) return false;
  if (IsA(node, FromExpr)) {
    ListCell* cell;
    foreach (cell, reinterpret_cast<const FromExpr*>(node)->fromlist) {
      if (has_outer_join(static_cast<const Node*>(lfirst(cell)))) return true;
    }
    return false;
  }
  if (!IsA(node, JoinExpr)) return true;  // not known
  const auto* join = reinterpret_cast<const JoinExpr*>(node);
  return join->jointype != JOIN_INNER || has_outer_join(join->larg) || has_outer_join(join->rarg);
}

const Query* query_of_cte(const Query* query, const RangeTblEntry* entry) {
  if (entry->ctelevelsup > 0 || entry->self_reference) return nullptr;
  ListCell* cell;
  foreach (cell, query->cteList) {
    const auto* cte = static_cast<const CommonTableExpr*>(lfirst(cell));
    if (strcmp(cte->ctename, entry->ctename) != 0) continue;
    return cte->cterecursive ? nullptr : reinterpret_cast<const Query*>(cte->ctequery);
  }
  return nullptr;
}

Origin origin_of(const Query* query, const Node* value, const Var* asked);

// Of what a subquery gives. Its own conditions hold of its rows, unless it puts NULL in them.
Origin origin_in(const Query* query, AttrNumber number, const Var* asked) {
  if (query == nullptr || query->commandType != CMD_SELECT || query->setOperations != nullptr) {
    return {};
  }
  const TargetEntry* target = get_tle_by_resno(query->targetList, number);
  if (target == nullptr || !IsA(target->expr, Var)) return {};
  const auto* column = reinterpret_cast<const Var*>(target->expr);
  Origin origin = origin_of(query, reinterpret_cast<const Node*>(column), asked);
  if (query->groupingSets != NIL || has_outer_join(reinterpret_cast<Node*>(query->jointree))) {
    origin.may_be_null = true;
    origin.conditions = NIL;
  } else {
    origin.conditions = list_concat(origin.conditions, conditions_on_column(query, column, asked));
  }
  return origin;
}

Origin origin_of(const Query* query, const Node* value, const Var* asked) {
  check_stack_depth();
  if (!IsA(value, Var)) return {};
  const auto* column = reinterpret_cast<const Var*>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0) return {};
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  switch (entry->rtekind) {
    case RTE_RELATION: {
      const bool is_table =
          entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_PARTITIONED_TABLE;
      if (!is_table || entry->tablesample != nullptr) return {};
      return {entry->relid, column->varattno, may_be_null(entry->relid, column->varattno), NIL};
    }
    case RTE_SUBQUERY:
      return origin_in(entry->subquery, column->varattno, asked);
    case RTE_CTE:
      return origin_in(query_of_cte(query, entry), column->varattno, asked);
    case RTE_JOIN:
      return origin_of(
          query, static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)),
          asked);
#if PG_VERSION_NUM >= 180000
    case RTE_GROUP:
      return origin_of(query,
                       static_cast<const Node*>(list_nth(entry->groupexprs, column->varattno - 1)),
                       asked);
#endif
    default:
      return {};
  }
}

// --- how many there are ---

const char* name_of(const KeyColumn& column) {
  return get_attname(column.table, column.origin, false);
}

// A number that the declarations and the words of the query alone make.
[[noreturn]] void refuse_number_of_keys(const List* columns, int64 count, int most) {
  StringInfoData names;
  initStringInfo(&names);
  ListCell* cell;
  foreach (cell, columns) {
    appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "",
                     name_of(*static_cast<const KeyColumn*>(lfirst(cell))));
  }
  const auto* first = static_cast<const KeyColumn*>(linitial(columns));
  const bool is_one = list_length(columns) == 1;
  ereport(ERROR,
          (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
           !is_one ? errmsg("columns %s of GROUP BY have " INT64_FORMAT
                            " keys together, more than %d: group by fewer columns",
                            names.data, count, most)
           : first->is_shown
               ? errmsg("GROUP BY of column %s has " INT64_FORMAT
                        " keys, more than %d: group by something coarser, such as %s",
                        names.data, count, most, coarser_than(first->table, first->origin))
               : errmsg("column %s of GROUP BY has a domain of " INT64_FORMAT
                        " values, more than %d: declare a smaller one",
                        names.data, count, most),
           errdetail("A query that groups by columns with domains shows every key of these."),
           errhint("Conditions that compare such a column with constants alone leave out keys.")));
}

// The product, or one that is as large as any.
int64 times(int64 a, int64 b) { return b > 0 && a > PG_INT64_MAX / b ? PG_INT64_MAX : a * b; }

bool is_among(const Var* column, const List* expressions) {
  ListCell* cell;
  foreach (cell, expressions) {
    const auto* other = static_cast<const Var*>(lfirst(cell));
    if (IsA(other, Var) && other->varno == column->varno && other->varattno == column->varattno) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool joins_inner_alone(const Query* query) {
  return !has_outer_join(reinterpret_cast<const Node*>(query->jointree));
}

List* key_columns(const Query* query, const List* columns, const List* shown, List** conditions) {
  List* found = NIL;
  *conditions = NIL;
  ListCell* cell;
  foreach (cell, columns) {
    auto* column = static_cast<Var*>(lfirst(cell));
    const Origin origin = origin_of(query, reinterpret_cast<Node*>(column), column);
    if (!OidIsValid(origin.table) || !is_listed(origin.table, origin.column)) return NIL;
    auto* key = static_cast<KeyColumn*>(palloc(sizeof(KeyColumn)));
    *key = {column,
            name_of_column(query, column),
            origin.column,
            origin.table,
            keys_of(origin.table, origin.column),
            origin.may_be_null,
            is_among(column, shown)};
    if (key->keys.type != column->vartype || key->keys.collation != column->varcollid) return NIL;
    found = lappend(found, key);
    *conditions = list_concat(*conditions, origin.conditions);
  }
  *conditions = list_concat(*conditions, conditions_on_columns(query, columns));
  int64 values = 1;
  int64 groups = 1;
  foreach (cell, found) {
    auto* key = static_cast<KeyColumn*>(lfirst(cell));
    if (key->keys.values != nullptr) leave_out_keys(*conditions, key);
    const int64 count = key->keys.values != nullptr ? key->count() : key->keys.number;
    values = times(values, count);
    if (key->is_shown) groups = times(groups, count);
  }
  if (groups > kMostKeys) refuse_number_of_keys(found, groups, kMostKeys);
  if (values > kMostValues) refuse_number_of_keys(found, values, kMostValues);
  return found;
}

}  // namespace idp
