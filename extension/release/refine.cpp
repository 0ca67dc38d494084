#include "extension/release/refine.h"

#include "extension/budget/account.h"
#include "extension/budget/links.h"
#include "extension/budget/amount.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/release/readers.h"

extern "C" {
#include "common/hashfn.h"
#include "storage/lmgr.h"
}

namespace idp {

bool charge_family(List* accounts, const FamilyFacts& family, Began began, double epsilon,
                   const char* aggregate, const char* release, IfRefused if_refused) {
  if (accounts == NIL) return true;
  Charging charging(accounts);
  for (const auto* account : list<Account>(accounts)) {
    const LevelCost cost =
        charging.cost_of_level(*account, &family.id, epsilon, family.spec.groups, 0);
    if (is_none(cost.epsilon)) continue;
    const int first = times_lost(*account, family.spec, family.drawn, family.grouped);
    const int times = began == Began::kNow ? first : Charging::times_of(*account, family.id, first);
    charging.add({account, aggregate, decimal_times(cost.epsilon, times), release, &family.id,
                  cost.finest, cost.refines});
  }
  if (if_refused == IfRefused::kNoAnswer && !charging.fits()) {
    charging.abandon();
    return false;
  }
  (void)charging.commit();
  return true;
}

// Locks the tables as a query of them does: their accounts do not change meanwhile.
List* accounts_of_chain(const StoredChain& chain) {
  for (const Oid oid : oids(chain.tables)) LockRelationOid(oid, AccessShareLock);
  return union_of(accounts_numbered(chain.accounts), accounts_of_all(chain.tables));
}

bytea* finest_noise(const StoredChain& chain) {
  make_durable(chain.levels.written);
  return noise_of(*finest_of(chain.levels));
}

namespace {

// A release that began before its tables were protected was not refused whatever it was made of:
// rows that a join repeats, or answers drawn again for each row of another query. Its epsilon says
// nothing about one record then. Nor is it known of one that 0.2.0 began so, nor how many rows of a
// table that was linked since one unit has.
bool is_sound(const StoredChain& chain, List* accounts) {
  for (const Oid oid : oids(chain.tables)) {
    if (accounts != NIL && is_linked(oid)) return false;
  }
  return accounts == NIL || ArrayGetNItems(ARR_NDIM(chain.accounts), ARR_DIMS(chain.accounts)) > 0;
}

void require_sound(const StoredChain& chain, List* accounts) {
  if (is_sound(chain, accounts)) return;
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("release \"%s\" cannot be charged to protected table \"%s\"", chain.name,
                  static_cast<Account*>(linitial(accounts))->name),
           errdetail("It began before the table was protected, and its inputs are not known to be "
                     "one row of the table each, once."),
           errhint("Ask under another name, or have the owner of the table refresh the release.")));
}

// Everybody who reads a release passes its levels, so they must not grow without end: what lies
// within the finest is drawn without a charge, and a step beyond it costs as little as it is small.
// But no role may use up what others would ask for, whatever it pays: each has room of its own. The
// room is for the levels that it drew, as idp.chain_level tells; a level that is there is repeated
// for everybody, and is never drawn twice. A role has so many levels within the finest, and as many
// again beyond it. One of twice the finest is given however many there are: so far even a role that
// has used up its room refines on, and what that adds is bounded by the range of epsilon.
constexpr int kMaxFreeLevels = 100;
constexpr int kMaxLevels = 2 * kMaxFreeLevels;

bool is_finer(const Levels& levels, double epsilon) {
  return epsilon > finest_of(levels)->epsilons[0];
}

bool has_room(const Levels& levels, double epsilon) {
  if (epsilon >= 2 * finest_of(levels)->epsilons[0]) return true;
  return levels.own < (is_finer(levels, epsilon) ? kMaxLevels : kMaxFreeLevels);
}

void require_room(const StoredChain& chain, const Levels& levels, double epsilon) {
  if (has_room(levels, epsilon)) return;
  ereport(
      ERROR,
      (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
       errmsg("role \"%s\" has drawn too many levels of release \"%s\"", current_role_name(),
              chain.name),
       is_finer(levels, epsilon)
           ? errdetail("For a role that has drawn %d, new ones are drawn at twice the largest "
                       "epsilon or more.",
                       kMaxLevels)
           : errdetail("For a role that has drawn %d, none below the largest epsilon are drawn.",
                       kMaxFreeLevels),
       errhint("Ask at an epsilon that was answered before, ask under another name, or have "
               "the owner of the table refresh the release.")));
}

// Draws one level of one chain if it is new.
bytea* add_level(const StoredChain& chain, const Levels& levels, const double* epsilons,
                 int count) {
  bytea* noise = stored_noise(levels, epsilons, count);
  if (noise != nullptr) return noise;
  const Levels around = levels_around(levels, epsilons, count);
  noise = noise_at(chain.record, around.rows, around.count, epsilons, count);
  insert_level(chain.id, epsilons, count, noise);
  return noise;
}

struct NewLevel {
  const double* epsilons;
  int count;
};

bool add_level_to(const StoredChain& chain, void* context) {
  const auto* level = static_cast<const NewLevel*>(context);
  const Levels levels = read_levels(chain.id);
  // where the role has no room for it, that goes without: it is told if it asks for that one
  if (levels.count > 0 && has_room(levels, level->epsilons[0])) {
    (void)add_level(chain, levels, level->epsilons, level->count);
  }
  return false;  // go on
}

bool is_beyond(const Levels& levels, const double* epsilons, int count) {
  // With several epsilons the largest of them may be finer than all levels though the first is not.
  return count > 1 || is_finer(levels, epsilons[0]);
}

bool pay_for(const StoredChain& chain, double epsilon, List* accounts, IfRefused if_refused) {
  if (if_refused == IfRefused::kNoAnswer && !is_sound(chain, accounts)) return false;
  require_sound(chain, accounts);
  return charge_family(
      accounts,
      {chain.family, chain.grouped, record_spec(chain.record), record_neighbours(chain.record)},
      Began::kEarlier, epsilon, chain.aggregate, chain.name, if_refused);
}

}  // namespace

bool is_beyond(const StoredChain& chain, const double* epsilons, int count) {
  return stored_noise(chain.levels, epsilons, count) == nullptr &&
         is_beyond(chain.levels, epsilons, count);
}

Refined refine(const StoredChain& chain, const double* epsilons, int count, List* accounts,
               Extent extent, IfRefused if_refused, Stored* stored) {
  *stored = {chain.record, stored_noise(chain.levels, epsilons, count)};
  if (stored->noise) {
    make_durable(chain.levels.written);
    return Refined::kDone;
  }
  // Tables are locked before families: who protects a table, or drops it, has it locked already.
  List* all = union_of(accounts_of_chain(chain), accounts);
  StoreLock lock(Table::kLevel, hash_bytes(chain.family.data, UUID_LEN));
  Levels levels = read_levels(chain.id);  // as they are under the lock
  if (finest_of(levels) == nullptr) {
    lock.release();
    return Refined::kDropped;
  }
  stored->noise = stored_noise(levels, epsilons, count);
  if (stored->noise) {
    lock.release();
    make_durable(levels.written);
    return Refined::kDone;
  }
  const bool beyond = is_beyond(levels, epsilons, count);
  if (if_refused == IfRefused::kReport) require_room(chain, levels, epsilons[0]);
  if (!has_room(levels, epsilons[0]) || (beyond && !pay_for(chain, epsilons[0], all, if_refused))) {
    lock.release();
    return Refined::kRefused;
  }
  if (beyond || extent == Extent::kFamily) {
    NewLevel level{epsilons, count};  // for all, so that they are waited for together
    (void)find_in_family(chain.family, add_level_to, &level);
    levels = read_levels(chain.id);
  }
  stored->noise = add_level(chain, levels, epsilons, count);
  lock.release();
  make_durable();
  return Refined::kDone;
}

bytea* refine_named(const StoredChain& chain, const double* epsilons, int count) {
  // Like a query of the table: idp.protect waits for it, and it for idp.protect.
  if (OidIsValid(chain.table)) LockRelationOid(chain.table, AccessShareLock);
  if (!has_begun(chain)) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("release \"%s\" has not begun", chain.name),
                    errhint("Ask for its answer over the table first.")));
  }
  if (count != record_epsilons(chain.record)) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("release \"%s\" has another number of epsilons", chain.name)));
  }
  List* accounts = accounts_of_chain(chain);
  require_min_epsilon(accounts, epsilons[0]);
  require_max_epsilon(accounts, epsilons[0]);
  if (is_beyond(chain, epsilons, count)) require_payable(chain, accounts);
  Stored stored;
  if (refine(chain, epsilons, count, NIL, Extent::kChain, IfRefused::kReport, &stored) !=
      Refined::kDone) {
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("release \"%s\" does not exist", chain.name),
             errdetail("It was dropped meanwhile.")));
  }
  return stored.noise;
}

}  // namespace idp
