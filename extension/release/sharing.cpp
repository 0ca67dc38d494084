// The functions by which the owner of a table gives a release to roles, each at a level of its own,
// and by which they read it.
#include "extension/pg/arguments.h"
#include "extension/pg/sql_function.h"
#include "extension/pg/pg.h"

#include "extension/budget/amount.h"
#include "extension/catalog/store.h"
#include "extension/release/find_release.h"
#include "extension/release/refine.h"
#include "extension/release/release_text.h"
#include "extension/release/shares.h"

extern "C" {
#include "miscadmin.h"
#include "utils/acl.h"
}

namespace idp {

namespace {

// Where to look; everywhere for a null.
Place place_argument(FunctionCallInfo fcinfo, int position) {
  if (PG_ARGISNULL(position)) return {false, InvalidOid};
  return {true, PG_GETARG_OID(position)};
}

struct Gift {
  const char* role;
  std::span<const double> epsilons;  // none: what it has is taken back
};

// The level is drawn, and charged, before anybody may see it: reading it costs nothing.
void draw_and_give(const StoredChain& chain, const Gift& gift) {
  if (!gift.epsilons.empty()) {
    (void)refine_named(chain, gift.epsilons.data(), static_cast<int>(gift.epsilons.size()));
  }
  give(chain.id, gift.role, gift.epsilons);
}

bool give_one_of_family(const StoredChain& visited, void* context) {
  const StoredChain* chain = chain_numbered(visited.id);
  if (chain != nullptr && has_begun(*chain))
    draw_and_give(*chain, *static_cast<const Gift*>(context));
  return false;  // go on
}

// (release, role, epsilon or epsilons, relation, all_groups)
Datum share(FunctionCallInfo fcinfo, std::span<const double> epsilons) {
  if (PG_ARGISNULL(0)) refuse_null("release");
  if (PG_ARGISNULL(1)) refuse_null("role");
  if (PG_ARGISNULL(4)) refuse_null("all_groups");
  if (!epsilons.empty()) require_epsilons(epsilons, "epsilon");
  PreventCommandIfReadOnly("idp.share()");
  prepare_to_write();
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  Gift gift{GetUserNameFromId(PG_GETARG_OID(1), false), epsilons};
  const StoredChain* chain = find_release(name, place_argument(fcinfo, 3), Right::kOwn);
  if (PG_GETARG_BOOL(4)) {
    (void)find_in_family(chain->family, give_one_of_family, &gift);
  } else {
    draw_and_give(*chain, gift);
  }
  PG_RETURN_VOID();
}

Datum share_one(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(2)) return share(fcinfo, {});
  const double epsilon = PG_GETARG_FLOAT8(2);
  return share(fcinfo, {&epsilon, 1});
}

Datum share_groups(FunctionCallInfo fcinfo) {
  return share(fcinfo, PG_ARGISNULL(2) ? std::span<const double>{} : epsilons_argument(fcinfo, 2));
}

Datum answer_at(FunctionCallInfo fcinfo, const StoredChain& chain,
                std::span<const double> epsilons) {
  bytea* noise = has_begun(chain) ? stored_noise(chain.levels, epsilons.data(),
                                                 static_cast<int>(epsilons.size()))
                                  : nullptr;
  if (noise == nullptr) PG_RETURN_NULL();
  make_durable(chain.levels.written);
  const NullableDatum answer = answer_text(chain, epsilons, noise);
  if (answer.isnull) PG_RETURN_NULL();
  PG_RETURN_DATUM(answer.value);
}

// (release, relation)
Datum read(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(0));
  const StoredChain* chain = find_release(name, place_argument(fcinfo, 1), Right::kGiven);
  ArrayType* level = level_given(chain->id);
  if (level == nullptr) PG_RETURN_NULL();  // taken back since
  return answer_at(fcinfo, *chain, numbers_of(level));
}

// For the view, (chain, epsilons): whatever changed since it read them.
Datum shared_answer(FunctionCallInfo fcinfo) {
  const pg_uuid_t* id = PG_GETARG_UUID_P(0);
  const std::span<const double> epsilons = epsilons_argument(fcinfo, 1);
  const StoredChain* chain = is_given(*id, epsilons) ? chain_numbered(*id) : nullptr;
  if (chain == nullptr) PG_RETURN_NULL();
  return answer_at(fcinfo, *chain, epsilons);
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_share, share_one);
IDP_FUNCTION(idp_share_groups, share_groups);
IDP_FUNCTION(idp_read, read);
IDP_FUNCTION(idp_shared_answer, shared_answer);

}  // extern "C"
#pragma GCC visibility pop
