// The total twins of plain arithmetic. What it fails for is asked of the processor: no error has to
// be caught, and a twin takes no longer than its original.
#include "extension/total/twins.h"

#include <cmath>
#include <string_view>
#include <type_traits>

namespace idp {

namespace {

template <class Number>
Number number_at(FunctionCallInfo fcinfo, int i) {
  const Datum value = PG_GETARG_DATUM(kTwinConstants + i);
  if constexpr (std::is_same_v<Number, int16>) return DatumGetInt16(value);
  if constexpr (std::is_same_v<Number, int32>) return DatumGetInt32(value);
  if constexpr (std::is_same_v<Number, int64>) return DatumGetInt64(value);
  if constexpr (std::is_same_v<Number, float4>) return DatumGetFloat4(value);
  if constexpr (std::is_same_v<Number, float8>) return DatumGetFloat8(value);
}

Datum datum_of(int16 value) { return Int16GetDatum(value); }
Datum datum_of(int32 value) { return Int32GetDatum(value); }
Datum datum_of(int64 value) { return Int64GetDatum(value); }
Datum datum_of(float4 value) { return Float4GetDatum(value); }
Datum datum_of(float8 value) { return Float8GetDatum(value); }

// Each puts a result, or says that there is none.
struct Sum {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    return !__builtin_add_overflow(a, b, result);
  }
};
struct Difference {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    return !__builtin_sub_overflow(a, b, result);
  }
};
struct Product {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    return !__builtin_mul_overflow(a, b, result);
  }
};
struct Negative {
  template <class Number>
  static bool compute(Number a, Number* result) {
    return !__builtin_sub_overflow(Number{0}, a, result);
  }
};
struct Absolute {
  template <class Number>
  static bool compute(Number a, Number* result) {
    *result = a;
    return a >= 0 || Negative::compute(a, result);
  }
};
struct Quotient {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    if (b == 0) return false;
    if (b == -1) return Negative::compute(a, result);
    *result = static_cast<Number>(a / b);
    return true;
  }
};
struct Remainder {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    if (b == 0) return false;
    *result = b == -1 ? Number{0} : static_cast<Number>(a % b);
    return true;
  }
};

struct FloatSum {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    *result = a + b;
    return !std::isinf(*result) || std::isinf(a) || std::isinf(b);
  }
};
struct FloatDifference {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    *result = a - b;
    return !std::isinf(*result) || std::isinf(a) || std::isinf(b);
  }
};
struct FloatProduct {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    *result = a * b;
    const bool overflows = std::isinf(*result) && !std::isinf(a) && !std::isinf(b);
    const bool underflows = *result == 0 && a != 0 && b != 0;
    return !overflows && !underflows;
  }
};
struct FloatQuotient {
  template <class Number>
  static bool compute(Number a, Number b, Number* result) {
    if (b == 0 && !std::isnan(a)) return false;
    *result = a / b;
    const bool overflows = std::isinf(*result) && !std::isinf(a);
    const bool underflows = *result == 0 && a != 0 && !std::isinf(b);
    return !overflows && !underflows;
  }
};

// Both numbers are of the type of the result before anything is computed.
template <class Operation, class First, class Second, class Result>
Datum of_two(FunctionCallInfo fcinfo) {
  Result result = 0;
  if (!Operation::template compute<Result>(number_at<First>(fcinfo, 0),
                                           number_at<Second>(fcinfo, 1), &result)) {
    PG_RETURN_NULL();
  }
  return datum_of(result);
}

template <class Operation, class Number>
Datum of_one(FunctionCallInfo fcinfo) {
  Number result = 0;
  if (!Operation::compute(number_at<Number>(fcinfo, 0), &result)) PG_RETURN_NULL();
  return datum_of(result);
}

struct Direct {
  std::string_view original;
  PGFunction function;
};

constexpr Direct kDirect[] = {
    {"int2pl", of_two<Sum, int16, int16, int16>},
    {"int2mi", of_two<Difference, int16, int16, int16>},
    {"int2mul", of_two<Product, int16, int16, int16>},
    {"int2div", of_two<Quotient, int16, int16, int16>},
    {"int2mod", of_two<Remainder, int16, int16, int16>},
    {"int2um", of_one<Negative, int16>},
    {"int2abs", of_one<Absolute, int16>},
    {"int4pl", of_two<Sum, int32, int32, int32>},
    {"int4mi", of_two<Difference, int32, int32, int32>},
    {"int4mul", of_two<Product, int32, int32, int32>},
    {"int4div", of_two<Quotient, int32, int32, int32>},
    {"int4mod", of_two<Remainder, int32, int32, int32>},
    {"int4um", of_one<Negative, int32>},
    {"int4abs", of_one<Absolute, int32>},
    {"int8pl", of_two<Sum, int64, int64, int64>},
    {"int8mi", of_two<Difference, int64, int64, int64>},
    {"int8mul", of_two<Product, int64, int64, int64>},
    {"int8div", of_two<Quotient, int64, int64, int64>},
    {"int8mod", of_two<Remainder, int64, int64, int64>},
    {"int8um", of_one<Negative, int64>},
    {"int8abs", of_one<Absolute, int64>},
    {"int24pl", of_two<Sum, int16, int32, int32>},
    {"int24mi", of_two<Difference, int16, int32, int32>},
    {"int24mul", of_two<Product, int16, int32, int32>},
    {"int24div", of_two<Quotient, int16, int32, int32>},
    {"int28pl", of_two<Sum, int16, int64, int64>},
    {"int28mi", of_two<Difference, int16, int64, int64>},
    {"int28mul", of_two<Product, int16, int64, int64>},
    {"int28div", of_two<Quotient, int16, int64, int64>},
    {"int42pl", of_two<Sum, int32, int16, int32>},
    {"int42mi", of_two<Difference, int32, int16, int32>},
    {"int42mul", of_two<Product, int32, int16, int32>},
    {"int42div", of_two<Quotient, int32, int16, int32>},
    {"int48pl", of_two<Sum, int32, int64, int64>},
    {"int48mi", of_two<Difference, int32, int64, int64>},
    {"int48mul", of_two<Product, int32, int64, int64>},
    {"int48div", of_two<Quotient, int32, int64, int64>},
    {"int82pl", of_two<Sum, int64, int16, int64>},
    {"int82mi", of_two<Difference, int64, int16, int64>},
    {"int82mul", of_two<Product, int64, int16, int64>},
    {"int82div", of_two<Quotient, int64, int16, int64>},
    {"int84pl", of_two<Sum, int64, int32, int64>},
    {"int84mi", of_two<Difference, int64, int32, int64>},
    {"int84mul", of_two<Product, int64, int32, int64>},
    {"int84div", of_two<Quotient, int64, int32, int64>},
    {"float4pl", of_two<FloatSum, float4, float4, float4>},
    {"float4mi", of_two<FloatDifference, float4, float4, float4>},
    {"float4mul", of_two<FloatProduct, float4, float4, float4>},
    {"float4div", of_two<FloatQuotient, float4, float4, float4>},
    {"float8pl", of_two<FloatSum, float8, float8, float8>},
    {"float8mi", of_two<FloatDifference, float8, float8, float8>},
    {"float8mul", of_two<FloatProduct, float8, float8, float8>},
    {"float8div", of_two<FloatQuotient, float8, float8, float8>},
    {"float48pl", of_two<FloatSum, float4, float8, float8>},
    {"float48mi", of_two<FloatDifference, float4, float8, float8>},
    {"float48mul", of_two<FloatProduct, float4, float8, float8>},
    {"float48div", of_two<FloatQuotient, float4, float8, float8>},
    {"float84pl", of_two<FloatSum, float8, float4, float8>},
    {"float84mi", of_two<FloatDifference, float8, float4, float8>},
    {"float84mul", of_two<FloatProduct, float8, float4, float8>},
    {"float84div", of_two<FloatQuotient, float8, float4, float8>},
};

}  // namespace

PGFunction direct_twin(const char* original) {
  for (const Direct& direct : kDirect) {
    if (direct.original == original) return direct.function;
  }
  return nullptr;
}

}  // namespace idp
