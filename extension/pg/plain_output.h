// Text of the server that depends on no setting of the session: names qualified, dates and numbers
// in one form.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

class PlainOutput {
 public:
  PlainOutput();
  // An error needs no end: the server takes the settings back with the transaction's.
  void end();

 private:
  int level_;
};

}  // namespace idp
