#include "extension/access/refusal.h"

#include "extension/access/hidden.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/domain/all_groups.h"
#include "extension/domain/domain.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/parents.h"

extern "C" {
#include "utils/regproc.h"
}

namespace idp {

namespace {

int hidden_table(Oid table) {
  return errmsg("rows of table \"%s\" are hidden from role \"%s\"", get_rel_name(table),
                current_role_name());
}

// The columns whose keys are declared, of the table or of one that it is a part of.
List* declared_columns(Oid table) {
  List* columns = columns_with_domains(table);
  ListCell* cell;
  foreach (cell, parents_of(table)) {
    if (columns == NIL) columns = declared_columns(lfirst_oid(cell));
  }
  return columns;
}

char* listed(const List* names) {
  StringInfoData text;
  initStringInfo(&text);
  ListCell* cell;
  foreach (cell, names) {
    appendStringInfo(&text, "%s\"%s\"", text.len > 0 ? ", " : "",
                     static_cast<const char*>(lfirst(cell)));
  }
  return text.data;
}

// Of what everybody may know already, such as the choices that a tool offers for a filter.
const char* where_keys_are(Oid table) {
  const List* declared = declared_columns(table);
  if (declared == NIL) return "";
  return psprintf(" Function idp.domain lists the keys of %s.", listed(declared));
}

}  // namespace

void refuse_rows(Oid table, Oid aggregate) {
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
       OidIsValid(aggregate) ? errdetail("Aggregate %s, over the same rows, is not private.",
                                         get_func_name(aggregate))
                             : errdetail("The query reads them other than by a private aggregate."),
       is_hidden_as_dropped(table)
           ? errhint("A table of that name that was dropped had its rows hidden. The owner of "
                     "the present one can end that with idp.unprotect.")
           : errhint("Ask for private aggregates of the table alone, such as "
                     "dp_count(epsilon). What is done with their answers is free.%s",
                     where_keys_are(table))));
  pg_unreachable();
}

void refuse_unaccounted(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
           errdetail("No account of this database pays for answers about them."),
           errhint("Ask where the table is protected: of a cluster that is the coordinator. If it "
                   "is protected no more, have its owner end this with idp.unprotect.")));
  pg_unreachable();
}

namespace {

bool has_delta(Oid table) {
  ListCell* cell;
  foreach (cell, accounts_of(table)) {
    if (is_none(static_cast<const Account*>(lfirst(cell))->delta)) return false;
  }
  return true;
}

}  // namespace

// What has been done already is no way out.
void refuse_groups(Oid table) {
  const List* declared = declared_columns(table);
  const char* keys =
      declared == NIL ? "Have the owner of the table declare with idp.set_domain which keys "
                        "everybody may know"
      : has_seen_queries()
          ? psprintf(
                "Group by columns whose keys everybody may know, here %s, or by whole numbers, "
                "texts, dates and truth values made of them, in a query that reads this table "
                "alone, in FROM or by simple subqueries there, and whose aggregates are all "
                "private and without release names; have the owner declare others with "
                "idp.set_domain",
                listed(declared))
          : "Ask again: the session loaded the library with this query, too late for the keys of "
            "domains";
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
       errdetail("A group of GROUP BY shows that there is a row with its key."),
       errhint(
           "%s; group by a table that everybody may know, in a LEFT JOIN that keeps its "
           "rows, each aggregate over a column of this table or with FILTER (WHERE … IS "
           "NOT NULL); show those that HAVING dp_keep_group(epsilon, delta) keeps%s; or ask for "
           "the groups whose keys you know one by one, each aggregate with FILTER (WHERE "
           "…).",
           keys,
           has_delta(table) ? ""
                            : ", once the owner gave the table a delta with "
                              "idp.protect(…, delta => …)")));
  pg_unreachable();
}

void refuse_decision(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
           errdetail("dp_keep_group opens groups as a condition of HAVING, by all rows of the "
                     "group."),
           errhint("Write HAVING dp_keep_group(epsilon, delta), without FILTER or DISTINCT, and "
                   "further conditions with AND.")));
  pg_unreachable();
}

void refuse_unsorted_groups(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
                  errdetail("The plan hashes groups, whose order would tell of rows."),
                  errhint("Group by columns whose values can be sorted; with grouping sets, SET "
                          "enable_hashagg = off.")));
  pg_unreachable();
}

void refuse_named_groups(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
           errdetail("A release is stored for each group, shown or not, and its name would tell "
                     "of the group."),
           errhint("Ask for groups without release names, then under names for those shown, each "
                   "with FILTER (WHERE …).")));
  pg_unreachable();
}

void refuse_inexact_groups(Oid table, Oid type) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
           errdetail("A group shows a value of type %s of one of its rows, and values of that type "
                     "that are equal need not look the same: it would tell which row.",
                     format_type_be(type)),
           errhint("Group by a value of another type, such as a cast to integer, or to numeric "
                   "with a scale.")));
  pg_unreachable();
}

namespace {

[[noreturn]] void refuse_unfit_constant(Oid table, const char* words) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           errmsg("%s cannot be evaluated before hidden rows of table \"%s\" are read", words,
                  get_rel_name(table)),
           errdetail("What is the same for all rows is evaluated beforehand, by functions of the "
                     "server that depend on their arguments, on settings and on the time alone."),
           errhint("Write its value in its place, as a literal or a parameter of the query.")));
  pg_unreachable();
}

}  // namespace

void refuse_unfit(Oid table, const Unfit& unfit) {
  constexpr char kDetail[] =
      "It may fail, or have an effect, for some rows and not for others, which would tell of them "
      "without noise.";
  const bool is_function = OidIsValid(unfit.function);
  const char* words =
      is_function ? psprintf("function %s", format_procedure(unfit.function)) : unfit.words;
  if (unfit.is_constant) refuse_unfit_constant(table, words);
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       errmsg("%s cannot be applied to hidden rows of table \"%s\"", words, get_rel_name(table)),
       errdetail("%s", kDetail),
       errhint("Compare columns as they are, texts by LIKE, or apply functions to the answers. "
               "A superuser can allow a function of his own that never fails with "
               "idp.trust_function.")));
  pg_unreachable();
}

void refuse_unknown_plan(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
                  errdetail("The plan of the query has a node of an unknown kind."),
                  errhint("Ask for private aggregates of the table alone.")));
  pg_unreachable();
}

void refuse_unplanned(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
                  errdetail("COPY of a table reads and writes rows without a plan."),
                  errhint("Ask for private aggregates of the table: COPY (SELECT …) TO gives their "
                          "answers.")));
  pg_unreachable();
}

void refuse_statistics(Oid catalog) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("rows of catalog \"%s\" are hidden from role \"%s\"",
                         get_rel_name(catalog), current_role_name()),
                  errdetail("They hold values of rows of tables that are hidden."),
                  errhint("View pg_stats shows those of tables whose rows the role may read.")));
  pg_unreachable();
}

void refuse_deep_plan(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_STATEMENT_TOO_COMPLEX), hidden_table(table),
                  errdetail("The plan of the query has too many steps above each other for the "
                            "stack that is left to read rows."),
                  errhint("Ask a simpler query.")));
  pg_unreachable();
}

void refuse_change(Oid table, const char* command, const char* detail) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           errmsg("%s is refused: rows of table \"%s\" are hidden from role \"%s\"", command,
                  get_rel_name(table), current_role_name()),
           errdetail("%s", detail),
           errhint("Have the owner of the table do it, or provide a function that is SECURITY "
                   "DEFINER.")));
  pg_unreachable();
}

void refuse_analysis(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
                  errdetail("EXPLAIN ANALYZE, and whatever else counts the rows of each step of a "
                            "plan, shows private answers alone."),
                  errhint("Use EXPLAIN without ANALYZE.")));
  pg_unreachable();
}

void refuse_serializable(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
                  errdetail("The locks of a SERIALIZABLE transaction, which pg_locks shows, would "
                            "tell where the query found rows."),
                  errhint("Ask in a transaction of ISOLATION LEVEL REPEATABLE READ.")));
  pg_unreachable();
}

void refuse_recheck(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table),
           errdetail("It would be computed again for a row that another session "
                     "changes meanwhile."),
           errhint("Ask in a query of its own, or in a scalar subquery: (SELECT dp_count(…) …).")));
  pg_unreachable();
}

void refuse_own_table(Oid table, Oid joined) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           errmsg("table \"%s\" cannot be joined to hidden rows of table \"%s\"",
                  get_rel_name(joined), get_rel_name(table)),
           errdetail("Its owner, or role \"%s\", could see which of its pages were read, and so "
                     "which rows there are.",
                     current_role_name()),
           errhint("Have the owner of \"%s\" own it, and grant SELECT on it alone.",
                   get_rel_name(table))));
  pg_unreachable();
}

void refuse_lookups(Oid table, Oid joined) {
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       errmsg("table \"%s\" cannot be looked up for hidden rows of table \"%s\"",
              get_rel_name(joined), get_rel_name(table)),
       errdetail("Which of its rows were read, and so which hidden ones there are, could be "
                 "seen in memory and pages."),
       errhint("Join it by a condition, not by a subquery that depends on the row (LATERAL).")));
  pg_unreachable();
}

}  // namespace idp
