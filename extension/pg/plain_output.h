// Text of the server that depends on no setting of the session: names qualified, dates and numbers
// in one form; and is read again as what it was written from.
#pragma once

#include <cstddef>

#include "extension/pg/pg.h"

namespace idp {

class PlainOutput {
 public:
  PlainOutput();
  // Not needed after an error: the server takes the settings back with those of the transaction.
  void end() const;

 private:
  int level_ = 0;  // 0 where all settings were so already
};

// Whether plain texts of a type are read alike whatever the session has set: dates are, as their
// years have four digits or more and come first.
bool is_read_alike(Oid type);

// How many have not ended; and, after an error that is caught without a subtransaction, that those
// which began since then have.
std::size_t open_outputs();
void end_outputs_since(std::size_t open);

// Values within plain output as the session has them: the day of an instant is that of its zone.
class SessionValues {
 public:
  SessionValues();
  // As above.
  void end() const;

 private:
  int level_;  // 0 where no output is plain
};

}  // namespace idp
