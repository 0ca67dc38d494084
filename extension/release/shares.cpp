#include "extension/release/shares.h"

#include "extension/catalog/own_rows.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "access/xact.h"
#include "catalog/indexing.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

constexpr char kShareTable[] = "share";

namespace share_column {
enum { kChain, kRole, kEpsilons, kCount };
}

// Calls visit(role, epsilons, place) for each row of the release.
template <class Visit>
void for_each_share(const pg_uuid_t& chain, Visit visit) {
  using namespace share_column;
  ScanKeyData key;
  ScanKeyInit(&key, kChain + 1, BTEqualStrategyNumber, F_UUID_EQ, UUIDPGetDatum(&chain));
  for_each_row<kCount>(
      kShareTable, "share_pkey", key, [&](const Datum* values, const bool*, ItemPointerData place) {
        visit(TextDatumGetCString(values[kRole]), DatumGetArrayTypePCopy(values[kEpsilons]), place);
      });
}

bool exists(const char* role) { return OidIsValid(get_role_oid(role, true)); }

bool has_rights_of(const char* role) {
  const Oid id = get_role_oid(role, true);
  return OidIsValid(id) && has_privs_of_role(GetUserId(), id);
}

bool is_within(std::span<const double> epsilons, std::span<const double> given) {
  if (epsilons.size() != given.size()) return false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!(epsilons[i] <= given[i])) return false;
  }
  return true;
}

// Deletes the rows that are of such a role.
template <class Chosen>
void delete_shares(const pg_uuid_t& chain, Chosen chosen) {
  const Oid shares = own_relation(kShareTable);
  if (!OidIsValid(shares)) return;  // of an earlier version
  Relation table = table_open(shares, RowExclusiveLock);
  for_each_share(chain, [&](const char* role, ArrayType*, ItemPointerData place) {
    if (chosen(role)) CatalogTupleDelete(table, &place);
  });
  table_close(table, NoLock);
  CommandCounterIncrement();
}

void insert_share(const pg_uuid_t& chain, const char* role, std::span<const double> epsilons) {
  using namespace share_column;
  const int count = static_cast<int>(epsilons.size());
  auto* elements = static_cast<Datum*>(palloc(sizeof(Datum) * epsilons.size()));
  for (int i = 0; i < count; ++i) elements[i] = Float8GetDatum(epsilons[i]);
  ArrayType* array =
      construct_array(elements, count, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
  Datum values[kCount] = {UUIDPGetDatum(&chain), CStringGetTextDatum(role), PointerGetDatum(array)};
  bool nulls[kCount] = {};
  Relation table = table_open(own_relation(kShareTable), RowExclusiveLock);
  CatalogTupleInsert(table, heap_form_tuple(RelationGetDescr(table), values, nulls));
  table_close(table, NoLock);
  CommandCounterIncrement();
}

}  // namespace

std::span<const double> numbers_of(ArrayType* array) {
  return {reinterpret_cast<const double*>(ARR_DATA_PTR(array)),
          static_cast<std::size_t>(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)))};
}

ArrayType* level_given(const pg_uuid_t& chain) {
  ArrayType* finest = nullptr;
  for_each_share(chain, [&](const char* role, ArrayType* epsilons, ItemPointerData) {
    if (!has_rights_of(role)) return;
    if (finest == nullptr || numbers_of(epsilons)[0] > numbers_of(finest)[0]) finest = epsilons;
  });
  return finest;
}

bool is_given(const pg_uuid_t& chain, std::span<const double> epsilons) {
  bool given = false;
  for_each_share(chain, [&](const char* role, ArrayType* level, ItemPointerData) {
    given |= is_within(epsilons, numbers_of(level)) && has_rights_of(role);
  });
  return given;
}

void give(const pg_uuid_t& chain, const char* role, std::span<const double> epsilons) {
  // What a role had that is gone is not left for a later one of its name.
  delete_shares(chain, [&](const char* name) { return strcmp(name, role) == 0 || !exists(name); });
  if (!epsilons.empty()) insert_share(chain, role, epsilons);
}

void take_back(const pg_uuid_t& chain) {
  delete_shares(chain, [](const char*) { return true; });
}

}  // namespace idp
