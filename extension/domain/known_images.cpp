#include "extension/domain/known_images.h"

#include "extension/pg/digest.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "common/hashfn.h"
#include "pgtime.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace idp {

namespace {

// Of fewer values it is found out soon enough.
constexpr int kFew = 100;
constexpr long kMostKept = 64;
constexpr Size kLongestName = 65;

struct Known {
  char name[kLongestName];
  bool truth;  // or whether NULL is among the values
  Keys values;
};

MemoryContext context = nullptr;
HTAB* all = nullptr;

HTAB* known() {
  if (all != nullptr && hash_get_num_entries(all) < kMostKept) return all;
  if (context == nullptr) {
    context = AllocSetContextCreate(TopMemoryContext, "idp known images", ALLOCSET_DEFAULT_SIZES);
  }
  all = nullptr;
  MemoryContextReset(context);
  HASHCTL control{};
  control.keysize = kLongestName;
  control.entrysize = sizeof(Known);
  control.hcxt = context;
  all =
      hash_create("idp known images", kMostKept, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
  return all;
}

const Known* find(const char* name) {
  if (name == nullptr || all == nullptr) return nullptr;
  return static_cast<const Known*>(hash_search(all, name, HASH_FIND, nullptr));
}

Datum* copies(const Keys& values) {
  int16 length;
  bool by_value;
  get_typlenbyval(values.type, &length, &by_value);
  auto* all_values =
      static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<size_t>(Max(values.count, 1))));
  for (int i = 0; i < values.count; ++i) {
    all_values[i] = datumCopy(values.values[i], by_value, length);
  }
  return all_values;
}

}  // namespace

const char* name_of_known(const char* what, const KeyColumn& base, const Node* expression) {
  const Keys& keys = base.keys;
  if (keys.values == nullptr || keys.count < kFew || !get_typbyval(keys.type)) return nullptr;
  const uint64 values =
      hash_bytes_extended(reinterpret_cast<const unsigned char*>(keys.values),
                          static_cast<int>(sizeof(Datum) * static_cast<size_t>(keys.count)), 0);
  const char* words =
      psprintf("%s %s %d %u %d %d " UINT64_FORMAT " %s %s %s", what,
               pg_get_timezone_name(session_timezone), base.column->varno, keys.type, keys.count,
               base.may_be_null, values, keys.grain.unit == nullptr ? "" : keys.grain.unit,
               keys.grain.zone == nullptr ? "" : keys.grain.zone, nodeToString(expression));
  return sha256_of(words);
}

bool known_values(const char* name, Keys* values, bool* has_null) {
  const Known* found = find(name);
  if (found == nullptr) return false;
  *values = found->values;
  values->values = copies(found->values);
  *has_null = found->truth;
  return true;
}

void keep_values(const char* name, const Keys& values, bool has_null) {
  if (name == nullptr) return;
  HTAB* table = known();
  const MemoryContext before = MemoryContextSwitchTo(context);
  Keys kept = values;
  kept.values = copies(values);
  auto* entry = static_cast<Known*>(hash_search(table, name, HASH_ENTER, nullptr));
  entry->truth = has_null;
  entry->values = kept;
  MemoryContextSwitchTo(before);
}

bool known_truth(const char* name, bool* truth) {
  const Known* found = find(name);
  if (found != nullptr) *truth = found->truth;
  return found != nullptr;
}

void keep_truth(const char* name, bool truth) {
  if (name == nullptr) return;
  auto* entry = static_cast<Known*>(hash_search(known(), name, HASH_ENTER, nullptr));
  entry->truth = truth;
  entry->values = {};
}

}  // namespace idp
