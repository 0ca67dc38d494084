#include "extension/pg/fixed_settings.h"

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
  int temp_file_limit;
  bool trace_sort;
  bool synchronize_seqscans;
  int to_client;
  int to_log;
};

Settings fix(bool is_silent) {
  const Settings before = {GinFuzzySearchLimit,  temp_file_limit,     trace_sort,
                           synchronize_seqscans, client_min_messages, log_min_messages};
  GinFuzzySearchLimit = 0;
  temp_file_limit = -1;
  trace_sort = false;
  synchronize_seqscans = false;
  if (is_silent) client_min_messages = log_min_messages = ERROR;
  return before;
}

void restore(const Settings& before) {
  GinFuzzySearchLimit = before.gin_fuzzy_search_limit;
  temp_file_limit = before.temp_file_limit;
  trace_sort = before.trace_sort;
  synchronize_seqscans = before.synchronize_seqscans;
  client_min_messages = before.to_client;
  log_min_messages = before.to_log;
}

// Of the innermost with_fixed_settings() that runs; null if none does.
struct Scope {
  Settings before;
  bool is_silent;
};

Scope* current = nullptr;

}  // namespace

void with_fixed_settings(bool is_silent, void (*work)(void*), void* argument) {
  Scope scope = {fix(is_silent), is_silent};
  Scope* outer = current;
  current = &scope;
  PG_TRY();
  { work(argument); }
  PG_FINALLY();
  {
    current = outer;
    restore(scope.before);
  }
  PG_END_TRY();
}

void without_fixed_settings(void (*work)(void*), void* argument) {
  Scope* scope = current;
  if (scope == nullptr) return work(argument);
  current = nullptr;
  restore(scope->before);
  PG_TRY();
  { work(argument); }
  PG_FINALLY();
  {
    scope->before = fix(scope->is_silent);
    current = scope;
  }
  PG_END_TRY();
}

void fix_settings_of_worker() { (void)fix(true); }

}  // namespace idp
