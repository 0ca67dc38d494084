#include "extension/release/noise.h"

#include <new>
#include <vector>

#include "core/aggregate/times_lost.h"
#include "core/gradual/record.h"
#include "core/gradual/release.h"
#include "extension/types/answer.h"
#include "extension/pg/guard.h"
#include "extension/pg/server_bits.h"

namespace idp {

namespace {

std::span<const std::uint8_t> bytes_of(const bytea* value) {
  return {reinterpret_cast<const std::uint8_t*>(VARDATA_ANY(value)),
          static_cast<std::size_t>(VARSIZE_ANY_EXHDR(value))};
}

}  // namespace

bytea* bytea_of(std::span<const std::uint8_t> bytes) {
  const Size size = VARHDRSZ + bytes.size();
  auto* value = size > MaxAllocSize ? nullptr
                                    : static_cast<bytea*>(MemoryContextAllocExtended(
                                          CurrentMemoryContext, size, MCXT_ALLOC_NO_OOM));
  if (value == nullptr) throw std::bad_alloc();
  SET_VARSIZE(value, size);
  memcpy(VARDATA(value), bytes.data(), bytes.size());
  return value;
}

bytea* noise_at(const bytea* record, const StoredLevel* levels, int level_count,
                const double* epsilons, int count) {
  bytea* noise = nullptr;
  guarded([&] {
    const StoredRelease release = decode_release(bytes_of(record));
    const std::size_t parts = release.frozen.values.size();
    std::vector<ReleasedLevel> released;
    for (int i = 0; i < level_count; ++i) {
      released.push_back({{levels[i].epsilons, levels[i].epsilons + levels[i].count},
                          decode_noise(release.spec, bytes_of(levels[i].noise), parts)});
    }
    noise =
        bytea_of(encode_noise(release.spec, noise_at(release.frozen, released,
                                                     {epsilons, static_cast<std::size_t>(count)},
                                                     server_bits(), interrupt_pending)));
  });
  return noise;
}

bool record_answers(const bytea* record, const Spec& spec) {
  bool same = false;
  guarded([&] { same = same_question(decode_release(bytes_of(record)).spec, spec); });
  return same;
}

Spec record_spec(const bytea* record) {
  Spec spec;
  guarded([&] { spec = decode_release(bytes_of(record)).spec; });
  return spec;
}

Neighbours record_neighbours(const bytea* record) {
  Neighbours drawn{};
  guarded([&] {
    const StoredRelease release = decode_release(bytes_of(record));
    drawn = drawn_for(release.spec, release.frozen);
  });
  return drawn;
}

int record_epsilons(const bytea* record) {
  int count = 0;
  guarded([&] { count = decode_release(bytes_of(record)).spec.groups; });
  return count;
}

bool answer_of(const bytea* record, std::span<const double> epsilons, const bytea* noise,
               Oid result, Datum* answer) {
  Spec spec;
  PlainAnswer plain;
  guarded([&] {
    const StoredRelease release = decode_release(bytes_of(record));
    spec = release.spec;
    plain =
        plain_answer(idp::answer(spec, release.frozen, epsilons,
                                 decode_noise(spec, bytes_of(noise), release.frozen.values.size())),
                     result);
  });
  if (plain.suppressed) return false;
  *answer = datum_of_answer(spec, plain, result);
  return true;
}

}  // namespace idp
