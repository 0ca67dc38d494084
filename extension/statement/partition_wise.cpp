#include "extension/statement/partition_wise.h"

#include "extension/budget/account.h"
#include "extension/plan/bind.h"
#include "extension/plan/groups.h"
#include "extension/plan/sources.h"

namespace idp {

namespace {

Partition partition_of(List* calls, int from, bool of_worker) {
  Partition partition;
  const AggState* before = nullptr;
  for (int i = from; i < list_length(calls); ++i) {
    auto* call = static_cast<BoundCall*>(list_nth(calls, i));
    if (DO_AGGSPLIT_SKIPFINAL(call->node->aggsplit)) continue;  // the other half answers
    if (call->twin == nullptr) partition.charged = lappend(partition.charged, call);
    const auto* plan = reinterpret_cast<Agg*>(call->node->ss.ps.plan);
    if (!has_groups(plan) || plan->groupingSets != NIL) partition.grouped = false;
    if (call->node != before) {
      partition.relations =
          list_concat(partition.relations, sources_of(call->node, of_worker).relations);
    }
    before = call->node;
  }
  return partition;
}

bool overlap(List* relations, List* others) {
  ListCell* cell;
  foreach (cell, others) {
    if (list_member_oid(relations, lfirst_oid(cell))) return true;
  }
  return false;
}

const Aggref* input_half(const BoundCall& call) {
  PlanNode node = plan_node(&call.node->ss.ps);
  return half_with_arguments(node, call.aggref);
}

bool is_same_call(const BoundCall& one, const BoundCall& other) {
  if (!one.is_sound || !other.is_sound) return false;
  if (!one.is_fixed || !other.is_fixed || !(one.request == other.request)) return false;
  const Aggref* a = input_half(one);
  const Aggref* b = input_half(other);
  return a->aggfnoid == b->aggfnoid && equal(a->args, b->args) &&
         equal(a->aggfilter, b->aggfilter) && equal(a->aggdistinct, b->aggdistinct);
}

// Whether they compute the same groups' answers over other parts of one table.
bool are_twins(const Partition& a, const Partition& b) {
  if (!b.grouped || list_length(a.charged) != list_length(b.charged)) return false;
  for (int i = 0; i < list_length(a.charged); ++i) {
    const auto* one = static_cast<BoundCall*>(list_nth(a.charged, i));
    const auto* other = static_cast<BoundCall*>(list_nth(b.charged, i));
    if (!OidIsValid(one->table) || one->table != other->table || !is_same_call(*one, *other)) {
      return false;
    }
  }
  return !overlap(a.relations, b.relations);
}

}  // namespace

void PartitionWise::add(List* calls, int from) {
  Partition partition = partition_of(calls, from, of_worker_);
  if (partition.charged == NIL || !partition.grouped) return;
  if (model_.charged == NIL) {
    model_ = partition;
    return;
  }
  if (!are_twins(model_, partition)) return;
  for (int k = 0; k < list_length(model_.charged); ++k) {
    auto* call = static_cast<BoundCall*>(list_nth(partition.charged, k));
    call->twin = static_cast<BoundCall*>(list_nth(model_.charged, k));
    // a partition may have an account of its own
    call->twin->accounts = union_of(call->twin->accounts, call->accounts);
  }
  model_.relations = list_concat(model_.relations, partition.relations);
}

}  // namespace idp
