// Refusals of GROUP BY over hidden rows: declared in refusal.h.
#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/access/refusal_words.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/domain/domain.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/query/level.h"

extern "C" {
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
}

namespace idp {

namespace {

bool has_delta(Oid table) {
  for (const auto* account : list<Account>(accounts_of(table))) {
    if (is_none(account->delta)) return false;
  }
  return true;
}

bool reads_query(const Level& level, int relation) {
  const RTEKind kind = level.entry(relation)->rtekind;
  return kind == RTE_CTE || (kind == RTE_SUBQUERY && level.members(relation) == 0);
}

// The tables that a query reads, in its order: that of the plan may follow from the data. A table
// that everybody may know needs no domain.
void add_hidden_tables(const Level& level, List** tables) {
  check_stack_depth();
  for (int i = 1; level.is_known() && i <= level.relations(); ++i) {
    const RangeTblEntry* entry = level.entry(i);
    if (entry->rtekind == RTE_RELATION && is_hidden(entry->relid)) {
      *tables = list_append_unique_oid(*tables, entry->relid);
    }
    const bool is_query =
        entry->rtekind == RTE_CTE || (entry->rtekind == RTE_SUBQUERY && level.members(i) == 0);
    if (is_query) add_hidden_tables(level.below(i), tables);
  }
}

// table: one of them.
List* hidden_tables_of(const Level& level, Oid table) {
  List* tables = NIL;
  add_hidden_tables(level, &tables);
  return list_append_unique_oid(tables, table);
}

// The columns of tables whose keys are declared. Of several tables each is named with its own.
const char* declared_in(const List* tables) {
  StringInfoData text;
  initStringInfo(&text);
  int named = 0;
  for (const Oid table : oids(tables)) named += declared_columns(table) != NIL ? 1 : 0;
  for (const Oid table : oids(tables)) {
    for (const auto* column : list<char>(declared_columns(table))) {
      appendStringInfoString(&text, text.len > 0 ? ", " : "");
      if (named > 1) appendStringInfo(&text, "\"%s\".", get_rel_name(table));
      appendStringInfo(&text, "\"%s\"", column);
    }
  }
  return text.data;
}

bool is_declared(Oid table, const char* column) {
  for (const auto* declared : list<char>(declared_columns(table))) {
    if (strcmp(declared, column) == 0) return true;
  }
  return false;
}

struct GroupedColumn {
  Oid table;
  AttrNumber number;
  const char* name;
};

void add_columns(const Level& level, Node* expression, List** columns);

void add_column(const Level& level, const Var* column, List** columns) {
  // not of what the server has groups stand for, from 18 on
  if (column->varno < 1 || static_cast<int>(column->varno) > level.relations()) return;
  const auto relation = static_cast<int>(column->varno);
  if (reads_query(level, relation)) {
    const Level below = level.below(relation);
    const TargetEntry* target =
        below.is_known() ? column_shown(below.query()->targetList, column->varattno) : nullptr;
    if (target != nullptr) add_columns(below, as<Node>(target->expr), columns);
    return;
  }
  const RangeTblEntry* entry = level.entry(relation);
  if (entry->rtekind != RTE_RELATION || !is_hidden(entry->relid)) return;
  const char* name = column_name(entry->relid, column->varattno);
  if (name == nullptr) return;
  for (const auto* known : list<GroupedColumn>(*columns)) {
    if (known->table == entry->relid && known->number == column->varattno) return;
  }
  auto* one = static_cast<GroupedColumn*>(palloc(sizeof(GroupedColumn)));
  *one = {entry->relid, column->varattno, name};
  *columns = lappend(*columns, one);
}

void add_columns(const Level& level, Node* expression, List** columns) {
  check_stack_depth();
  for (const auto* column : list<Var>(pull_vars_of_level(expression, 0))) {
    add_column(level, column, columns);
  }
}

// The columns of hidden tables that the query groups by, or by what it makes of them.
List* grouped_columns(const Level& level) {
  List* columns = NIL;
  if (!level.is_known()) return NIL;
  const Query* query = level.query();
  for (auto* clause : list<SortGroupClause>(query->groupClause)) {
    add_columns(level, get_sortgroupclause_expr(clause, query->targetList), &columns);
  }
  return columns;
}

// Those that have no domain, as a sentence each.
const char* columns_without_domain(const List* grouped) {
  StringInfoData text;
  initStringInfo(&text);
  for (const auto* column : list<GroupedColumn>(grouped)) {
    if (is_declared(column->table, column->name)) continue;
    appendStringInfo(&text, " Column \"%s\" of table \"%s\" has no domain.", column->name,
                     get_rel_name(column->table));
  }
  return text.data;
}

// Of those whose domains have grains, the expressions that have keys; null if there are none, or a
// column that has no keys at all.
const char* by_cells(const List* grouped) {
  StringInfoData text;
  initStringInfo(&text);
  for (const auto* column : list<GroupedColumn>(grouped)) {
    if (!is_listed(column->table, column->number)) return nullptr;
    const Grain grain = keys_of(column->table, column->number).grain;
    if (grain.unit == nullptr) continue;
    appendStringInfo(&text, "%sdate_trunc('%s', %s%s)", text.len > 0 ? " and " : "", grain.unit,
                     column->name, grain.zone == nullptr ? "" : psprintf(", '%s'", grain.zone));
  }
  return text.len == 0 ? nullptr : psprintf("%s, or by what is coarser", text.data);
}

// What has been done already is no way out, nor is what the account does not allow.
const char* ways_to_groups(Oid table, const List* grouped, const char* declared) {
  const char* cells = by_cells(grouped);
  const char* by = cells != nullptr ? psprintf("group by %s", cells)
                   : declared[0] == '\0'
                       ? "group by a column whose domain the owner declares with "
                         "idp.set_domain"
                       : psprintf("group by columns with a domain, here %s", declared);
  if (!has_delta(table)) return by;
  return psprintf("%s, or add HAVING dp_keep_group(epsilon, delta)", by);
}

}  // namespace

void refuse_calendar(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           hidden_table(table,
                        "group them by a column that has keys, such as date_trunc('day', at), in a "
                        "subquery, and join that to the calendar"),
           errdetail("A calendar joined to the rows themselves is answered where the condition "
                     "says that it is equal to such an expression, or that an instant is >= it and "
                     "< its end, and where aggregates are count(column), sum or avg: count(*) "
                     "counts days without rows as 1."),
           errhint("generate_series(…) d LEFT JOIN (SELECT date_trunc('day', at) AS day, count(*) "
                   "… GROUP BY 1) o ON o.day = d, and coalesce(o.count, 0).")));
}

void refuse_counts_of_list(Oid table) {
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       hidden_table(table,
                    "ask for an aggregate of a column of theirs, as count(id), and not for "
                    "count(*) or one of coalesce(…, 0), or add FILTER (WHERE … IS NOT NULL)"),
       errdetail("The LEFT JOIN keeps rows of the list to which it finds none, and the aggregate "
                 "takes these in."),
       errhint("coalesce() of the answer shows 0 where there is none.")));
  pg_unreachable();
}

void refuse_groups_of_list(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           hidden_table(table, "group by columns of the list that tell its rows apart"),
           errdetail("Each row of the list is asked by itself, so it needs a group of its own."),
           errhint("Add the answers up in an outer query.")));
  pg_unreachable();
}

void refuse_groups(Oid table, const List* node) {
  const Level level(node);
  const List* tables = hidden_tables_of(level, table);
  const char* declared = declared_in(tables);
  const Oid first = linitial_oid(tables);
  const List* grouped = grouped_columns(level);
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       hidden_table(first, ways_to_groups(first, grouped, declared)),
       errdetail("A group of GROUP BY shows that there is a row with its key.%s",
                 columns_without_domain(grouped)),
       errhint("Domains give keys to columns that come from the table as they are, and to "
               "expressions over these, where all aggregates are private and without release "
               "names. Groups of a table that everybody may know are shown in a LEFT JOIN that "
               "keeps its rows, each aggregate over a column of this table or with FILTER (WHERE "
               "… IS NOT NULL).%s Groups whose keys you know can be asked for one by one, each "
               "aggregate with FILTER (WHERE …).",
               has_delta(first)
                   ? ""
                   : " HAVING dp_keep_group(epsilon, delta) shows others once the "
                     "owner gave the table a delta with idp.protect(…, delta => …).")));
  pg_unreachable();
}

void refuse_groups_of_units(Oid table, const char* column) {
  const List* declared = declared_columns(table);
  const char* others = declared == NIL
                           ? "group by other columns"
                           : psprintf("group by columns with a domain, here %s", listed(declared));
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           hidden_table(table, psprintf("a group of each \"%s\" is of one person alone, %s", column,
                                        others)),
           errdetail("No answer tells much about one person, so no such group could be shown."),
           errhint("What each person has can be computed in a subquery, and be counted, summed or "
                   "averaged outside of it.")));
  pg_unreachable();
}

void refuse_decision(Oid table, const List* level) {
  const Oid first = linitial_oid(hidden_tables_of(Level(level), table));
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           hidden_table(first, "write HAVING dp_keep_group(epsilon, delta) by itself, or with AND"),
           errdetail("dp_keep_group opens groups as a condition of HAVING, by all rows of the "
                     "group."),
           errhint("Write HAVING dp_keep_group(epsilon, delta), without FILTER or DISTINCT, and "
                   "further conditions with AND.")));
  pg_unreachable();
}

void refuse_unsorted_groups(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  hidden_table(table, "group by columns whose values can be sorted"),
                  errdetail("The plan hashes groups, whose order would tell of rows."),
                  errhint("Group by columns whose values can be sorted; with grouping sets, SET "
                          "enable_hashagg = off.")));
  pg_unreachable();
}

void refuse_named_groups(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           hidden_table(table, "ask for kept groups without release names"),
           errdetail("A release is stored for each group, shown or not, and its name would tell "
                     "of the group."),
           errhint("Ask for groups without release names, then under names for those shown, each "
                   "with FILTER (WHERE …).")));
  pg_unreachable();
}

void refuse_inexact_groups(Oid table, Oid type) {
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       hidden_table(table, psprintf("group by a value of another type than %s, such as an integer",
                                    format_type_be(type))),
       errdetail("A group shows a value of type %s of one of its rows, and values of that type "
                 "that are equal need not look the same: it would tell which row.",
                 format_type_be(type)),
       errhint("Group by a value of another type, such as a cast to integer, or to numeric "
               "with a scale.")));
  pg_unreachable();
}

}  // namespace idp
