// Calls over hidden rows are not counted: with track_functions = all the server counts them of
// every function that it does not have itself, and pg_stat_user_functions shows how many rows came
// that far. Whether it counts is settled where the executor sets expressions up.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/instrument.h"
}

namespace idp {

// Runs work() so that the buffers and the log that it uses are not counted, neither of this process
// nor of the statement: total, null if nobody counts that.
void uncounted_usage(Instrumentation* total, void (*work)(void*), void* argument);

template <class Work>
void uncounted_usage(Instrumentation* total, Work work) {
  uncounted_usage(
      total, [](void* argument) { (*static_cast<Work*>(argument))(); }, static_cast<void*>(&work));
}

class Uncounted {
 public:
  explicit Uncounted(bool reads_hidden_rows);
  // An error needs no end: the server takes the setting back with the transaction's.
  void end();

 private:
  int level_;
};

}  // namespace idp
