#include "extension/access/hidden.h"

#include <algorithm>

#include "extension/budget/account.h"
#include "extension/catalog/account_rows.h"
#include "extension/distribute/remote_ask.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/known_relations.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/plan/gate.h"

extern "C" {
#include "access/parallel.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/plancache.h"
#include "utils/catcache.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

// What hides rows. A gate alone does on a worker of a cluster, whose coordinator has the account,
// and where a table was a part of a hidden one, or was restored without the ledger.
enum class Hider { kNone, kAccount, kGate };

// What is known of a relation, until anything about relations changes.
struct Entry {
  Oid relation;
  Hider hider;
  List* owned;  // the tables whose owners see the rows: for each account that hides them one
};

KnownRelations<Entry> known("idp: hidden tables");
Entry last = {InvalidOid, Hider::kNone, NIL};  // that was found in it
bool exempts_nobody = false;                   // see as_others_see()

void forget_relations(Datum, Oid) { known.forget(); }
void forget_all(Datum, int, uint32) { known.forget(); }

// Its rows are long values of the rows of another table. Nobody has a right to it but by one to
// read all tables.
bool holds_long_values(Oid relation) { return get_rel_namespace(relation) == PG_TOAST_NAMESPACE; }

// The table whose rows those are, which its name tells; any other table itself.
Oid table_of_values(Oid relation) {
  Oid table = InvalidOid;
  if (!holds_long_values(relation)) return relation;
  return sscanf(get_rel_name(relation), "pg_toast_%u", &table) == 1 ? table : relation;
}

// Whether a table may have an account. Those of the server and of the extension have none; and
// accounts cannot be read while their table is written anew, or an index of it.
bool may_have_account(Oid relation) {
  if (relation < FirstNormalObjectId) return false;
  const Oid schema = get_namespace_oid("idp", true);
  return OidIsValid(schema) && get_rel_namespace(table_of_values(relation)) != schema;
}

// Whether its rows are long values of the extension's own tables: answers with their noise.
bool holds_own_values(Oid relation) {
  if (relation < FirstNormalObjectId || !holds_long_values(relation)) return false;
  const Oid schema = get_namespace_oid("idp", true);
  return OidIsValid(schema) && get_rel_namespace(table_of_values(relation)) == schema;
}

bool is_part_of(Oid relation, Oid whole) {
  List* tables = list_make1_oid(relation);
  for (const Oid oid : oids(tables)) {  // grows while it is walked
    if (oid == whole) return true;
    tables = list_concat_unique_oid(tables, parents_of(oid));
  }
  return false;
}

// What an account protects that hides a table: the whole that it is a part of; itself if its name
// is what counts; or what is linked to the account.
Oid protected_table(Oid relation, const Account& account) {
  if (account.waits) return relation;
  return is_part_of(relation, account.table) ? account.table : whole_of(relation);
}

Entry look_up(Oid relation) {
  Entry found = {relation, Hider::kNone, NIL};
  if (holds_own_values(relation)) {
    found.hider = Hider::kAccount;  // row security of those tables does not cover these
    return found;
  }
  // Without a gate the extension is not there, or not whole, or of an earlier version.
  if (!may_have_account(relation) || !OidIsValid(gate_function())) return found;
  if (holds_long_values(relation)) {
    if (any_hidden_account() || any_gate_policy()) found.hider = Hider::kAccount;
    return found;
  }
  for (const auto* account : list<Account>(protecting_accounts(relation))) {
    if (!account->hidden) continue;
    found.hider = Hider::kAccount;
    found.owned = list_append_unique_oid(found.owned, protected_table(relation, *account));
  }
  if (found.hider == Hider::kNone && has_gate_policy(relation)) {
    found.hider = Hider::kGate;
    found.owned = list_make1_oid(whole_of(relation));
  }
  return found;
}

Entry entry_of(Oid relation) {
  if (!OidIsValid(relation) || !IsTransactionState()) return {relation, Hider::kNone, NIL};
  if (!known.is_current()) last.relation = InvalidOid;
  if (last.relation == relation) return last;
  if (const Entry* found = known.find(relation)) return last = *found;
  return known.look_up(
      relation, [&] { return look_up(relation); },
      [](Entry entry) {
        entry.owned = list_copy(entry.owned);
        return entry;
      });
}

// What functions have planned meanwhile is private, and is planned anew.
void see_as_before(bool before) {
  exempts_nobody = before;
  ResetPlanCache();
}

}  // namespace

void as_others_see(void (*work)(void*), void* argument) {
  const bool before = exempts_nobody;
  exempts_nobody = true;
  PG_TRY();
  { work(argument); }
  PG_CATCH();
  {
    see_as_before(before);
    PG_RE_THROW();
  }
  PG_END_TRY();
  see_as_before(before);
}

bool looks_as_others() { return exempts_nobody; }

bool sees_all_rows() { return !exempts_nobody && passes_row_security(); }

bool hides_rows(Oid relation) { return entry_of(relation).hider != Hider::kNone; }

bool has_hiding_account(Oid relation) { return entry_of(relation).hider == Hider::kAccount; }

bool is_hidden(Oid relation) {
  const Entry entry = entry_of(relation);
  if (entry.hider == Hider::kNone || sees_all_rows() || is_asked_for(relation)) return false;
  if (exempts_nobody) return true;
  if (holds_long_values(relation)) return true;
  for (const Oid oid : oids(entry.owned)) {
    if (!owns(oid)) return true;
  }
  return false;
}

bool names_hidden_table(const Query* query) {
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_RELATION && hides_rows(entry->relid) && is_hidden(entry->relid)) {
      return true;
    }
  }
  return false;
}

namespace {

bool find_hidden(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_hidden, nullptr);
  auto* query = as<Query>(node);
  return names_hidden_table(query) || walk_query(query, find_hidden, nullptr);
}

}  // namespace

bool names_hidden_table_anywhere(Query* query) { return find_hidden(as<Node>(query), nullptr); }

bool is_hidden_as_dropped(Oid relation) {
  if (holds_long_values(relation)) return false;
  for (const auto* account : list<Account>(accounts_of(relation))) {
    if (account->hidden && !account->waits) return false;
  }
  return has_hiding_account(relation);
}

bool hides_statistics() {
  return OidIsValid(gate_function()) && !passes_row_security() &&
         (any_hidden_account() || any_gate_policy());
}

bool passes_row_security() { return superuser() || has_bypassrls_privilege(GetUserId()); }

Oid first_hidden(List* relations) {
  for (const Oid oid : oids(relations)) {
    if (is_hidden(oid)) return oid;
  }
  return InvalidOid;
}

Oid first_hidden_of(const PlannedStmt* plan) {
  for (const auto* entry : list<RangeTblEntry>(plan->rtable)) {
    const Oid table = entry->relid;
    if (is_hidden(table)) return table;
  }
  return InvalidOid;
}

void watch_relations() {
  CacheRegisterRelcacheCallback(forget_relations, Datum{0});
  CacheRegisterSyscacheCallback(NAMESPACEOID, forget_all, Datum{0});
}

bool is_exempt(Oid role, Oid hidden) {
  return superuser_arg(role) || has_bypassrls_privilege(role) ||
         has_privs_of_role(role, owner_id_of(hidden));
}

namespace {

constexpr AclMode kMore = ACL_ALL_RIGHTS_RELATION & ~ACL_SELECT;

bool has_only_select(Oid role, Oid table) {
  return pg_class_aclmask(table, role, kMore, ACLMASK_ANY) == 0 &&
         pg_attribute_aclcheck_all(table, role, ACL_INSERT, ACLMASK_ANY) != ACLCHECK_OK &&
         pg_attribute_aclcheck_all(table, role, ACL_UPDATE, ACLMASK_ANY) != ACLCHECK_OK &&
         pg_attribute_aclcheck_all(table, role, ACL_REFERENCES, ACLMASK_ANY) != ACLCHECK_OK;
}

// Whether a list of rights has more for a role that another one can become, by SET ROLE, though it
// does not have its rights.
bool gives_more_to_another(Datum rights, bool is_null, Oid role) {
  if (is_null) return false;
  const Acl* list = DatumGetAclP(rights);
  const AclItem* items = ACL_DAT(list);
  return std::any_of(items, items + ACL_NUM(list), [&](const AclItem& item) {
    return (item.ai_privs & kMore) != 0 && OidIsValid(item.ai_grantee) &&
           is_member_of_role_nosuper(role, item.ai_grantee);
  });
}

// No role that it can become may do more than read, either.
bool may_only_read(Oid role, Oid table) {
  if (!has_only_select(role, table)) return false;
  if (is_member_of_role_nosuper(role, owner_id_of(table)) ||
      is_member_of_role_nosuper(role, ROLE_PG_WRITE_ALL_DATA)) {
    return false;
  }
  bool is_null = false;
  HeapTuple row = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(row)) return false;
  const Datum rights = SysCacheGetAttr(RELOID, row, Anum_pg_class_relacl, &is_null);
  bool gives_more = gives_more_to_another(rights, is_null, role);
  ReleaseSysCache(row);
  CatCList* columns = SearchSysCacheList1(ATTNUM, ObjectIdGetDatum(table));
  for (int i = 0; i < columns->n_members && !gives_more; ++i) {
    const Datum given =
        SysCacheGetAttr(ATTNUM, &columns->members[i]->tuple, Anum_pg_attribute_attacl, &is_null);
    gives_more = gives_more_to_another(given, is_null, role);
  }
  ReleaseSysCacheList(columns);
  return !gives_more;
}

}  // namespace

bool is_kept_by_others(Oid table, Oid hidden) {
  // catalogs are written by whoever creates something
  if (table < FirstNormalObjectId || !is_exempt(owner_id_of(table), hidden)) return false;
  if (exempts_nobody && is_exempt(GetUserId(), hidden)) return true;
  const Oid session = GetSessionUserId();
  return may_only_read(GetUserId(), table) &&
         (is_exempt(session, hidden) || may_only_read(session, table));
}

bool may_be_read_beside(Oid one, Oid other) {
  if (one == other) return true;
  const Oid role = GetUserId();
  if (exempts_nobody && is_exempt(role, one) && is_exempt(role, other)) return true;
  const Oid of_one = owner_id_of(whole_of(one));
  const Oid of_other = owner_id_of(whole_of(other));
  return of_one == of_other || (is_exempt(of_one, other) && is_exempt(of_other, one));
}

}  // namespace idp
