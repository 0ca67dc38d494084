#include "extension/budget/asker_total.h"

#include "extension/budget/amount.h"
#include "extension/catalog/columns.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "catalog/pg_collation.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

using namespace charge_column;

constexpr char kIndex[] = "charge_asker";  // (account, asker, entry)

// The first asker after another one, in the order of the index; null for the first of all.
ArrayType* next_asker(int32 account, const ArrayType* before) {
  StoreScan scan(Table::kCharge, kIndex);
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account));
  if (before != nullptr) {
    scan.add_bound(kAsker + 1, BTGreaterStrategyNumber, F_ARRAY_GT, PointerGetDatum(before),
                   C_COLLATION_OID);
  }
  Datum values[charge_column::kCount];
  bool nulls[charge_column::kCount];
  ArrayType* next = scan.next(values, nulls) ? DatumGetArrayTypePCopy(values[kAsker]) : nullptr;
  scan.close();
  return next;
}

}  // namespace

bool has_asker_totals() { return OidIsValid(own_relation(kIndex)); }

Datum present_asker() {
  Datum names[] = {CStringGetTextDatum(current_role_name()),
                   CStringGetTextDatum(GetUserNameFromId(GetOuterUserId(), false)),
                   CStringGetTextDatum(GetUserNameFromId(GetSessionUserId(), false))};
  return PointerGetDatum(construct_array(names, lengthof(names), TEXTOID, -1, false, TYPALIGN_INT));
}

List* askers_of(int32 account) {
  List* askers = NIL;
  ArrayType* asker = nullptr;
  while ((asker = next_asker(account, asker)) != nullptr) {
    CHECK_FOR_INTERRUPTS();
    askers = lappend(askers, asker);
  }
  return askers;
}

Datum total_of_asker(int32 account, const ArrayType* asker, int64 entry) {
  StoreScan scan(Table::kCharge, kIndex, StoreScan::Order::kBackward);
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account));
  scan.add_key(kAsker + 1, F_ARRAY_EQ, PointerGetDatum(asker), C_COLLATION_OID);
  scan.add_bound(kEntry + 1, BTLessEqualStrategyNumber, F_INT8LE, Int64GetDatum(entry));
  Datum values[charge_column::kCount];
  bool nulls[charge_column::kCount];
  Datum total = no_amount();
  for (bool is_known = false; !is_known && scan.next(values, nulls);) {
    is_known = !nulls[kAskerSpent];
    total = sum_of(total, values[is_known ? kAskerSpent : kEpsilon]);
  }
  scan.close();
  return total;
}

}  // namespace idp
