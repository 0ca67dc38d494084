#include "extension/pg/attempt.h"

extern "C" {
#include "utils/guc.h"
#include "utils/resowner.h"
}

namespace idp {

namespace {

void give_back(ResourceOwner owner) {
  ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
  ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
  ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
  ResourceOwnerDelete(owner);
}

// Runs work() so that an error of it is none, and says whether it reported none.
template <class Work>
bool reports_no_error(Work work) {
  MemoryContext context = CurrentMemoryContext;
  // With exit_on_error, which every role may set, the session would end.
  const bool exits = ExitOnAnyError;
  ExitOnAnyError = false;
  volatile bool done = false;
  PG_TRY();
  {
    work();
    done = true;
  }
  PG_CATCH();
  {
    ExitOnAnyError = exits;
    if (ERRCODE_TO_CATEGORY(geterrcode()) == ERRCODE_OPERATOR_INTERVENTION) PG_RE_THROW();
    MemoryContextSwitchTo(context);
    FlushErrorState();
  }
  PG_END_TRY();
  ExitOnAnyError = exits;
  return done;
}

}  // namespace

bool succeeds(void (*work)(void*), void* argument) {
  ResourceOwner outer = CurrentResourceOwner;
  ResourceOwner inner = ResourceOwnerCreate(outer, "idp attempt");
  CurrentResourceOwner = inner;
  const int level = NewGUCNestLevel();
  const bool done = reports_no_error([=] { work(argument); });
  AtEOXact_GUC(done, level);
  CurrentResourceOwner = outer;
  give_back(inner);
  return done;
}

bool computes(FunctionCallInfo call, Datum* result) {
  return reports_no_error([=] { *result = FunctionCallInvoke(call); });
}

}  // namespace idp
