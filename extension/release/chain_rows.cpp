#include "extension/release/chain_rows.h"

#include <algorithm>

#include "extension/budget/account.h"
#include "extension/catalog/columns.h"
#include "extension/catalog/store.h"
#include "extension/catalog/stored_text.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/release/shares.h"

extern "C" {
#include "catalog/pg_collation.h"
#include "common/hashfn.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

int64 hash_of(const char* name, uint64 seed) {
  return static_cast<int64>(hash_bytes_extended(reinterpret_cast<const unsigned char*>(name),
                                                static_cast<int>(strlen(name)), seed));
}

int64 hash_of(const char* name) { return hash_of(name, 0); }

}  // namespace

uint32 hash_of_name(Oid table, const char* name) {
  const auto seed = OidIsValid(table) ? table : static_cast<uint64>(hash_of(current_role_name()));
  return static_cast<uint32>(hash_of(name, seed));
}

pg_uuid_t new_id() {
  pg_uuid_t id;
  if (!pg_strong_random(id.data, UUID_LEN)) {
    ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
  }
  return id;
}

namespace {

using namespace chain_column;
using level_column::kAt;
using level_column::kChain;
using level_column::kEpsilons;
using level_column::kNoise;

// --- reading ---

char* text_copy(Datum value) { return TextDatumGetCString(value); }

List* oid_list(Datum array) {
  ArrayType* elements = DatumGetArrayTypeP(array);
  const auto* numbers = reinterpret_cast<const Oid*>(ARR_DATA_PTR(elements));
  List* list = NIL;
  for (int i = 0; i < ArrayGetNItems(ARR_NDIM(elements), ARR_DIMS(elements)); ++i) {
    list = lappend_oid(list, numbers[i]);
  }
  return list;
}

// A value as it lies in its row. What the row only points to stays there until this statement ends,
// whoever deletes the row.
bytea* as_stored(Datum value) {
  return reinterpret_cast<bytea*>(DatumGetPointer(datumCopy(value, false, -1)));
}

StoredChain* chain_of_row(const Datum* values, const bool* nulls, ItemPointerData place) {
  auto* chain = static_cast<StoredChain*>(palloc0(sizeof(StoredChain)));
  chain->id = *DatumGetUUIDP(values[kId]);
  chain->name = text_copy(values[kName]);
  chain->family = *DatumGetUUIDP(values[kFamily]);
  chain->grouped = DatumGetBool(values[kGrouped]);
  chain->accounts = DatumGetArrayTypePCopy(values[kAccounts]);
  const Oid table = nulls[kTable] ? InvalidOid : DatumGetObjectId(values[kTable]);
  chain->table = relation_exists(table) ? table : InvalidOid;
  chain->table_name = nulls[kTableName] ? nullptr : text_copy(values[kTableName]);
  chain->tables = oid_list(values[kTables]);
  chain->aggregate = text_copy(values[kAggregate]);
  chain->column = text_copy(values[kColumn]);
  chain->result = DatumGetObjectId(values[kResult]);
  chain->role = text_copy(values[kRole]);
  chain->condition = nulls[kCondition] ? nullptr : text_copy(values[kCondition]);
  chain->record = nulls[kRecord] ? nullptr : DatumGetByteaPCopy(values[kRecord]);
  chain->used = stored_columns(values[kUsedColumns], nulls[kUsedColumns]);
  chain->place = place;
  return chain;
}

}  // namespace

UsedColumns stored_columns(Datum array, bool is_null) {
  UsedColumns columns{!is_null, NIL};
  if (is_null) return columns;
  Datum* elements;
  int count;
  deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &elements, nullptr,
                    &count);
  for (int i = 0; i < count; ++i) columns.names = lappend(columns.names, text_copy(elements[i]));
  return columns;
}

Levels read_levels(const pg_uuid_t& chain) {
  Levels levels{nullptr, 0, 0, InvalidXLogRecPtr};
  const char* role = current_role_name();
  int room = 0;
  StoreScan scan(Table::kLevel, "chain_level_chain");
  scan.add_key(kChain + 1, F_UUID_EQ, UUIDPGetDatum(&chain));
  Datum values[level_column::kCount];
  bool nulls[level_column::kCount];
  while (scan.next(values, nulls)) {
    levels.written = std::max(levels.written, scan.written());
    if (levels.count == room) {
      room = room ? 2 * room : 4;
      const Size size = static_cast<Size>(room) * sizeof(StoredLevel);
      levels.rows =
          static_cast<StoredLevel*>(levels.rows ? repalloc(levels.rows, size) : palloc(size));
    }
    ArrayType* epsilons = DatumGetArrayTypePCopy(values[kEpsilons]);
    levels.rows[levels.count++] = {reinterpret_cast<const double*>(ARR_DATA_PTR(epsilons)),
                                   ArrayGetNItems(ARR_NDIM(epsilons), ARR_DIMS(epsilons)),
                                   as_stored(values[kNoise])};
    if (strcmp(text_copy(values[level_column::kRole]), role) == 0) ++levels.own;
  }
  scan.close();
  return levels;
}

bool has_begun(const StoredChain& chain) {
  return chain.record != nullptr && chain.levels.count > 0;
}

bytea* noise_of(const StoredLevel& level) { return DatumGetByteaP(PointerGetDatum(level.noise)); }

bytea* stored_noise(const Levels& levels, const double* epsilons, int count) {
  for (int i = 0; i < levels.count; ++i) {
    const StoredLevel& level = levels.rows[i];
    if (level.count == count &&
        memcmp(level.epsilons, epsilons, static_cast<Size>(count) * sizeof(double)) == 0) {
      return noise_of(level);
    }
  }
  return nullptr;
}

const StoredLevel* finest_of(const Levels& levels) {
  const StoredLevel* finest = nullptr;
  for (int i = 0; i < levels.count; ++i) {
    if (finest == nullptr || levels.rows[i].epsilons[0] > finest->epsilons[0]) {
      finest = &levels.rows[i];
    }
  }
  return finest;
}

Levels levels_around(const Levels& levels, const double* epsilons, int count) {
  Levels around{
      static_cast<StoredLevel*>(palloc(sizeof(StoredLevel) * static_cast<Size>(levels.count + 1))),
      0, levels.own, levels.written};
  const StoredLevel* coarser = nullptr;
  const StoredLevel* finer = nullptr;
  for (int i = 0; i < levels.count; ++i) {
    const StoredLevel& level = levels.rows[i];
    if (count > 1) {
      around.rows[around.count++] = level;
    } else if (level.epsilons[0] < epsilons[0]) {
      if (coarser == nullptr || level.epsilons[0] > coarser->epsilons[0]) coarser = &level;
    } else if (finer == nullptr || level.epsilons[0] < finer->epsilons[0]) {
      finer = &level;
    }
  }
  if (coarser) around.rows[around.count++] = *coarser;
  if (finer) around.rows[around.count++] = *finer;
  for (int i = 0; i < around.count; ++i) around.rows[i].noise = noise_of(around.rows[i]);
  return around;
}

namespace {

bool find_in(StoreScan& scan, ChainVisit visit, void* context) {
  Datum values[chain_column::kCount];
  bool nulls[chain_column::kCount];
  MemoryContext each =
      AllocSetContextCreate(CurrentMemoryContext, "idp chains", ALLOCSET_SMALL_SIZES);
  bool found = false;
  while (!found && scan.next(values, nulls)) {
    CHECK_FOR_INTERRUPTS();
    MemoryContext before = MemoryContextSwitchTo(each);
    found = visit(*chain_of_row(values, nulls, scan.place()), context);
    MemoryContextSwitchTo(before);
    MemoryContextReset(each);
  }
  MemoryContextDelete(each);
  scan.close();
  return found;
}

}  // namespace

bool find_in_family(const pg_uuid_t& family, ChainVisit visit, void* context) {
  StoreScan scan(Table::kChain, "chain_family");
  scan.add_key(kFamily + 1, F_UUID_EQ, UUIDPGetDatum(&family));
  return find_in(scan, visit, context);
}

bool find_chain_of(Oid table, ChainVisit visit, void* context) {
  StoreScan scan(Table::kChain, "chain_relation", StoreScan::Order::kBackward);
  scan.add_key(kTable + 1, F_OIDEQ, ObjectIdGetDatum(table));
  return find_in(scan, visit, context);
}

bool find_chain_named(const char* name, ChainVisit visit, void* context) {
  StoreScan scan(Table::kChain, "chain_name_hash", StoreScan::Order::kBackward);
  scan.add_key(kNameHash + 1, F_INT8EQ, Int64GetDatum(hash_of(name)));
  return find_in(scan, visit, context);
}

bool find_chain_begun_by(const char* role, ChainVisit visit, void* context) {
  StoreScan scan(Table::kChain, "chain_role", StoreScan::Order::kBackward);
  scan.add_key(kRole + 1, F_TEXTEQ, CStringGetTextDatum(role), C_COLLATION_OID);
  return find_in(scan, visit, context);
}

bool find_any_chain(ChainVisit visit, void* context) {
  StoreScan scan(Table::kChain, "chain_name_hash", StoreScan::Order::kBackward);
  return find_in(scan, visit, context);
}

Oid next_table(Oid table) {
  StoreScan scan(Table::kChain, "chain_relation");
  scan.add_bound(kTable + 1, BTGreaterStrategyNumber, F_OIDGT, ObjectIdGetDatum(table));
  Datum values[chain_column::kCount];
  bool nulls[chain_column::kCount];
  const Oid next = scan.next(values, nulls) ? DatumGetObjectId(values[kTable]) : InvalidOid;
  scan.close();
  return next;
}

namespace {

// What a name belongs to: a role, and its table or, if there was one, the table that was dropped.
bool is_of(const StoredChain& chain, Oid table, const char* role, const char* dropped) {
  if (strcmp(chain.role, role) != 0) return false;
  if (OidIsValid(table) || OidIsValid(chain.table)) return chain.table == table;
  const bool was_dropped = chain.table_name != nullptr;
  return was_dropped == (dropped != nullptr) &&
         (dropped == nullptr || strcmp(chain.table_name, dropped) == 0);
}

// The last chain of that name.
StoredChain* last_chain(Oid table, const char* role, const char* dropped, const char* name) {
  const bool by_table = OidIsValid(table);
  StoreScan scan(Table::kChain, by_table ? "chain_relation" : "chain_role",
                 StoreScan::Order::kBackward);
  if (by_table) {
    scan.add_key(kTable + 1, F_OIDEQ, ObjectIdGetDatum(table));
  } else {
    scan.add_key(kRole + 1, F_TEXTEQ, CStringGetTextDatum(role), C_COLLATION_OID);
  }
  scan.add_key(kNameHash + 1, F_INT8EQ, Int64GetDatum(hash_of(name)));
  Datum values[chain_column::kCount];
  bool nulls[chain_column::kCount];
  StoredChain* found = nullptr;
  while (found == nullptr && scan.next(values, nulls)) {
    if (strcmp(text_copy(values[kName]), name) != 0) continue;
    StoredChain* chain = chain_of_row(values, nulls, scan.place());
    if (is_of(*chain, table, role, dropped)) found = chain;
  }
  scan.close();
  if (found != nullptr) found->levels = read_levels(found->id);
  return found;
}

const char* dropped_table(const StoredChain& chain) {
  return OidIsValid(chain.table) ? nullptr : chain.table_name;
}

}  // namespace

namespace {

struct Named {
  const char* name;
  List* chains;  // of StoredChain: the last one of each role
  MemoryContext context;
};

bool is_of_role(const List* chains, const char* role) {
  for (auto* chain : idp::list<StoredChain>(chains)) {
    if (strcmp(chain->role, role) == 0) return true;
  }
  return false;
}

// The latest come first.
bool add_named(const StoredChain& chain, void* context) {
  auto* named = static_cast<Named*>(context);
  if (strcmp(chain.name, named->name) != 0 || is_of_role(named->chains, chain.role)) return false;
  MemoryContext before = MemoryContextSwitchTo(named->context);
  StoredChain* found = chain_numbered(chain.id);
  if (found != nullptr) named->chains = lappend(named->chains, found);
  MemoryContextSwitchTo(before);
  return false;
}

}  // namespace

List* chains_named(Oid table, const char* name) {
  if (!OidIsValid(table)) {
    StoredChain* own = last_chain(table, current_role_name(), nullptr, name);
    return own == nullptr ? NIL : list_make1(own);
  }
  Named named{name, NIL, CurrentMemoryContext};
  StoreScan scan(Table::kChain, "chain_relation", StoreScan::Order::kBackward);
  scan.add_key(kTable + 1, F_OIDEQ, ObjectIdGetDatum(table));
  scan.add_key(kNameHash + 1, F_INT8EQ, Int64GetDatum(hash_of(name)));
  (void)find_in(scan, add_named, &named);
  return named.chains;
}

namespace {

StoredChain* last_of_name(const StoredChain& chain) {
  return last_chain(chain.table, chain.role, dropped_table(chain), chain.name);
}

}  // namespace

bool is_last(const StoredChain& chain) {
  const StoredChain* last = last_of_name(chain);
  return last != nullptr && memcmp(&last->id, &chain.id, UUID_LEN) == 0;
}

bool have_one_name(const StoredChain& a, const StoredChain& b) {
  return strcmp(a.name, b.name) == 0 && is_of(a, b.table, b.role, dropped_table(b));
}

StoredChain* chain_numbered(const pg_uuid_t& id) {
  StoreScan scan(Table::kChain, "chain_pkey");
  scan.add_key(kId + 1, F_UUID_EQ, UUIDPGetDatum(&id));
  Datum values[chain_column::kCount];
  bool nulls[chain_column::kCount];
  StoredChain* chain =
      scan.next(values, nulls) ? chain_of_row(values, nulls, scan.place()) : nullptr;
  scan.close();
  if (chain != nullptr) chain->levels = read_levels(chain->id);
  return chain;
}

namespace {

// --- writing ---

Datum epsilon_array(const double* epsilons, int count) {
  Datum elements[kMaxGroup];
  for (int i = 0; i < count; ++i) elements[i] = Float8GetDatum(epsilons[i]);
  return PointerGetDatum(construct_array(elements, count, FLOAT8OID, sizeof(float8),
                                         FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

// Of a chain that was charged to nothing, but could have been.
constexpr int32 kNoAccount = 0;

Datum account_array(List* accounts, bool is_sound) {
  Datum* elements = static_cast<Datum*>(palloc(sizeof(Datum) * (list_length(accounts) + 1)));
  int count = 0;
  for (auto* account : idp::list<Account>(accounts)) {
    elements[count++] = Int32GetDatum(account->id);
  }
  if (count == 0 && is_sound) elements[count++] = Int32GetDatum(kNoAccount);
  return PointerGetDatum(
      construct_array(elements, count, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

Datum column_array(const UsedColumns& columns) {
  const int count = list_length(columns.names);
  Datum* elements = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<Size>(count + 1)));
  ListCell* cell;
  foreach (cell, columns.names) {
    elements[foreach_current_index(cell)] = CStringGetTextDatum(static_cast<char*>(lfirst(cell)));
  }
  return PointerGetDatum(construct_array(elements, count, TEXTOID, -1, false, TYPALIGN_INT));
}

Datum table_array(List* tables) {
  Datum* elements = static_cast<Datum*>(palloc(sizeof(Datum) * (list_length(tables) + 1)));
  ListCell* cell;
  foreach (cell, tables) elements[foreach_current_index(cell)] = ObjectIdGetDatum(lfirst_oid(cell));
  return PointerGetDatum(construct_array(elements, list_length(tables), own_type("table_reference"),
                                         sizeof(Oid), true, TYPALIGN_INT));
}

}  // namespace

void insert_level(const pg_uuid_t& chain, const double* epsilons, int count, bytea* noise) {
  Datum values[level_column::kCount] = {};
  bool nulls[level_column::kCount] = {};
  values[kChain] = UUIDPGetDatum(&chain);
  values[kEpsilons] = epsilon_array(epsilons, count);
  values[kNoise] = PointerGetDatum(noise);
  values[kAt] = TimestampTzGetDatum(GetCurrentTimestamp());
  values[level_column::kRole] = CStringGetTextDatum(current_role_name());
  insert_row(Table::kLevel, values, nulls);
}

void insert_chain(const StoredChain& chain, List* accounts, bool is_sound) {
  Datum values[chain_column::kCount] = {};
  bool nulls[chain_column::kCount] = {};
  values[kId] = UUIDPGetDatum(&chain.id);
  values[kName] = CStringGetTextDatum(chain.name);
  values[kNameHash] = Int64GetDatum(hash_of(chain.name));
  values[kFamily] = UUIDPGetDatum(&chain.family);
  values[kGrouped] = BoolGetDatum(chain.grouped);
  values[kAccounts] = account_array(accounts, is_sound);
  values[kTable] = ObjectIdGetDatum(chain.table);
  nulls[kTable] = !OidIsValid(chain.table);
  nulls[kTableName] = chain.table_name == nullptr;
  if (chain.table_name) values[kTableName] = CStringGetTextDatum(chain.table_name);
  values[kTables] = table_array(chain.tables);
  values[kAggregate] = CStringGetTextDatum(chain.aggregate);
  values[kColumn] = CStringGetTextDatum(short_form(chain.column));
  values[kResult] = ObjectIdGetDatum(chain.result);
  values[kBorn] = TimestampTzGetDatum(GetCurrentTimestamp());
  values[kRole] = CStringGetTextDatum(chain.role ? chain.role : current_role_name());
  values[kRecord] = PointerGetDatum(chain.record);
  nulls[kRecord] = chain.record == nullptr;
  nulls[kCondition] = chain.condition == nullptr;
  if (chain.condition) values[kCondition] = CStringGetTextDatum(chain.condition);
  nulls[kUsedColumns] = !chain.used.known;
  if (chain.used.known) values[kUsedColumns] = column_array(chain.used);
  insert_row(Table::kChain, values, nulls);
}

void delete_chains(const StoredChain& chain) {
  while (const StoredChain* last = last_of_name(chain)) {
    StoreScan scan(Table::kLevel, "chain_level_chain");
    scan.add_key(kChain + 1, F_UUID_EQ, UUIDPGetDatum(&last->id));
    Datum values[level_column::kCount];
    bool nulls[level_column::kCount];
    while (scan.next(values, nulls)) delete_row(Table::kLevel, scan.place());
    scan.close();
    take_back(last->id);
    delete_row(Table::kChain, last->place);
  }
}

}  // namespace idp
