#include "extension/domain/new_query.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp {

TargetEntry* output(Node* expression, int position, const char* name) {
  return makeTargetEntry(reinterpret_cast<Expr*>(expression), static_cast<AttrNumber>(position),
                         pstrdup(name), false);
}

Query* new_query() {
  auto* query = makeNode(Query);
  query->commandType = CMD_SELECT;
  query->querySource = QSRC_ORIGINAL;
  query->canSetTag = true;
  return query;
}

RangeTblEntry* new_entry(RTEKind kind, const char* name, List* column_names) {
  auto* entry = makeNode(RangeTblEntry);
  entry->rtekind = kind;
  entry->eref = makeAlias(name, column_names);
  entry->inFromCl = true;
  return entry;
}

List* names_of(const Query* query) {
  List* names = NIL;
  ListCell* cell;
  foreach (cell, query->targetList) {
    names = lappend(names, makeString(pstrdup(static_cast<TargetEntry*>(lfirst(cell))->resname)));
  }
  return names;
}

Query* put_together(Query* first, Query* second) {
  Query* query = new_query();
  List* names = names_of(first);
  auto* operation = makeNode(SetOperationStmt);
  operation->op = SETOP_UNION;
  operation->all = true;
  Query* sides[] = {first, second};
  for (Query* side : sides) {
    RangeTblEntry* entry =
        new_entry(RTE_SUBQUERY, side == first ? "*SELECT* 1" : "*SELECT* 2", list_copy(names));
    entry->subquery = side;
    query->rtable = lappend(query->rtable, entry);
    auto* reference = makeNode(RangeTblRef);
    reference->rtindex = list_length(query->rtable);
    (side == first ? operation->larg : operation->rarg) = reinterpret_cast<Node*>(reference);
  }
  ListCell* cell;
  foreach (cell, first->targetList) {
    const auto* entry = static_cast<const TargetEntry*>(lfirst(cell));
    auto* node = reinterpret_cast<Node*>(entry->expr);
    operation->colTypes = lappend_oid(operation->colTypes, exprType(node));
    operation->colTypmods = lappend_int(operation->colTypmods, exprTypmod(node));
    operation->colCollations = lappend_oid(operation->colCollations, exprCollation(node));
    query->targetList =
        lappend(query->targetList,
                output(reinterpret_cast<Node*>(makeVar(1, entry->resno, exprType(node),
                                                       exprTypmod(node), exprCollation(node), 0)),
                       entry->resno, entry->resname));
  }
  query->setOperations = reinterpret_cast<Node*>(operation);
  query->jointree = makeFromExpr(NIL, nullptr);
  return query;
}

}  // namespace idp
