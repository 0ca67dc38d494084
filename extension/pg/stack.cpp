#include "extension/pg/stack.h"

extern "C" {
#include "miscadmin.h"
#include "tcop/tcopprot.h"
}

namespace idp {

namespace {

// More than any node takes to give a row.
constexpr int64 kBytesOfNode = 4096;

int64 limit() { return int64{max_stack_depth} * 1024; }

int64 used() {
  const pg_stack_base_t base = set_stack_base();  // says where it was
  restore_stack_base(base);
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  return here < base ? base - here : here - base;
}

}  // namespace

void require_stack() {
  if (used() <= limit() / 2) return;
  ereport(ERROR, (errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
                  errmsg("too little of the stack is left to read rows privately"),
                  errdetail("More than half of max_stack_depth is used."),
                  errhint("Ask outside functions that call themselves.")));
}

int deepest_plan() { return static_cast<int>(limit() / 4 / kBytesOfNode); }

}  // namespace idp
