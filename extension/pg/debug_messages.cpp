#include "extension/pg/debug_messages.h"

#include "extension/pg/versions.h"

namespace idp {

namespace {

config_enum* setting = nullptr;
GucEnumCheckHook previous_check = nullptr;
bool has_ended = false;  // for this process, which is one session

bool is_of_debugging(int level) { return level < LOG; }

bool check(int* level, void** extra, GucSource source) {
  if (has_ended && is_of_debugging(*level)) {
    GUC_check_errcode(ERRCODE_FEATURE_NOT_SUPPORTED);
    GUC_check_errmsg(
        "messages for debugging are not sent in a session that has read hidden "
        "rows");
    GUC_check_errdetail("They would tell what the server looked up for these rows.");
    GUC_check_errhint("Use a new session.");
    return false;
  }
  return previous_check == nullptr || previous_check(level, extra, source);
}

void raise(int& level) {
  if (is_of_debugging(level)) level = LOG;
}

}  // namespace

void watch_debug_messages() {
  setting = reinterpret_cast<config_enum*>(setting_of("client_min_messages"));
  previous_check = setting->check_hook;
  setting->check_hook = check;
}

int level_that_is_sent(int level) {
  if (has_ended) raise(level);
  return level;
}

// RESET, the end of a transaction and that of a function give back former values, and ask nobody.
void end_debug_messages() {
  if (has_ended) return;
  has_ended = true;
  raise(*setting->variable);
  raise(setting->reset_val);
  for (GucStack* former = setting->gen.stack; former != nullptr; former = former->prev) {
    raise(former->prior.val.enumval);
    raise(former->masked.val.enumval);
  }
}

}  // namespace idp
