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

}  // namespace

bool succeeds(void (*work)(void*), void* argument) {
  MemoryContext context = CurrentMemoryContext;
  ResourceOwner outer = CurrentResourceOwner;
  ResourceOwner inner = ResourceOwnerCreate(outer, "idp attempt");
  CurrentResourceOwner = inner;
  const int level = NewGUCNestLevel();
  volatile bool done = false;
  PG_TRY();
  {
    work(argument);
    done = true;
  }
  PG_CATCH();
  {
    if (ERRCODE_TO_CATEGORY(geterrcode()) == ERRCODE_OPERATOR_INTERVENTION) PG_RE_THROW();
    MemoryContextSwitchTo(context);
    FlushErrorState();
  }
  PG_END_TRY();
  AtEOXact_GUC(done, level);
  CurrentResourceOwner = outer;
  give_back(inner);
  return done;
}

}  // namespace idp
