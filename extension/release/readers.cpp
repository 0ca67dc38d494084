#include "extension/release/readers.h"

#include "extension/pg/catalog_lookup.h"
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
  ListCell* cell;
  foreach (cell, columns.names) {
    const AttrNumber number = get_attnum(table, static_cast<char*>(lfirst(cell)));
    if (number == InvalidAttrNumber ||
        pg_attribute_aclcheck(table, number, user, ACL_SELECT) != ACLCHECK_OK) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool may_read(Oid table, const char* role, const UsedColumns& columns) {
  if (superuser() || strcmp(role, current_role_name()) == 0) return true;
  if (!OidIsValid(table) || get_rel_name(table) == nullptr) return false;
  if (check_enable_rls(table, InvalidOid, true) == RLS_ENABLED && !shows_all_rows(table)) {
    return false;
  }
  return has_select(table, columns);
}

bool may_read(const StoredChain& chain) { return may_read(chain.table, chain.role, chain.used); }

void require_readable(const StoredChain& chain) {
  if (may_read(chain)) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied for release \"%s\"", chain.name)));
}

void require_payable(const StoredChain& chain) {
  if (superuser() || !OidIsValid(chain.table) || get_rel_name(chain.table) == nullptr) return;
  if (has_select(chain.table, chain.used)) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied to refine release \"%s\"", chain.name),
                  errdetail("It is charged to the table, which the role may not read itself."),
                  errhint("Ask at an epsilon that was answered before, or below the largest.")));
}

bool may_see_condition(const StoredChain& chain) {
  if (superuser() || strcmp(chain.role, current_role_name()) == 0) return true;
  return OidIsValid(chain.table) && get_rel_name(chain.table) != nullptr &&
         pg_class_aclcheck(chain.table, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

}  // namespace idp
