#include "extension/release/find_release.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/release/chosen_chain.h"
#include "extension/release/readers.h"
#include "extension/release/shares.h"

namespace idp {

namespace {

bool is_own(const StoredChain& chain) { return strcmp(chain.role, current_role_name()) == 0; }

bool is_owned(const StoredChain& chain) {
  return superuser() || (OidIsValid(chain.table) ? owns(chain.table) : is_own(chain));
}

// Of a table that there is, or the role's own over none or several.
bool is_present(const StoredChain& chain) {
  return OidIsValid(chain.table) || (chain.table_name == nullptr && is_own(chain));
}

struct Search {
  const char* name;
  List* present;       // of StoredChain: the last one of each table, or of the role
  StoredChain* other;  // the last one of those that are neither
  MemoryContext context;
};

bool is_considered(const Search& search, const StoredChain& chain) {
  for (auto* each : list<StoredChain>(search.present)) {
    if (have_one_name(*each, chain)) return true;
  }
  return false;
}

bool consider(const StoredChain& chain, void* context) {
  auto* search = static_cast<Search*>(context);
  if (strcmp(chain.name, search->name) != 0 || !may_read(chain)) return false;
  if (is_considered(*search, chain)) return false;
  if (!is_present(chain) && search->other != nullptr) return false;
  MemoryContext before = MemoryContextSwitchTo(search->context);
  StoredChain* found = chain_numbered(chain.id);
  if (found != nullptr && is_present(chain)) {
    search->present = lappend(search->present, found);
  } else {
    search->other = found;
  }
  MemoryContextSwitchTo(before);
  return false;
}

List* owned_of(List* chains) {
  List* owned = NIL;
  for (auto* chain : list<StoredChain>(chains)) {
    if (is_owned(*chain)) owned = lappend(owned, chain);
  }
  return owned;
}

const char* table_of(const StoredChain& chain) {
  return OidIsValid(chain.table) ? psprintf("\"%s\"", qualified_name(chain.table))
                                 : "none or several";
}

// One of their tables; null where several roles gave releases of none.
const char* some_table(List* chains) {
  for (auto* chain : list<StoredChain>(chains)) {
    const Oid table = chain->table;
    if (OidIsValid(table)) return qualified_name(table);
  }
  return nullptr;
}

[[noreturn]] void report_several(const char* name, List* chains) {
  StringInfoData tables;
  initStringInfo(&tables);
  for (auto* chain : list<StoredChain>(chains)) {
    appendStringInfo(&tables, "%s%s", tables.len > 0 ? ", " : "", table_of(*chain));
  }
  const char* example = some_table(chains);
  ereport(
      ERROR,
      (errcode(ERRCODE_AMBIGUOUS_PARAMETER), errmsg("several tables have a release \"%s\"", name),
       errdetail("Tables: %s.", tables.data),
       example ? errhint("Say which one, as in relation => %s.", quote_literal_cstr(example))
               : errhint("View idp.shared shows them all.")));
  pg_unreachable();
}

[[noreturn]] void report_missing(const char* name, Place place, Right right) {
  const char* which = right == Right::kGiven ? "were shared with the role" : "the role may read";
  ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("release \"%s\" does not exist", name),
                  place.is_given && OidIsValid(place.table)
                      ? errdetail("Not over table \"%s\", among those that %s.",
                                  qualified_name(place.table), which)
                      : errdetail("Not among those that %s.", which),
                  errhint("View %s shows those there are.",
                          right == Right::kGiven ? "idp.shared" : "idp.releases")));
  pg_unreachable();
}

List* in_place(List* chains, Place place) {
  ListCell* cell;
  foreach (cell, chains) {
    if (static_cast<StoredChain*>(lfirst(cell))->table != place.table) {
      chains = foreach_delete_current(chains, cell);
    }
  }
  return chains;
}

// Of those of each table the one that is meant. The latest come first.
List* one_of_each_table(List* chains) {
  List* chosen = NIL;
  ListCell* inner;
  for (auto* chain : list<StoredChain>(chains)) {
    bool is_known = false;
    foreach (inner, chosen) {
      auto* other = static_cast<StoredChain*>(lfirst(inner));
      if (!OidIsValid(chain->table) || chain->table != other->table) continue;
      if (comes_before(*chain, *other)) lfirst(inner) = chain;
      is_known = true;
    }
    if (!is_known) chosen = lappend(chosen, chain);
  }
  return chosen;
}

// One that was given may be over no table, or a dropped one, and another role's: all are kept.
bool consider_given(const StoredChain& chain, void* context) {
  auto* search = static_cast<Search*>(context);
  if (strcmp(chain.name, search->name) != 0 || level_given(chain.id) == nullptr) return false;
  if (is_considered(*search, chain)) return false;
  MemoryContext before = MemoryContextSwitchTo(search->context);
  StoredChain* found = chain_numbered(chain.id);
  if (found != nullptr) search->present = lappend(search->present, found);
  MemoryContextSwitchTo(before);
  return false;
}

List* given(const char* name, Place place) {
  Search search{name, NIL, nullptr, CurrentMemoryContext};
  (void)find_chain_named(name, consider_given, &search);
  return place.is_given ? in_place(search.present, place) : search.present;
}

// Those that the name may stand for.
List* readable(const char* name, Place place) {
  Search search{name, NIL, nullptr, CurrentMemoryContext};
  (void)find_chain_named(name, consider, &search);
  if (place.is_given) return in_place(search.present, place);
  if (search.present != NIL || search.other == nullptr) return search.present;
  return list_make1(search.other);
}

}  // namespace

StoredChain* find_release(const char* name, Place place, Right right) {
  List* chains = right == Right::kGiven ? given(name, place) : readable(name, place);
  if (chains == NIL && right == Right::kRefine) chains = given(name, place);
  if (chains == NIL) report_missing(name, place, right);
  if (right == Right::kOwn) {
    chains = owned_of(chains);
    if (chains == NIL) {
      ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                      errmsg("must be owner of the table of release \"%s\"", name)));
    }
  }
  chains = one_of_each_table(chains);
  if (list_length(chains) > 1) report_several(name, chains);
  return static_cast<StoredChain*>(linitial(chains));
}

}  // namespace idp
