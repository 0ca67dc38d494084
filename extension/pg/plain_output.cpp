#include "extension/pg/plain_output.h"

#include <string>

extern "C" {
#include "access/xact.h"
#include "utils/guc.h"
}

namespace idp {

namespace {

// Those that values follow, not only how they are written, come first.
constexpr const char* kSettings[][2] = {{"DateStyle", "ISO, YMD"},
                                        {"IntervalStyle", "postgres"},
                                        {"TimeZone", "UTC"},
                                        {"extra_float_digits", "1"},
                                        {"bytea_output", "hex"},
                                        {"lc_monetary", "C"},
                                        {"array_nulls", "on"},
                                        {"search_path", "pg_catalog, pg_temp"},
                                        {"transform_null_equals", "off"},
                                        {"quote_all_identifiers", "off"},
                                        {"standard_conforming_strings", "on"}};
constexpr int kOfValues = 7;

// What the session has, around the outermost plain output that has not ended.
int depth = 0;
std::string of_session[kOfValues];

void set(const char* name, const char* value) {
  (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

// After an error all outputs have ended: none is open where a transaction, or a part of one, ends.
void end_all(XactEvent, void*) { depth = 0; }
void end_all_of_part(SubXactEvent event, SubTransactionId, SubTransactionId, void*) {
  if (event == SUBXACT_EVENT_ABORT_SUB) depth = 0;
}

void keep_settings_of_session() {
  static bool is_watching = false;
  if (!is_watching) {
    RegisterXactCallback(end_all, nullptr);
    RegisterSubXactCallback(end_all_of_part, nullptr);
    is_watching = true;
  }
  for (int i = 0; i < kOfValues; ++i) {
    of_session[i] = GetConfigOption(kSettings[i][0], false, false);
  }
}

}  // namespace

PlainOutput::PlainOutput() : level_(NewGUCNestLevel()) {
  if (depth == 0) keep_settings_of_session();
  ++depth;
  for (const auto& setting : kSettings) set(setting[0], setting[1]);
}

void PlainOutput::end() {
  --depth;
  AtEOXact_GUC(true, level_);
}

SessionValues::SessionValues() : level_(depth == 0 ? 0 : NewGUCNestLevel()) {
  for (int i = 0; level_ != 0 && i < kOfValues; ++i) set(kSettings[i][0], of_session[i].c_str());
}

void SessionValues::end() const {
  if (level_ != 0) AtEOXact_GUC(true, level_);
}

}  // namespace idp
