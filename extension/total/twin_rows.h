// The total twins: what stands for functions of the server that may fail. The twin is NULL where
// its original fails, and equal to it everywhere else. All are one SQL function, idp.total(), whose
// first argument says which original it calls (twins.h); what is not listed here it does not call.
//
// Each original was reviewed. It computes its value from its arguments and from settings of the
// session, in a time and a memory bounded by the length of the arguments. It has no effect and
// holds nothing that an error would have to give back: no lock, no buffer, no entry of a cache.
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>

namespace idp::twin_rows {

// How the twin calls its original.
enum class Form : std::uint8_t {
  kCall,     // with its own arguments, or not at all: arithmetic.cpp computes the same
  kPattern,  // likewise; the second is a pattern of LIKE, a constant that is fit (Needs::kPattern)
  kRegex,    // likewise; the second is a regular expression, a constant that is fit (Needs::kRegex)
  kInput,    // the original is the input function of a type: with a text
};

// What a twin takes of values of varying length, all together, and what it gives, in bytes: it is
// NULL for longer ones. A function of a text may take several times its memory, and a row of 1664
// columns, the most a query has, must be smaller than the gigabyte that the server allows: either
// would fail where a row is only.
constexpr int kLongest = 1 << 18;

// The same of numbers, some 4000 digits, and the most that the lengths of two texts may be times
// each other where one is searched in the other. A common divisor of numbers of 100 000 digits, or
// to trim as many characters of as many, takes half a minute, in which no cancel is heard.
constexpr int kLongestNumber = 2048;
constexpr int kMostPairs = 1 << 26;

constexpr int kMostArguments = 6;

struct Row {
  const char* original;  // its symbol, pg_proc.prosrc: several functions may have one
  Form form;
  Oid result;
  Oid arguments[kMostArguments];  // 0 where there are fewer
};

// clang-format off
constexpr Row kRows[] = {
    // whole numbers: out of range, division by zero
    {"int2pl", Form::kCall, INT2OID, {INT2OID, INT2OID}},
    {"int2mi", Form::kCall, INT2OID, {INT2OID, INT2OID}},
    {"int2mul", Form::kCall, INT2OID, {INT2OID, INT2OID}},
    {"int2div", Form::kCall, INT2OID, {INT2OID, INT2OID}},
    {"int2mod", Form::kCall, INT2OID, {INT2OID, INT2OID}},
    {"int2um", Form::kCall, INT2OID, {INT2OID}},
    {"int2abs", Form::kCall, INT2OID, {INT2OID}},
    {"int4pl", Form::kCall, INT4OID, {INT4OID, INT4OID}},
    {"int4mi", Form::kCall, INT4OID, {INT4OID, INT4OID}},
    {"int4mul", Form::kCall, INT4OID, {INT4OID, INT4OID}},
    {"int4div", Form::kCall, INT4OID, {INT4OID, INT4OID}},
    {"int4mod", Form::kCall, INT4OID, {INT4OID, INT4OID}},
    {"int4um", Form::kCall, INT4OID, {INT4OID}},
    {"int4abs", Form::kCall, INT4OID, {INT4OID}},
    {"int8pl", Form::kCall, INT8OID, {INT8OID, INT8OID}},
    {"int8mi", Form::kCall, INT8OID, {INT8OID, INT8OID}},
    {"int8mul", Form::kCall, INT8OID, {INT8OID, INT8OID}},
    {"int8div", Form::kCall, INT8OID, {INT8OID, INT8OID}},
    {"int8mod", Form::kCall, INT8OID, {INT8OID, INT8OID}},
    {"int8um", Form::kCall, INT8OID, {INT8OID}},
    {"int8abs", Form::kCall, INT8OID, {INT8OID}},
    {"int24pl", Form::kCall, INT4OID, {INT2OID, INT4OID}},
    {"int24mi", Form::kCall, INT4OID, {INT2OID, INT4OID}},
    {"int24mul", Form::kCall, INT4OID, {INT2OID, INT4OID}},
    {"int24div", Form::kCall, INT4OID, {INT2OID, INT4OID}},
    {"int28pl", Form::kCall, INT8OID, {INT2OID, INT8OID}},
    {"int28mi", Form::kCall, INT8OID, {INT2OID, INT8OID}},
    {"int28mul", Form::kCall, INT8OID, {INT2OID, INT8OID}},
    {"int28div", Form::kCall, INT8OID, {INT2OID, INT8OID}},
    {"int42pl", Form::kCall, INT4OID, {INT4OID, INT2OID}},
    {"int42mi", Form::kCall, INT4OID, {INT4OID, INT2OID}},
    {"int42mul", Form::kCall, INT4OID, {INT4OID, INT2OID}},
    {"int42div", Form::kCall, INT4OID, {INT4OID, INT2OID}},
    {"int48pl", Form::kCall, INT8OID, {INT4OID, INT8OID}},
    {"int48mi", Form::kCall, INT8OID, {INT4OID, INT8OID}},
    {"int48mul", Form::kCall, INT8OID, {INT4OID, INT8OID}},
    {"int48div", Form::kCall, INT8OID, {INT4OID, INT8OID}},
    {"int82pl", Form::kCall, INT8OID, {INT8OID, INT2OID}},
    {"int82mi", Form::kCall, INT8OID, {INT8OID, INT2OID}},
    {"int82mul", Form::kCall, INT8OID, {INT8OID, INT2OID}},
    {"int82div", Form::kCall, INT8OID, {INT8OID, INT2OID}},
    {"int84pl", Form::kCall, INT8OID, {INT8OID, INT4OID}},
    {"int84mi", Form::kCall, INT8OID, {INT8OID, INT4OID}},
    {"int84mul", Form::kCall, INT8OID, {INT8OID, INT4OID}},
    {"int84div", Form::kCall, INT8OID, {INT8OID, INT4OID}},
    {"int4gcd", Form::kCall, INT4OID, {INT4OID, INT4OID}},
    {"int4lcm", Form::kCall, INT4OID, {INT4OID, INT4OID}},
    {"int8gcd", Form::kCall, INT8OID, {INT8OID, INT8OID}},
    {"int8lcm", Form::kCall, INT8OID, {INT8OID, INT8OID}},
    // floating point numbers: overflow, underflow, division by zero, arguments out of range
    {"float4pl", Form::kCall, FLOAT4OID, {FLOAT4OID, FLOAT4OID}},
    {"float8pl", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT8OID}},
    {"float48pl", Form::kCall, FLOAT8OID, {FLOAT4OID, FLOAT8OID}},
    {"float84pl", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT4OID}},
    {"float4mi", Form::kCall, FLOAT4OID, {FLOAT4OID, FLOAT4OID}},
    {"float8mi", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT8OID}},
    {"float48mi", Form::kCall, FLOAT8OID, {FLOAT4OID, FLOAT8OID}},
    {"float84mi", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT4OID}},
    {"float4mul", Form::kCall, FLOAT4OID, {FLOAT4OID, FLOAT4OID}},
    {"float8mul", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT8OID}},
    {"float48mul", Form::kCall, FLOAT8OID, {FLOAT4OID, FLOAT8OID}},
    {"float84mul", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT4OID}},
    {"float4div", Form::kCall, FLOAT4OID, {FLOAT4OID, FLOAT4OID}},
    {"float8div", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT8OID}},
    {"float48div", Form::kCall, FLOAT8OID, {FLOAT4OID, FLOAT8OID}},
    {"float84div", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT4OID}},
    {"dsqrt", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dcbrt", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dexp", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dlog1", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dlog10", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dsin", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dcos", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dtan", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dcot", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dasin", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dacos", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"datan", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"degrees", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"radians", Form::kCall, FLOAT8OID, {FLOAT8OID}},
    {"dpow", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT8OID}},
    {"datan2", Form::kCall, FLOAT8OID, {FLOAT8OID, FLOAT8OID}},
    {"width_bucket_float8", Form::kCall, INT4OID, {FLOAT8OID, FLOAT8OID, FLOAT8OID, INT4OID}},
    // numeric: overflow, division by zero, arguments out of range
    {"numeric_add", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_sub", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_mul", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_div", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_div_trunc", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_mod", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_log", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_power", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_gcd", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_lcm", Form::kCall, NUMERICOID, {NUMERICOID, NUMERICOID}},
    {"numeric_sqrt", Form::kCall, NUMERICOID, {NUMERICOID}},
    {"numeric_exp", Form::kCall, NUMERICOID, {NUMERICOID}},
    {"numeric_ln", Form::kCall, NUMERICOID, {NUMERICOID}},
    {"numeric_ceil", Form::kCall, NUMERICOID, {NUMERICOID}},
    {"numeric_floor", Form::kCall, NUMERICOID, {NUMERICOID}},
    {"numeric_round", Form::kCall, NUMERICOID, {NUMERICOID, INT4OID}},
    {"numeric_trunc", Form::kCall, NUMERICOID, {NUMERICOID, INT4OID}},
    {"numeric", Form::kCall, NUMERICOID, {NUMERICOID, INT4OID}},
    {"width_bucket_numeric", Form::kCall, INT4OID, {NUMERICOID, NUMERICOID, NUMERICOID, INT4OID}},
    // narrowing casts
    {"i4toi2", Form::kCall, INT2OID, {INT4OID}},
    {"int82", Form::kCall, INT2OID, {INT8OID}},
    {"int84", Form::kCall, INT4OID, {INT8OID}},
    {"ftoi2", Form::kCall, INT2OID, {FLOAT4OID}},
    {"ftoi4", Form::kCall, INT4OID, {FLOAT4OID}},
    {"ftoi8", Form::kCall, INT8OID, {FLOAT4OID}},
    {"dtoi2", Form::kCall, INT2OID, {FLOAT8OID}},
    {"dtoi4", Form::kCall, INT4OID, {FLOAT8OID}},
    {"dtoi8", Form::kCall, INT8OID, {FLOAT8OID}},
    {"dtof", Form::kCall, FLOAT4OID, {FLOAT8OID}},
    {"numeric_int2", Form::kCall, INT2OID, {NUMERICOID}},
    {"numeric_int4", Form::kCall, INT4OID, {NUMERICOID}},
    {"numeric_int8", Form::kCall, INT8OID, {NUMERICOID}},
    {"numeric_float4", Form::kCall, FLOAT4OID, {NUMERICOID}},
    {"numeric_float8", Form::kCall, FLOAT8OID, {NUMERICOID}},
    // dates and times: out of range, infinite, unknown fields and zones
    {"date_pli", Form::kCall, DATEOID, {DATEOID, INT4OID}},
    {"date_mii", Form::kCall, DATEOID, {DATEOID, INT4OID}},
    {"date_mi", Form::kCall, INT4OID, {DATEOID, DATEOID}},
    {"date_pl_interval", Form::kCall, TIMESTAMPOID, {DATEOID, INTERVALOID}},
    {"date_mi_interval", Form::kCall, TIMESTAMPOID, {DATEOID, INTERVALOID}},
    {"timestamp_pl_interval", Form::kCall, TIMESTAMPOID, {TIMESTAMPOID, INTERVALOID}},
    {"timestamp_mi_interval", Form::kCall, TIMESTAMPOID, {TIMESTAMPOID, INTERVALOID}},
    {"timestamp_mi", Form::kCall, INTERVALOID, {TIMESTAMPOID, TIMESTAMPOID}},
    {"timestamp_mi", Form::kCall, INTERVALOID, {TIMESTAMPTZOID, TIMESTAMPTZOID}},
    {"timestamptz_pl_interval", Form::kCall, TIMESTAMPTZOID, {TIMESTAMPTZOID, INTERVALOID}},
    {"timestamptz_mi_interval", Form::kCall, TIMESTAMPTZOID, {TIMESTAMPTZOID, INTERVALOID}},
    {"interval_pl", Form::kCall, INTERVALOID, {INTERVALOID, INTERVALOID}},
    {"interval_mi", Form::kCall, INTERVALOID, {INTERVALOID, INTERVALOID}},
    {"interval_um", Form::kCall, INTERVALOID, {INTERVALOID}},
    {"interval_mul", Form::kCall, INTERVALOID, {INTERVALOID, FLOAT8OID}},
    {"mul_d_interval", Form::kCall, INTERVALOID, {FLOAT8OID, INTERVALOID}},
    {"interval_div", Form::kCall, INTERVALOID, {INTERVALOID, FLOAT8OID}},
    {"interval_justify_interval", Form::kCall, INTERVALOID, {INTERVALOID}},
    {"interval_justify_hours", Form::kCall, INTERVALOID, {INTERVALOID}},
    {"interval_justify_days", Form::kCall, INTERVALOID, {INTERVALOID}},
    {"time_pl_interval", Form::kCall, TIMEOID, {TIMEOID, INTERVALOID}},
    {"time_mi_interval", Form::kCall, TIMEOID, {TIMEOID, INTERVALOID}},
    {"time_mi_time", Form::kCall, INTERVALOID, {TIMEOID, TIMEOID}},
    {"date_timestamp", Form::kCall, TIMESTAMPOID, {DATEOID}},
    {"date_timestamptz", Form::kCall, TIMESTAMPTZOID, {DATEOID}},
    {"timestamp_timestamptz", Form::kCall, TIMESTAMPTZOID, {TIMESTAMPOID}},
    {"timestamptz_timestamp", Form::kCall, TIMESTAMPOID, {TIMESTAMPTZOID}},
    {"timestamptz_date", Form::kCall, DATEOID, {TIMESTAMPTZOID}},
    {"timestamp_time", Form::kCall, TIMEOID, {TIMESTAMPOID}},
    {"timestamptz_time", Form::kCall, TIMEOID, {TIMESTAMPTZOID}},
    {"interval_time", Form::kCall, TIMEOID, {INTERVALOID}},
    {"datetime_timestamp", Form::kCall, TIMESTAMPOID, {DATEOID, TIMEOID}},
    {"float8_timestamptz", Form::kCall, TIMESTAMPTZOID, {FLOAT8OID}},
    {"timestamp_zone", Form::kCall, TIMESTAMPTZOID, {TEXTOID, TIMESTAMPOID}},
    {"timestamptz_zone", Form::kCall, TIMESTAMPOID, {TEXTOID, TIMESTAMPTZOID}},
    {"timestamp_trunc", Form::kCall, TIMESTAMPOID, {TEXTOID, TIMESTAMPOID}},
    {"timestamptz_trunc", Form::kCall, TIMESTAMPTZOID, {TEXTOID, TIMESTAMPTZOID}},
    {"timestamptz_trunc_zone", Form::kCall, TIMESTAMPTZOID, {TEXTOID, TIMESTAMPTZOID, TEXTOID}},
    {"interval_trunc", Form::kCall, INTERVALOID, {TEXTOID, INTERVALOID}},
    {"timestamp_bin", Form::kCall, TIMESTAMPOID, {INTERVALOID, TIMESTAMPOID, TIMESTAMPOID}},
    {"timestamptz_bin", Form::kCall, TIMESTAMPTZOID, {INTERVALOID, TIMESTAMPTZOID, TIMESTAMPTZOID}},
    {"extract_timestamptz", Form::kCall, NUMERICOID, {TEXTOID, TIMESTAMPTZOID}},
    {"extract_interval", Form::kCall, NUMERICOID, {TEXTOID, INTERVALOID}},
    {"extract_time", Form::kCall, NUMERICOID, {TEXTOID, TIMEOID}},
    {"timestamptz_part", Form::kCall, FLOAT8OID, {TEXTOID, TIMESTAMPTZOID}},
    {"interval_part", Form::kCall, FLOAT8OID, {TEXTOID, INTERVALOID}},
    {"time_part", Form::kCall, FLOAT8OID, {TEXTOID, TIMEOID}},
    {"timestamp_age", Form::kCall, INTERVALOID, {TIMESTAMPOID, TIMESTAMPOID}},
    {"timestamptz_age", Form::kCall, INTERVALOID, {TIMESTAMPTZOID, TIMESTAMPTZOID}},
    {"make_date", Form::kCall, DATEOID, {INT4OID, INT4OID, INT4OID}},
    {"make_time", Form::kCall, TIMEOID, {INT4OID, INT4OID, FLOAT8OID}},
    {"make_timestamp", Form::kCall, TIMESTAMPOID, {INT4OID, INT4OID, INT4OID, INT4OID, INT4OID, FLOAT8OID}},
    // texts
    {"lower", Form::kCall, TEXTOID, {TEXTOID}},
    {"upper", Form::kCall, TEXTOID, {TEXTOID}},
    {"btrim", Form::kCall, TEXTOID, {TEXTOID, TEXTOID}},
    {"btrim1", Form::kCall, TEXTOID, {TEXTOID}},
    {"ltrim", Form::kCall, TEXTOID, {TEXTOID, TEXTOID}},
    {"ltrim1", Form::kCall, TEXTOID, {TEXTOID}},
    {"rtrim", Form::kCall, TEXTOID, {TEXTOID, TEXTOID}},
    {"rtrim1", Form::kCall, TEXTOID, {TEXTOID}},
    {"rtrim1", Form::kCall, TEXTOID, {BPCHAROID}},
    {"text_left", Form::kCall, TEXTOID, {TEXTOID, INT4OID}},
    {"text_right", Form::kCall, TEXTOID, {TEXTOID, INT4OID}},
    {"text_substr", Form::kCall, TEXTOID, {TEXTOID, INT4OID, INT4OID}},
    {"text_substr_no_len", Form::kCall, TEXTOID, {TEXTOID, INT4OID}},
    {"varchar", Form::kCall, VARCHAROID, {VARCHAROID, INT4OID, BOOLOID}},
    {"bpchar", Form::kCall, BPCHAROID, {BPCHAROID, INT4OID, BOOLOID}},
    {"textpos", Form::kCall, INT4OID, {TEXTOID, TEXTOID}},
    {"textcat", Form::kCall, TEXTOID, {TEXTOID, TEXTOID}},
    {"md5_text", Form::kCall, TEXTOID, {TEXTOID}},
    {"split_part", Form::kCall, TEXTOID, {TEXTOID, TEXTOID, INT4OID}},
    {"initcap", Form::kCall, TEXTOID, {TEXTOID}},
    {"text_reverse", Form::kCall, TEXTOID, {TEXTOID}},
    {"ascii", Form::kCall, INT4OID, {TEXTOID}},
    {"chr", Form::kCall, TEXTOID, {INT4OID}},
    {"timestamp_to_char", Form::kCall, TEXTOID, {TIMESTAMPOID, TEXTOID}},
    {"timestamptz_to_char", Form::kCall, TEXTOID, {TIMESTAMPTZOID, TEXTOID}},
    {"interval_to_char", Form::kCall, TEXTOID, {INTERVALOID, TEXTOID}},
    {"int4_to_char", Form::kCall, TEXTOID, {INT4OID, TEXTOID}},
    {"int8_to_char", Form::kCall, TEXTOID, {INT8OID, TEXTOID}},
    {"float8_to_char", Form::kCall, TEXTOID, {FLOAT8OID, TEXTOID}},
    {"numeric_to_char", Form::kCall, TEXTOID, {NUMERICOID, TEXTOID}},
    {"to_date", Form::kCall, DATEOID, {TEXTOID, TEXTOID}},
    {"to_timestamp", Form::kCall, TIMESTAMPTZOID, {TEXTOID, TEXTOID}},
    {"numeric_to_number", Form::kCall, NUMERICOID, {TEXTOID, TEXTOID}},
    {"texticlike", Form::kPattern, BOOLOID, {TEXTOID, TEXTOID}},
    {"texticlike", Form::kPattern, BOOLOID, {BPCHAROID, TEXTOID}},
    {"texticnlike", Form::kPattern, BOOLOID, {TEXTOID, TEXTOID}},
    {"texticnlike", Form::kPattern, BOOLOID, {BPCHAROID, TEXTOID}},
    {"textregexeq", Form::kRegex, BOOLOID, {TEXTOID, TEXTOID}},
    {"textregexeq", Form::kRegex, BOOLOID, {BPCHAROID, TEXTOID}},
    {"textregexne", Form::kRegex, BOOLOID, {TEXTOID, TEXTOID}},
    {"textregexne", Form::kRegex, BOOLOID, {BPCHAROID, TEXTOID}},
    {"texticregexeq", Form::kRegex, BOOLOID, {TEXTOID, TEXTOID}},
    {"texticregexeq", Form::kRegex, BOOLOID, {BPCHAROID, TEXTOID}},
    {"texticregexne", Form::kRegex, BOOLOID, {TEXTOID, TEXTOID}},
    {"texticregexne", Form::kRegex, BOOLOID, {BPCHAROID, TEXTOID}},
    {"textregexsubstr", Form::kRegex, TEXTOID, {TEXTOID, TEXTOID}},
    {"regexp_like_no_flags", Form::kRegex, BOOLOID, {TEXTOID, TEXTOID}},
    // parts of documents
    {"jsonb_object_field", Form::kCall, JSONBOID, {JSONBOID, TEXTOID}},
    {"jsonb_object_field_text", Form::kCall, TEXTOID, {JSONBOID, TEXTOID}},
    {"jsonb_array_element", Form::kCall, JSONBOID, {JSONBOID, INT4OID}},
    {"jsonb_array_element_text", Form::kCall, TEXTOID, {JSONBOID, INT4OID}},
    // casts from text
    {"int2in", Form::kInput, INT2OID, {TEXTOID}},
    {"int4in", Form::kInput, INT4OID, {TEXTOID}},
    {"int8in", Form::kInput, INT8OID, {TEXTOID}},
    {"float4in", Form::kInput, FLOAT4OID, {TEXTOID}},
    {"float8in", Form::kInput, FLOAT8OID, {TEXTOID}},
    {"numeric_in", Form::kInput, NUMERICOID, {TEXTOID}},
    {"boolin", Form::kInput, BOOLOID, {TEXTOID}},
    {"date_in", Form::kInput, DATEOID, {TEXTOID}},
    {"time_in", Form::kInput, TIMEOID, {TEXTOID}},
    {"timestamp_in", Form::kInput, TIMESTAMPOID, {TEXTOID}},
    {"timestamptz_in", Form::kInput, TIMESTAMPTZOID, {TEXTOID}},
    {"interval_in", Form::kInput, INTERVALOID, {TEXTOID}},
    {"uuid_in", Form::kInput, UUIDOID, {TEXTOID}},
};
// clang-format on

}  // namespace idp::twin_rows
