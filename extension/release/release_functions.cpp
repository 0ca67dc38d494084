// The functions by which readers of a table refine a named release, and its owner refreshes or
// drops one.
#include "extension/pg/sql_function.h"
#include "extension/pg/pg.h"

#include "extension/budget/amount.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/release/chosen_chain.h"
#include "extension/release/find_release.h"
#include "extension/release/readers.h"
#include "extension/release/refine.h"
#include "extension/release/release_text.h"
#include "extension/release/shares.h"

extern "C" {
#include "access/detoast.h"
}

namespace idp {

namespace {

// The argument that says of which table a release is, if the function was called with it.
Place place_argument(FunctionCallInfo fcinfo, int position) {
  const bool is_given = PG_NARGS() > position;
  return {is_given, is_given ? PG_GETARG_OID(position) : InvalidOid};
}

// A role that was given a level of the release asks within it.
void require_given(const StoredChain& chain, std::span<const double> epsilons) {
  if (is_given(chain.id, epsilons)) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied to refine release \"%s\"", chain.name),
                  errdetail("The role was given it at a smaller epsilon."),
                  errhint("Ask at the epsilon that idp.shared shows, or below.")));
}

Datum relax(FunctionCallInfo fcinfo, std::span<const double> epsilons) {
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  require_epsilons(epsilons, "epsilon");
  prepare_to_write();
  const StoredChain* chain = find_release(name, place_argument(fcinfo, 2), Right::kRefine);
  if (!may_read(*chain)) require_given(*chain, epsilons);
  bytea* noise = refine_named(*chain, epsilons.data(), static_cast<int>(epsilons.size()));
  const NullableDatum answer = answer_text(*chain, epsilons, noise);
  if (answer.isnull) PG_RETURN_NULL();
  PG_RETURN_DATUM(answer.value);
}

Datum relax_one(FunctionCallInfo fcinfo) {
  const double epsilon = PG_GETARG_FLOAT8(1);
  return relax(fcinfo, {&epsilon, 1});
}

Datum relax_groups(FunctionCallInfo fcinfo) { return relax(fcinfo, epsilons_argument(fcinfo, 1)); }

Datum best_answer(FunctionCallInfo fcinfo, const StoredChain* chain) {
  if (chain == nullptr || !has_begun(*chain)) PG_RETURN_NULL();
  const StoredLevel& finest = *finest_of(chain->levels);
  const NullableDatum answer = answer_text(
      *chain, {finest.epsilons, static_cast<std::size_t>(finest.count)}, finest_noise(*chain));
  if (answer.isnull) PG_RETURN_NULL();
  PG_RETURN_DATUM(answer.value);
}

Datum release_answer(FunctionCallInfo fcinfo) {
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  return best_answer(fcinfo, find_release(name, place_argument(fcinfo, 1), Right::kRead));
}

// For the view, by the number of a chain: others may drop what it lists meanwhile.
Datum chain_answer(FunctionCallInfo fcinfo) {
  const StoredChain* chain = chain_numbered(*PG_GETARG_UUID_P(0));
  return best_answer(fcinfo, chain != nullptr && may_read(*chain) ? chain : nullptr);
}

// Whether a text may be that of a column: longer ones, which others may have stored, are not read.
bool may_name_column(Datum text) {
  return toast_raw_datum_size(text) - VARHDRSZ <= static_cast<Size>(2 * NAMEDATALEN);
}

Datum readable(FunctionCallInfo fcinfo, const UsedColumns& columns) {
  if (PG_ARGISNULL(1)) PG_RETURN_BOOL(false);
  PG_RETURN_BOOL(may_read(PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0),
                          text_to_cstring(PG_GETARG_TEXT_PP(1)), columns));
}

Datum is_readable(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(2)) PG_RETURN_BOOL(false);
  const Datum column = PG_GETARG_DATUM(2);
  UsedColumns columns{may_name_column(column), NIL};
  const char* name = columns.known ? TextDatumGetCString(column) : "";
  if (name[0] != '\0') columns.names = list_make1(pstrdup(name));
  return readable(fcinfo, columns);
}

Datum is_release_readable(FunctionCallInfo fcinfo) {
  return readable(fcinfo, stored_columns(PG_GETARG_DATUM(2), PG_ARGISNULL(2)));
}

StoredChain* owned_release(FunctionCallInfo fcinfo) {
  return find_release(text_to_cstring(PG_GETARG_TEXT_PP(0)), place_argument(fcinfo, 1),
                      Right::kOwn);
}

// With those of other roles that it has taken the place of.
void delete_release(const StoredChain& chain) {
  for (const auto* other :
       list<StoredChain>(OidIsValid(chain.table) ? chains_named(chain.table, chain.name) : NIL)) {
    if (takes_place_of(chain, *other)) delete_chains(*other);
  }
  delete_chains(chain);
}

// Makes the next answer under the name begin a new chain, for the same question.
Datum refresh(FunctionCallInfo fcinfo) {
  prepare_to_write();
  const StoredChain* chain = owned_release(fcinfo);
  delete_release(*chain);
  StoredChain again = *chain;
  again.id = new_id();
  again.family = new_id();
  again.record = nullptr;
  insert_chain(again, accounts_of_chain(*chain), true);
  make_durable();
  PG_RETURN_VOID();
}

Datum drop_release(FunctionCallInfo fcinfo) {
  prepare_to_write();
  delete_release(*owned_release(fcinfo));
  PG_RETURN_VOID();
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_relax, relax_one);
IDP_FUNCTION(idp_relax_groups, relax_groups);
IDP_FUNCTION(idp_release_answer, release_answer);
IDP_FUNCTION(idp_chain_answer, chain_answer);
IDP_FUNCTION(idp_is_readable, is_readable);
IDP_FUNCTION(idp_is_release_readable, is_release_readable);
IDP_FUNCTION(idp_refresh, refresh);
IDP_FUNCTION(idp_drop_release, drop_release);

}  // extern "C"
#pragma GCC visibility pop
