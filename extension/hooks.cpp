#include "extension/hooks.h"

#include "extension/pg/pg.h"

#include "extension/statement/statement.h"

namespace idp {

namespace {

ExecutorStart_hook_type previous_executor_start = nullptr;

void executor_start(QueryDesc* query, int flags) {
  if (previous_executor_start) {
    previous_executor_start(query, flags);
  } else {
    standard_ExecutorStart(query, flags);
  }
  begin_statement(query);
}

}  // namespace

void install_hooks() {
  previous_executor_start = ExecutorStart_hook;
  ExecutorStart_hook = executor_start;
}

}  // namespace idp
