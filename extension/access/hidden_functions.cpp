// The SQL functions about hidden tables that are no part of the locks.
#include "extension/pg/pg.h"

#include "extension/access/hidden.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/parsenodes.h"
#include "tcop/deparse_utility.h"
}

namespace idp {

namespace {

// ALTER TABLE comes with its parts; other commands make a table, or rename one, but for those that
// say something about it. A dump enables row security before it makes the policies, and must find
// none.
bool joins_tables(const CollectedCommand* command) {
  const Node* statement = command->parsetree;
  if (statement != nullptr && (IsA(statement, CommentStmt) || IsA(statement, SecLabelStmt))) {
    return false;
  }
  if (command->type != SCT_AlterTable) return true;
  for (const auto* part : list<CollectedATSubcmd>(command->d.alterTable.subcmds)) {
    if (!IsA(part->parsetree, AlterTableCmd)) return true;
    const AlterTableType type = as<AlterTableCmd>(part->parsetree)->subtype;
    if (type == AT_AttachPartition || type == AT_AddInherit) return true;
  }
  return false;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(idp_hides_rows);
Datum idp_hides_rows(PG_FUNCTION_ARGS) {
  PG_RETURN_BOOL(idp::has_hiding_account(PG_GETARG_OID(0)));
}

PG_FUNCTION_INFO_V1(idp_joins_tables);
Datum idp_joins_tables(PG_FUNCTION_ARGS) {
  const auto* command = reinterpret_cast<const CollectedCommand*>(PG_GETARG_POINTER(0));
  PG_RETURN_BOOL(idp::joins_tables(command));
}

}  // extern "C"
#pragma GCC visibility pop
