#include "extension/rewrite/bounded_rows.h"

#include "extension/access/hidden.h"
#include "extension/catalog/link_rows.h"
#include "extension/pg/outer_joins.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/pg/rights.h"
#include "extension/rewrite/row_keys.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// --- which tables ---

bool reads_hidden_rows(const RangeTblEntry* entry) {
  const bool is_table =
      entry->rtekind == RTE_RELATION && entry->tablesample == nullptr &&
      (entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_PARTITIONED_TABLE);
  return is_table && is_hidden(entry->relid);
}

// The link of a table with a bound, if the entry reads hidden rows of it.
const LinkRow* bounding_link(const RangeTblEntry* entry) {
  const LinkRow* link = reads_hidden_rows(entry) ? link_of(entry->relid) : nullptr;
  const bool has_bound = link != nullptr && link->max_rows() > 0;
  return has_bound && leads_to_unit(entry->relid) ? link : nullptr;
}

bool is_parent_of_another(const Query* query, Oid table) {
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind != RTE_RELATION) continue;
    const LinkRow* link = link_of(entry->relid);
    if (link != nullptr && link->parent() == whole_of(table)) return true;
  }
  return false;
}

// --- what stands in their place ---

Query* new_select(RangeTblEntry* entry, Node* condition) {
  auto* query = makeNode(Query);
  query->commandType = CMD_SELECT;
  query->querySource = QSRC_ORIGINAL;
  query->canSetTag = true;
  query->rtable = list_make1(entry);
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  query->jointree = makeFromExpr(list_make1(reference), condition);
  return query;
}

RangeTblEntry* entry_of(Query* subquery, Alias* alias, Alias* names) {
  auto* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_SUBQUERY;
  entry->subquery = subquery;
  entry->alias = alias;
  entry->eref = names;
  entry->inFromCl = true;
  return entry;
}

// Its columns by their numbers, NULL for those that were dropped.
List* columns_of(Oid table, const Alias* names) {
  List* targets = NIL;
  ListCell* cell;
  foreach (cell, names->colnames) {
    const auto number = static_cast<AttrNumber>(foreach_current_index(cell) + 1);
    Oid type = InvalidOid;
    int32 typmod = -1;
    Oid collation = InvalidOid;
    Expr* value;
    if (column_name(table, number) == nullptr) {
      value = as<Expr>(makeNullConst(INT4OID, -1, InvalidOid));
    } else {
      get_atttypetypmodcoll(table, number, &type, &typmod, &collation);
      value = as<Expr>(makeVar(1, number, type, typmod, collation, 0));
    }
    targets =
        lappend(targets, makeTargetEntry(value, number, pstrdup(strVal(lfirst(cell))), false));
  }
  return targets;
}

Expr* hash_of(Expr* value) {
  auto* node = static_cast<Node*>(copyObjectImpl(value));
  Node* text = cast_to(node, TEXTOID, COERCE_EXPLICIT_CAST);
  return as<Expr>(makeFuncExpr(F_MD5_TEXT, TEXTOID, list_make1(text), DEFAULT_COLLATION_OID,
                               DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL));
}

TargetEntry* column_numbered(List* targets, AttrNumber number) {
  return static_cast<TargetEntry*>(list_nth(targets, number - 1));
}

TargetEntry* target_of(Query* query, Var* column) {
  for (auto* target : list<TargetEntry>(query->targetList)) {
    if (equal(target->expr, column)) return target;
  }
  const auto next = static_cast<AttrNumber>(list_length(query->targetList) + 1);
  TargetEntry* target = makeTargetEntry(as<Expr>(column), next, nullptr, true);
  query->targetList = lappend(query->targetList, target);
  return target;
}

// Gives the query, which reads one table, a last column with the number of each row among those of
// its unit.
void number_rows(Query* query, const List* key) {
  auto* window = makeNode(WindowClause);
  window->frameOptions = FRAMEOPTION_DEFAULTS;
  window->winref = 1;
  Index reference = 0;
  auto* number = makeNode(WindowFunc);
  number->winfnoid = F_ROW_NUMBER;
  number->wintype = INT8OID;
  number->winref = 1;
  number->location = -1;
  const auto next = [&] { return static_cast<AttrNumber>(list_length(query->targetList) + 1); };
  query->targetList = lappend(
      query->targetList, makeTargetEntry(as<Expr>(number), next(), pstrdup("row_number"), false));
  TargetEntry* unit = target_of(query, unit_of_entry(query, 1));
  window->partitionClause = list_make1(clause_of(unit, ++reference));
  for (const int number : ints(key)) {
    const auto column = static_cast<AttrNumber>(number);
    Expr* value = column_numbered(query->targetList, column)->expr;
    TargetEntry* hash = makeTargetEntry(hash_of(value), next(), nullptr, true);
    query->targetList = lappend(query->targetList, hash);
    window->orderClause = lappend(window->orderClause, clause_of(hash, ++reference));
  }
  for (const int number : ints(key)) {
    const auto column = static_cast<AttrNumber>(number);
    TargetEntry* target = column_numbered(query->targetList, column);
    if (target->ressortgroupref != 0) continue;  // the unit itself
    window->orderClause = lappend(window->orderClause, clause_of(target, ++reference));
  }
  query->windowClause = list_make1(window);
  query->hasWindowFuncs = true;
}

Node* is_at_most(AttrNumber column, int32 most) {
  List* name = list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup("<=")));
  auto* number = makeVar(1, column, INT8OID, -1, InvalidOid, 0);
  auto* bound = makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(most), false,
                          FLOAT8PASSBYVAL);
  auto* test = as<OpExpr>(make_opclause(OpernameGetOprid(name, INT8OID, INT8OID), BOOLOID, false,
                                        as<Expr>(number), as<Expr>(bound), InvalidOid, InvalidOid));
  set_opfuncid(test);
  return as<Node>(test);
}

// The table moves into a query of its own, with what row security says of it.
Query* numbered_rows(const Query* query, int number, const List* key) {
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  const Oid table = entry->relid;
  ChangeVarNodes(as<Node>(entry->securityQuals), number, 1, 0);
  Query* rows = new_select(entry, nullptr);
  rows->hasRowSecurity = query->hasRowSecurity;
  rows->hasSubLinks = checkExprHasSubLink(as<Node>(entry->securityQuals));
  move_rights(rows, query, entry);
  rows->targetList = columns_of(table, entry->eref);
  number_rows(rows, key);
  return rows;
}

RangeTblEntry* bounded(const Query* query, int number, const LinkRow& link, const List* key) {
  const RangeTblEntry* entry = rt_fetch(number, query->rtable);
  auto* names = static_cast<Alias*>(copyObjectImpl(entry->eref));
  auto* alias = static_cast<Alias*>(copyObjectImpl(entry->alias));
  Query* numbered = numbered_rows(query, number, key);
  const auto count = static_cast<AttrNumber>(list_length(names->colnames));
  auto* all_names = static_cast<Alias*>(copyObjectImpl(names));
  all_names->colnames = lappend(all_names->colnames, makeString(pstrdup("row_number")));
  RangeTblEntry* numbered_entry = entry_of(numbered, nullptr, all_names);
  const auto last = static_cast<AttrNumber>(count + 1);
  Query* first = new_select(numbered_entry, is_at_most(last, link.max_rows()));
  for (const auto* target : list<TargetEntry>(numbered->targetList)) {
    if (target->resno > count) break;
    first->targetList = lappend(
        first->targetList,
        makeTargetEntry(as<Expr>(column_like(1, target)), target->resno, target->resname, false));
  }
  return entry_of(first, alias, names);
}

void bound_rows_of(Query* query) {
  if (query->rowMarks != NIL || query->commandType != CMD_SELECT) return;
  List* numbers = NIL;
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (bounding_link(entry) == nullptr || is_parent_of_another(query, entry->relid)) continue;
    numbers = lappend_int(numbers, foreach_current_index(cell) + 1);
  }
  for (const int number : ints(numbers)) {
    const RangeTblEntry* entry = rt_fetch(number, query->rtable);
    const List* key = primary_key_of(entry->relid);
    if (key == NIL || names_whole_row(query, number)) continue;
    list_nth_cell(query->rtable, number - 1)->ptr_value =
        bounded(query, number, *bounding_link(entry), key);
  }
}

// Calls visit(link, query, number) for each linked table whose hidden rows some queries read, by an
// entry of that number, but for those that rows of another belong to.
template <class Visit>
void for_each_linked(const List* queries, Visit visit) {
  struct Read {
    const LinkRow* link;
    const Query* query;
    int number;
  };
  List* found = NIL;  // of Read
  List* parents = NIL;
  for (const auto* query : list<Query>(queries)) {
    for (const int number : ints(entries_read(as<Node>(query->jointree)))) {
      const RangeTblEntry* entry = rt_fetch(number, query->rtable);
      const LinkRow* link = reads_hidden_rows(entry) ? link_of(entry->relid) : nullptr;
      if (link == nullptr) continue;
      auto* read = static_cast<Read*>(palloc(sizeof(Read)));
      *read = {link, query, number};
      found = lappend(found, read);
      parents = list_append_unique_oid(parents, link->parent());
    }
  }
  for (const auto* read : list<Read>(found)) {
    if (list_member_oid(parents, read->link->table())) continue;
    visit(*read->link, read->query, read->number);
  }
}

constexpr int64 kMostRows = 1000000000;

// Of a table that an outer join may lack, the rows count as well that they belong to: each of those
// stands there by itself where it has none.
int64 most_rows_of(const LinkRow& link, bool may_be_lacking) {
  int64 rows = link.max_rows();
  const LinkRow* owner = may_be_lacking ? link_of(link.parent()) : nullptr;
  for (; owner != nullptr && rows > 0; owner = link_of(owner->parent())) {
    rows = owner->max_rows() == 0 ? 0 : rows + owner->max_rows();
  }
  return rows;
}

}  // namespace

int64 most_rows(const List* queries) {
  int64 most = 1;
  bool any = false;
  for_each_linked(queries, [&](const LinkRow& link, const Query* query, int number) {
    any = true;
    const bool may_be_lacking = may_be_absent(query, static_cast<Index>(number));
    most = Min(most * most_rows_of(link, may_be_lacking), kMostRows);
  });
  return any ? most : 0;
}

bool may_repeat_rows(const List* queries) {
  bool any = false;
  for_each_linked(queries, [&](const LinkRow&, const Query* query, int number) {
    any = any || !is_told_once(query, number);
  });
  return any;
}

void warn_of_repeated_rows(const List* queries, bool above) {
  int tables = 0;
  const char* repeated = nullptr;
  int64 most = 0;
  for_each_linked(queries, [&](const LinkRow& link, const Query* query, int number) {
    ++tables;
    if (!above && !may_be_repeated(query, number)) return;
    repeated = get_rel_name(link.table());
    most = link.max_rows();
  });
  // of several the bound is a product
  if (tables != 1 || repeated == nullptr) return;
  ereport(NOTICE,
          (errmsg("a join may repeat rows of \"%s\": of one person no more than " INT64_FORMAT
                  " rows count, as of the table alone",
                  repeated, most),
           errdetail("The other side has no unique key in the condition of the join."),
           errhint("Join by a key, or group by the person in a subquery and join that.")));
}

void warn_of_repeated_groups(int64 most) {
  ereport(NOTICE, (errmsg("a join may repeat rows of a subquery that groups by the person: of one "
                          "person no more than " INT64_FORMAT " rows count, as of the groups alone",
                          most),
                   errdetail("The other side has no unique key in the condition of the join."),
                   errhint("Join by a key, or join within the subquery.")));
}

void bound_rows(const List* queries) {
  for (auto* query : list<Query>(queries)) bound_rows_of(query);
}

}  // namespace idp
