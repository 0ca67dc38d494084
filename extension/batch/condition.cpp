#include "extension/batch/condition.h"

#include <algorithm>
#include <utility>

#include "extension/pg/nodes.h"
#include "extension/types/quick_numeric.h"

extern "C" {
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
}

namespace idp {

namespace {

// In units of 10000^-kPlaces numerics are compared.
constexpr int kPlaces = 2;

// --- reading ---

struct KnownFunction {
  Oid function;
  Comparison comparison;
  Side side;
  bool widens_constant;  // an integer of two words beside a column of four
};

#define IDP_ORDER(name, comparison, widens)                            \
  {F_##name##LT, Comparison::comparison, Side::kBelow, widens},        \
      {F_##name##LE, Comparison::comparison, Side::kNotAbove, widens}, \
      {F_##name##EQ, Comparison::comparison, Side::kAt, widens},       \
      {F_##name##GE, Comparison::comparison, Side::kNotBelow, widens}, \
      {F_##name##GT, Comparison::comparison, Side::kAbove, widens}, {  \
    F_##name##NE, Comparison::comparison, Side::kElsewhere, widens     \
  }

constexpr KnownFunction kFunctions[] = {
    IDP_ORDER(INT2, kInt16, false),
    IDP_ORDER(INT4, kInt32, false),
    IDP_ORDER(INT8, kInt64, false),
    IDP_ORDER(INT84, kInt64, true),
    IDP_ORDER(DATE_, kInt32, false),
    IDP_ORDER(TIMESTAMP_, kInt64, false),
    IDP_ORDER(TIMESTAMPTZ_, kInt64, false),
    IDP_ORDER(FLOAT8, kFloat64, false),
    IDP_ORDER(NUMERIC_, kNumeric, false),
    {F_TEXTEQ, Comparison::kText, Side::kAt, false},
    {F_TEXTNE, Comparison::kText, Side::kElsewhere, false},
};
#undef IDP_ORDER

const KnownFunction* known(Oid function) {
  for (const KnownFunction& one : kFunctions) {
    if (one.function == function) return &one;
  }
  return nullptr;
}

Side seen_from_other(Side side) {
  switch (side) {
    case Side::kBelow:
      return Side::kAbove;
    case Side::kNotAbove:
      return Side::kNotBelow;
    case Side::kNotBelow:
      return Side::kNotAbove;
    case Side::kAbove:
      return Side::kBelow;
    default:
      return side;
  }
}

// A column of the table, maybe as a type of the same bytes.
const Var* column_in(const Node* node, Index table) {
  if (const auto* relabel = maybe<RelabelType>(node)) node = as<Node>(relabel->arg);
  const auto* column = maybe<Var>(node);
  const bool is_one = column != nullptr && static_cast<Index>(column->varno) == table &&
                      column->varlevelsup == 0 && column->varattno > 0;
  return is_one ? column : nullptr;
}

const Const* constant_in(const Node* node) {
  if (const auto* relabel = maybe<RelabelType>(node)) node = as<Node>(relabel->arg);
  const auto* constant = maybe<Const>(node);
  return constant != nullptr && !constant->constisnull ? constant : nullptr;
}

bool compares_bytes(Oid collation) {
  return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

bool take_constant(const KnownFunction& function, Datum constant, Condition& condition) {
  condition.constant = function.widens_constant
                           ? Int64GetDatum(static_cast<int64>(DatumGetInt32(constant)))
                           : constant;
  switch (function.comparison) {
    case Comparison::kFloat64: {
      const double x = DatumGetFloat8(constant);
      return x == x;
    }
    case Comparison::kNumeric:
      condition.constant = PointerGetDatum(PG_DETOAST_DATUM(constant));
      condition.is_quick = quick_units(condition.constant, kPlaces, condition.units);
      return true;
    case Comparison::kText:
      condition.constant = PointerGetDatum(PG_DETOAST_DATUM(constant));
      return true;
    default:
      return true;
  }
}

bool read_operator(const OpExpr* expression, Index table, Condition& condition) {
  const KnownFunction* function = known(expression->opfuncid);
  if (function == nullptr || list_length(expression->args) != 2) return false;
  const auto* left = as<const Node>(static_cast<const Node*>(linitial(expression->args)));
  const auto* right = as<const Node>(static_cast<const Node*>(lsecond(expression->args)));
  const bool is_turned = column_in(left, table) == nullptr;
  // int8 > int4 does not turn into a function of this list
  if (is_turned && function->widens_constant) return false;
  if (is_turned) std::swap(left, right);
  const Var* column = column_in(left, table);
  const Const* constant = constant_in(right);
  if (column == nullptr || constant == nullptr) return false;
  if (function->comparison == Comparison::kText && !compares_bytes(expression->inputcollid)) {
    return false;
  }
  condition.number = column->varattno;
  condition.comparison = function->comparison;
  condition.side = is_turned ? seen_from_other(function->side) : function->side;
  condition.collation = expression->inputcollid;
  return take_constant(*function, constant->constvalue, condition);
}

// column = ANY (array of constants)
bool read_list(const ScalarArrayOpExpr* expression, Index table, Condition& condition) {
  const KnownFunction* function = known(expression->opfuncid);
  if (function == nullptr || !expression->useOr || function->side != Side::kAt) return false;
  const bool is_32 = function->comparison == Comparison::kInt32;
  if ((!is_32 && function->comparison != Comparison::kInt64) || function->widens_constant) {
    return false;
  }
  const Var* column = column_in(static_cast<const Node*>(linitial(expression->args)), table);
  const Const* constant = constant_in(static_cast<const Node*>(lsecond(expression->args)));
  if (column == nullptr || constant == nullptr) return false;
  ArrayType* array = DatumGetArrayTypeP(constant->constvalue);
  Datum* values = nullptr;
  bool* nulls = nullptr;
  int count = 0;
  const int16 length = is_32 ? sizeof(int32) : sizeof(int64);
  if (get_typlen(ARR_ELEMTYPE(array)) != length) return false;
  deconstruct_array(array, ARR_ELEMTYPE(array), length, true,
                    is_32 ? TYPALIGN_INT : TYPALIGN_DOUBLE, &values, &nulls, &count);
  condition.several = static_cast<std::int64_t*>(palloc(sizeof(std::int64_t) * (count + 1)));
  condition.count = 0;
  for (int i = 0; i < count; ++i) {
    if (nulls[i]) continue;  // what is no other value either is NULL, and no fit
    condition.several[condition.count++] =
        is_32 ? DatumGetInt32(values[i]) : DatumGetInt64(values[i]);
  }
  std::sort(condition.several, condition.several + condition.count);
  condition.number = column->varattno;
  condition.comparison = is_32 ? Comparison::kAmong32 : Comparison::kAmong64;
  condition.side = Side::kAt;
  return true;
}

bool read_null_test(const NullTest* expression, Index table, Condition& condition) {
  const Var* column = column_in(as<const Node>(expression->arg), table);
  if (column == nullptr || expression->argisrow) return false;
  condition.number = column->varattno;
  condition.comparison = Comparison::kNull;
  condition.side = expression->nulltesttype == IS_NULL ? Side::kAt : Side::kElsewhere;
  return true;
}

// --- deciding ---

// Calls keep with each row's value where there is one, and leaves the rows for which it is true.
template <class Keep>
int keep_values(const PageColumn& column, std::uint16_t* rows, int count, Keep keep) {
  int kept = 0;
  if (!column.has_null) {
    for (int i = 0; i < count; ++i) {
      const std::uint16_t row = rows[i];
      rows[kept] = row;
      kept += keep(column.values[row]);
    }
    return kept;
  }
  for (int i = 0; i < count; ++i) {
    const std::uint16_t row = rows[i];
    rows[kept] = row;
    kept += !column.is_null[row] && keep(column.values[row]);
  }
  return kept;
}

// value is compared with a constant that is not NaN. NaN lies above all others, and no comparison
// of doubles says so: it is what is not below, and not at, the constant.
template <class Number, class Read>
int keep_side(Side side, Number constant, const PageColumn& column, std::uint16_t* rows, int count,
              Read read) {
  switch (side) {
    case Side::kBelow:
      return keep_values(column, rows, count, [=](Datum v) { return read(v) < constant; });
    case Side::kNotAbove:
      return keep_values(column, rows, count, [=](Datum v) { return read(v) <= constant; });
    case Side::kAt:
      return keep_values(column, rows, count, [=](Datum v) { return read(v) == constant; });
    case Side::kNotBelow:
      return keep_values(column, rows, count, [=](Datum v) { return !(read(v) < constant); });
    case Side::kAbove:
      return keep_values(column, rows, count, [=](Datum v) { return !(read(v) <= constant); });
    case Side::kElsewhere:
      return keep_values(column, rows, count, [=](Datum v) { return read(v) != constant; });
  }
  pg_unreachable();
}

bool is_on_side(Side side, int order) {
  switch (side) {
    case Side::kBelow:
      return order < 0;
    case Side::kNotAbove:
      return order <= 0;
    case Side::kAt:
      return order == 0;
    case Side::kNotBelow:
      return order >= 0;
    case Side::kAbove:
      return order > 0;
    case Side::kElsewhere:
      return order != 0;
  }
  pg_unreachable();
}

int order_of_units(std::int64_t a, std::int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

bool numeric_fits(const Condition& condition, Datum value) {
  std::int64_t units = 0;
  if (condition.is_quick && quick_units(value, kPlaces, units)) {
    return is_on_side(condition.side, order_of_units(units, condition.units));
  }
  const Datum order = DirectFunctionCall2(numeric_cmp, value, condition.constant);
  return is_on_side(condition.side, DatumGetInt32(order));
}

bool text_fits(const Condition& condition, Datum value) {
  const auto* text = reinterpret_cast<const struct varlena*>(DatumGetPointer(value));
  const auto* constant =
      reinterpret_cast<const struct varlena*>(DatumGetPointer(condition.constant));
  bool is_equal = false;
  if (VARATT_IS_EXTERNAL(text) || VARATT_IS_COMPRESSED(text)) {
    CHECK_FOR_INTERRUPTS();  // it is read from elsewhere
    is_equal = DatumGetBool(
        DirectFunctionCall2Coll(texteq, condition.collation, value, condition.constant));
  } else {
    const Size size = VARSIZE_ANY_EXHDR(text);
    is_equal = size == VARSIZE_ANY_EXHDR(constant) &&
               memcmp(VARDATA_ANY(text), VARDATA_ANY(constant), size) == 0;
  }
  return is_equal == (condition.side == Side::kAt);
}

int keep_null(Side side, const PageColumn& column, std::uint16_t* rows, int count) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint16_t row = rows[i];
    rows[kept] = row;
    kept += column.is_null[row] == (side == Side::kAt);
  }
  return kept;
}

}  // namespace

bool read_condition(const Node* expression, Index table, Condition& condition) {
  condition = {};
  if (IsA(expression, OpExpr)) return read_operator(as<OpExpr>(expression), table, condition);
  if (const auto* list = maybe<ScalarArrayOpExpr>(expression)) {
    return read_list(list, table, condition);
  }
  if (const auto* test = maybe<NullTest>(expression)) return read_null_test(test, table, condition);
  return false;
}

int keep_fitting(const Condition& condition, const PageRows& page, std::uint16_t* rows, int count) {
  const PageColumn& column = page.columns[condition.place];
  const Side side = condition.side;
  switch (condition.comparison) {
    case Comparison::kInt16:
      return keep_side(side, DatumGetInt16(condition.constant), column, rows, count,
                       [](Datum v) { return DatumGetInt16(v); });
    case Comparison::kInt32:
      return keep_side(side, DatumGetInt32(condition.constant), column, rows, count,
                       [](Datum v) { return DatumGetInt32(v); });
    case Comparison::kInt64:
      return keep_side(side, DatumGetInt64(condition.constant), column, rows, count,
                       [](Datum v) { return DatumGetInt64(v); });
    case Comparison::kFloat64:
      return keep_side(side, DatumGetFloat8(condition.constant), column, rows, count,
                       [](Datum v) { return DatumGetFloat8(v); });
    case Comparison::kNumeric:
      return keep_values(column, rows, count, [&](Datum v) { return numeric_fits(condition, v); });
    case Comparison::kText:
      return keep_values(column, rows, count, [&](Datum v) { return text_fits(condition, v); });
    case Comparison::kAmong32:
      return keep_values(column, rows, count, [&](Datum v) {
        return std::binary_search(condition.several, condition.several + condition.count,
                                  std::int64_t{DatumGetInt32(v)});
      });
    case Comparison::kAmong64:
      return keep_values(column, rows, count, [&](Datum v) {
        return std::binary_search(condition.several, condition.several + condition.count,
                                  std::int64_t{DatumGetInt64(v)});
      });
    case Comparison::kNull:
      return keep_null(side, column, rows, count);
  }
  pg_unreachable();
}

}  // namespace idp
