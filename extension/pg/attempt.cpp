#include "extension/pg/attempt.h"

#include "extension/pg/debug_messages.h"
#include "extension/pg/plain_output.h"

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

// How messages are treated, which every role may set.
struct Messages {
  bool exits;  // with exit_on_error the session would end
  int to_client;
  int to_log;
};

Messages quiet() {
  const Messages before = {ExitOnAnyError, client_min_messages, log_min_messages};
  ExitOnAnyError = false;
  // What a function says of its work, at whatever level, would tell that it was called.
  client_min_messages = log_min_messages = ERROR;
  return before;
}

void restore(const Messages& before) {
  ExitOnAnyError = before.exits;
  client_min_messages = level_that_is_sent(before.to_client);
  log_min_messages = before.to_log;
}

// Runs work() so that an error of it is none, and says whether it reported none.
template <class Work>
bool reports_no_error(Work work) {
  MemoryContext context = CurrentMemoryContext;
  const Messages before = quiet();
  // The error of a parallel worker comes with an interrupt, and is not one of work().
  const uint32 held = InterruptHoldoffCount;
  hold_interrupts();
  volatile bool done = false;
  PG_TRY();
  {
    work();
    done = true;
  }
  PG_CATCH();
  {
    restore(before);
    InterruptHoldoffCount = held;
    if (ERRCODE_TO_CATEGORY(geterrcode()) == ERRCODE_OPERATOR_INTERVENTION) PG_RE_THROW();
    MemoryContextSwitchTo(context);
    FlushErrorState();
  }
  PG_END_TRY();
  restore(before);
  InterruptHoldoffCount = held;
  return done;
}

}  // namespace

bool succeeds(void (*work)(void*), void* argument) {
  ResourceOwner outer = CurrentResourceOwner;
  ResourceOwner inner = ResourceOwnerCreate(outer, "idp attempt");
  CurrentResourceOwner = inner;
  const int level = NewGUCNestLevel();
  const auto outputs = open_outputs();
  const bool done = reports_no_error([=] { work(argument); });
  if (!done) end_outputs_since(outputs);
  AtEOXact_GUC(done, level);
  CurrentResourceOwner = outer;
  give_back(inner);
  return done;
}

bool computes(FunctionCallInfo call, Datum* result) {
  return reports_no_error([=] { *result = FunctionCallInvoke(call); });
}

}  // namespace idp
