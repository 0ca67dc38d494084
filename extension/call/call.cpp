#include "extension/call/call.h"

#include "core/collect/string_keys.h"
#include "extension/call/functions.h"
#include "extension/pg/arguments.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/own_objects.h"

namespace idp {

namespace {

const ParameterList& parameters_of(const Call& call) { return row_of(call.statistic).parameters; }

// Whether values are put on the grid of their column; counts compare them with the bounds as they
// are.
bool uses_grid(Statistic statistic) {
  return collects(statistic) != Collects::kRows && collects(statistic) != Collects::kBuckets;
}

void report_violation(const Violation& violation) {
  ereport(ERROR, (errcode(violation.out_of_range ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE
                                                 : ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("%s %s", violation.argument, violation.rule)));
}

// A bound as a key of the column's grid. It is rounded towards the inside of the range, so that
// what is clamped to it stays within the bound as it was given.
Key128 read_bound(const Call& call, Parameter parameter, Datum value) {
  const Rounding rounding = parameter == Parameter::kLower && uses_grid(call.statistic)
                                ? Rounding::kCeiling
                                : Rounding::kFloor;
  Key128 wide{0, 0};
  Key64 narrow = 0;
  const bool is_number = call.column.grid.is_wide()
                             ? wide_key(call.column, value, wide, rounding)
                             : narrow_key(call.column, value, narrow, rounding);
  if (!is_number) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s must not be NaN", name_of(parameter))));
  }
  return call.column.grid.is_wide() ? wide : widen(narrow);
}

// numeric bounds, which may be finer than the grid or beyond it. Values are only kept between them
// if some value of the grid lies there; a range count or a histogram compares as they are.
void check_numeric_bounds(const Call& call, Datum lower, Datum upper, Spec& spec) {
  if (DatumGetBool(DirectFunctionCall2(numeric_gt, lower, upper))) {
    report_violation(kCrossedBounds);
  }
  const bool crossed = spec.lower > spec.upper;
  if (!uses_grid(call.statistic)) {
    if (crossed) spec.lower = spec.upper;
    return;
  }
  const Int128 limit = call.column.limit;
  const auto units = [&](Key128 key) {
    return call.column.grid.is_wide() ? int128(key) : static_cast<Int128>(narrow(key));
  };
  const auto beyond = [&](PGFunction compare, Datum bound, Int128 end) {
    return DatumGetBool(
        DirectFunctionCall2(compare, bound, numeric_of_units(end, call.column.grid.scale)));
  };
  if (crossed || (units(spec.lower) == limit && beyond(numeric_gt, lower, limit)) ||
      (units(spec.upper) == -limit && beyond(numeric_lt, upper, -limit))) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("no value of the column's type lies between lower and upper"),
             errdetail("A numeric column without a declared scale has 16 fractional digits.")));
  }
}

[[noreturn]] void refuse_domain(const char* rule) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("domain %s", rule)));
  pg_unreachable();
}

int compare_keys(const void* a, const void* b) {
  const auto& x = *static_cast<const Key128*>(a);
  const auto& y = *static_cast<const Key128*>(b);
  return x < y ? -1 : y < x ? 1 : 0;
}

// The values differ, once they are on the grid of the column.
void check_domain(const Call& call, Datum value) {
  const ListedDomain domain = read_domain(call, value);
  qsort(domain.keys, domain.count, sizeof(Key128), compare_keys);
  for (std::size_t i = 1; i < domain.count; ++i) {
    if (domain.keys[i] == domain.keys[i - 1]) refuse_domain("must not contain a value twice");
  }
}

// epsilon, or epsilons: one-dimensional, without nulls.
void read_epsilons(const Call& call, Datum value, Request& request) {
  if (!call.several_epsilons) {
    request.epsilons[0] = DatumGetFloat8(value);
    return;
  }
  ArrayType* array = DatumGetArrayTypeP(value);
  if (ARR_ELEMTYPE(array) != FLOAT8OID) elog(ERROR, "unsupported type of epsilons");
  if (ARR_NDIM(array) > 1) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("epsilons must be a one-dimensional array")));
  }
  if (array_contains_nulls(array)) {
    ereport(ERROR,
            (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("epsilons must not contain nulls")));
  }
  const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  if (count < 1 || count > kMaxGroup) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("epsilons must have between 1 and %d elements", kMaxGroup)));
  }
  request.spec.groups = static_cast<std::uint8_t>(count);
  memcpy(request.epsilons, ARR_DATA_PTR(array), static_cast<Size>(count) * sizeof(double));
}

// Whether the type is that of epsilons rather than of epsilon. Until 0.2.0 they were float8[].
bool is_several(Oid type) {
  if (type == FLOAT8OID) return false;
  if (type != FLOAT8ARRAYOID && type != own_type("epsilons")) {
    elog(ERROR, "unsupported type of epsilon: %u", type);
  }
  return true;
}

// The key of a value of a domain, as the column's values have them, narrow ones widened.
bool listed_key(const Column& column, Datum value, Key128& key) {
  if (column.grid.type == ValueType::kText) {
    Key128 keys[kMostStringKeys];
    (void)keys_of_text(value, keys);
    key = keys[0];
    return true;
  }
  if (column.grid.is_opaque()) return identity_key(column, value, InvalidOid, key);
  if (column.grid.is_wide()) return wide_key(column, value, key);
  Key64 narrow;
  if (!narrow_key(column, value, narrow)) return false;
  key = widen(narrow);
  return true;
}

bool is_integer(Parameter parameter) {
  return parameter == Parameter::kK || parameter == Parameter::kBuckets ||
         parameter == Parameter::kGamma;
}

// Whether an integer parameter is a plain integer: what views and functions made before 0.3.0 pass,
// whatever the transition function declares by now.
bool is_short(Oid type) {
  if (type != INT4OID && type != INT8OID) elog(ERROR, "unsupported type of a parameter: %u", type);
  return type == INT4OID;
}

std::int64_t read_integer(const Call& call, Datum value) {
  return call.short_integer ? DatumGetInt32(value) : DatumGetInt64(value);
}

}  // namespace

// No other argument after the column is text.
bool is_named(Oid transition_function) {
  const int arguments = function_argument_count(transition_function);
  return arguments > 2 && function_argument_type(transition_function, arguments - 1) == TEXTOID;
}

ListedDomain read_domain(const Call& call, Datum value) {
  ArrayType* array = DatumGetArrayTypeP(value);
  if (ARR_NDIM(array) > 1) refuse_domain("must be a one-dimensional array");
  if (array_contains_nulls(array)) refuse_domain("must not contain nulls");
  const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  if (count < 2 || count > kMostListed) {
    refuse_domain(psprintf("must have between 2 and %d values", kMostListed));
  }
  if (value_type_of(ARR_ELEMTYPE(array)) != call.column.grid.type) {
    elog(ERROR, "unsupported type of domain");
  }
  ListedDomain domain;
  domain.count = static_cast<std::size_t>(count);
  get_typlenbyvalalign(ARR_ELEMTYPE(array), &domain.length, &domain.by_value, &domain.alignment);
  int found;
  deconstruct_array(array, ARR_ELEMTYPE(array), domain.length, domain.by_value, domain.alignment,
                    &domain.values, nullptr, &found);
  domain.keys = static_cast<Key128*>(palloc(domain.count * sizeof(Key128)));
  for (std::size_t i = 0; i < domain.count; ++i) {
    if (!listed_key(call.column, domain.values[i], domain.keys[i])) {
      refuse_domain("must not contain NaN");
    }
  }
  return domain;
}

const char* parameter_name(const Call& call, int position) {
  if (position == 0 && call.several_epsilons) return "epsilons";
  return name_of(parameters_of(call).list[static_cast<std::size_t>(position)]);
}

Call describe_call(Statistic statistic, Oid transition_function, std::span<const Oid> types,
                   int32 typmod) {
  Call call;
  call.statistic = statistic;
  call.column_arguments = row_of(statistic).columns == Columns::kNone ? 0 : 1;
  call.named = is_named(transition_function);
  call.parameters = static_cast<int>(types.size()) - call.column_arguments - (call.named ? 1 : 0);
  const ParameterList& parameters = parameters_of(call);
  if (call.parameters < static_cast<int>(parameters.required) ||
      call.parameters > static_cast<int>(parameters.count)) {
    elog(ERROR, "aggregate over idp_state has %zu arguments", types.size());
  }
  call.several_epsilons =
      is_several(function_argument_type(transition_function, 1 + call.column_arguments));
  for (int i = 0; i < call.parameters; ++i) {
    if (!is_integer(parameters.list[static_cast<std::size_t>(i)])) continue;
    call.short_integer = is_short(types[static_cast<std::size_t>(call.column_arguments + i)]);
  }
  if (call.column_arguments == 0) return call;
  const ValueType type = value_type_of(function_argument_type(transition_function, 1));
  if (type == ValueType::kNone) elog(ERROR, "unsupported column type of an idp aggregate");
  // Range counts and histograms compare numeric values as they are; the grid then only identifies
  // the bounds.
  Grid grid = grid_of(type, type == ValueType::kNumeric && uses_grid(statistic) ? typmod : -1);
  // A grid that may drop digits cannot tell values apart: they are hashed instead.
  if (statistic == Statistic::kDistinct && type == ValueType::kNumeric && grid.is_wide()) {
    grid = Grid::plain_numeric();
  }
  call.column = Column::of(grid);
  return call;
}

bool is_named_call(Oid aggregate) {
  const Oid transition = transition_function_of(aggregate);
  if (!is_named(transition)) return false;
  FmgrInfo function;
  fmgr_info(transition, &function);
  return statistic_of(function.fn_addr) != Statistic::kNone;
}

Request read_request(const Call& call, const NullableDatum* values) {
  Request request;
  Spec& spec = request.spec;
  spec.statistic = call.statistic;
  spec.grid = call.column.grid;
  spec.fraction = fixed_fraction(call.statistic);
  if (spec.has(Parameter::kGamma)) spec.gamma = kDefaultGamma;
  for (int i = 0; i < call.parameters; ++i) {
    const Parameter parameter = parameters_of(call).list[static_cast<std::size_t>(i)];
    if (values[i].isnull) refuse_null(parameter_name(call, i));
    const Datum value = values[i].value;
    switch (parameter) {
      case Parameter::kEpsilon:
        read_epsilons(call, value, request);
        spec.epsilon = request.epsilons[0];
        break;
      case Parameter::kFraction:
        spec.fraction = DatumGetFloat8(value) + 0.0;  // -0 is 0
        break;
      case Parameter::kK:
        spec.k = read_integer(call, value);
        break;
      case Parameter::kBuckets:
        spec.buckets = read_integer(call, value);
        break;
      case Parameter::kGamma:
        spec.gamma = read_integer(call, value);
        break;
      case Parameter::kLower:
        spec.lower = read_bound(call, parameter, value);
        break;
      case Parameter::kUpper:
        spec.upper = read_bound(call, parameter, value);
        break;
      case Parameter::kDelta:
        spec.delta = DatumGetFloat8(value);
        break;
      case Parameter::kDomain:
        check_domain(call, value);
        break;
    }
  }
  if (spec.has(Parameter::kLower) && spec.has(Parameter::kUpper) &&
      spec.grid.type == ValueType::kNumeric) {
    check_numeric_bounds(call, values[1].value, values[2].value, spec);
  }
  if (const auto violation = find_violation(spec, request.epsilon_span())) {
    report_violation(*violation);
  }
  return request;
}

}  // namespace idp
