#include "extension/release/reservation.h"

#include "extension/budget/account.h"
#include "extension/pg/nodes.h"
#include "extension/plan/question.h"
#include "extension/release/chosen_chain.h"
#include "extension/release/noise.h"
#include "extension/release/readers.h"
#include "extension/release/refine.h"
#include "extension/release/release_name.h"
#include "extension/release/same_question.h"

namespace idp {

namespace {

Oid result_of(const BoundCall* call) {
  return get_func_rettype(call->node->peragg[call->aggref->aggno].finalfn_oid);
}

// The release that a call without groups is answered from. A question that is not settled yet may
// turn out to be another one: what that costs is charged all the same.
const StoredChain* chain_of_call(BoundCall* call, const char* name) {
  if (is_settled(call->release.question)) {
    const Asked asked = what_is_asked(call, &call->request, result_of(call));
    const StoredChain* chain = chain_for(asked, call->release.table, name);
    if (chain != nullptr) require_same(*chain, asked);
    return chain;
  }
  const StoredChain* first = nullptr;
  for (const auto* chain : list<StoredChain>(chains_named(call->release.table, name))) {
    if (may_read(*chain) && (first == nullptr || comes_before(*chain, *first))) first = chain;
  }
  return first;
}

// What the release under the name of a call without groups is refined for. False if it costs
// nothing.
bool reserve_for(const StoredChain* chain, Reservation* reservation) {
  BoundCall* call = reservation->call;
  if (chain == nullptr) return true;
  if (!has_begun(*chain)) return true;
  if (!is_beyond(*chain, call->request.epsilons, call->request.spec.groups)) return false;
  reservation->accounts = union_of(accounts_of_chain(*chain), call->charge.accounts);
  reservation->family = &chain->family;
  reservation->grouped = chain->grouped;
  reservation->drawn = record_neighbours(chain->record);
  return true;
}

bool is_of_group(const StoredChain& chain, void* context) {
  const auto* call = static_cast<const BoundCall*>(context);
  return may_read(chain) && is_same(chain, {call, &call->request, result_of(call), nullptr});
}

}  // namespace

Reservation* reservation_of(BoundCall* call) {
  auto* reservation = static_cast<Reservation*>(palloc0(sizeof(Reservation)));
  reservation->call = call;
  reservation->name = release_expression(call->node, call->aggref);
  reservation->accounts = call->charge.accounts;
  if (!has_group_names(call)) {
    const char* name = current_name(call);
    if (name == nullptr || !reserve_for(chain_of_call(call, name), reservation)) return nullptr;
  }
  return reservation->accounts == NIL ? nullptr : reservation;
}

bool may_repeat(const BoundCall* call) {
  return find_chain_of(call->release.table, is_of_group, const_cast<BoundCall*>(call));
}

}  // namespace idp
