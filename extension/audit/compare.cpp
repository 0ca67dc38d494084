#include "extension/audit/compare.h"

#include <memory_resource>
#include <vector>

#include "core/gradual/record.h"
#include "extension/pg/guard.h"
#include "extension/pg/memory.h"
#include "extension/pg/nodes.h"
#include "extension/release/noise.h"

extern "C" {
#include "utils/datum.h"
}

namespace idp {

namespace {

std::span<const std::uint8_t> bytes_of(const bytea* value) {
  return {reinterpret_cast<const std::uint8_t*>(VARDATA_ANY(value)),
          static_cast<std::size_t>(VARSIZE_ANY_EXHDR(value))};
}

// What it begins with: a number of rows, a rank, or where the second record begins. Bytes of the
// server are aligned for none of these.
std::int64_t number_in(const bytea* evidence) {
  std::int64_t number = 0;
  memcpy(&number, bytes_of(evidence).data(), sizeof number);
  return number;
}
constexpr std::size_t kNumber = sizeof(std::int64_t);

std::pmr::vector<Key128> keys_in(const bytea* evidence, std::pmr::memory_resource* memory) {
  const auto bytes = bytes_of(evidence).subspan(kNumber);
  std::pmr::vector<Key128> keys(bytes.size() / sizeof(Key128), memory);
  if (!keys.empty()) memcpy(keys.data(), bytes.data(), bytes.size());
  return keys;
}

Frozen frozen_in(const bytea* evidence) {
  const auto end = static_cast<std::size_t>(number_in(evidence));
  return decode_release(bytes_of(evidence).subspan(kNumber, end - kNumber)).frozen;
}

Frozen to_compare_in(const bytea* evidence) {
  return decode_release(bytes_of(evidence).subspan(static_cast<std::size_t>(number_in(evidence))))
      .frozen;
}

PairLoss loss_of_ranks(const AuditedCall& call, const bytea* evidence, const bytea* other) {
  ContextResource memory(CurrentMemoryContext);
  const auto keys = keys_in(evidence, &memory), other_keys = keys_in(other, &memory);
  return loss_between(call.request.spec, {keys, number_in(evidence)},
                      {other_keys, number_in(other)});
}

PairLoss loss_of_pair(const AuditedCall& call, const bytea* evidence, const bytea* other) {
  const Spec& spec = call.request.spec;
  if (datumIsEqual(PointerGetDatum(evidence), PointerGetDatum(other), false, -1)) return {};
  PairLoss loss;
  guarded([&] {
    if (spec.mechanism() == Mechanism::kExponential) {
      loss = loss_of_ranks(call, evidence, other);
    } else if (spec.mechanism() == Mechanism::kSelection) {
      loss = loss_between(spec.epsilon, spec.delta, number_in(evidence), number_in(other));
    } else {
      loss = loss_between(spec, call.request.epsilon_span(), frozen_in(evidence),
                          to_compare_in(other));
    }
  });
  return loss;
}

int compare_witnesses(const ListCell* a, const ListCell* b) {
  return strcmp(static_cast<const Witness*>(lfirst(a))->group,
                static_cast<const Witness*>(lfirst(b))->group);
}

const Witness* witness_at(const List* witnesses, int place) {
  return place < list_length(witnesses) ? static_cast<const Witness*>(list_nth(witnesses, place))
                                        : nullptr;
}

}  // namespace

bytea* evidence_of_frozen(const Spec& spec, const Frozen& frozen, const Frozen& to_compare) {
  const std::vector<std::uint8_t> first = encode_release(spec, frozen);
  const std::vector<std::uint8_t> second = encode_release(spec, to_compare);
  const auto place = static_cast<std::int64_t>(kNumber + first.size());
  ContextResource memory(CurrentMemoryContext);
  std::pmr::vector<std::uint8_t> bytes(kNumber, &memory);
  memcpy(bytes.data(), &place, kNumber);
  bytes.insert(bytes.end(), first.begin(), first.end());
  bytes.insert(bytes.end(), second.begin(), second.end());
  return bytea_of(bytes);
}

bytea* evidence_of_count(std::int64_t count) {
  return bytea_of({reinterpret_cast<const std::uint8_t*>(&count), sizeof count});
}

bytea* evidence_of_ranks(std::int64_t rank, std::span<const Key128> keys) {
  ContextResource memory(CurrentMemoryContext);
  std::pmr::vector<std::uint8_t> bytes(kNumber + keys.size_bytes(), &memory);
  memcpy(bytes.data(), &rank, kNumber);
  if (!keys.empty()) memcpy(bytes.data() + kNumber, keys.data(), keys.size_bytes());
  return bytea_of(bytes);
}

CallLoss loss_of_call(const AuditedCall& with_all, const AuditedCall& other, bool is_decided) {
  CallLoss found;
  int a = 0, b = 0;
  for (;;) {
    const Witness* one = witness_at(with_all.witnesses, a);
    const Witness* another = witness_at(other.witnesses, b);
    if (one == nullptr && another == nullptr) return found;
    const int order = one == nullptr       ? 1
                      : another == nullptr ? -1
                                           : strcmp(one->group, another->group);
    if (order != 0 && !is_decided) ++found.groups;
    const bytea* nothing = with_all.of_nothing == nullptr ? other.of_nothing : with_all.of_nothing;
    const PairLoss loss = loss_of_pair(with_all, order > 0 ? nothing : one->evidence,
                                       order < 0 ? nothing : another->evidence);
    found.loss.moved += loss.moved;
    found.loss.loss += loss.loss;
    found.loss.delta += loss.delta;
    a += order <= 0 ? 1 : 0;
    b += order >= 0 ? 1 : 0;
  }
}

void sort_witnesses(AuditRun& run) {
  for (auto* call : list<AuditedCall>(run.calls)) {
    list_sort(call->witnesses, compare_witnesses);
    for (int i = 1; i < list_length(call->witnesses); ++i) {
      if (compare_witnesses(list_nth_cell(call->witnesses, i - 1),
                            list_nth_cell(call->witnesses, i)) != 0) {
        continue;
      }
      ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                      errmsg("idp.audit cannot tell the groups of %s apart", call->name),
                      errdetail("A group was answered twice.")));
    }
  }
}

bool is_decided(const AuditRun& run, const AuditedCall& call) {
  for (const auto* other : list<AuditedCall>(run.calls)) {
    if (other->node == call.node && other->request.spec.mechanism() == Mechanism::kSelection) {
      return true;
    }
  }
  return false;
}

}  // namespace idp
