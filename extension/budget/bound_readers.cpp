#include "extension/budget/bound_readers.h"

#include "extension/budget/account.h"
#include "extension/budget/role_limit.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"

extern "C" {
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

void require_bound_reader(int32 account, Oid reader, Oid table) {
  const char* limit = limit_of_another(account, reader);
  if (limit == nullptr) return;
  ereport(
      ERROR,
      (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
       errmsg("private answers about table \"%s\" are not given through a view of role "
              "\"%s\", which has a limit that does not bind who asks",
              get_rel_name(table), GetUserNameFromId(reader, false)),
       errdetail("What is asked through it would not count for the limit of role \"%s\".", limit),
       errhint("Have the table's owner grant you SELECT on the table, or make the view.")));
}

// Whether who asks may read something of the table himself.
bool has_own_right(Oid table) {
  const Oid role = GetUserId();
  return pg_class_aclcheck(table, role, ACL_SELECT) == ACLCHECK_OK ||
         pg_attribute_aclcheck_all(table, role, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
}

}  // namespace

void require_bound_readers(EState* state, const List* accounts) {
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    if (entry->rtekind != RTE_RELATION) continue;
    const Oid reader = reader_of(state, entry);
    if (!OidIsValid(reader) || reader == GetUserId()) continue;
    if (protecting_accounts(entry->relid) == NIL || has_own_right(entry->relid)) continue;
    for (const auto* account : list<Account>(accounts)) {
      require_bound_reader(account->id, reader, entry->relid);
      if (account->part_of != 0) require_bound_reader(account->part_of, reader, entry->relid);
    }
  }
}

}  // namespace idp
