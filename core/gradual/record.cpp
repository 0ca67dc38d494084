#include "core/gradual/record.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/aggregate/answer.h"
#include "core/aggregate/spec_wire.h"
#include "core/grid/room.h"
#include "core/mechanism/order_statistic.h"

namespace idp {

namespace {

constexpr std::uint8_t kFirstVersion = 1;
constexpr std::uint8_t kVersion = 2;
constexpr std::size_t kMagicBytes = 4;
using Magic = std::array<std::uint8_t, kMagicBytes>;
constexpr Magic kReleaseMagic{'I', 'D', 'P', 'R'};
constexpr Magic kNoiseMagic{'I', 'D', 'P', 'N'};

constexpr std::uint64_t kNegative = 1 << 15;
constexpr std::size_t kMostBytes = kNegative - 1;
constexpr std::size_t kLeastNumber = 2;  // bytes of the number 0

std::size_t least_bytes(const mpz_class& number) {
  return number == 0 ? 0 : (mpz_sizeinbase(number.get_mpz_t(), 2) + 7) / 8;
}

// Of all numbers of a spec, but for some that no data reach.
std::size_t common_bytes(const Spec& spec) {
  const bool squares = needs_squares(row_of(spec.statistic).moment);
  const std::size_t value = spec.grid.is_float() ? 288 : 32;
  return squares ? 4 * value : spec.collects() == Collects::kBuckets ? value : 2 * value;
}

std::size_t bytes_of(const mpz_class& number, std::size_t common) {
  std::size_t bytes = common;
  while (bytes < least_bytes(number)) bytes = std::min(2 * bytes, kMostBytes);
  return bytes;
}

class Writer {
 public:
  Writer(const Magic& magic, const Spec& spec)
      : common_(common_bytes(spec)), bytes_(magic.begin(), magic.end()) {
    put(kVersion, 1);
  }

  void put(std::uint64_t value, int bytes) {
    std::uint8_t* at = room(static_cast<std::size_t>(bytes));
    put_bytes(at, value, bytes);
  }
  void put(const Spec& spec) {
    std::uint8_t* at = room(kSpecBytes);
    encode_spec(spec, at);
  }
  void put(const mpz_class& number) {
    const std::size_t least = least_bytes(number);
    if (least > kMostBytes) throw std::length_error("a number is too long to be stored");
    const std::size_t size = bytes_of(number, common_);
    put(size | (number < 0 ? kNegative : 0), 2);
    std::uint8_t* at = room(size);  // of zeros
    mpz_export(at + (size - least), nullptr, 1, 1, 1, 0, number.get_mpz_t());
  }
  void put(std::span<const mpz_class> numbers) {
    put(numbers.size(), 4);
    for (const mpz_class& number : numbers) put(number);
  }

  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  // behind the bytes so far, until the next call
  std::uint8_t* room(std::size_t bytes) {
    bytes_.resize(bytes_.size() + bytes);
    return bytes_.data() + (bytes_.size() - bytes);
  }

  std::size_t common_;
  std::vector<std::uint8_t> bytes_;
};

void require(bool sound) {
  if (!sound) throw std::runtime_error("stored release is damaged");
}

class Reader {
 public:
  Reader(std::span<const std::uint8_t> in, const Magic& magic) : left_(in) {
    const std::uint8_t* at = take(kMagicBytes);
    for (const std::uint8_t byte : magic) require(*at++ == byte);
    version_ = get(1);
    require(version_ == kFirstVersion || version_ == kVersion);
  }

  // Whose numbers follow.
  void expect(const Spec& spec) { common_ = version_ == kFirstVersion ? 0 : common_bytes(spec); }

  std::uint64_t get(int bytes) {
    const std::uint8_t* at = take(static_cast<std::size_t>(bytes));
    return get_bytes(at, bytes);
  }
  Spec spec() {
    const std::uint8_t* at = take(kSpecBytes);
    StoredSpec stored;
    require(decode_spec(at, stored) == SpecProblem::kNone);
    return stored.to_spec();
  }
  mpz_class number() {
    const std::uint64_t head = get(2);
    const std::size_t size = head & kMostBytes;
    const bool negative = (head & kNegative) != 0;
    const std::uint8_t* at = take(size);
    mpz_class number;
    mpz_import(number.get_mpz_t(), size, 1, 1, 1, 0, at);
    require(size == (common_ == 0 ? least_bytes(number) : bytes_of(number, common_)));
    require(number != 0 || !negative);
    return negative ? mpz_class(-number) : number;
  }
  std::vector<mpz_class> numbers(std::size_t count) {
    require(get(4) == count && count <= left_.size() / kLeastNumber);
    require_room(left_.size() + count * kShortIntegerBytes);
    std::vector<mpz_class> numbers;
    numbers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(number());
    return numbers;
  }
  void finish() const { require(left_.empty()); }

 private:
  const std::uint8_t* take(std::size_t bytes) {
    require(bytes <= left_.size());
    const std::uint8_t* at = left_.data();
    left_ = left_.subspan(bytes);
    return at;
  }

  std::span<const std::uint8_t> left_;
  std::uint64_t version_ = 0;
  std::size_t common_ = 0;  // bytes of a number; 0 if each has its own
};

// An order statistic by local sensitivity: the one whose answer may not be values plus noise.
bool is_local_value(const Spec& spec) {
  return spec.collects() == Collects::kValues && spec.mechanism() == Mechanism::kLocal;
}

// Whether the last value is a number of rows, which decides whether there is an answer.
bool has_count(const Spec& spec) {
  return spec.collects() == Collects::kMoments && spec.mechanism() == Mechanism::kGlobal &&
         row_of(spec.statistic).moment != Moment::kSum;
}

std::size_t lists_of(const Spec& spec) {
  return spec.collects() == Collects::kBuckets ? 1 : parts_of(spec);
}

mpq_class read_sensitivity(Reader& in) {
  const mpz_class numerator = in.number(), denominator = in.number();
  require(numerator >= 0 && denominator > 0 && gcd(numerator, denominator) == 1);
  return mpq_class(numerator, denominator);
}

void read_grid(Reader& in, const Spec& spec, Frozen& frozen) {
  frozen.dropped = static_cast<std::int16_t>(in.get(2));
  frozen.fill = in.number();
  if (frozen.is_values() && is_local_value(spec) && spec.grid.is_float()) {
    require(frozen.dropped >= kLeastDropped && frozen.dropped <= kMostDropped);
    require(frozen.fill >= 0 && frozen.fill < mpz_class(1) << kFillBits);
  } else {
    require(frozen.dropped == 0 && frozen.fill == 0);
  }
}

}  // namespace

std::vector<std::uint8_t> encode_release(const Spec& spec, const Frozen& frozen) {
  Writer out(kReleaseMagic, spec);
  out.put(spec);
  out.put(static_cast<std::uint64_t>(frozen.kind), 1);
  out.put(static_cast<std::uint8_t>(frozen.infinity), 1);
  out.put(static_cast<std::uint16_t>(frozen.dropped), 2);
  out.put(frozen.fill);
  out.put(frozen.values);
  out.put(frozen.sensitivities.size(), 4);
  out.put(frozen.sensitivities.empty() ? 0 : frozen.sensitivities.front().size(), 1);
  for (const auto& list : frozen.sensitivities) {
    for (const mpq_class& sensitivity : list) {
      out.put(sensitivity.get_num());
      out.put(sensitivity.get_den());
    }
  }
  return out.take();
}

std::vector<std::uint8_t> encode_noise(const Spec& spec, std::span<const mpz_class> noise) {
  Writer out(kNoiseMagic, spec);
  out.put(noise);
  return out.take();
}

StoredRelease decode_release(std::span<const std::uint8_t> bytes) {
  Reader in(bytes, kReleaseMagic);
  StoredRelease release{in.spec(), {}};
  const Spec& spec = release.spec;
  Frozen& frozen = release.frozen;
  in.expect(spec);
  require(is_additive(spec.statistic));

  const std::uint64_t kind = in.get(1);
  require(kind <= static_cast<std::uint64_t>(Frozen::Kind::kCounted));
  frozen.kind = static_cast<Frozen::Kind>(kind);
  frozen.infinity = static_cast<std::int8_t>(in.get(1));
  const bool noisy = frozen.is_values();
  const bool infinite = frozen.kind == Frozen::Kind::kInfinite;
  require(noisy || is_local_value(spec));
  require(frozen.kind != Frozen::Kind::kCounted || has_count(spec));
  require(!infinite ||
          (spec.grid.has_infinity() && row_of(spec.statistic).rank != RankRule::kNone));
  require(infinite ? frozen.infinity == 1 || frozen.infinity == -1 : frozen.infinity == 0);

  read_grid(in, spec, frozen);
  frozen.values = in.numbers(noisy ? parts_of(spec) : 0);
  const std::size_t lists = noisy ? lists_of(spec) : 0;
  const std::size_t distances = noisy ? spec.groups : 0;
  require(in.get(4) == lists && in.get(1) == distances);
  frozen.sensitivities.resize(lists);
  for (auto& list : frozen.sensitivities) {
    for (std::size_t j = 0; j < distances; ++j) list.push_back(read_sensitivity(in));
  }
  in.finish();
  return release;
}

std::vector<mpz_class> decode_noise(const Spec& spec, std::span<const std::uint8_t> bytes,
                                    std::size_t parts) {
  Reader in(bytes, kNoiseMagic);
  in.expect(spec);
  std::vector<mpz_class> noise = in.numbers(parts);
  in.finish();
  return noise;
}

bool same_question(const Spec& a, const Spec& b) {
  Spec other = b;
  other.epsilon = a.epsilon;
  return a == other;
}

}  // namespace idp
