#include "extension/pg/guard.h"

#include <exception>

namespace idp {

void describe_current_exception(Failure& failure) noexcept {
  try {
    throw;
  } catch (const ServerError& e) {
    failure.error = e.error;
  } catch (const std::bad_alloc&) {
    failure.sqlstate = ERRCODE_OUT_OF_MEMORY;
    strlcpy(failure.message, "out of memory", sizeof failure.message);
  } catch (const std::exception& e) {
    failure.sqlstate = ERRCODE_INTERNAL_ERROR;
    strlcpy(failure.message, e.what(), sizeof failure.message);
  } catch (...) {
    failure.sqlstate = ERRCODE_INTERNAL_ERROR;
    strlcpy(failure.message, "unknown error in idp", sizeof failure.message);
  }
}

void report(const Failure& failure) {
  if (failure.error != nullptr) ReThrowError(failure.error);
  ereport(ERROR, (errcode(failure.sqlstate), errmsg_internal("%s", failure.message)));
  pg_unreachable();
}

bool interrupt_pending() { return INTERRUPTS_PENDING_CONDITION() && INTERRUPTS_CAN_BE_PROCESSED(); }

}  // namespace idp
