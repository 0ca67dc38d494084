// Calls over hidden rows are not counted: with track_functions = all the server counts them of
// every function that it does not have itself, and pg_stat_user_functions shows how many rows came
// that far. Whether it counts is settled where the executor sets expressions up.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

class Uncounted {
 public:
  explicit Uncounted(bool reads_hidden_rows);
  // An error needs no end: the server takes the setting back with the transaction's.
  void end();

 private:
  int level_;
};

}  // namespace idp
