#include "extension/pg/citus_settings.h"

#include <dlfcn.h>

#include "extension/pg/nodes.h"

extern "C" {
#include "access/xact.h"
#include "lib/stringinfo.h"
}

namespace idp {

namespace {

// What Citus keeps of a subtransaction, as far as it matters here.
struct Subtransaction {
  SubTransactionId number;
  StringInfo settings;
};

bool is_empty(const StringInfoData* settings) { return settings == nullptr || settings->len == 0; }

}  // namespace

// A version that keeps them elsewhere is not known: then a transaction of several statements may
// carry some.
bool carries_settings() {
  auto* const* now = static_cast<StringInfo*>(dlsym(RTLD_DEFAULT, "activeSetStmts"));
  using Subtransactions = List* (*)();
  const auto before =
      reinterpret_cast<Subtransactions>(dlsym(RTLD_DEFAULT, "ActiveSubXactContexts"));
  if (now == nullptr || before == nullptr) return IsTransactionBlock() || IsSubTransaction();
  if (!is_empty(*now)) return true;
  for (const auto* one : list<Subtransaction>(before())) {
    if (!is_empty(one->settings)) return true;
  }
  return false;
}

}  // namespace idp
