#include "extension/domain/key_origin.h"

#include "extension/pg/statement_room.h"
#include "extension/plan/group_functions.h"
#include "extension/pg/keys.h"
#include "extension/pg/outer_joins.h"
#include "extension/domain/asked_keys.h"
#include "extension/domain/finite_keys.h"
#include "extension/domain/grain.h"
#include "extension/domain/key_conditions.h"
#include "extension/plan/key_forms.h"
#include "extension/domain/key_images.h"
#include "extension/domain/key_table.h"
#include "extension/domain/levels.h"
#include "extension/domain/pinned_keys.h"
#include "extension/domain/public_table.h"
#include "extension/domain/united_keys.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"

extern "C" {
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_class.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
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

// Null if it is recursive, or belongs to a query around this one.
const Query* query_of_cte(const Query* query, const RangeTblEntry* entry) {
  const CommonTableExpr* cte = cte_of({const_cast<Query*>(query), nullptr}, entry).cte;
  return cte == nullptr || cte->cterecursive ? nullptr : as<Query>(cte->ctequery);
}

Origin origin_of(const Query* query, const Node* value, const Var* asked);
Origin origin_in(const Query* query, AttrNumber number, const Var* asked);

bool find_row(Node* node, void*) {
  if (node == nullptr || IsA(node, Aggref)) return false;
  return IsA(node, Var) || IsA(node, WindowFunc) || walk_expression(node, find_row, nullptr);
}

// Whether it is made of aggregates, and of no column beside them.
bool is_of_aggregates(Node* expression) {
  return contain_aggs_of_level(expression, 0) && !find_row(expression, nullptr);
}

Origin origin_of_computed(const Query* query, const TargetEntry* target) {
  auto* found = static_cast<FiniteKeys*>(palloc0(sizeof(FiniteKeys)));
  const bool is_row = !query->hasAggs && !query->hasWindowFuncs && query->groupClause == NIL &&
                      query->havingQual == nullptr;
  // of aggregates alone, whatever the rows
  if (query->hasAggs && query->groupingSets == NIL && is_of_aggregates(as<Node>(target->expr))) {
    if (!finite_keys(const_cast<Query*>(query), as<Node>(target->expr), true, found)) return {};
    Origin origin;
    origin.computed = found;
    origin.may_be_null = found->may_be_null;
    return origin;
  }
  // all rows of a group have its keys
  const bool is_key = query->groupingSets == NIL && target->ressortgroupref != 0 &&
                      get_sortgroupref_clause_noerr(target->ressortgroupref, query->groupClause);
  if (!(is_row || is_key) || !computed_keys(query, as<Node>(target->expr), false, found)) return {};
  Origin origin;
  origin.computed = found;
  origin.may_be_null = found->may_be_null;
  return origin;
}

// Where all values of it are listed, and nothing else is known of them; false if they are not.
bool keys_of_origin(const Origin& origin, FiniteKeys* found) {
  if (origin.computed == nullptr &&
      (origin.entry == nullptr || !is_listed(origin.entry->relid, origin.column))) {
    return false;
  }
  *found = {origin.computed != nullptr ? origin.computed->keys
                                       : keys_of(origin.entry->relid, origin.column),
            origin.may_be_null};
  return true;
}

Origin origin_of_part(const Query* part, AttrNumber number, const Var* asked) {
  Origin origin = origin_in(part, number, asked);
  const TargetEntry* target = column_shown(part->targetList, number);
  auto* constant = static_cast<FiniteKeys*>(palloc0(sizeof(FiniteKeys)));
  const bool is_constant = part->setOperations == nullptr && part->groupingSets == NIL &&
                           target != nullptr && keys_of_constant(as<Node>(target->expr), constant);
  if (is_constant) {
    origin.computed = constant;
    origin.may_be_null = constant->may_be_null;
  }
  origin.conditions = NIL;
  origin.is_split = true;  // rows of several parts are no rows of a table
  return origin;
}

// Of what UNION gives: of the same column in all of its parts, or what they have together.
Origin origin_in_union(const Query* query, const Node* part, AttrNumber number, const Var* asked) {
  check_stack_depth();
  if (IsA(part, RangeTblRef)) {
    return origin_of_part(rt_fetch(as<RangeTblRef>(part)->rtindex, query->rtable)->subquery, number,
                          asked);
  }
  const auto* operation = as<SetOperationStmt>(part);
  if (operation->op != SETOP_UNION) return {};
  Origin origin = origin_in_union(query, operation->larg, number, asked);
  const Origin other = origin_in_union(query, operation->rarg, number, asked);
  const bool is_same = origin.entry != nullptr && other.entry != nullptr &&
                       origin.entry->relid == other.entry->relid && origin.column == other.column;
  if (is_same) {
    origin.may_be_null = origin.may_be_null || other.may_be_null;
    return origin;
  }
  FiniteKeys left;
  FiniteKeys right;
  auto* both = static_cast<FiniteKeys*>(palloc0(sizeof(FiniteKeys)));
  if (!keys_of_origin(origin, &left) || !keys_of_origin(other, &right) ||
      !unite_keys(left, right, both)) {
    return {};
  }
  Origin united;
  united.computed = both;
  united.may_be_null = both->may_be_null;
  united.is_split = true;
  return united;
}

// One that names columns of a query around it has other rows for each row of that.
bool gives_own_rows(const Query* query) {
  return query->commandType == CMD_SELECT && !names_outer_columns(const_cast<Query*>(query));
}

// What is asked of the values of rows is not asked of NULL in the place of one.
void set_null_beside_values(Origin* origin, bool may_lack_row) {
  if (!may_lack_row) return;
  origin->may_be_null = true;
  origin->conditions = NIL;
}

// Of the first day of a person, say: one of those of the rows, and NULL where no row counts.
Origin origin_of_one_of(const Query* query, const Aggref* call, const Var* column,
                        const Var* asked) {
  Origin origin = origin_of(query, as<Node>(column), asked);
  origin.conditions = list_concat(origin.conditions, conditions_on_column(query, column, asked));
  origin.may_be_null = origin.may_be_null && !is_never_null(query, column);
  set_null_beside_values(&origin, call->aggfilter != nullptr || query->groupClause == NIL ||
                                      query->groupingSets != NIL);
  origin.is_split = true;  // columns of several rows are no row of a table
  return origin;
}

// Likewise of what is computed of the rows: the first year, min(extract(year FROM day)).
Origin origin_of_one_computed(const Query* query, const Aggref* call, Node* value) {
  auto* found = static_cast<FiniteKeys*>(palloc0(sizeof(FiniteKeys)));
  if (!has_one_key_form(query, value) || !computed_keys(query, value, true, found)) return {};
  found->image = nullptr;  // of several rows
  Origin origin;
  origin.computed = found;
  origin.may_be_null = found->may_be_null;
  set_null_beside_values(&origin, call->aggfilter != nullptr || query->groupClause == NIL ||
                                      query->groupingSets != NIL);
  origin.is_split = true;
  return origin;
}

// The column of which a window function gives the value that another row of the person has, say;
// null of anything else.
const Var* column_of_another(const Node* value) {
  if (!IsA(value, WindowFunc)) return nullptr;
  const Node* another = value_of_another(as<WindowFunc>(value));
  return another == nullptr ? nullptr : maybe<Var>(another);
}

// Whether there is always a row whose value it is: the first of the partition, or the last, or one
// of those between.
bool finds_another(const Query* query, const WindowFunc* call) {
  const bool is_of_frame = call->winfnoid == F_FIRST_VALUE || call->winfnoid == F_LAST_VALUE ||
                           is_one_of(call->winfnoid, call->args);
  return is_of_frame && call->aggfilter == nullptr && has_own_row(query, call);
}

// One of those of the rows, or NULL where there is no such row.
Origin origin_of_another(const Query* query, const WindowFunc* call, const Var* column,
                         const Var* asked) {
  if (query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL) return {};
  Origin origin = origin_of(query, as<Node>(column), asked);
  origin.conditions = list_concat(origin.conditions, conditions_on_column(query, column, asked));
  origin.may_be_null = origin.may_be_null && !is_never_null(query, column);
  set_null_beside_values(&origin, !finds_another(query, call));
  origin.is_split = true;  // columns of several rows are no row of a table
  return origin;
}

// Likewise of what is computed of the rows: the first month, min(date_trunc('month', day)) OVER ….
Origin origin_of_another_computed(const Query* query, const WindowFunc* call) {
  if (query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL) return {};
  Node* value = value_of_another(call);
  auto* found = static_cast<FiniteKeys*>(palloc0(sizeof(FiniteKeys)));
  if (value == nullptr || !has_one_key_form(query, value) ||
      !computed_keys(query, value, true, found)) {
    return {};
  }
  found->image = nullptr;  // of several rows
  Origin origin;
  origin.computed = found;
  origin.may_be_null = found->may_be_null;
  set_null_beside_values(&origin, !finds_another(query, call));
  origin.is_split = true;
  return origin;
}

// Of what a subquery gives. Its own conditions hold of its rows, unless it puts NULL in them.
Origin origin_in(const Query* query, AttrNumber number, const Var* asked) {
  if (query == nullptr || !gives_own_rows(query)) return {};
  if (query->setOperations != nullptr) {
    return origin_in_union(query, query->setOperations, number, asked);
  }
  const TargetEntry* target = column_shown(query->targetList, number);
  if (target == nullptr) return {};
  if (const Var* column = column_of_one(as<Node>(target->expr))) {
    return origin_of_one_of(query, as<Aggref>(target->expr), column, asked);
  }
  if (Node* value = value_of_one(as<Node>(target->expr))) {
    return origin_of_one_computed(query, as<Aggref>(target->expr), value);
  }
  if (const Var* column = column_of_another(as<Node>(target->expr))) {
    return origin_of_another(query, as<WindowFunc>(target->expr), column, asked);
  }
  if (IsA(target->expr, WindowFunc)) {
    return origin_of_another_computed(query, as<WindowFunc>(target->expr));
  }
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

const KeyImage* image_by(const Origin& origin) {
  if (origin.computed->image == nullptr) return nullptr;
  auto* image = static_cast<KeyImage*>(palloc(sizeof(KeyImage)));
  *image = *origin.computed->image;
  image->path = origin.path;
  return image;
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
    key->image = image_by(origin);
    key->is_pinned = origin.computed->is_pinned;
    key->several = origin.computed->several;
    const bool is_same =
        key->keys.type == column->vartype && key->keys.collation == column->varcollid;
    return is_same ? key : nullptr;
  }
  const Oid table = origin.entry->relid;
  key->origin = origin.column;
  key->table = table;
  // of equal values that look different the list of them has one
  const auto can_be_listed = [&] {
    return !origin.is_split &&
           has_one_form(column->vartype, column->vartypmod, column->varcollid) &&
           get_atttype(table, origin.column) == column->vartype && may_list(origin);
  };
  // Truth values have a domain of their own; those of rows come beside what else is in the row.
  const bool is_by_row = column->vartype == BOOLOID && can_be_listed();
  if (!is_by_row && is_listed(table, origin.column)) {
    key->keys = keys_of(table, origin.column);
    const bool is_same =
        key->keys.type == column->vartype && key->keys.collation == column->varcollid;
    return is_same ? key : nullptr;
  }
  if (!is_by_row && !can_be_listed()) return nullptr;
  key->keys.type = column->vartype;
  key->keys.typmod = column->vartypmod;
  key->keys.collation = column->varcollid;
  auto* rows = static_cast<PublicRows*>(palloc(sizeof(PublicRows)));
  *rows = {origin.entry, origin.rights, origin.path, origin.may_be_absent};
  key->rows = rows;
  return key;
}

}  // namespace

TableColumn public_column(const Query* query, const Var* column) {
  const Origin origin = origin_of(query, as<Node>(column), column);
  if (origin.entry == nullptr || origin.computed != nullptr || !is_public_table(origin.entry) ||
      !may_read_column(origin.entry->relid, origin.column)) {
    return {};
  }
  return {origin.entry->relid, origin.column};
}

const Query* rows_of_entry(const Query* query, const RangeTblEntry* entry) {
  const Query* rows = entry->rtekind == RTE_SUBQUERY ? entry->subquery
                      : entry->rtekind == RTE_CTE    ? query_of_cte(query, entry)
                                                     : nullptr;
  return rows != nullptr && gives_own_rows(rows) ? rows : nullptr;
}

KeyColumn* key_of_column(const Query* query, const Var* column, List** conditions) {
  const Origin origin = origin_of(query, as<Node>(column), column);
  if (conditions != nullptr) *conditions = origin.conditions;
  if (KeyColumn* key = key_column(query, column, origin)) return key;
  auto* pinned = static_cast<FiniteKeys*>(palloc0(sizeof(FiniteKeys)));
  if (!pinned_keys(query, as<Node>(column), pinned)) return nullptr;
  Origin of_conditions;
  of_conditions.computed = pinned;
  of_conditions.may_be_null = pinned->may_be_null;
  return key_column(query, column, of_conditions);
}

}  // namespace idp
