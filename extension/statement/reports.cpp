#include "extension/statement/reports.h"

#include "extension/budget/account.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/statement/refuse_input.h"

extern "C" {
#include "nodes/plannodes.h"
#include "utils/catcache.h"
}

namespace idp {

namespace {

// Plans list by a hash every function they call that is not the server's own, so that they are made
// anew when one changes.
bool lists(const PlannedStmt* plan, Oid function) {
  const uint32 hash = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(function));
  for (const auto* item : list<PlanInvalItem>(plan->invalItems)) {
    if (item->cacheId == PROCOID && item->hashValue == hash) return true;
  }
  return false;
}

bool handles_reports(const PlannedStmt* plan) {
  if (plan->invalItems == NIL) return false;
  bool handles = false;
  for (const char* name : {"dp_report", "dp_rappor_report", "dp_report_count", "dp_rappor_count"}) {
    CatCList* functions = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
    for (int i = 0; i < functions->n_members && !handles; ++i) {
      const Oid function =
          reinterpret_cast<Form_pg_proc>(GETSTRUCT(&functions->members[i]->tuple))->oid;
      handles = lists(plan, function) && is_own_function(function);
    }
    ReleaseCatCacheList(functions);
  }
  return handles;
}

// The tables of a plan, but for the one that rows are inserted into.
List* tables_read(const PlannedStmt* plan) {
  List* tables = NIL;
  Index number = 0;
  for (auto* each : list<RangeTblEntry>(plan->rtable)) {
    ++number;
    const auto* entry = each;
    if (entry->rtekind != RTE_RELATION) continue;
    const bool is_target = plan->commandType == CMD_INSERT &&
                           list_member_int(plan->resultRelations, static_cast<int>(number));
    if (!is_target) tables = list_append_unique_oid(tables, entry->relid);
  }
  return tables;
}

}  // namespace

void refuse_reports_of_protected(const QueryDesc* query) {
  if (!handles_reports(query->plannedstmt)) return;
  List* accounts = accounts_of_all(tables_read(query->plannedstmt));
  if (accounts == NIL) return;
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("reports of rows of protected table \"%s\" cannot be charged",
                         table_text(accounts)),
                  errdetail("A report tells about the record it is made of, and a count of reports "
                            "tells which rows there are."),
                  errhint("Make reports of values before they reach the table, and keep them in "
                          "a table of their own.")));
}

}  // namespace idp
