// idp.audit: a table that a sceptic makes himself.
//
// What is compared with what. The query is executed once with all rows, and then once without each
// of some units: persons with all their rows, or single rows. None of these executions draws noise
// or charges anything (run.h). Of each private call they give what noise would have been added to,
// and the noise. From both follows by how much the probability of an answer can change at most when
// the unit is left out: a factor of e^loss (core/aggregate/loss.h). The ledger charges for that
// before a row is read, by rules that know the query and the declarations, but no rows. So the two
// numbers are found in different ways, and
//
//   loss <= charged
//
// is what the charge promises about this unit. Where it does not hold, a rule is wrong, or what it
// relies on is: a sensitivity, the number of rows that a unit may have, a foreign key or unique
// index that does not hold, a function that is not what it is declared to be. Where groups come and
// go with a unit, a look at the keys tells of it, whatever the noise.
//
// Hidden rows are hidden here from their owner, too: what is audited is the query as others are
// answered, with plain aggregates that become private, and with what they are refused.
//
// What is not compared: units that could be added or substituted. Leaving out a unit of D is adding
// it to the rest, so epsilon-DP is looked at from both sides.
#include "extension/pg/pg.h"

#include "extension/access/hidden.h"
#include "extension/audit/compare.h"
#include "extension/audit/run.h"
#include "extension/audit/units.h"
#include "extension/budget/account.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/fold.h"
#include "extension/pg/function_rows.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/sql_function.h"
#include "extension/pg/versions.h"
#include "extension/pg/asked_text.h"

extern "C" {
#include "executor/executor.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

// --- who may ask ---

bool find_tables(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_tables, context);
  auto** tables = static_cast<List**>(context);
  for (const auto* entry : list<RangeTblEntry>(as<Query>(node)->rtable)) {
    if (entry->rtekind == RTE_RELATION) {
      *tables = list_append_unique_oid(*tables, entry->relid);
    }
  }
  return walk_queries(as<Query>(node), find_tables, context);
}

List* tables_of(const PlannedStmt* plan) {
  List* tables = NIL;
  for (const auto* entry : list<RangeTblEntry>(plan->rtable)) {
    if (entry->rtekind == RTE_RELATION) tables = list_append_unique_oid(tables, entry->relid);
  }
  return tables;
}

void require_owned(Oid table) {
  if (superuser() || owns(table)) return;
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           errmsg("must be owner of table \"%s\" to audit answers about it", get_rel_name(table)),
           errdetail("An audit tells how single rows change what noise is added to.")));
}

// Also of those whose rows are counted with theirs.
void require_all_owned(List* tables) {
  for (const Oid table : oids(tables)) {
    List* accounts = accounts_of(table);
    if (accounts != NIL || hides_rows(table)) require_owned(table);
    for (const auto* account : list<Account>(accounts)) {
      if (OidIsValid(account->table)) require_owned(account->table);
    }
  }
}

// It is executed many times, and changes nothing.
void require_no_volatile(Query* query) {
  if (!contain_volatile_functions(as<Node>(query))) return;
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("idp.audit takes no queries that call volatile functions"),
                  errdetail("The query is executed once for each unit.")));
}

// They may read tables by themselves, with all rows.
void require_no_others(Query* query) {
  if (!calls_others(as<Node>(query))) return;
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("idp.audit takes no queries that call functions of users"),
                  errdetail("Rows that such a function reads by itself cannot be left out."),
                  errhint("Write what the function computes.")));
}

// --- executions ---

struct Audited {
  const char* text;
  PlannedStmt* plan;
  List* tables;  // that it reads
};

PlannedStmt* plan_alone(Query* query, const char* text) {
#if PG_VERSION_NUM >= 190000
  return pg_plan_query(query, text, 0, nullptr, nullptr);
#else
  return pg_plan_query(query, text, 0, nullptr);
#endif
}

Audited plan_of(const char* text) {
  Query* query = query_in_text(text, "idp.audit");
  List* tables = NIL;
  (void)find_tables(as<Node>(query), &tables);
  require_all_owned(tables);
  require_no_others(query);
  require_no_volatile(query);
  Audited audited = {text, nullptr, NIL};
  const int settings = NewGUCNestLevel();
  (void)set_config_option("enable_bitmapscan", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
                          true, 0, false);  // run.cpp says why
  as_others_see([&] { audited.plan = plan_alone(query, text); });
  AtEOXact_GUC(true, settings);
  audited.tables = tables_of(audited.plan);
  require_all_owned(audited.tables);
  return audited;
}

void execute(const Audited& audited, AuditRun& run) {
  QueryDesc* query = CreateQueryDesc(audited.plan, audited.text, GetActiveSnapshot(),
                                     InvalidSnapshot, &run.receiver, nullptr, nullptr, 0);
  as_others_see([&] {
    ExecutorStart(query, 0);
#if PG_VERSION_NUM >= 180000
    ExecutorRun(query, ForwardScanDirection, 0);
#else
    ExecutorRun(query, ForwardScanDirection, 0, true);
#endif
    ExecutorFinish(query);
    ExecutorEnd(query);
  });
  FreeQueryDesc(query);
  sort_witnesses(run);
}

// --- what is found ---

// Of one call and one account.
struct Finding {
  const AuditedCall* call;
  int number;
  const Account* account;
  double charged;
  double charged_delta;
  int64 units;
  PairLoss worst;
  int64 groups;      // likewise the most
  const char* unit;  // of the worst; null if none moved anything
};

double number_of(Datum amount) {
  return amount == 0 ? 0 : DatumGetFloat8(DirectFunctionCall1(numeric_float8, amount));
}

// Of Finding: those of one account.
List* begin_findings(const AuditRun& run, const Account& account) {
  List* findings = NIL;
  int number = 0;
  for (const auto* call : list<AuditedCall>(run.calls)) {
    ++number;
    for (const auto* charge : list<AuditedCharge>(call->charges)) {
      if (charge->account != account.id) continue;
      auto* finding = static_cast<Finding*>(palloc0(sizeof(Finding)));
      finding->call = call;
      finding->number = number;
      finding->account = &account;
      finding->charged = number_of(charge->epsilon);
      finding->charged_delta = number_of(charge->delta);
      findings = lappend(findings, finding);
    }
  }
  return findings;
}

void note(Finding& finding, const AuditRun& all, const AuditRun& without, const TriedUnit& unit) {
  const auto* other = static_cast<const AuditedCall*>(list_nth(without.calls, finding.number - 1));
  const CallLoss found = loss_of_call(*finding.call, *other, is_decided(all, *finding.call));
  ++finding.units;
  finding.groups = Max(finding.groups, found.groups);
  finding.worst.delta = Max(finding.worst.delta, found.loss.delta);
  if (found.loss.loss <= finding.worst.loss) return;
  finding.worst.loss = found.loss.loss;
  finding.worst.moved = found.loss.moved;
  finding.unit = unit.text;
}

// An epsilon is charged as the decimal that it was written as, and drawn for as the double that it
// is: they differ beyond 15 digits.
bool is_at_most(double found, double promised) { return found <= promised * (1 + 1e-12); }

bool holds(const Finding& finding) {
  return is_at_most(finding.worst.loss, finding.charged) &&
         is_at_most(finding.worst.delta, finding.charged_delta) && finding.groups == 0;
}

void try_units(const Audited& audited, const AuditRun& all, const Account& account, int64 most,
               List* findings) {
  MemoryContext each =
      AllocSetContextCreate(CurrentMemoryContext, "idp: audit of a unit", ALLOCSET_DEFAULT_SIZES);
  const List* units = choose_units(account, audited.tables, most);
  for (const auto* unit : list<TriedUnit>(units)) {
    CHECK_FOR_INTERRUPTS();
    MemoryContext before = MemoryContextSwitchTo(each);
    HTAB* left_out = new_left_out();
    leave_out_unit(left_out, account, audited.tables, *unit);
    AuditRun without = new_audit_run(left_out, &all);
    execute(audited, without);
    for (auto* finding : list<Finding>(findings)) note(*finding, all, without, *unit);
    MemoryContextSwitchTo(before);
    MemoryContextReset(each);
  }
}

// Of Finding.
List* findings_of(const char* text, int64 most) {
  List* findings = NIL;
  with_text_of_errors(text, [&] {
    const Audited audited = plan_of(text);
    PushActiveSnapshot(GetTransactionSnapshot());
    auto* all = static_cast<AuditRun*>(palloc(sizeof(AuditRun)));
    *all = new_audit_run(nullptr, nullptr);
    execute(audited, *all);
    if (all->calls == NIL) {
      ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                      errmsg("the query has no private answers about a protected table"),
                      errhint("Protect the table with idp.protect, and ask with aggregates whose "
                              "names begin with dp_ or idp_.")));
    }
    for (const auto* account : list<Account>(accounts_of_all(audited.tables))) {
      List* of_account = begin_findings(*all, *account);
      if (of_account == NIL) continue;
      try_units(audited, *all, *account, most, of_account);
      findings = list_concat(findings, of_account);
    }
    PopActiveSnapshot();
  });
  return findings;
}

Datum text_or_null(const char* text, bool* is_null) {
  *is_null = text == nullptr;
  return text == nullptr ? 0 : CStringGetTextDatum(text);
}

void put_row(const ReturnSetInfo* result, const Finding& finding) {
  const Request& request = finding.call->request;
  bool nulls[11] = {};
  nulls[2] = !OidIsValid(finding.account->table);
  const Datum values[] = {Int32GetDatum(finding.number),
                          CStringGetTextDatum(finding.call->name),
                          ObjectIdGetDatum(finding.account->table),
                          Float8GetDatum(request.epsilons[0]),
                          Float8GetDatum(finding.charged),
                          Int64GetDatum(finding.units),
                          Float8GetDatum(finding.worst.moved),
                          Float8GetDatum(finding.worst.loss),
                          Int64GetDatum(finding.groups),
                          text_or_null(finding.unit, &nulls[9]),
                          BoolGetDatum(holds(finding))};
  tuplestore_putvalues(result->setResult, result->setDesc, const_cast<Datum*>(values), nulls);
}

// (text, units): a set of rows.
Datum audit(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(0)) {
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("query must not be null")));
  }
  const int64 most = PG_ARGISNULL(1) ? -1 : PG_GETARG_INT64(1);
  if (!PG_ARGISNULL(1) && most < 1) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("units must be at least 1, or NULL for all units")));
  }
  const ReturnSetInfo* result = begin_rows(fcinfo);
  List* findings = findings_of(TextDatumGetCString(PG_GETARG_DATUM(0)), most);
  for (const auto* finding : list<Finding>(findings)) put_row(result, *finding);
  return 0;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_audit, audit);

}  // extern "C"
#pragma GCC visibility pop
