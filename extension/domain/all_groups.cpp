#include "extension/domain/public_table.h"
#include "extension/domain/all_groups.h"

#include "extension/domain/computed_below.h"
#include "extension/domain/pull_up.h"
#include "extension/domain/finite_columns.h"
#include "extension/domain/grain.h"
#include "extension/plan/key_forms.h"
#include "extension/domain/key_columns.h"
#include "extension/pg/outer_joins.h"
#include "extension/domain/key_table.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/budget/remote_tables.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/query_steps.h"
#include "extension/plan/key_rows.h"
#include "extension/plan/rows_beside_keys.h"

extern "C" {
#include "access/xact.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// --- which queries it is done for ---

// Whether it shows groups of the rows of its own tables, subqueries and joins that keep these, and
// is of no kind that has other rows.
bool is_plain(Query* query) {
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kGroupingSets |
                              step::kHaving | step::kWindows | step::kDistinct | step::kDistinctOn |
                              step::kLimit | step::kOffset | step::kWith | step::kSubLinks;
  return query->hasAggs && query->groupClause != NIL && takes_only(query, kSteps) &&
         query->jointree->fromlist != NIL && keeps_protected_rows(query) &&
         !names_outer_columns(query) && !names_rows_from_above(query);
}

// --- the query ---

// The columns that the query reads, of Var, in the order of the rows put together.
struct Columns {
  List* all;
  List* cells = NIL;  // of KeyColumn: those that are seen by cells, which follow the marker

  int position(const Var* column) const {
    ListCell* cell;
    foreach (cell, all) {
      if (is_same_column(static_cast<const Var*>(lfirst(cell)), column)) {
        return foreach_current_index(cell) + 1;
      }
    }
    return 0;
  }
  int marker() const { return list_length(all) + 1; }
  // Of the cell of a column, which groups are made of; of the column itself if it is its own key.
  int key_position(const Var* column) const {
    ListCell* cell;
    foreach (cell, cells) {
      if (!is_same_column(static_cast<const KeyColumn*>(lfirst(cell))->column, column)) continue;
      return marker() + foreach_current_index(cell) + 1;
    }
    return position(column);
  }
};

Node* over_cells(Node* node, void* cells) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Var)) {
    for (const auto* key : list<KeyColumn>(static_cast<const List*>(cells))) {
      if (is_same_column(key->column, as<Var>(node))) return cell_expression(*key);
    }
  }
  return map_expression(node, over_cells, cells);
}

// What is asked of keys is asked of the cells of rows, too: so no row has a key that is left out,
// whatever clocks do. Of an hour that is there twice the first may begin after its rows.
Node* with_conditions_on_cells(Node* condition, List* on_keys, List* cells) {
  for (auto* part : list<Node>(on_keys)) {
    Node* on_cells = over_cells(part, cells);
    if (!equal(on_cells, part)) condition = make_and_qual(condition, on_cells);
  }
  return condition;
}

// The rows that the query reads, with a key each, and without a marker. They take all that the
// query reads with them.
Query* rows_with_keys(Query* query, const Columns& columns, List* key_columns, List* conditions) {
  Query* rows = rows_of(query);
  Node* condition = query->jointree->quals;
  ListCell* cell;
  for (const auto* key : idp::list<KeyColumn>(key_columns)) {
    // of a public table every row has one
    if (key->rows != nullptr) continue;
    Node* has_key = is_a_key(*key);
    if (IsA(has_key, ScalarArrayOpExpr)) as<ScalarArrayOpExpr>(has_key)->location = kKeyCondition;
    condition = make_and_qual(condition, has_key);
  }
  condition = with_conditions_on_cells(condition, conditions, columns.cells);
  for (const auto* key : idp::list<KeyColumn>(key_columns)) {
    for (auto* implied : idp::list<Node>(key->implied)) {
      condition = make_and_qual(condition, static_cast<Node*>(copyObjectImpl(implied)));
    }
  }
  rows->jointree = makeFromExpr(query->jointree->fromlist, condition);
  for (const auto* column : idp::list<Var>(columns.all)) {
    rows->targetList =
        lappend(rows->targetList, output(static_cast<Node*>(copyObjectImpl(column)),
                                         columns.position(column), name_of_column(query, column)));
  }
  rows->targetList =
      lappend(rows->targetList, output(as<Node>(no_key_marker()), columns.marker(), "key_marker"));
  foreach (cell, columns.cells) {
    const auto* key = static_cast<const KeyColumn*>(lfirst(cell));
    rows->targetList = lappend(
        rows->targetList, output(cell_expression(*key), columns.key_position(key->column), "cell"));
  }
  // they stand two levels further down
  IncrementVarSublevelsUp(as<Node>(rows), 2, 1);
  return rows;
}

bool are_listed(const List* key_columns) {
  for (const auto* column : idp::list<KeyColumn>(key_columns)) {
    if (column->rows != nullptr) return false;
  }
  return true;
}

// The keys, in columns that take the place of those of the query, and with a marker.
Query* rows_of_keys(const Query* rows_with_keys, const Columns& columns, List* key_columns,
                    List* conditions) {
  Query* rows = new_query();
  read_keys(rows, key_columns, conditions);
  for (const auto* other : idp::list<TargetEntry>(rows_with_keys->targetList)) {
    auto* node = as<Node>(other->expr);
    Node* value = nullptr;
    if (other->resno < columns.marker()) {
      value = column_of_keys(as<Var>(node), key_columns);
    } else if (other->resno == columns.marker()) {
      value = as<Node>(key_marker(are_listed(key_columns)));
    } else {
      const auto* key = static_cast<const KeyColumn*>(
          list_nth(columns.cells, other->resno - columns.marker() - 1));
      value = column_of_keys(key->column, key_columns);
    }
    if (value == nullptr) {
      value = as<Node>(makeNullConst(exprType(node), exprTypmod(node), exprCollation(node)));
    }
    rows->targetList = lappend(rows->targetList, output(value, other->resno, other->resname));
  }
  return rows;
}

struct Change {
  Index groups;  // as in UsedColumns
  const Columns* columns;
  const List* grouped;  // what the query groups by
  bool is_key = false;  // whether the expression is one of these, or stands in one
};

// Columns become those of the rows put together, and aggregates see those without a marker.
Node* change_columns(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* change = static_cast<const Change*>(context);
  if (IsA(node, Var)) {
    const auto* old = as<Var>(node);
    if (change->groups > 0 && static_cast<Index>(old->varno) == change->groups) {
      return column_of_groups(old, 2);
    }
    const int position =
        change->is_key ? change->columns->key_position(old) : change->columns->position(old);
    return as<Node>(makeVar(1, static_cast<AttrNumber>(position), old->vartype, old->vartypmod,
                            old->varcollid, 0));
  }
  Change below = *change;
  below.is_key = change->is_key || list_member(change->grouped, node);
  Node* changed = map_expression(node, change_columns, &below);
  if (IsA(changed, Aggref)) {
    auto* aggref = as<Aggref>(changed);
    const Const* marker = no_key_marker();
    Node* test =
        null_test(as<Node>(makeVar(1, static_cast<AttrNumber>(change->columns->marker()),
                                   marker->consttype, marker->consttypmod, marker->constcollid, 0)),
                  IS_NULL);
    // first: what stands in the filter is not computed for keys
    aggref->aggfilter = as<Expr>(make_and_qual(test, as<Node>(aggref->aggfilter)));
  }
  return changed;
}

// The query reads nothing but the rows put together.
void read_together(Query* query, Query* together, const Columns& columns, const List* keys) {
  const Index groups = entry_of_groups(query);
  Change change{groups, &columns, keys};
  change_shown(query, [&](Node* shown) { return change_columns(shown, &change); });
  Change of_keys = change;
  of_keys.is_key = true;
  change_grouped(query, [&](Node* grouped) { return change_columns(grouped, &of_keys); });
  read_rows(query, together, "rows_and_keys", nullptr);
}

bool find_distributed(Node* node, void* table) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_distributed, table);
  auto* query = as<Query>(node);
  for (const auto* entry : idp::list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_RELATION || !is_citus_table(entry->relid)) continue;
    *static_cast<Oid*>(table) = entry->relid;
    return true;
  }
  return walk_queries(query, find_distributed, table);
}

// Citus sends a query to its servers as text, in which keys cannot stand that are no rows. One that
// reads a protected table it does not plan.
void refuse_distributed(Query* query) {
  Oid table = InvalidOid;
  if (!find_distributed(as<Node>(query), &table) || needs_remote_rows(query)) return;
  ereport(
      ERROR,
      (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
       errmsg("groups of table \"%s\", which Citus distributes, cannot have the keys of a domain",
              get_rel_name(table)),
       errdetail("Some of these keys are no rows of the table, and are not sent to other servers."),
       errhint("Protect the table, undistribute it, or end the domain of the column with "
               "idp.drop_domain.")));
}

int compare_places(const Var* a, const Var* b) {
  return a->varno != b->varno ? a->varno - b->varno : a->varattno - b->varattno;
}

int by_place(const ListCell* a, const ListCell* b) {
  return compare_places(static_cast<const Var*>(lfirst(a)), static_cast<const Var*>(lfirst(b)));
}

int by_place_of_column(const ListCell* a, const ListCell* b) {
  return compare_places(static_cast<const KeyColumn*>(lfirst(a))->column,
                        static_cast<const KeyColumn*>(lfirst(b))->column);
}

// Whether it has given the query its keys. Columns come in one order, however the query lists them:
// then numbers are the same that are asked again (answers/numbers.h). are_too_many: as in
// key_columns.h, as is of_one.
bool give_groups(Query* query, bool* are_too_many, int of_one = kMostValues) {
  if (!is_plain(query)) return false;
  List* grouped = grouped_expressions(query);
  UsedColumns keys{entry_of_groups(query)};
  add_used_columns(&keys, as<Node>(grouped));
  for (auto* node : idp::list<Node>(grouped)) keys.is_plain &= has_one_key_form(query, node);
  if (!keys.is_plain || keys.columns == NIL) return false;
  if (contain_volatile_functions(as<Node>(grouped))) return false;
  UsedColumns all = keys;
  all.columns = list_copy(keys.columns);
  add_used_columns(&all, as<Node>(query->targetList));
  add_used_columns(&all, query->havingQual);
  list_sort(all.columns, by_place);
  if (!all.is_plain || !all.has_aggregates) return false;
  List* conditions = NIL;
  List* columns_of_keys =
      key_columns(query, keys.columns, grouped, &conditions, are_too_many, of_one);
  if (columns_of_keys == NIL) return false;
  list_sort(columns_of_keys, by_place_of_column);
  if (!sees_cells_alone(as<Node>(grouped), columns_of_keys)) return false;
  refuse_distributed(query);
  Columns columns{all.columns};
  for (auto* key : idp::list<KeyColumn>(columns_of_keys)) {
    if (key->keys.grain.unit != nullptr) columns.cells = lappend(columns.cells, key);
  }
  Query* rows = rows_with_keys(query, columns, columns_of_keys, conditions);
  Query* key_rows = rows_of_keys(rows, columns, columns_of_keys, conditions);
  read_together(query, put_together(rows, key_rows), columns, grouped);
  return true;
}

bool find_age(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, FuncExpr)) return walk_expression(node, find_age, nullptr);
  switch (as<FuncExpr>(node)->funcid) {
    case F_AGE_TIMESTAMP_TIMESTAMP:
    case F_AGE_TIMESTAMPTZ_TIMESTAMPTZ:
      return true;
    default:
      return walk_expression(node, find_age, nullptr);
  }
}

// The months between two days are few, though there are many pairs of days: groups of these may be
// decided about.
bool groups_by_ages(const Query* query) {
  return find_age(as<Node>(grouped_expressions(query)), nullptr);
}

// Of a column with more values than this the query has rather the keys of what it makes of them, if
// it can: rows of all of them take long to plan.
constexpr int kFewValues = 2000;

// The same, or what it is without the subqueries in its FROM, or without what these compute. Of
// more keys than there may be it is refused, unless expressions over them have fewer. What has its
// keys already keeps them: of rows put together with keys less is known than of the rows.
bool give_groups_anyhow(Query* query) {
  if (rows_beside_keys(query) != nullptr) return true;
  bool are_too_many = false;
  const auto is_given_by = [&](const List* all, int of_one) {
    for (auto* changed : idp::list<Query>(all)) {
      bool are_more = false;
      if (changed != nullptr && give_groups(changed, &are_more, of_one)) {
        if (changed != query) *query = *changed;
        return true;
      }
      are_too_many |= are_more;
    }
    return false;
  };
  if (is_given_by(list_make1(query), kFewValues)) return true;
  Query* computed = with_computed_columns(query);
  const auto with_columns = [](Query* changed, bool by_parts) {
    return changed == nullptr ? nullptr : with_finite_columns(changed, by_parts);
  };
  List* ways = list_make4(flattened(query), computed, with_columns(query, false),
                          with_columns(computed, false));
  if (is_given_by(ways, kFewValues)) return true;
  if (!are_too_many) return false;
  const List* parts = list_make2(with_columns(query, true), with_columns(computed, true));
  ways = lcons(query, ways);
  if (is_given_by(parts, kMostValues) || is_given_by(ways, kMostValues)) return true;
  if (groups_by_ages(query)) return false;
  for (auto* changed : idp::list<Query>(ways)) {
    if (changed != nullptr) (void)give_groups(changed, nullptr);
  }
  return false;
}

bool visit(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, nullptr);
  auto* query = as<Query>(node);
  if (query->hasAggs && query->groupClause != NIL) (void)give_groups_anyhow(query);
  return walk_queries(query, visit, nullptr);
}

}  // namespace

bool may_have_domains(const Query* query) {
  const bool reads = query->rtable != NIL || query->hasSubLinks || query->cteList != NIL;
  // without the table the extension is of an earlier version, or not there
  return reads && IsTransactionState() && OidIsValid(own_relation("domain"));
}

bool give_groups_of(Query* query) { return give_groups_anyhow(query); }

void give_all_groups(Query* query) {
  if (may_have_domains(query)) (void)visit(as<Node>(query), nullptr);
}

}  // namespace idp
