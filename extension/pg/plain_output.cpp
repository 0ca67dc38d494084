#include "extension/pg/plain_output.h"

extern "C" {
#include "utils/guc.h"
}

namespace idp {

PlainOutput::PlainOutput() : level_(NewGUCNestLevel()) {
  static constexpr const char* kSettings[][2] = {{"search_path", "pg_catalog, pg_temp"},
                                                 {"DateStyle", "ISO, YMD"},
                                                 {"IntervalStyle", "postgres"},
                                                 {"TimeZone", "UTC"},
                                                 {"extra_float_digits", "1"},
                                                 {"bytea_output", "hex"},
                                                 {"array_nulls", "on"},
                                                 {"transform_null_equals", "off"},
                                                 {"lc_monetary", "C"},
                                                 {"quote_all_identifiers", "off"},
                                                 {"standard_conforming_strings", "on"}};
  for (const auto& setting : kSettings) {
    (void)set_config_option(setting[0], setting[1], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
                            true, 0, false);
  }
}

void PlainOutput::end() { AtEOXact_GUC(true, level_); }

}  // namespace idp
