#include "extension/domain/key_columns.h"

#include "extension/domain/absent_rows.h"
#include "extension/domain/finite_keys.h"
#include "extension/domain/grain.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/public_table.h"
#include "extension/domain/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"

extern "C" {
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
}

namespace idp {

namespace {

// --- where a column comes from ---

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

// Of what a subquery gives. Its own conditions hold of its rows, unless it puts NULL in them. Of
// one that names columns of a query around it nothing is known: it has other rows for each row of
// that.
Origin origin_in(const Query* query, AttrNumber number, const Var* asked) {
  if (query == nullptr || query->commandType != CMD_SELECT ||
      names_outer_columns(const_cast<Query*>(query))) {
    return {};
  }
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
      return by_entry(
          column,
          origin_of(query,
                    static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)),
                    asked));
    default:
      return grouped_in(entry) != NIL ? origin_of(query, grouped_by(entry, column->varattno), asked)
                                      : Origin{};
  }
}

// --- how many there are ---

// That of the column of its table, if it is of one.
const char* name_of(const KeyColumn& column) {
  return OidIsValid(column.table) ? get_attname(column.table, column.origin, false) : column.name;
}

// A number that the declarations and the words of the query alone make.
[[noreturn]] void refuse_number_of_keys(const List* columns, int64 count, int most) {
  StringInfoData names;
  initStringInfo(&names);
  for (const auto* column : list<KeyColumn>(columns)) {
    appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", name_of(*column));
  }
  const auto* first = static_cast<const KeyColumn*>(linitial(columns));
  const bool is_one = list_length(columns) == 1;
  ereport(ERROR,
          (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
           !is_one ? errmsg("columns %s of GROUP BY have " INT64_FORMAT
                            " keys together, more than %d: group by fewer columns",
                            names.data, count, most)
           : first->is_shown && OidIsValid(first->table)
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
  for (const auto* other : list<Var>(expressions)) {
    if (IsA(other, Var) && other->varno == column->varno && other->varattno == column->varattno) {
      return true;
    }
  }
  return false;
}

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

struct PublicColumns {
  const List* keys;  // of KeyColumn
  List* columns;     // of Var
};

// Columns of public tables, beside those that are keys, of which the same can be told.
bool add_public_columns(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (!IsA(node, Var)) return walk_expression(node, add_public_columns, context);
  auto* found = static_cast<PublicColumns*>(context);
  auto* column = as<Var>(node);
  if (column->varlevelsup > 0 || column->varattno <= 0 || is_among(column, found->columns) ||
      !has_one_form(column->vartype, column->varcollid)) {
    return false;
  }
  for (const auto* key : list<KeyColumn>(found->keys)) {
    const bool is_same_row = key->rows != nullptr && list_length(key->rows->path) == 1 &&
                             linitial_int(key->rows->path) == static_cast<int>(column->varno);
    if (!is_same_row) continue;
    found->columns = lappend(found->columns, column);
    return false;
  }
  return false;
}

struct NamedColumns {
  List* columns;  // of Var
};

bool add_named_columns(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Var)) return walk_expression(node, add_named_columns, context);
  auto* named = static_cast<NamedColumns*>(context);
  auto* column = as<Var>(node);
  if (!is_among(column, named->columns)) named->columns = lappend(named->columns, column);
  return false;
}

// Conditions on the columns of keys, and on others of the same public rows, which become keys too.
List* conditions_on_keys(const Query* query, const List* columns, List** keys) {
  PublicColumns known = {*keys, list_copy(columns)};
  (void)add_public_columns(as<Node>(query->jointree), &known);
  List* conditions = conditions_on_columns(query, known.columns);
  NamedColumns named = {list_copy(columns)};
  (void)add_named_columns(as<Node>(conditions), &named);
  ListCell* cell;
  for_each_from(cell, named.columns, list_length(columns)) {
    auto* column = static_cast<Var*>(lfirst(cell));
    const Origin origin = origin_of(query, as<Node>(column), column);
    KeyColumn* key = key_column(query, column, origin);
    if (key == nullptr) elog(ERROR, "column %s has no keys", name_of_column(query, column));
    *keys = lappend(*keys, key);
  }
  return conditions;
}

// Those that can be said of cells where a column is seen by these.
List* conditions_on_cells(const List* conditions, const List* keys) {
  List* found = NIL;
  for (auto* node : list<Node>(conditions)) {
    Node* condition = condition_on_cells(node, keys);
    if (condition != nullptr) found = lappend(found, condition);
  }
  return found;
}

// are_too_many: whether they are; where it is null they are refused.
void require_few_keys(const List* keys, bool* are_too_many) {
  List* of_domains = NIL;
  int64 values = 1;
  int64 groups = 1;
  for (auto* key : list<KeyColumn>(keys)) {
    if (key->rows != nullptr) continue;
    of_domains = lappend(of_domains, key);
    const int64 count = key->keys.values != nullptr ? key->count() : key->keys.number;
    values = times(values, count);
    if (key->is_shown) groups = times(groups, count);
  }
  if (are_too_many != nullptr) {
    *are_too_many = groups > kMostKeys || values > kMostValues;
    return;
  }
  if (groups > kMostKeys) refuse_number_of_keys(of_domains, groups, kMostKeys);
  if (values > kMostValues) refuse_number_of_keys(of_domains, values, kMostValues);
}

}  // namespace

KeyColumn* key_of_column(const Query* query, const Var* column) {
  return key_column(query, column, origin_of(query, as<Node>(column), column));
}

List* key_columns(const Query* query, const List* columns, const List* shown, List** conditions,
                  bool* are_too_many) {
  List* found = NIL;
  bool any_public = false;
  *conditions = NIL;
  if (are_too_many != nullptr) *are_too_many = false;
  for (auto* column : list<Var>(columns)) {
    const Origin origin = origin_of(query, as<Node>(column), column);
    KeyColumn* key = key_column(query, column, origin);
    if (key == nullptr) return NIL;
    key->is_shown = is_among(column, shown);
    key->may_be_null = key->may_be_null && !is_never_null(query, column);
    any_public |= key->rows != nullptr;
    found = lappend(found, key);
    *conditions = list_concat(*conditions, origin.conditions);
  }
  if (any_public && !reads_hidden_table(query)) return NIL;
  *conditions = list_concat(*conditions, conditions_on_keys(query, columns, &found));
  *conditions = conditions_on_cells(*conditions, found);
  for (auto* key : list<KeyColumn>(found)) {
    if (key->keys.values != nullptr) leave_out_keys(*conditions, key);
  }
  require_few_keys(found, are_too_many);
  return are_too_many != nullptr && *are_too_many ? NIL : found;
}

}  // namespace idp
