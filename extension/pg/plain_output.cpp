#include "extension/pg/plain_output.h"

#include <string>
#include <vector>

extern "C" {
#include "access/xact.h"
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "parser/parse_expr.h"
#include "parser/parser.h"
#include "pgtime.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/bytea.h"
#include "utils/float.h"
#include "utils/guc.h"
#include "utils/pg_locale.h"
}

namespace idp {

namespace {

bool is(const char* value, const char* expected) {
  return value != nullptr && strcmp(value, expected) == 0;
}

struct Setting {
  const char* name;
  const char* value;
  bool (*is_set)();
};

// Those that values follow, not only how they are written, come first.
constexpr Setting kSettings[] = {
    {"DateStyle", "ISO, YMD",
     [] { return DateStyle == USE_ISO_DATES && DateOrder == DATEORDER_YMD; }},
    {"IntervalStyle", "postgres", [] { return IntervalStyle == INTSTYLE_POSTGRES; }},
    {"TimeZone", "UTC", [] { return is(pg_get_timezone_name(session_timezone), "UTC"); }},
    {"extra_float_digits", "1", [] { return extra_float_digits == 1; }},
    {"bytea_output", "hex", [] { return bytea_output == BYTEA_OUTPUT_HEX; }},
    {"lc_monetary", "C", [] { return is(locale_monetary, "C"); }},
    {"array_nulls", "on", [] { return Array_nulls; }},
    {"search_path", "pg_catalog, pg_temp",
     [] { return is(namespace_search_path, "pg_catalog, pg_temp"); }},
    {"transform_null_equals", "off", [] { return !Transform_null_equals; }},
    {"quote_all_identifiers", "off", [] { return !quote_all_identifiers; }},
    {"standard_conforming_strings", "on", [] { return standard_conforming_strings; }}};
constexpr int kOfValues = 7;

// What the session has, around the outermost plain output that has not ended.
std::vector<int> open_at;  // of those that have not ended: how deep in subtransactions each began
std::string of_session[kOfValues];

void set(const char* name, const char* value) {
  (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

bool all_are_set() {
  for (const Setting& setting : kSettings) {
    if (!setting.is_set()) return false;
  }
  return true;
}

// After an error all outputs have ended that began in the transaction, or in the part of it that is
// rolled back. A function that is called within one may catch an error of its own.
void end_all(XactEvent, void*) { open_at.clear(); }
void end_all_of_part(SubXactEvent event, SubTransactionId, SubTransactionId, void*) {
  if (event != SUBXACT_EVENT_ABORT_SUB) return;
  while (!open_at.empty() && open_at.back() >= GetCurrentTransactionNestLevel()) open_at.pop_back();
}

void keep_settings_of_session() {
  static bool is_watching = false;
  if (!is_watching) {
    RegisterXactCallback(end_all, nullptr);
    RegisterSubXactCallback(end_all_of_part, nullptr);
    is_watching = true;
  }
  for (int i = 0; i < kOfValues; ++i) {
    const Setting& setting = kSettings[i];
    of_session[i] = setting.is_set() ? setting.value : GetConfigOption(setting.name, false, false);
  }
}

}  // namespace

PlainOutput::PlainOutput() {
  if (open_at.empty()) keep_settings_of_session();
  open_at.push_back(GetCurrentTransactionNestLevel());
  if (all_are_set()) return;
  level_ = NewGUCNestLevel();
  for (const Setting& setting : kSettings) {
    if (!setting.is_set()) set(setting.name, setting.value);
  }
}

void PlainOutput::end() const {
  if (!open_at.empty()) open_at.pop_back();
  if (level_ != 0) AtEOXact_GUC(true, level_);
}

bool is_read_alike(Oid type) {
  switch (getBaseType(type)) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case DATEOID:
      return true;
    default:
      return false;
  }
}

std::size_t open_outputs() { return open_at.size(); }

void end_outputs_since(std::size_t open) {
  if (open_at.size() > open) open_at.resize(open);
}

SessionValues::SessionValues() : level_(open_at.empty() ? 0 : NewGUCNestLevel()) {
  for (int i = 0; level_ != 0 && i < kOfValues; ++i) {
    set(kSettings[i].name, of_session[i].c_str());
  }
}

void SessionValues::end() const {
  if (level_ != 0) AtEOXact_GUC(true, level_);
}

}  // namespace idp
