#include "extension/pg/fixed_settings.h"

#include "extension/pg/debug_messages.h"
#include "extension/pg/temporary_files.h"

extern "C" {
#include "access/gin.h"
#include "access/tableam.h"
#include "utils/guc.h"
#include "utils/tuplesort.h"
}

namespace idp {

namespace {

struct Settings {
  int gin_fuzzy_search_limit;
  bool trace_sort;
  bool synchronize_seqscans;
  int to_client;
  int to_log;
};

Settings fix(bool is_silent) {
  const Settings before = {GinFuzzySearchLimit, trace_sort, synchronize_seqscans,
                           client_min_messages, log_min_messages};
  GinFuzzySearchLimit = 0;
  begin_unlimited_files();
  trace_sort = false;
  synchronize_seqscans = false;
  if (is_silent) client_min_messages = log_min_messages = ERROR;
  return before;
}

void restore(const Settings& before) {
  GinFuzzySearchLimit = before.gin_fuzzy_search_limit;
  end_unlimited_files();
  trace_sort = before.trace_sort;
  synchronize_seqscans = before.synchronize_seqscans;
  client_min_messages = level_that_is_sent(before.to_client);
  log_min_messages = before.to_log;
}

}  // namespace

void with_fixed_settings(bool is_silent, void (*work)(void*), void* argument) {
  const Settings before = fix(is_silent);
  PG_TRY();
  { work(argument); }
  PG_FINALLY();
  { restore(before); }
  PG_END_TRY();
}

void fix_settings_of_worker() { (void)fix(true); }

}  // namespace idp
