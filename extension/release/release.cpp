#include "extension/release/release.h"

#include <algorithm>
#include <string_view>

#include "core/aggregate/answer.h"
#include "extension/budget/account.h"
#include "extension/call/refused_name.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/plan/groups.h"
#include "extension/plan/question.h"
#include "extension/release/chosen_chain.h"
#include "extension/release/readers.h"
#include "extension/release/release_name.h"
#include "extension/release/same_question.h"

extern "C" {
#include "catalog/pg_class.h"
}

namespace idp {

struct Family {
  int phase;
  int set;
  pg_uuid_t id;
  bool is_refused;  // nothing was charged for it: none of its groups has an answer
  Family* next;
};

namespace {

bool is_temporary(Oid table) { return get_rel_persistence(table) == RELPERSISTENCE_TEMP; }

Family* family_of(BoundCall* call) {
  AggState* node = call->node;
  for (Family* family = call->release.families; family; family = family->next) {
    if (family->phase == node->current_phase && family->set == node->current_set) return family;
  }
  return nullptr;
}

IfRefused if_refused(const BoundCall* call) {
  return has_group_names(call) ? IfRefused::kNoAnswer : IfRefused::kReport;
}

Family* found_family(BoundCall* call, const char* name) {
  AggState* node = call->node;
  auto* family =
      static_cast<Family*>(MemoryContextAllocZero(node->ss.ps.state->es_query_cxt, sizeof(Family)));
  family->phase = node->current_phase;
  family->set = node->current_set;
  family->id = new_id();
  family->is_refused = !charge_family(
      call->charge.accounts,
      {family->id, is_grouped(node), call->request.spec, neighbours_of(call->charge.accounts)},
      Began::kNow, call->request.epsilons[0], call->name, name, if_refused(call));
  family->next = call->release.families;
  call->release.families = family;
  return family;
}

// Whether what is found under the name answers this. An error says why not, but not of a group.
bool is_answer(const StoredChain& chain, const Asked& asked) {
  if (has_group_names(asked.call)) return may_read(chain) && is_same(chain, asked);
  require_readable(chain);
  require_same(chain, asked);
  return true;
}

// Begins the release unless another session did meanwhile; the caller then refines that one.
bool begin_chain(BoundCall* call, const char* name, const Asked& asked, bytea* record,
                 Stored* stored) {
  StoreLock lock(Table::kChain, hash_of_name(call->release.table,
                                             name));  // others draw under other names meanwhile
  StoredChain* existing = chain_for(asked, call->release.table, name);
  if (existing && has_begun(*existing)) {
    lock.release();
    return false;
  }
  *stored = {nullptr, nullptr};
  if (existing && !is_answer(*existing, asked)) {
    lock.release();
    return true;
  }
  Family* family = family_of(call);
  const bool is_first = family == nullptr;
  if (is_first) family = found_family(call, name);
  if (family->is_refused) {
    lock.release();
    return true;
  }
  StoredChain chain{};
  chain.id = new_id();
  chain.name = name;
  chain.family = family->id;
  chain.grouped = is_grouped(call->node);
  chain.table = call->release.table;
  chain.tables = call->release.tables;
  chain.table_name = qualified_name(call->release.table);
  chain.aggregate = call->name;
  chain.column = call->release.column;
  chain.condition = asked.condition;
  chain.used = used_columns(call->release.question);
  chain.result = asked.result;
  chain.record = record;
  const double* epsilons = asked.request->epsilons;
  const int count = asked.request->spec.groups;
  stored->record = record;
  stored->noise = noise_at(record, nullptr, 0, epsilons, count);
  insert_chain(chain, call->charge.accounts, call->charge.is_sound);
  insert_level(chain.id, epsilons, count, stored->noise);
  lock.release();
  // The other groups of a family need not wait: its charge is on disk, and a chain that a crash
  // loses is charged anew.
  if (is_first) make_durable();
  return true;
}

}  // namespace

void prepare_release(BoundCall* call, const Input& input) {
  const Spec& spec = call->request.spec;
  if (!is_additive(spec.statistic)) refuse_release_name(spec.statistic, call->name);
  // Temporary tables go without notice: nothing refers to them.
  if (OidIsValid(call->release.table) && is_temporary(call->release.table))
    call->release.table = InvalidOid;
  prepare_name(call);
  for (const Oid oid : oids(input.relations)) {
    if (!is_temporary(oid)) {
      call->release.tables = list_append_unique_oid(call->release.tables, oid);
    }
  }
  call->release.question = question_of(call->node, call->aggref, call->release.table);
  const bool has_column = spec.grid.type != ValueType::kNone;
  const ColumnText column = column_text(call->node, call->aggref, input, has_column);
  call->release.column = column.plain;
  call->release.column_in_session = column.in_session;
}

Stored named_release(BoundCall* call, const Request& request, Oid result, Freeze freeze,
                     void* context) {
  const Stored none = {nullptr, nullptr};
  char* name = current_name(call);
  if (name == nullptr) return none;
  const Asked asked = what_is_asked(call, &request, result);
  if (asked.condition == nullptr) return none;
  for (bool is_new = false;;) {
    const StoredChain* chain = chain_for(asked, call->release.table, name);
    if (chain && !is_answer(*chain, asked)) return none;
    if (!is_new && !is_new_name(call, name)) return none;
    is_new = true;
    Stored stored;
    if (chain && has_begun(*chain)) {
      const Extent extent = is_grouped(call->node) ? Extent::kFamily : Extent::kChain;
      switch (refine(*chain, request.epsilons, request.spec.groups, call->charge.accounts, extent,
                     if_refused(call), &stored)) {
        case Refined::kDone:
          return stored;
        case Refined::kRefused:
          return none;
        case Refined::kDropped:
          break;
      }
      continue;
    }
    if (begin_chain(call, name, asked, freeze(context), &stored)) return stored;
  }
}

}  // namespace idp
