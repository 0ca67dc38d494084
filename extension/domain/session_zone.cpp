#include "extension/domain/session_zone.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "pgtime.h"
#include "utils/plancache.h"
}

namespace idp {

namespace {

uint64 times_asked = 0;
uint64 times_other = 0;  // when it was another zone than before, in the planning of one query
const pg_tz* zone_asked = nullptr;

// A table of the query that is none, with an alias that no user gives: one this long.
constexpr char kPrefix[] = "idp plan that holds as long as the time zone of the session is ";
static_assert(sizeof kPrefix >= NAMEDATALEN - 1);

const char* current_zone() { return pg_get_timezone_name(session_timezone); }

const char* zone_in(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_RESULT || entry->eref == nullptr) return nullptr;
  const char* text = entry->eref->aliasname;
  return strncmp(text, kPrefix, sizeof kPrefix - 1) == 0 ? text + sizeof kPrefix - 1 : nullptr;
}

}  // namespace

const char* zone_of_session() {
  ++times_asked;
  if (session_timezone != zone_asked) ++times_other;
  zone_asked = session_timezone;
  return current_zone();
}

ZoneWatch::ZoneWatch() : before_(times_asked), other_before_(times_other) {
  zone_asked = session_timezone;
}

void ZoneWatch::end(PlannedStmt* plan) {
  if (times_asked != before_) {
    if (times_other != other_before_ || session_timezone != zone_asked) {
      ereport(ERROR,
              (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
               errmsg("the time zone was changed while the query was planned: run it again"),
               errdetail("Which days, or months, an instant lies in is another question there."),
               errhint("Leave functions that set the time zone out of the query.")));
    }
    auto* entry = makeNode(RangeTblEntry);
    entry->rtekind = RTE_RESULT;
    entry->eref = makeAlias(psprintf("%s%s", kPrefix, current_zone()), NIL);
    plan->rtable = lappend(plan->rtable, entry);
  }
}

void require_zone_of(const PlannedStmt* plan) {
  for (const auto* entry : list<RangeTblEntry>(plan->rtable)) {
    const char* zone = zone_in(entry);
    if (zone == nullptr || strcmp(zone, current_zone()) == 0) continue;
    ResetPlanCache();
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the query was planned for time zone \"%s\", but the session has \"%s\" now: "
                    "run it again",
                    zone, current_zone()),
             errdetail("Which days, or months, an instant lies in is another question there."),
             errhint("It is planned anew. A cursor is opened anew.")));
  }
}

}  // namespace idp
