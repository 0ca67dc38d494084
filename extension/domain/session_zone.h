// Plans that hold for one time zone. Whether "at::date" is the same for all of a day depends on the
// zone of the session (grain.h), which is asked when the query is planned; a plan may be executed
// in another one: that of a prepared statement, or of a cursor.
//
// So the zone goes with the plan, and is compared where it is executed. The server has no hook
// for the moment when the zone changes. The plan is forgotten when it is met, and made anew for who
// asks again.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// The zone of the session. What is planned depends on it from now on.
const char* zone_of_session();

// Around the planning of one query: whether it, or one that is planned meanwhile, depends on the
// zone.
class ZoneWatch {
 public:
  ZoneWatch();
  // Writes the zone into the plan, if it does. An error if code of others, which the planner calls,
  // has changed it meanwhile.
  void end(PlannedStmt* plan);

 private:
  uint64 before_;  // how often it was asked
  uint64 other_before_;
};

// Refuses a plan of another zone.
void require_zone_of(const PlannedStmt* plan);

}  // namespace idp
