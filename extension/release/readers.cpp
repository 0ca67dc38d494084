#include "extension/release/readers.h"

#include "extension/budget/account.h"
#include "extension/catalog/account_rows.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/plan/gate.h"

extern "C" {
#include "utils/acl.h"
#include "utils/rls.h"
}

namespace idp {

namespace {

bool has_select(Oid table, const UsedColumns& columns) {
  const Oid user = GetUserId();
  bool is_missing = false;  // by now
  if (pg_class_aclcheck_ext(table, user, ACL_SELECT, &is_missing) == ACLCHECK_OK) return true;
  if (is_missing || !columns.known) return false;
  if (columns.names == NIL) {
    return pg_attribute_aclcheck_all(table, user, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
  }
  for (auto* name : list<char>(columns.names)) {
    const AttrNumber number = get_attnum(table, name);
    if (number == InvalidAttrNumber ||
        pg_attribute_aclcheck(table, number, user, ACL_SELECT) != ACLCHECK_OK) {
      return false;
    }
  }
  return true;
}

// By row security.
bool hides_rows_from_role(Oid table) {
  return check_enable_rls(table, InvalidOid, true) == RLS_ENABLED && !shows_all_rows(table);
}

}  // namespace

bool may_read(Oid table, const char* role, const UsedColumns& columns) {
  if (superuser() || strcmp(role, current_role_name()) == 0) return true;
  if (!OidIsValid(table) || get_rel_name(table) == nullptr) return false;
  return !hides_rows_from_role(table) && has_select(table, columns);
}

bool may_read(const StoredChain& chain) { return may_read(chain.table, chain.role, chain.used); }

void require_readable(const StoredChain& chain) {
  if (may_read(chain)) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied for release \"%s\"", chain.name)));
}

namespace {

bool owns_account_left(List* accounts) {
  for (const auto* account : list<Account>(accounts)) {
    if (!account->waits) continue;
    const auto* row = static_cast<const AccountRow*>(linitial(rows_numbered(account->id)));
    const Oid owner = get_role_oid(row->owner(), true);
    if (OidIsValid(owner) && has_privs_of_role(GetUserId(), owner)) return true;
  }
  return false;
}

// In the table, or as rows of one that it is a part of.
bool may_pay(const StoredChain& chain, Oid table, List* accounts) {
  if (!relation_exists(table)) return owns_account_left(accounts);
  const UsedColumns all{false, NIL};
  List* wholes = list_make1_oid(table);
  for (const Oid oid : oids(wholes)) {  // grows while it is walked
    wholes = list_concat_unique_oid(wholes, parents_of(oid));
  }
  const bool is_of_chain = list_member_oid(wholes, chain.table);
  for (const Oid oid : oids(wholes)) {
    if (accounts == NIL && hides_rows_from_role(oid)) continue;
    if (has_select(oid, is_of_chain ? chain.used : all)) return true;
  }
  return false;
}

bool may_pay(const StoredChain& chain, List* accounts) {
  const bool is_dropped = !OidIsValid(chain.table) && chain.table_name != nullptr;
  if (is_dropped && !owns_account_left(accounts)) return false;
  if (OidIsValid(chain.table) && !may_pay(chain, chain.table, accounts)) return false;
  for (const Oid oid : oids(chain.tables)) {
    if (!may_pay(chain, oid, accounts)) return false;
  }
  return true;
}

}  // namespace

void require_payable(const StoredChain& chain, List* accounts) {
  if (superuser() || may_pay(chain, accounts)) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied to refine release \"%s\"", chain.name),
                  errdetail("A finer answer is for who may read the table itself, or owned it."),
                  errhint("Ask at an epsilon that was answered before, or below the largest.")));
}

bool may_see_condition(const StoredChain& chain) {
  if (superuser() || strcmp(chain.role, current_role_name()) == 0) return true;
  return OidIsValid(chain.table) && get_rel_name(chain.table) != nullptr &&
         pg_class_aclcheck(chain.table, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

}  // namespace idp
