#include "extension/pg/aggregate_context.h"

namespace idp {

MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
  MemoryContext context = nullptr;
  switch (AggCheckCallContext(fcinfo, &context)) {
    case AGG_CONTEXT_AGGREGATE:
      return context;
    case AGG_CONTEXT_WINDOW:
      ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                      errmsg("private aggregates cannot be used as window functions"),
                      errdetail("Every frame would be a release of its own.")));
    default:
      ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                      errmsg("function of idp_state called outside an aggregate")));
  }
  pg_unreachable();
}

}  // namespace idp
