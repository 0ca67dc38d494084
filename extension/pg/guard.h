// The border between C++ and the server.
//
// C++ code of the core may throw and owns objects with destructors; the server reports errors with
// longjmp, which runs no destructor. So neither may cross the other: core code runs inside
// guarded(), which turns an exception into a plain record, leaves the catch block, and only then
// reports the error. Where core code calls back into the server (extension/state/storage.h), the
// call is made through call_server(), which carries the server's error to guarded() as an
// exception.
#pragma once

#include "extension/pg/pg.h"

#include <new>

#include "core/select/stop.h"

namespace idp {

// An error of the server on its way to the border.
struct ServerError {
  ErrorData* error;
};

struct Failure {
  ErrorData* error = nullptr;  // of the server; otherwise:
  int sqlstate = 0;
  char message[128] = "";
};

enum class Outcome { kDone, kStopped, kFailed };

// Fills the failure from the exception being handled.
void describe_current_exception(Failure& failure) noexcept;

[[noreturn]] void report(const Failure& failure);

template <class Body>
Outcome run_guarded(Body&& body, Failure& failure) noexcept {
  try {
    body();
    return Outcome::kDone;
  } catch (const Stopped&) {
    return Outcome::kStopped;
  } catch (...) {
    describe_current_exception(failure);
    return Outcome::kFailed;
  }
}

// Runs body, which may throw but must not call anything of the server that reports errors. A body
// that was stopped for an interrupt is run again from the start if the interrupt let us live.
template <class Body>
void guarded(Body&& body) {
  for (;;) {
    Failure failure;
    switch (run_guarded(body, failure)) {
      case Outcome::kDone:
        return;
      case Outcome::kStopped:
        CHECK_FOR_INTERRUPTS();
        break;
      case Outcome::kFailed:
        report(failure);
    }
  }
}

// Calls the server for core code; throws ServerError if the server reports an error, which must
// then reach guarded(). Nothing in call may have a destructor.
template <class Call>
void call_server(Call&& call) {
  MemoryContext context = CurrentMemoryContext;
  ErrorData* volatile error = nullptr;
  PG_TRY();
  { call(); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    error = CopyErrorData();
    FlushErrorState();
  }
  PG_END_TRY();
  if (error != nullptr) throw ServerError{error};
}

// The StopCheck of the server: a cancel, a timeout or a shutdown is waiting and may be served.
bool interrupt_pending();

}  // namespace idp
