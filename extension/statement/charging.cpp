#include "extension/statement/charging.h"

#include "core/accounting/composition.h"
#include "extension/budget/account.h"
#include "extension/call/bound_call.h"
#include "extension/catalog/store.h"
#include "extension/plan/groups.h"

namespace idp {

namespace {

// How often the epsilon of a call counts: once or twice for each grouping set.
int factor_of(Agg* plan, Neighbours neighbours) {
  int factor = 0;
  ListCell* cell;
  if (plan->groupingSets == NIL) {
    factor = cost_factor(neighbours, has_groups(plan));
  } else {
    foreach (cell, plan->groupingSets) {
      factor += cost_factor(neighbours, static_cast<List*>(lfirst(cell)) != NIL);
    }
  }
  foreach (cell, plan->chain) factor += factor_of(static_cast<Agg*>(lfirst(cell)), neighbours);
  return factor;
}

}  // namespace

void charge_unnamed(const Query& query) {
  List* accounts = NIL;
  ListCell* cell;
  ListCell* inner;
  bool writes = false;
  foreach (cell, query.calls) {
    const auto* call = static_cast<BoundCall*>(lfirst(cell));
    if (!call->is_fixed) continue;
    writes |= call->accounts != NIL || call->release != nullptr;
    if (call->release != nullptr || call->twin != nullptr) continue;
    accounts = union_of(accounts, call->accounts);
  }
  if (writes) prepare_to_write();
  if (accounts == NIL) return;
  Charging charging(accounts);
  foreach (cell, query.calls) {
    const auto* call = static_cast<BoundCall*>(lfirst(cell));
    if (!call->is_fixed || call->release != nullptr || call->twin != nullptr) continue;
    foreach (inner, call->accounts) {
      const auto* account = static_cast<const Account*>(lfirst(inner));
      const int factor =
          factor_of(reinterpret_cast<Agg*>(call->node->ss.ps.plan), account->neighbours);
      charging.add({account, call->name,
                    decimal_times(decimal_of(call->request.epsilons[0]), factor), nullptr, nullptr,
                    0});
    }
  }
  if (charging.commit()) make_durable();
}

}  // namespace idp
