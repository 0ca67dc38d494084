#include "extension/types/answer.h"

#include <algorithm>
#include <string>

#include "extension/pg/memory.h"
#include "extension/types/numeric_grid.h"
#include "extension/types/types.h"

namespace idp {

namespace {

void* allocate(Size size) {
  return ContextResource(CurrentMemoryContext).allocate(size, MAXIMUM_ALIGNOF);
}

char* decimal_text(const Number& number) {
  const std::size_t digits = mpz_sizeinbase(number.units.get_mpz_t(), 10);
  constexpr std::size_t kSignExponentEnd = 32;
  auto* text = static_cast<char*>(allocate(digits + kSignExponentEnd));
  mpz_get_str(text, 10, number.units.get_mpz_t());
  const std::string exponent = "e" + std::to_string(-number.scale);
  strcpy(text + strlen(text), exponent.c_str());
  return text;
}

struct Converter {
  Oid result;
  PlainAnswer plain{};

  void operator()(Suppressed) { plain.suppressed = true; }
  void operator()(Key64 key) { plain.narrow = key; }
  void operator()(const Key128& key) { plain.wide = key; }
  void operator()(bool decision) { plain.narrow = decision ? 1 : 0; }
  void operator()(const std::vector<std::int64_t>& counts) {
    plain.buckets = static_cast<int>(counts.size());
    plain.counts = static_cast<Datum*>(allocate(counts.size() * sizeof(Datum)));
    for (std::size_t i = 0; i < counts.size(); ++i) plain.counts[i] = Int64GetDatum(counts[i]);
  }
  void operator()(const std::string& string) {
    plain.string = static_cast<char*>(allocate(string.size() + 1));
    plain.length = string.size();
    memcpy(plain.string, string.data(), string.size());
  }
  void operator()(const Number& number) {
    if (result == NUMERICOID) {
      plain.digits = decimal_text(number);
    } else if (result == INT8OID) {
      plain.narrow = Grid{ValueType::kInt64}.nearest<Key64>(number.units);
    } else {
      plain.real = nearest_float(number.units, -number.scale,
                                 result == FLOAT4OID ? ValueType::kFloat32 : ValueType::kFloat64);
    }
  }
};

Datum datum_of_number(const Spec& spec, const PlainAnswer& answer, Oid result) {
  switch (result) {
    case INT8OID:
      return Int64GetDatum(answer.narrow);
    case FLOAT8OID:
      return Float8GetDatum(answer.real);
    case FLOAT4OID:
      return Float4GetDatum(static_cast<float4>(answer.real));
    default: {
      const Datum numeric =
          answer.digits == nullptr
              ? numeric_of_units(int128(answer.wide), answer.scale)
              : DirectFunctionCall3(numeric_in, CStringGetDatum(answer.digits),
                                    ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
      const bool undeclared = spec.grid.type == ValueType::kNumeric && spec.grid.precision == 0;
      return undeclared ? DirectFunctionCall1(numeric_trim_scale, numeric) : numeric;
    }
  }
}

}  // namespace

PlainAnswer plain_answer(const Answer& answer, Oid result) {
  Converter converter{result};
  converter.plain.suppressed = false;
  std::visit(converter, answer);
  return converter.plain;
}

PlainAnswer plain_answer(const ShortNumber& number, Oid result) {
  PlainAnswer plain;
  plain.suppressed = false;
  if (result == NUMERICOID) {
    plain.wide = key128(number.units);
    plain.scale = static_cast<int>(number.scale);
  } else if (result == INT8OID) {
    plain.narrow = static_cast<Key64>(std::clamp<Int128>(number.units, PG_INT64_MIN, PG_INT64_MAX));
  } else {
    const bool negative = number.units < 0;
    const Uint128 magnitude = negative ? -static_cast<Uint128>(number.units) : number.units;
    const std::uint64_t words[] = {static_cast<std::uint64_t>(magnitude),
                                   static_cast<std::uint64_t>(magnitude >> 64)};
    plain.real = nearest_float(negative, words, -number.scale,
                               result == FLOAT4OID ? ValueType::kFloat32 : ValueType::kFloat64);
  }
  return plain;
}

Datum datum_of_answer(const Spec& spec, const PlainAnswer& answer, Oid result) {
  switch (row_of(spec.statistic).answer) {
    case AnswerType::kValue:
      if (spec.grid.type == ValueType::kText) {
        return PointerGetDatum(
            cstring_to_text_with_len(answer.string, static_cast<int>(answer.length)));
      }
      return spec.grid.is_wide() ? datum_of_key(spec.grid, answer.wide)
                                 : datum_of_key(spec.grid, answer.narrow);
    case AnswerType::kSum:
    case AnswerType::kMean:
      return datum_of_number(spec, answer, result);
    case AnswerType::kCounts:
      return PointerGetDatum(construct_array(answer.counts, answer.buckets, INT8OID, sizeof(int64),
                                             FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
    case AnswerType::kDecision:
      return BoolGetDatum(answer.narrow != 0);
    default:
      return Int64GetDatum(answer.narrow);
  }
}

}  // namespace idp
