// Total twins (twin_rows.h) in the catalog and in expressions: from an original to its twin, and
// back.
#pragma once

#include "extension/pg/pg.h"

#include "extension/total/twin_rows.h"

namespace idp {

// Notes what the twin stands for, if it is one (noted_original).
bool is_twin(Oid function);

// What a twin stands for.
struct Original {
  Oid function;
  twin_rows::Form form;
  uint32 varying;      // a bit for each argument of the twin whose values vary in length
  bool gives_varying;  // likewise, for what it gives
};

// Of the twin; an error if it is none.
Original original_of(Oid twin);

// The same as it was noted in this process, or else looked up: where rows are hidden, the first
// of them must not be what catalogs are read for, which takes locks.
Original noted_original(Oid twin);

// A call of the twin of what an expression calls: a function, an operator, or a cast from text.
// Null if that has none.
Node* twin_of(Node* expression);

// An expression with what twin_of() put into it taken out again, to print it.
Node* with_originals(Node* expression);

}  // namespace idp
