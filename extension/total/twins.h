// Total twins (twin_rows.h) in expressions: from an original to its twin, and back.
//
// A twin is a call of idp.total(original, operator, …): the function of the server, the operator
// that stands for it in the query, or 0, and its arguments. Its type is that of the original, which
// no call that users write has: the function is declared to give "any". It is made of plans alone,
// where both types are known to fit, and answers no other call.
#pragma once

#include "extension/pg/pg.h"

#include <optional>

#include "extension/total/twin_rows.h"

namespace idp {

// How many constants come before the arguments of the original.
constexpr int kTwinConstants = 2;

struct Twin {
  const twin_rows::Row* row;
  Oid function;     // the original
  Oid op;           // the operator that it stands for in the query, or invalid
  List* arguments;  // of the original
};

// What a call says that it stands for, if an original is listed for its types. Reads no catalog:
// where rows are hidden, the first of them must not be what a lock is taken for.
std::optional<Twin> described_twin(const Node* call);

// The same of a call of idp.total(), and of nothing else.
std::optional<Twin> twin_at(const Node* expression);

// A call of the twin of what an expression calls: a function, an operator, or a cast from text.
// Null if that has none.
Node* twin_of(Node* expression);

// The same, and an expression that has none as it is.
Node* in_total_form(Node* expression);

// What a twin stands for, over the same arguments; another expression as it is.
Node* original_of(Node* expression);

// An expression with all twins in it taken out again, to print it.
Node* with_originals(Node* expression);

// The twin of plain arithmetic with that symbol, called with these constants first; null if none.
PGFunction direct_twin(const char* original);

}  // namespace idp
