#include "extension/release/chosen_chain.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/release/readers.h"

extern "C" {
#include "utils/acl.h"
}

namespace idp {

namespace {

bool is_own(const StoredChain& chain) { return strcmp(chain.role, current_role_name()) == 0; }

bool is_of_owner(const StoredChain& chain) {
  const Oid role = get_role_oid(chain.role, true);
  const Oid owner = owner_id_of(chain.table);
  return OidIsValid(role) && OidIsValid(owner) && has_privs_of_role(role, owner);
}

int rank(const StoredChain& chain) {
  if (is_own(chain)) return 0;
  return is_of_owner(chain) ? 1 : 2;
}

}  // namespace

StoredChain* chain_for(const Asked& asked, Oid table, const char* name) {
  List* chains = chains_named(table, name);
  StoredChain* chosen = nullptr;
  for (auto* chain : list<StoredChain>(chains)) {
    if (is_own(*chain)) chosen = chain;
  }
  if (chosen != nullptr && (has_begun(*chosen) || !is_same(*chosen, asked))) return chosen;
  for (auto* chain : list<StoredChain>(chains)) {
    if (is_own(*chain) || !may_read(*chain) || !is_same(*chain, asked)) continue;
    if (chosen == nullptr || (has_begun(*chain) && !has_begun(*chosen))) chosen = chain;
  }
  return chosen;
}

bool takes_place_of(const StoredChain& begun, const StoredChain& waiting) {
  return has_begun(begun) && !has_begun(waiting) && begun.condition != nullptr &&
         waiting.condition != nullptr && strcmp(begun.condition, waiting.condition) == 0 &&
         strcmp(begun.aggregate, waiting.aggregate) == 0 &&
         strcmp(begun.column, waiting.column) == 0 && begun.result == waiting.result;
}

bool comes_before(const StoredChain& chain, const StoredChain& later) {
  if (takes_place_of(later, chain)) return false;
  if (takes_place_of(chain, later)) return true;
  return rank(chain) <= rank(later);
}

}  // namespace idp
