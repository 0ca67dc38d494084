#include "extension/plan/question_writer.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp::recorder {

void begin(Level& level) {
  if (level.outer != nullptr) {
    level.given = list_copy(level.outer->given);
    level.taken = list_copy(level.outer->taken);
  }
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

namespace {

int count_of(const List* names, const char* name) {
  int count = 0;
  ListCell* cell;
  foreach (cell, names) count += strcmp(strVal(lfirst(cell)), name) == 0;
  return count;
}

}  // namespace

const char* give_name(Level& level, Index number, const char* name) {
  int before = count_of(level.given, name);
  char* unique = before ? psprintf("%s_%d", name, before) : pstrdup(name);
  while (count_of(level.taken, unique) > 0) unique = psprintf("%s_%d", name, ++before);
  level.given = lappend(level.given, makeString(pstrdup(name)));
  level.taken = lappend(level.taken, makeString(unique));
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
