#include "extension/access/refusal.h"

#include <initializer_list>

#include "extension/access/hidden.h"
#include "extension/access/plain_refusal.h"
#include "extension/access/plain_settings.h"
#include "extension/access/refusal_words.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/citus_catalog.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/acl.h"
#include "catalog/pg_authid.h"
#include "utils/fmgroids.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "utils/regproc.h"
}

namespace idp {

namespace {

// Of what everybody may know already, such as the choices that a tool offers for a filter.
const char* where_keys_are(Oid table) {
  const List* declared = declared_columns(table);
  if (declared == NIL) return "";
  return psprintf(" Function idp.domain lists the keys of %s.", listed(declared));
}

}  // namespace

namespace {

constexpr char kAskPrivately[] = "ask for private aggregates, such as dp_count(0.1)";

const char* way_to_ask(Oid table) {
  return rewrites_plain_aggregates() ? way_to_ask_plainly(declared_columns(table)) : kAskPrivately;
}

const char* way_without(const Aggref* aggref) {
  if (rewrites_plain_aggregates()) {
    return way_without_plain(aggref);
  }
  const char* way = way_to_write_privately(aggref);
  return way != nullptr ? way : kAskPrivately;
}

}  // namespace

void refuse_rows(Oid table, const Aggref* aggregate) {
  const bool is_of_server = aggregate != nullptr && aggregate->aggfnoid < FirstNormalObjectId;
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       hidden_table(table, is_hidden_as_dropped(table) ? "its owner can end that with idp.unprotect"
                           : is_of_server              ? way_without(aggregate)
                                                       : way_to_ask(table)),
       aggregate != nullptr ? errdetail("Aggregate %s, over the same rows, is not private.",
                                        get_func_name(aggregate->aggfnoid))
                            : errdetail("The query reads them other than by a private aggregate."),
       is_hidden_as_dropped(table)
           ? errhint("A table of that name that was dropped had its rows hidden. The owner of the "
                     "present one can end that with idp.unprotect.")
       : is_of_server
           ? errhint("Over the answers, in an outer query, any aggregate is free.%s",
                     where_keys_are(table))
           : errhint(
                 "Ask for aggregates alone, such as %s. What is done with their answers is free.%s",
                 rewrites_plain_aggregates() ? "count(*) or sum(x)" : "dp_count(0.1)",
                 where_keys_are(table))));
  pg_unreachable();
}

void refuse_unaccounted(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           hidden_table(table, "ask where the table is protected"),
           errdetail("No account of this database pays for answers about them."),
           errhint("On a worker of a cluster, ask the coordinator. Where the table was restored "
                   "without its budget, its owner calls idp.protect, or idp.unprotect to show the "
                   "rows.")));
  pg_unreachable();
}

namespace {

[[noreturn]] void refuse_unfit_constant(Oid table, const char* words) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           errmsg("%s cannot be evaluated before hidden rows of table \"%s\" are read: write its "
                  "value in its place",
                  words, get_rel_name(table)),
           errdetail("What is the same for all rows is evaluated beforehand, by functions of the "
                     "server that depend on their arguments, on settings and on the time alone."),
           errhint("Write it as a literal or a parameter of the query.")));
  pg_unreachable();
}

}  // namespace

namespace {

bool is_numeric_sum(const char* name) {
  for (const char* one :
       {"sum", "avg", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp"}) {
    if (strcmp(one, name) == 0) return true;
  }
  return false;
}

// What to write in place of a function.
const char* way_around(Oid function) {
  const char* name = get_func_name(function);
  if (function >= FirstNormalObjectId) return "a superuser can allow it with idp.trust_function";
  if (get_func_prokind(function) == PROKIND_AGGREGATE) {
    if (is_numeric_sum(name)) return psprintf("write %s(x::numeric(12,2))", name);
    const bool is_extremum = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
    return is_extremum ? psprintf("use %s of numbers, dates or times", name)
                       : "use count, min, max, sum or avg";
  }
  if (function == F_NTILE) {
    return "ask percentile_cont for the limits of equal parts and compare columns with these, or "
           "apply it to answers";
  }
  if (strncmp(name, "regexp_", 7) == 0 && strcmp(name, "regexp_like") != 0) {
    return "write substring(x FROM 'pattern'), or apply it to answers";
  }
  if (strstr(name, "regex") != nullptr) {
    return "give a constant of at most 200 characters, without back references and lookaround";
  }
  if (strstr(name, "like") != nullptr) return "give a constant pattern";
  return "compare columns as they are, or apply it to answers";
}

}  // namespace

void refuse_unfit(Oid table, const Unfit& unfit) {
  const bool is_function = OidIsValid(unfit.function);
  const char* words =
      is_function ? psprintf("function %s", format_procedure(unfit.function)) : unfit.words;
  if (unfit.is_constant) refuse_unfit_constant(table, words);
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       errmsg("%s cannot be applied to hidden rows of table \"%s\": %s", words, get_rel_name(table),
              is_function ? way_around(unfit.function) : unfit.way_out),
       errdetail("It may fail, or have an effect, for some rows and not for others, which would "
                 "tell of them without noise."),
       is_function && unfit.function >= FirstNormalObjectId
           ? errhint("It is for functions that belong to a superuser, are immutable and never "
                     "fail.")
           : errhint("Comparisons, arithmetic, LIKE, CASE, dates and casts are among what may "
                     "be written; what is done with the answers is free.")));
  pg_unreachable();
}

void refuse_unknown_plan(Oid table) {
  if (is_citus_table(table)) {
    ereport(ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
             hidden_table(table, "Citus distributes it, and its owner can undistribute it"),
             errdetail("Other servers hold its rows: private answers about it are refused."),
             errhint("Its owner makes a table of this server of it with undistribute_table.")));
  }
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table, way_to_ask(table)),
                  errdetail("The plan of the query has a node of an unknown kind."),
                  errhint("Ask for aggregates alone.")));
  pg_unreachable();
}

void refuse_answers_among_rows(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           hidden_table(table,
                        "ask for the other answer first and compare rows with it as a constant, "
                        "or join the answers of two subqueries"),
           errdetail("They are joined with answers of another private aggregate."),
           errhint("A number, such as a total, can be had by a subquery in SELECT. What is done "
                   "with answers is free.")));
  pg_unreachable();
}

void refuse_early(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  hidden_table(table, "ask again, now that the library is loaded"),
                  errdetail("The session loaded the library with this query, too late for what is "
                            "done before a query is planned."),
                  errhint("Add idp to \"shared_preload_libraries\".")));
  pg_unreachable();
}

void refuse_unplanned(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           hidden_table(table, "copy private answers, as in COPY (SELECT dp_count(0.1) …) TO"),
           errdetail("COPY of a table reads and writes rows without a plan."),
           errhint("Ask for private aggregates of the table: COPY (SELECT …) TO gives their "
                   "answers.")));
  pg_unreachable();
}

void refuse_statistics(Oid catalog) {
  const bool reads_all = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_DATA);
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("rows of catalog \"%s\" are hidden from role \"%s\": %s",
                         get_rel_name(catalog), current_role_name(),
                         reads_all ? "read view pg_stats in a role without pg_read_all_data"
                                   : "read view pg_stats"),
                  errdetail("They hold values of rows of tables that are hidden."),
                  errhint("View pg_stats shows those of tables whose rows the role may read.")));
  pg_unreachable();
}

void refuse_deep_plan(Oid table) {
  ereport(ERROR,
          (errcode(ERRCODE_STATEMENT_TOO_COMPLEX), hidden_table(table, "ask a simpler query"),
           errdetail("The plan of the query has too many steps above each other for the "
                     "stack that is left to read rows."),
           errhint("Ask a simpler query.")));
  pg_unreachable();
}

void refuse_change(Oid table, const char* command, const char* detail) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("%s is refused: rows of table \"%s\" are hidden from role \"%s\", so its "
                         "owner has to do "
                         "it",
                         command, get_rel_name(table), current_role_name()),
                  errdetail("%s", detail),
                  errhint("The owner can provide a function that is SECURITY DEFINER.")));
  pg_unreachable();
}

void refuse_analysis(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  hidden_table(table, "use EXPLAIN without ANALYZE"),
                  errdetail("EXPLAIN ANALYZE, and whatever else counts the rows of each step of a "
                            "plan, shows private answers alone."),
                  errhint("Use EXPLAIN without ANALYZE.")));
  pg_unreachable();
}

void refuse_serializable(Oid table) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  hidden_table(table, "ask in ISOLATION LEVEL REPEATABLE READ"),
                  errdetail("The locks of a SERIALIZABLE transaction, which pg_locks shows, would "
                            "tell where the query found rows."),
                  errhint("Ask in a transaction of ISOLATION LEVEL REPEATABLE READ.")));
  pg_unreachable();
}

void refuse_recheck(Oid table) {
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), hidden_table(table, "ask in a query of its own"),
       errdetail("It would be computed again for a row that another session "
                 "changes meanwhile."),
       errhint("Ask in a query of its own, or in a scalar subquery: (SELECT dp_count(…) …).")));
  pg_unreachable();
}

void refuse_own_table(Oid table, Oid joined) {
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       errmsg("table \"%s\" cannot be joined to hidden rows of table \"%s\": it has to be of the "
              "same owner, and role \"%s\" to have SELECT alone",
              get_rel_name(joined), get_rel_name(table), current_role_name()),
       errdetail("Its owner, or a role that may change it, could see which of its pages were "
                 "read, and so which rows there are."),
       errhint("Have the owner of \"%s\" own it, and grant SELECT on it alone.",
               get_rel_name(table))));
  pg_unreachable();
}

void refuse_lookups(Oid table, Oid joined) {
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       errmsg("table \"%s\" cannot be looked up for hidden rows of table \"%s\": join it by a "
              "condition",
              get_rel_name(joined), get_rel_name(table)),
       errdetail("Which of its rows were read, and so which hidden ones there are, could be "
                 "seen in memory and pages."),
       errhint("Join it by a condition, not by a subquery that depends on the row (LATERAL).")));
  pg_unreachable();
}

}  // namespace idp
