// What view idp.releases shows. It asks by index for the tables that have releases, and whether the
// role may read one before it looks at what is stored for it: what belongs to others costs nothing.
#include "extension/pg/pg.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/release/chain_rows.h"
#include "extension/release/readers.h"

extern "C" {
#include "funcapi.h"
}

namespace idp {

namespace {

struct Listing {
  List* numbers;  // of pg_uuid_t
  MemoryContext context;
};

bool may_read_any_column(Oid table) {
  return relation_exists(table) && may_read(table, "", UsedColumns{true, NIL});
}

void append(const StoredChain& chain, Listing* listing) {
  if (!may_read(chain) || !is_last(chain)) return;
  MemoryContext before = MemoryContextSwitchTo(listing->context);
  auto* number = static_cast<pg_uuid_t*>(palloc(sizeof(pg_uuid_t)));
  *number = chain.id;
  listing->numbers = lappend(listing->numbers, number);
  MemoryContextSwitchTo(before);
}

bool list(const StoredChain& chain, void* context) {
  append(chain, static_cast<Listing*>(context));
  return false;  // go on
}

// One that is not listed with its table.
bool list_apart(const StoredChain& chain, void* context) {
  if (!may_read_any_column(chain.table)) append(chain, static_cast<Listing*>(context));
  return false;
}

List* readable_releases(MemoryContext context) {
  Listing listing{NIL, context};
  if (superuser()) {
    (void)find_any_chain(list, &listing);
    return listing.numbers;
  }
  for (Oid table = next_table(InvalidOid); OidIsValid(table); table = next_table(table)) {
    CHECK_FOR_INTERRUPTS();
    if (may_read_any_column(table)) (void)find_chain_of(table, list, &listing);
  }
  (void)find_chain_begun_by(current_role_name(), list_apart, &listing);
  return listing.numbers;
}

// A set of uuid, one in each call.
Datum next_readable_release(FunctionCallInfo fcinfo) {
  FuncCallContext* calls;
  if (SRF_IS_FIRSTCALL()) {
    calls = SRF_FIRSTCALL_INIT();
    calls->user_fctx = readable_releases(calls->multi_call_memory_ctx);
  }
  calls = SRF_PERCALL_SETUP();
  auto* numbers = static_cast<List*>(calls->user_fctx);
  if (calls->call_cntr >= static_cast<uint64>(list_length(numbers))) SRF_RETURN_DONE(calls);
  void* number = list_nth(numbers, static_cast<int>(calls->call_cntr));
  SRF_RETURN_NEXT(calls, UUIDPGetDatum(static_cast<pg_uuid_t*>(number)));
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(idp_readable_releases);
Datum idp_readable_releases(PG_FUNCTION_ARGS) { return idp::next_readable_release(fcinfo); }

}  // extern "C"
#pragma GCC visibility pop
