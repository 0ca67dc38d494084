#include "extension/pg/asked_text.h"

#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"

extern "C" {
#include "tcop/tcopprot.h"
}

namespace idp {

namespace {

[[noreturn]] void refuse_text(const char* function) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("%s takes one SELECT that changes and locks nothing", function),
                  errhint("Give the text of the query alone, without INTO, FOR UPDATE and "
                          "statements that change tables in WITH.")));
  pg_unreachable();
}

}  // namespace

// A position in the text is none in the query that asks.
void point_into_text(void* text) {
  if (geterrcode() == ERRCODE_UNDEFINED_PARAMETER) {
    errhint("Write values in place of parameters.");
  }
  const int position = geterrposition();
  if (position <= 0) return;
  errposition(0);
  internalerrposition(position);
  internalerrquery(static_cast<const char*>(text));
}

Query* query_in_text(const char* text, const char* function) {
  List* statements = pg_parse_query(text);
  if (list_length(statements) != 1) refuse_text(function);
  auto* statement = linitial_node(RawStmt, statements);
  if (!IsA(statement->stmt, SelectStmt)) refuse_text(function);
  List* queries = analyze_and_rewrite(statement, text);
  if (list_length(queries) != 1) refuse_text(function);
  auto* query = static_cast<Query*>(linitial(queries));
  if (query->commandType != CMD_SELECT || query->hasModifyingCTE || query->rowMarks != NIL) {
    refuse_text(function);
  }
  return query;
}

}  // namespace idp
