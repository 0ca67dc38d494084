#include "extension/domain/united_keys.h"

#include <algorithm>

#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "lib/qunique.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

struct Order {
  FmgrInfo* compare;
  Oid collation;
};

int compare_values(const void* a, const void* b, void* context) {
  const auto* order = static_cast<const Order*>(context);
  return DatumGetInt32(FunctionCall2Coll(order->compare, order->collation,
                                         *static_cast<const Datum*>(a),
                                         *static_cast<const Datum*>(b)));
}

bool is_list_of_values(const Keys& keys) {
  return keys.values != nullptr && keys.grain.unit == nullptr;
}

// Whether all are numbers with as many digits behind the point, which then have one form together.
bool have_one_scale(const Keys& a, const Keys& b) {
  if (a.type != NUMERICOID || b.type != NUMERICOID) return false;
  const Keys& any = a.count > 0 ? a : b;
  if (any.count == 0 || !is_finite_numeric(any.values[0])) return false;
  const int scale = scale_of_numeric(any.values[0]);
  const auto have_it = [scale](const Keys& keys) {
    return std::all_of(keys.values, keys.values + keys.count, [scale](Datum value) {
      return is_finite_numeric(value) && scale_of_numeric(value) == scale;
    });
  };
  return have_it(a) && have_it(b);
}

}  // namespace

bool unite_keys(const FiniteKeys& a, const FiniteKeys& b, FiniteKeys* both) {
  const bool are_alike =
      is_list_of_values(a.keys) && is_list_of_values(b.keys) && a.keys.type == b.keys.type &&
      a.keys.collation == b.keys.collation &&
      (has_one_form(a.keys.type, a.keys.typmod == b.keys.typmod ? a.keys.typmod : -1,
                    a.keys.collation) ||
       have_one_scale(a.keys, b.keys));
  TypeCacheEntry* type = lookup_type_cache(a.keys.type, TYPECACHE_CMP_PROC_FINFO);
  if (!are_alike || !OidIsValid(type->cmp_proc_finfo.fn_oid)) return false;
  Keys keys = a.keys;
  if (a.keys.typmod != b.keys.typmod) keys.typmod = -1;
  const auto first = static_cast<size_t>(a.keys.count);
  const auto second = static_cast<size_t>(b.keys.count);
  keys.values = static_cast<Datum*>(palloc(sizeof(Datum) * (first + second)));
  std::copy_n(a.keys.values, first, keys.values);
  std::copy_n(b.keys.values, second, keys.values + first);
  Order order{&type->cmp_proc_finfo, keys.collation};
  qsort_arg(keys.values, first + second, sizeof(Datum), compare_values, &order);
  keys.count = static_cast<int>(
      qunique_arg(keys.values, first + second, sizeof(Datum), compare_values, &order));
  keys.number = keys.count;
  if (keys.count > kMostKeys) return false;
  *both = {keys, a.may_be_null || b.may_be_null};
  return true;
}

bool gives_each_row(const Query* query) { return takes_only(query, step::kWith | step::kSubLinks); }

}  // namespace idp
