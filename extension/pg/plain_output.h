// Text of the server that depends on no setting of the session: names qualified, dates and numbers
// in one form; and is read again as what it was written from.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

class PlainOutput {
 public:
  PlainOutput();
  // Not needed after an error: the server takes the settings back with those of the transaction.
  void end();

 private:
  int level_;
};

}  // namespace idp
