// The query in a text that a function is asked about (idp.cost, idp.audit).
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// One SELECT that changes and locks nothing, after rewriting. function: the name of the function,
// for errors.
Query* query_in_text(const char* text, const char* function);

// Calls work, with positions of errors in the text shown as such.
template <class Work>
void with_text_of_errors(const char* text, Work work);

// Of with_text_of_errors().
void point_into_text(void* text);

template <class Work>
void with_text_of_errors(const char* text, Work work) {
  ErrorContextCallback context = {error_context_stack, point_into_text, const_cast<char*>(text)};
  error_context_stack = &context;
  work();
  error_context_stack = context.previous;
}

}  // namespace idp
