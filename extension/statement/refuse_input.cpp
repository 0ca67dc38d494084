#include "extension/statement/refuse_input.h"

#include "extension/budget/account.h"
#include "extension/pg/nodes.h"

namespace idp {

namespace {

int cannot_be_computed(const BoundCall& call, const char* table, const Problem& problem) {
  return errmsg("%s of protected table \"%s\" cannot be computed over %s: %s", call.name, table,
                problem.words, problem.advice);
}

}  // namespace

void refuse_input(const BoundCall& call, const Problem& problem) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  cannot_be_computed(call, table_text(call.charge.accounts), problem),
                  errdetail("Each input of the aggregate must be one row of the table, once, "
                            "whatever the other rows hold."),
                  errhint("%s", problem.way_out)));
  pg_unreachable();
}

void refuse_unbounded(const BoundCall& call, const Account& account) {
  // where each row is a unit, none has rows elsewhere
  if (account.unit == nullptr) refuse_input(call, *account.unbounded);
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           cannot_be_computed(call, account.name, *account.unbounded),
           errdetail("An answer must not tell of one unit, whose rows are all those that belong to "
                     "one \"%s\", in whatever table.",
                     account.unit),
           errhint("%s", account.unbounded->way_out)));
  pg_unreachable();
}

// Which of several comes first hangs on the plan, and so on the sizes of tables.
const char* table_text(List* accounts) {
  const auto* first = static_cast<Account*>(linitial(accounts));
  for (const auto* account : list<Account>(accounts)) {
    if (account->id < first->id) first = account;
  }
  return first->name;
}

}  // namespace idp
