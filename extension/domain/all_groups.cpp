#include "extension/domain/all_groups.h"

#include "extension/call/call.h"
#include "extension/call/functions.h"
#include "extension/domain/flatten.h"
#include "extension/domain/key_columns.h"
#include "extension/domain/key_conditions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/citus_catalog.h"
#include "extension/plan/key_rows.h"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- which queries it is done for ---

bool is_same(const Var* a, const Var* b) {
  return a->varno == b->varno && a->varattno == b->varattno;
}

// What expressions have of the tables and subqueries that a query reads.
struct Use {
  Index groups;                 // number of the entry that stands for what is grouped by; or 0
  List* columns = NIL;          // of Var, each once
  bool has_aggregates = false;  // and all of them are private and without a name
  bool is_plain = true;         // nothing that is not known here
};

// A private aggregate that is no decision about its group.
bool is_answer(const Aggref* aggref) {
  if (!is_own_function(aggref->aggfnoid) || is_named_call(aggref->aggfnoid)) return false;
  FmgrInfo transition;
  fmgr_info(transition_function_of(aggref->aggfnoid), &transition);
  const Statistic statistic = statistic_of(transition.fn_addr);
  return statistic != Statistic::kNone && statistic != Statistic::kKeepGroup;
}

void add_column(Use* use, Var* column) {
  ListCell* cell;
  foreach (cell, use->columns) {
    if (is_same(static_cast<Var*>(lfirst(cell)), column)) return;
  }
  use->columns = lappend(use->columns, column);
}

bool find_use(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* use = static_cast<Use*>(context);
  if (IsA(node, Var)) {
    auto* column = reinterpret_cast<Var*>(node);
    if (column->varlevelsup > 0 || column->varattno <= 0) {
      use->is_plain = false;
    } else if (use->groups == 0 || static_cast<Index>(column->varno) != use->groups) {
      add_column(use, column);
    }
    return false;
  }
  if (IsA(node, Aggref)) {
    const auto* aggref = reinterpret_cast<const Aggref*>(node);
    use->has_aggregates = true;
    if (aggref->agglevelsup > 0 || !is_answer(aggref)) use->is_plain = false;
  }
  if (IsA(node, SubLink) || IsA(node, Query)) use->is_plain = false;
  return walk_expression(node, find_use, context);
}

// From PostgreSQL 18 on what is grouped by is a table of its own in the range table: its number.
Index entry_of_groups(const Query* query) {
#if PG_VERSION_NUM >= 180000
  ListCell* cell;
  foreach (cell, query->rtable) {
    if (static_cast<RangeTblEntry*>(lfirst(cell))->rtekind == RTE_GROUP) {
      return static_cast<Index>(foreach_current_index(cell)) + 1;
    }
  }
#else
  (void)query;
#endif
  return 0;
}

List* grouped_expressions(const Query* query) {
#if PG_VERSION_NUM >= 180000
  if (const Index groups = entry_of_groups(query)) {
    return rt_fetch(groups, query->rtable)->groupexprs;
  }
#endif
  return get_sortgrouplist_exprs(query->groupClause, query->targetList);
}

// Whether equal keys are the same. Of numbers with digits, those that extract() gives.
bool has_one_key_form(const Node* key) {
  if (exprType(key) == NUMERICOID && IsA(key, FuncExpr)) {
    const Oid function = reinterpret_cast<const FuncExpr*>(key)->funcid;
    return function == F_EXTRACT_TEXT_DATE || function == F_EXTRACT_TEXT_TIMESTAMP ||
           function == F_EXTRACT_TEXT_TIMESTAMPTZ;
  }
  return has_one_form(exprType(key), exprCollation(key));
}

bool find_outer_column(Node* node, void* depth) {
  if (node == nullptr) return false;
  auto* level = static_cast<Index*>(depth);
  if (IsA(node, Var)) return reinterpret_cast<Var*>(node)->varlevelsup > *level;
  if (!IsA(node, Query)) return walk_expression(node, find_outer_column, depth);
  ++*level;
  const bool found = walk_query(reinterpret_cast<Query*>(node), find_outer_column, depth);
  --*level;
  return found;
}

// Whether it shows groups of the rows of its own tables, subqueries and inner joins, and is of no
// kind that has other rows.
bool is_plain(Query* query) {
  if (query->commandType != CMD_SELECT || !query->hasAggs || query->hasTargetSRFs ||
      query->hasModifyingCTE || query->hasForUpdate || query->rowMarks != NIL ||
      query->setOperations != nullptr || query->constraintDeps != NIL ||
      query->groupClause == NIL || query->jointree->fromlist == NIL || !joins_inner_alone(query)) {
    return false;
  }
  Index depth = 0;
  return !walk_query(query, find_outer_column, &depth);
}

// --- the keys ---

Const* key_constant(const KeyColumn& column, int i) {
  int16 length;
  bool by_value;
  get_typlenbyval(column.keys.type, &length, &by_value);
  const bool is_null = i == column.keys.count;
  return makeConst(column.keys.type, column.keys.typmod, column.keys.collation, length,
                   is_null ? Datum{0} : column.keys.values[i], is_null, by_value);
}

// All rows of keys: the product of the columns' domains.
List* rows_of_keys(List* columns) {
  List* rows = list_make1(NIL);
  ListCell* cell;
  ListCell* inner;
  foreach (cell, columns) {
    const auto* column = static_cast<const KeyColumn*>(lfirst(cell));
    List* longer = NIL;
    foreach (inner, rows) {
      for (int i = 0; i < column->count(); ++i) {
        longer = lappend(longer, lappend(list_copy(static_cast<List*>(lfirst(inner))),
                                         key_constant(*column, i)));
      }
    }
    rows = longer;
  }
  return rows;
}

// column = ANY ('{…}'), or column IS NULL.
Node* is_a_key(const KeyColumn& column) {
  const Keys& keys = column.keys;
  auto* value = static_cast<Var*>(copyObjectImpl(column.column));
  // a comparison of varchar is one of text
  const Oid compared = keys.type == VARCHAROID ? Oid{TEXTOID} : keys.type;
  Expr* left = reinterpret_cast<Expr*>(value);
  if (compared != keys.type) {
    left = reinterpret_cast<Expr*>(
        makeRelabelType(left, compared, -1, keys.collation, COERCE_IMPLICIT_CAST));
  }
  int16 length;
  bool by_value;
  char alignment;
  get_typlenbyvalalign(compared, &length, &by_value, &alignment);
  ArrayType* list = construct_array(keys.values, keys.count, compared, length, by_value, alignment);
  auto* test = makeNode(ScalarArrayOpExpr);
  test->opno = lookup_type_cache(compared, TYPECACHE_EQ_OPR)->eq_opr;
  test->opfuncid = get_opcode(test->opno);
  test->useOr = true;
  test->inputcollid = keys.collation;
  test->args = list_make2(left, makeConst(get_array_type(compared), -1, keys.collation, -1,
                                          PointerGetDatum(list), false, false));
  test->location = -1;
  if (!column.may_be_null) return reinterpret_cast<Node*>(test);
  auto* null_test = makeNode(NullTest);
  null_test->arg = static_cast<Expr*>(copyObjectImpl(value));
  null_test->nulltesttype = IS_NULL;
  null_test->location = -1;
  return reinterpret_cast<Node*>(makeBoolExpr(OR_EXPR, list_make2(test, null_test), -1));
}

// --- the query ---

// The columns that the query reads, of Var, in the order of the rows put together.
struct Columns {
  List* all;

  int position(const Var* column) const {
    ListCell* cell;
    foreach (cell, all) {
      if (is_same(static_cast<const Var*>(lfirst(cell)), column)) {
        return foreach_current_index(cell) + 1;
      }
    }
    return 0;
  }
  int marker() const { return list_length(all) + 1; }
};

TargetEntry* output(Node* expression, int position, const char* name) {
  return makeTargetEntry(reinterpret_cast<Expr*>(expression), static_cast<AttrNumber>(position),
                         pstrdup(name), false);
}

Query* new_query() {
  auto* query = makeNode(Query);
  query->commandType = CMD_SELECT;
  query->querySource = QSRC_ORIGINAL;
  query->canSetTag = true;
  return query;
}

RangeTblEntry* new_entry(RTEKind kind, const char* name, List* column_names) {
  auto* entry = makeNode(RangeTblEntry);
  entry->rtekind = kind;
  entry->eref = makeAlias(name, column_names);
  entry->inFromCl = true;
  return entry;
}

// What the only entry of a query gives.
FromExpr* from_first(Node* condition) {
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  return makeFromExpr(list_make1(reference), condition);
}

List* names_of(const Query* query) {
  List* names = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    names = lappend(names, makeString(pstrdup(static_cast<TargetEntry*>(lfirst(cell))->resname)));
  }
  return names;
}

char* name_of(const Query* query, const Var* column) {
  const Alias* names = rt_fetch(column->varno, query->rtable)->eref;
  return strVal(list_nth(names->colnames, column->varattno - 1));
}

// The rows that the query reads, with a key each, and without a marker. They take all that the
// query reads with them.
Query* rows_with_keys(Query* query, const Columns& columns, List* key_columns) {
  Query* rows = new_query();
  rows->rtable = list_copy(query->rtable);
  if (const Index groups = entry_of_groups(query)) {
    list_nth_cell(rows->rtable, static_cast<int>(groups) - 1)->ptr_value =
        new_entry(RTE_RESULT, "*RESULT*", NIL);
  }
#if PG_VERSION_NUM >= 160000
  rows->rteperminfos = query->rteperminfos;
#endif
  rows->cteList = query->cteList;
  rows->hasRecursive = query->hasRecursive;
  rows->hasSubLinks = query->hasSubLinks;
  rows->hasRowSecurity = query->hasRowSecurity;
  Node* condition = query->jointree->quals;
  ListCell* cell;
  foreach (cell, key_columns) {
    condition = make_and_qual(condition, is_a_key(*static_cast<const KeyColumn*>(lfirst(cell))));
  }
  rows->jointree = makeFromExpr(query->jointree->fromlist, condition);
  foreach (cell, columns.all) {
    const auto* column = static_cast<const Var*>(lfirst(cell));
    rows->targetList =
        lappend(rows->targetList, output(static_cast<Node*>(copyObjectImpl(column)),
                                         columns.position(column), name_of(query, column)));
  }
  rows->targetList = lappend(rows->targetList, output(reinterpret_cast<Node*>(no_key_marker()),
                                                      columns.marker(), "key_marker"));
  IncrementVarSublevelsUp(reinterpret_cast<Node*>(rows), 1, 1);
  return rows;
}

// The column of the rows of keys that stands for one of the query; null if none does.
Node* column_of_keys(const Var* column, const List* key_columns) {
  ListCell* cell;
  foreach (cell, key_columns) {
    const auto* key = static_cast<const KeyColumn*>(lfirst(cell));
    if (!is_same(key->column, column)) continue;
    return reinterpret_cast<Node*>(
        makeVar(1, static_cast<AttrNumber>(foreach_current_index(cell) + 1), key->keys.type,
                key->keys.typmod, key->keys.collation, 0));
  }
  return nullptr;
}

Node* over_keys(Node* node, void* key_columns) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, over_keys, key_columns);
  return column_of_keys(reinterpret_cast<const Var*>(node), static_cast<const List*>(key_columns));
}

// The keys, in columns that take the place of those of the query, and with a marker.
Query* rows_of_keys(const Query* rows_with_keys, const Columns& columns, List* key_columns,
                    List* conditions) {
  Query* rows = new_query();
  RangeTblEntry* entry = new_entry(RTE_VALUES, "keys", NIL);
  entry->values_lists = rows_of_keys(key_columns);
  // of one row the planner would make constants, which a condition compares too soon
  if (conditions != NIL && list_length(entry->values_lists) == 1) {
    entry->values_lists =
        lappend(entry->values_lists, copyObjectImpl(linitial(entry->values_lists)));
  }
  ListCell* cell;
  foreach (cell, key_columns) {
    const auto* key = static_cast<const KeyColumn*>(lfirst(cell));
    const auto* named = get_tle_by_resno(rows_with_keys->targetList,
                                         static_cast<AttrNumber>(columns.position(key->column)));
    entry->eref->colnames = lappend(entry->eref->colnames, makeString(pstrdup(named->resname)));
    entry->coltypes = lappend_oid(entry->coltypes, key->keys.type);
    entry->coltypmods = lappend_int(entry->coltypmods, key->keys.typmod);
    entry->colcollations = lappend_oid(entry->colcollations, key->keys.collation);
  }
  rows->rtable = list_make1(entry);
  Node* condition = nullptr;
  foreach (cell, conditions) {
    condition = make_and_qual(condition, over_keys(static_cast<Node*>(lfirst(cell)), key_columns));
  }
  rows->jointree = from_first(condition);
  foreach (cell, rows_with_keys->targetList) {
    const auto* other = static_cast<const TargetEntry*>(lfirst(cell));
    auto* node = reinterpret_cast<Node*>(other->expr);
    Node* value = other->resno == columns.marker()
                      ? reinterpret_cast<Node*>(key_marker())
                      : column_of_keys(reinterpret_cast<const Var*>(node), key_columns);
    if (value == nullptr) {
      value = reinterpret_cast<Node*>(
          makeNullConst(exprType(node), exprTypmod(node), exprCollation(node)));
    }
    rows->targetList = lappend(rows->targetList, output(value, other->resno, other->resname));
  }
  return rows;
}

// first UNION ALL second, as the parser has it.
Query* put_together(Query* first, Query* second) {
  Query* query = new_query();
  List* names = names_of(first);
  auto* operation = makeNode(SetOperationStmt);
  operation->op = SETOP_UNION;
  operation->all = true;
  Query* sides[] = {first, second};
  for (Query* side : sides) {
    RangeTblEntry* entry =
        new_entry(RTE_SUBQUERY, side == first ? "*SELECT* 1" : "*SELECT* 2", list_copy(names));
    entry->subquery = side;
    query->rtable = lappend(query->rtable, entry);
    auto* reference = makeNode(RangeTblRef);
    reference->rtindex = list_length(query->rtable);
    (side == first ? operation->larg : operation->rarg) = reinterpret_cast<Node*>(reference);
  }
  ListCell* cell;
  foreach (cell, first->targetList) {
    const auto* entry = static_cast<const TargetEntry*>(lfirst(cell));
    auto* node = reinterpret_cast<Node*>(entry->expr);
    operation->colTypes = lappend_oid(operation->colTypes, exprType(node));
    operation->colTypmods = lappend_int(operation->colTypmods, exprTypmod(node));
    operation->colCollations = lappend_oid(operation->colCollations, exprCollation(node));
    query->targetList =
        lappend(query->targetList,
                output(reinterpret_cast<Node*>(makeVar(1, entry->resno, exprType(node),
                                                       exprTypmod(node), exprCollation(node), 0)),
                       entry->resno, entry->resname));
  }
  query->setOperations = reinterpret_cast<Node*>(operation);
  query->jointree = makeFromExpr(NIL, nullptr);
  return query;
}

struct Change {
  Index groups;  // as in Use
  const Columns* columns;
};

// Columns become those of the rows put together, and aggregates see those without a marker.
Node* change_columns(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* change = static_cast<const Change*>(context);
  if (IsA(node, Var)) {
    const auto* old = reinterpret_cast<const Var*>(node);
    const bool is_group = change->groups > 0 && static_cast<Index>(old->varno) == change->groups;
    const int number = is_group ? 2 : 1;
    const auto position =
        is_group ? old->varattno : static_cast<AttrNumber>(change->columns->position(old));
    return reinterpret_cast<Node*>(
        makeVar(number, position, old->vartype, old->vartypmod, old->varcollid, 0));
  }
  Node* changed = map_expression(node, change_columns, context);
  if (IsA(changed, Aggref)) {
    auto* aggref = reinterpret_cast<Aggref*>(changed);
    const Const* marker = no_key_marker();
    auto* test = makeNode(NullTest);
    test->arg = reinterpret_cast<Expr*>(
        makeVar(1, static_cast<AttrNumber>(change->columns->marker()), marker->consttype,
                marker->consttypmod, marker->constcollid, 0));
    test->nulltesttype = IS_NULL;
    test->location = -1;
    // first: what stands in the filter is not computed for keys
    aggref->aggfilter = reinterpret_cast<Expr*>(
        make_and_qual(reinterpret_cast<Node*>(test), reinterpret_cast<Node*>(aggref->aggfilter)));
  }
  return changed;
}

// The query reads nothing but the rows put together.
void read_together(Query* query, Query* together, const Columns& columns) {
  const Index groups = entry_of_groups(query);
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, "rows_and_keys", names_of(together));
  entry->subquery = together;
  List* entries = list_make1(entry);
  Change change{groups, &columns};
#if PG_VERSION_NUM >= 180000
  if (groups > 0) {
    RangeTblEntry* grouped = rt_fetch(groups, query->rtable);
    grouped->groupexprs = reinterpret_cast<List*>(
        change_columns(reinterpret_cast<Node*>(grouped->groupexprs), &change));
    entries = lappend(entries, grouped);
  }
#endif
  query->rtable = entries;
#if PG_VERSION_NUM >= 160000
  query->rteperminfos = NIL;
#endif
  query->cteList = NIL;
  query->hasRecursive = false;
  query->hasSubLinks = false;
  query->jointree = from_first(nullptr);
  query->targetList =
      reinterpret_cast<List*>(change_columns(reinterpret_cast<Node*>(query->targetList), &change));
  query->havingQual = change_columns(query->havingQual, &change);
}

// Citus sends a query to its servers as text, in which keys cannot stand that are no rows.
bool refuse_distributed(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, refuse_distributed, nullptr);
  auto* query = reinterpret_cast<Query*>(node);
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (entry->rtekind != RTE_RELATION || !is_citus_table(entry->relid)) continue;
    ereport(
        ERROR,
        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
         errmsg("groups of table \"%s\", which Citus distributes, cannot have the keys of a domain",
                get_rel_name(entry->relid)),
         errdetail(
             "Some of these keys are no rows of the table, and are not sent to other servers."),
         errhint("Undistribute the table, or end the domain of the column with "
                 "idp.drop_domain.")));
  }
  return walk_query(query, refuse_distributed, nullptr);
}

// Whether it has given the query its keys.
bool give_groups(Query* query) {
  if (!is_plain(query)) return false;
  List* grouped = grouped_expressions(query);
  Use keys{entry_of_groups(query)};
  (void)find_use(reinterpret_cast<Node*>(grouped), &keys);
  ListCell* cell;
  foreach (cell, grouped) keys.is_plain &= has_one_key_form(static_cast<Node*>(lfirst(cell)));
  if (!keys.is_plain || keys.columns == NIL) return false;
  if (contain_volatile_functions(reinterpret_cast<Node*>(grouped))) return false;
  Use all = keys;
  all.columns = list_copy(keys.columns);
  (void)find_use(reinterpret_cast<Node*>(query->targetList), &all);
  (void)find_use(query->havingQual, &all);
  if (!all.is_plain || !all.has_aggregates) return false;
  List* conditions = NIL;
  List* columns_of_keys = key_columns(query, keys.columns, grouped, &conditions);
  if (columns_of_keys == NIL) return false;
  (void)refuse_distributed(reinterpret_cast<Node*>(query), nullptr);
  const Columns columns{all.columns};
  Query* rows = rows_with_keys(query, columns, columns_of_keys);
  Query* key_rows = rows_of_keys(rows, columns, columns_of_keys, conditions);
  read_together(query, put_together(rows, key_rows), columns);
  return true;
}

bool visit(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, nullptr);
  auto* query = reinterpret_cast<Query*>(node);
  if (query->hasAggs && query->groupClause != NIL && !give_groups(query)) {
    Query* flat = flattened(query);
    if (flat != nullptr && give_groups(flat)) *query = *flat;
  }
  return walk_query(query, visit, nullptr);
}

bool has_seen_any = false;

}  // namespace

bool has_seen_queries() { return has_seen_any; }

void give_all_groups(Query* query) {
  has_seen_any = true;
  const bool reads = query->rtable != NIL || query->hasSubLinks || query->cteList != NIL;
  if (!reads || !IsTransactionState()) return;
  if (!OidIsValid(own_relation("domain"))) return;  // of an earlier version, or not there
  (void)visit(reinterpret_cast<Node*>(query), nullptr);
}

}  // namespace idp
