#include "extension/access/usage_counters.h"

extern "C" {
#include "utils/guc.h"
}

namespace idp {

Uncounted::Uncounted(bool reads_hidden_rows) : level_(reads_hidden_rows ? NewGUCNestLevel() : 0) {
  if (level_ == 0) return;
  (void)set_config_option("track_functions", "none", PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE,
                          true, 0, false);
}

void Uncounted::end() {
  if (level_ != 0) AtEOXact_GUC(true, level_);
}

void uncounted_usage(Instrumentation* total, void (*work)(void*), void* argument) {
  const BufferUsage buffers = pgBufferUsage;
  const WalUsage log = pgWalUsage;
  PG_TRY();
  { work(argument); }
  PG_FINALLY();
  {
    pgBufferUsage = buffers;
    pgWalUsage = log;
  }
  PG_END_TRY();
  if (total == nullptr) return;
  total->bufusage = {};
  total->walusage = {};
}

}  // namespace idp
