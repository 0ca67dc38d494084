#include "extension/rewrite/offsets.h"

#include "extension/access/hidden.h"
#include "extension/access/offset_check.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
}

namespace idp {

namespace {

// Whether the query gives hidden rows of its tables, one by one, and leaves none out but by its
// conditions and its OFFSET.
bool gives_hidden_rows(const Query* query) {
  return takes_only(query, step::kOffset | step::kWith | step::kSubLinks) &&
         names_hidden_table(query);
}

}  // namespace

void require_no_offset(const QueryLevel& level) {
  Query* query = level.query;
  Node* offset = query->limitOffset;
  if (offset == nullptr || level.outer == nullptr || !gives_hidden_rows(query)) return;
  const bool is_given = !IsA(offset, Const) && !names_columns(offset) &&
                        !contain_mutable_functions(offset) && !contain_subplans(offset);
  const Oid function = offset_check();
  if (!is_given || !OidIsValid(function)) return;
  auto* condition = makeFuncExpr(function, BOOLOID, list_make1(offset), InvalidOid, InvalidOid,
                                 COERCE_EXPLICIT_CALL);
  query->jointree->quals = make_and_qual(query->jointree->quals, as<Node>(condition));
  query->limitOffset = nullptr;
}

}  // namespace idp
