#include "extension/pg/rights.h"

extern "C" {
#include "parser/parse_relation.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

#if PG_VERSION_NUM >= 160000

const Rights* rights_of(const Query* query, const RangeTblEntry* entry) {
  return getRTEPermissionInfo(query->rteperminfos, const_cast<RangeTblEntry*>(entry));
}

Oid reader_of(EState* state, const RangeTblEntry* entry) {
  if (entry->perminfoindex == 0) return InvalidOid;
  return getRTEPermissionInfo(state->es_rteperminfos, const_cast<RangeTblEntry*>(entry))
      ->checkAsUser;
}

void read_by_own_rights(Query* query, RangeTblEntry* entry, const Rights* rights,
                        Bitmapset* columns) {
  auto* own = static_cast<Rights*>(copyObjectImpl(rights));
  own->requiredPerms = ACL_SELECT;
  own->checkAsUser = InvalidOid;
  own->selectedCols = columns;
  query->rteperminfos = list_make1(own);
  entry->perminfoindex = 1;
}

void read_by_rights_of(Query* query, RangeTblEntry* entry, Oid role) {
  Rights* rights = addRTEPermissionInfo(&query->rteperminfos, entry);
  rights->requiredPerms = ACL_SELECT;
  rights->checkAsUser = role;
}

void move_rights(Query* to, const Query* from, RangeTblEntry* entry) {
  if (entry->perminfoindex == 0) return;
  to->rteperminfos = lappend(to->rteperminfos, copyObjectImpl(rights_of(from, entry)));
  entry->perminfoindex = list_length(to->rteperminfos);
}

void share_rights(Query* to, const Query* from) { to->rteperminfos = from->rteperminfos; }
void drop_rights(Query* query) { query->rteperminfos = NIL; }

void append_entries(Query* query, Query* other) {
  CombineRangeTables(&query->rtable, &query->rteperminfos, other->rtable, other->rteperminfos);
}

#else

const Rights* rights_of(const Query*, const RangeTblEntry* entry) { return entry; }

Oid reader_of(EState*, const RangeTblEntry* entry) { return entry->checkAsUser; }

void read_by_own_rights(Query*, RangeTblEntry* entry, const Rights*, Bitmapset* columns) {
  entry->requiredPerms = ACL_SELECT;
  entry->checkAsUser = InvalidOid;
  entry->selectedCols = columns;
}

void read_by_rights_of(Query*, RangeTblEntry*, Oid) {}  // a new entry asks for none

void move_rights(Query*, const Query*, RangeTblEntry*) {}
void share_rights(Query*, const Query*) {}
void drop_rights(Query*) {}

void append_entries(Query* query, Query* other) {
  query->rtable = list_concat(query->rtable, other->rtable);
}

#endif

}  // namespace idp
