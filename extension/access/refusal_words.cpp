#include "extension/access/refusal_words.h"

#include "extension/domain/domain.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"

namespace idp {

int hidden_table(Oid table, const char* way_out) {
  return errmsg("rows of table \"%s\" are hidden from role \"%s\": %s", get_rel_name(table),
                current_role_name(), way_out);
}

List* declared_columns(Oid table) {
  List* columns = columns_with_domains(table);
  for (const Oid oid : oids(parents_of(table))) {
    if (columns == NIL) columns = declared_columns(oid);
  }
  return columns;
}

char* listed(const List* names) {
  StringInfoData text;
  initStringInfo(&text);
  for (const auto* name : list<char>(names)) {
    appendStringInfo(&text, "%s\"%s\"", text.len > 0 ? ", " : "", name);
  }
  return text.data;
}

}  // namespace idp
