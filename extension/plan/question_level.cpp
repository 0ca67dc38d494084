#include "extension/plan/question_writer.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp::recorder {

void begin(Level& level) {
  if (level.outer != nullptr) level.given = list_copy(level.outer->given);
  for (const auto* given : list<RangeTblEntry>(level.query->rtable)) {
    auto* entry = makeNode(RangeTblEntry);
    List* columns = NIL;
    if (given->rtekind == RTE_RELATION) {
      entry->rtekind = RTE_RELATION;
      entry->relid = given->relid;
      entry->relkind = given->relkind;
      entry->rellockmode = AccessShareLock;
    } else {
      entry->rtekind = RTE_RESULT;
      for (int i = 1; i <= list_length(given->eref->colnames); ++i) {
        columns = lappend(columns, makeString(psprintf("c%d", i)));
      }
    }
    entry->eref = makeAlias("", columns);
    level.tables = lappend(level.tables, entry);
    level.table_names = lappend(level.table_names, makeString(pstrdup("")));
  }
}

const char* give_name(Level& level, Index number, const char* name) {
  int before = 0;
  ListCell* cell;
  foreach (cell, level.given) before += strcmp(strVal(lfirst(cell)), name) == 0;
  level.given = lappend(level.given, makeString(pstrdup(name)));
  char* unique = before ? psprintf("%s_%d", name, before) : pstrdup(name);
  lfirst(list_nth_cell(level.table_names, static_cast<int>(number) - 1)) = makeString(unique);
  return unique;
}

List* finish(const Level& level) {
  return list_make4(level.tables, level.table_names, level.items, level.subqueries);
}

void write(Level& level, const char* text) {
  level.items = lappend(level.items, makeString(pstrdup(text)));
}

}  // namespace idp::recorder
