#include "extension/release/find_release.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/release/readers.h"

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

bool consider(const StoredChain& chain, void* context) {
  auto* search = static_cast<Search*>(context);
  if (strcmp(chain.name, search->name) != 0 || !may_read(chain)) return false;
  ListCell* cell;
  foreach (cell, search->present) {
    if (have_one_name(*static_cast<StoredChain*>(lfirst(cell)), chain)) return false;
  }
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
  ListCell* cell;
  foreach (cell, chains) {
    auto* chain = static_cast<StoredChain*>(lfirst(cell));
    if (is_owned(*chain)) owned = lappend(owned, chain);
  }
  return owned;
}

const char* table_of(const StoredChain& chain) {
  return OidIsValid(chain.table) ? psprintf("\"%s\"", qualified_name(chain.table))
                                 : "none or several";
}

[[noreturn]] void report_several(const char* name, List* chains) {
  StringInfoData tables;
  initStringInfo(&tables);
  ListCell* cell;
  foreach (cell, chains) {
    appendStringInfo(&tables, "%s%s", tables.len > 0 ? ", " : "",
                     table_of(*static_cast<StoredChain*>(lfirst(cell))));
  }
  const auto* first = static_cast<StoredChain*>(linitial(chains));
  const char* example = OidIsValid(first->table) ? qualified_name(first->table) : "-";
  ereport(ERROR, (errcode(ERRCODE_AMBIGUOUS_PARAMETER),
                  errmsg("several tables have a release \"%s\"", name),
                  errdetail("Tables: %s.", tables.data),
                  errhint("Say which one, as in relation => %s.", quote_literal_cstr(example))));
  pg_unreachable();
}

[[noreturn]] void report_missing(const char* name, Place place) {
  ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("release \"%s\" does not exist", name),
                  place.is_given && OidIsValid(place.table)
                      ? errdetail("Not over table \"%s\", among those that the role may read.",
                                  qualified_name(place.table))
                      : errdetail("Not among those that the role may read.")));
  pg_unreachable();
}

// Those that the name may stand for.
List* candidates(const char* name, Place place) {
  if (place.is_given) {
    StoredChain* chain = find_chain(place.table, name);
    return chain != nullptr && may_read(*chain) ? list_make1(chain) : NIL;
  }
  Search search{name, NIL, nullptr, CurrentMemoryContext};
  (void)find_chain_named(name, consider, &search);
  if (search.present != NIL || search.other == nullptr) return search.present;
  return list_make1(search.other);
}

}  // namespace

StoredChain* find_release(const char* name, Place place, Right right) {
  List* chains = candidates(name, place);
  if (chains == NIL) report_missing(name, place);
  if (right == Right::kOwn) {
    chains = owned_of(chains);
    if (chains == NIL) {
      ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                      errmsg("must be owner of the table of release \"%s\"", name)));
    }
  }
  if (list_length(chains) > 1) report_several(name, chains);
  return static_cast<StoredChain*>(linitial(chains));
}

}  // namespace idp
