#include "extension/pg/session_check.h"

#include "extension/pg/pg.h"

extern "C" {
#include "replication/logicalworker.h"
}

namespace idp {

namespace {

// Background workers act for a role that they are given, but for those of logical replication.
bool has_session() {
  if (!IsUnderPostmaster) return true;
  switch (MyBackendType) {
    case B_BACKEND:
    case B_WAL_SENDER:
      return true;
    case B_BG_WORKER:
      return !IsLogicalWorker();
    default:
      return false;
  }
}

}  // namespace

void require_session() {
  if (has_session()) return;
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
           errmsg("private answers are not given to workers of the server"),
           errdetail("A function of an index or a trigger asks while a table is maintained."),
           errhint("Ask in a session.")));
}

}  // namespace idp
