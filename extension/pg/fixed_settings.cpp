#include "extension/pg/fixed_settings.h"

extern "C" {
#include "access/gin.h"
#include "utils/guc.h"
#include "utils/tuplesort.h"
}

namespace idp {

namespace {

struct Settings {
  int gin_fuzzy_search_limit;
  int temp_file_limit;
  bool trace_sort;
};

Settings fix() {
  const Settings before = {GinFuzzySearchLimit, temp_file_limit, trace_sort};
  GinFuzzySearchLimit = 0;
  temp_file_limit = -1;
  trace_sort = false;
  return before;
}

void restore(const Settings& before) {
  GinFuzzySearchLimit = before.gin_fuzzy_search_limit;
  temp_file_limit = before.temp_file_limit;
  trace_sort = before.trace_sort;
}

}  // namespace

void with_fixed_settings(void (*work)(void*), void* argument) {
  const Settings before = fix();
  PG_TRY();
  { work(argument); }
  PG_FINALLY();
  { restore(before); }
  PG_END_TRY();
}

void fix_settings_of_worker() {
  (void)fix();
  client_min_messages = log_min_messages = ERROR;
}

}  // namespace idp
