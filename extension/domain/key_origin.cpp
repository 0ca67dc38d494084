#include "extension/domain/key_origin.h"

#include "extension/domain/absent_rows.h"
#include "extension/domain/finite_keys.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/public_table.h"
#include "extension/domain/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"

extern "C" {
#include "catalog/pg_class.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

struct Origin {
  const RangeTblEntry* entry = nullptr;  // of a table
  const Rights* rights = nullptr;        // as in PublicRows
  List* path = NIL;                      // likewise
  AttrNumber column = InvalidAttrNumber;
  bool may_be_null = false;
  bool may_be_absent = false;  // with all columns of its row, by an outer join
  bool is_split = false;       // grouping sets may put NULL into some columns of the row
  List* conditions = NIL;      // on the way, over the column of the query that was asked about
  const FiniteKeys* computed = nullptr;  // of no table: the values of an expression
};

const Query* query_of_cte(const Query* query, const RangeTblEntry* entry) {
  if (entry->ctelevelsup > 0 || entry->self_reference) return nullptr;
  for (const auto* cte : list<CommonTableExpr>(query->cteList)) {
    if (strcmp(cte->ctename, entry->ctename) != 0) continue;
    return cte->cterecursive ? nullptr : as<Query>(cte->ctequery);
  }
  return nullptr;
}

Origin origin_of(const Query* query, const Node* value, const Var* asked);
Origin origin_in(const Query* query, AttrNumber number, const Var* asked);

Origin origin_of_computed(const Query* query, const TargetEntry* target) {
  auto* found = static_cast<FiniteKeys*>(palloc0(sizeof(FiniteKeys)));
  const bool is_row = !query->hasAggs && !query->hasWindowFuncs && query->groupClause == NIL;
  if (!is_row || !finite_keys(const_cast<Query*>(query), as<Node>(target->expr), found)) {
    return {};
  }
  Origin origin;
  origin.computed = found;
  origin.may_be_null = found->may_be_null;
  return origin;
}

// Of what UNION gives: of the same column in all of its parts, whose values are listed.
Origin origin_in_union(const Query* query, const Node* part, AttrNumber number, const Var* asked) {
  check_stack_depth();
  if (IsA(part, RangeTblRef)) {
    const auto* reference = as<RangeTblRef>(part);
    Origin origin = origin_in(rt_fetch(reference->rtindex, query->rtable)->subquery, number, asked);
    origin.conditions = NIL;
    origin.is_split = true;  // rows of several parts are no rows of a table
    return origin;
  }
  const auto* operation = as<SetOperationStmt>(part);
  if (operation->op != SETOP_UNION) return {};
  Origin origin = origin_in_union(query, operation->larg, number, asked);
  const Origin other = origin_in_union(query, operation->rarg, number, asked);
  const bool is_same = origin.entry != nullptr && other.entry != nullptr &&
                       origin.entry->relid == other.entry->relid && origin.column == other.column;
  if (!is_same) return {};
  origin.may_be_null = origin.may_be_null || other.may_be_null;
  return origin;
}

// One that names columns of a query around it has other rows for each row of that.
bool gives_own_rows(const Query* query) {
  return query->commandType == CMD_SELECT && !names_outer_columns(const_cast<Query*>(query));
}

// Of what a subquery gives. Its own conditions hold of its rows, unless it puts NULL in them.
Origin origin_in(const Query* query, AttrNumber number, const Var* asked) {
  if (query == nullptr || !gives_own_rows(query)) return {};
  if (query->setOperations != nullptr) {
    return origin_in_union(query, query->setOperations, number, asked);
  }
  const TargetEntry* target = get_tle_by_resno(query->targetList, number);
  if (target == nullptr) return {};
  if (!IsA(target->expr, Var)) return origin_of_computed(query, target);
  const auto* column = as<Var>(target->expr);
  Origin origin = origin_of(query, as<Node>(column), asked);
  if (query->groupingSets != NIL) {
    origin.may_be_null = origin.is_split = true;
    origin.conditions = NIL;
  } else {
    origin.conditions = list_concat(origin.conditions, conditions_on_column(query, column, asked));
    origin.may_be_null = origin.may_be_null && !is_never_null(query, column);
  }
  return origin;
}

Origin by_entry(const Var* column, Origin origin) {
  origin.path = lcons_int(column->varno, origin.path);
  return origin;
}

Origin origin_by_entry(const Query* query, const Var* column, const Var* asked);

Origin origin_of(const Query* query, const Node* value, const Var* asked) {
  check_stack_depth();
  if (!IsA(value, Var)) return {};
  const auto* column = as<Var>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0) return {};
  Origin origin = origin_by_entry(query, column, asked);
  if (may_be_absent(query, static_cast<Index>(column->varno))) {
    origin.may_be_null = origin.may_be_absent = true;
    origin.conditions = NIL;
  }
  return origin;
}

Origin origin_by_entry(const Query* query, const Var* column, const Var* asked) {
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  switch (entry->rtekind) {
    case RTE_RELATION: {
      const bool is_table =
          entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_PARTITIONED_TABLE;
      if (!is_table || entry->tablesample != nullptr) return {};
      return {entry, rights_of(query, entry), list_make1_int(static_cast<int>(column->varno)),
              column->varattno, may_be_null(entry->relid, column->varattno)};
    }
    case RTE_SUBQUERY:
      return by_entry(column, origin_in(entry->subquery, column->varattno, asked));
    case RTE_CTE:
      return by_entry(column, origin_in(query_of_cte(query, entry), column->varattno, asked));
    case RTE_JOIN:
      return origin_of(
          query, static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)),
          asked);
    default:
      return grouped_in(entry) != NIL ? origin_of(query, grouped_by(entry, column->varattno), asked)
                                      : Origin{};
  }
}

// --- whether everybody may know its values ---

// Whether who asks may list the values that an entry reads, all of them.
bool may_list(const Origin& origin) {
  return is_public_table(origin.entry) && (!OidIsValid(origin.rights->checkAsUser) ||
                                           may_read_column(origin.entry->relid, origin.column));
}

// Null if nobody but readers of the table may know its values, or they are too many.
KeyColumn* key_column(const Query* query, const Var* column, const Origin& origin) {
  if (origin.entry == nullptr && origin.computed == nullptr) return nullptr;
  auto* key = static_cast<KeyColumn*>(palloc0(sizeof(KeyColumn)));
  key->column = column;
  key->name = name_of_column(query, column);
  key->may_be_null = origin.may_be_null;
  if (origin.computed != nullptr) {
    key->keys = origin.computed->keys;
    const bool is_same =
        key->keys.type == column->vartype && key->keys.collation == column->varcollid;
    return is_same ? key : nullptr;
  }
  const Oid table = origin.entry->relid;
  key->origin = origin.column;
  key->table = table;
  if (is_listed(table, origin.column)) {
    key->keys = keys_of(table, origin.column);
    const bool is_same =
        key->keys.type == column->vartype && key->keys.collation == column->varcollid;
    return is_same ? key : nullptr;
  }
  // of equal values that look different the list of them has one
  const bool can_be_listed = !origin.is_split && has_one_form(column->vartype, column->varcollid) &&
                             get_atttype(table, origin.column) == column->vartype &&
                             may_list(origin);
  if (!can_be_listed) return nullptr;
  key->keys.type = column->vartype;
  key->keys.typmod = column->vartypmod;
  key->keys.collation = column->varcollid;
  auto* rows = static_cast<PublicRows*>(palloc(sizeof(PublicRows)));
  *rows = {origin.entry, origin.rights, origin.path, origin.may_be_absent};
  key->rows = rows;
  return key;
}

}  // namespace

const Query* rows_of_entry(const Query* query, const RangeTblEntry* entry) {
  const Query* rows = entry->rtekind == RTE_SUBQUERY ? entry->subquery
                      : entry->rtekind == RTE_CTE    ? query_of_cte(query, entry)
                                                     : nullptr;
  return rows != nullptr && gives_own_rows(rows) ? rows : nullptr;
}

KeyColumn* key_of_column(const Query* query, const Var* column, List** conditions) {
  const Origin origin = origin_of(query, as<Node>(column), column);
  if (conditions != nullptr) *conditions = origin.conditions;
  return key_column(query, column, origin);
}

}  // namespace idp
