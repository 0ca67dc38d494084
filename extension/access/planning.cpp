#include "extension/access/planning.h"

#include <cmath>

#include "extension/access/hidden.h"
#include "extension/pg/nodes.h"
#include "extension/plan/gate.h"

extern "C" {
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

// Those of several columns, and indexes that tell how many values they hold when asked for a cost.
void forget_statistics(RelOptInfo* relation) {
  relation->statlist = NIL;
  ListCell* cell;
  foreach (cell, relation->indexlist) {
    const auto* index = static_cast<const IndexOptInfo*>(lfirst(cell));
    if (index->relam == GIN_AM_OID) {
      relation->indexlist = foreach_delete_current(relation->indexlist, cell);
    }
  }
}

// A record more or less makes another plan only where the table crosses one size for the next. So
// it hardly decides which problem of a query a check finds first, or what EXPLAIN shows of a plan
// that reads no row.
double coarse(double size) { return size < 1 ? 1 : std::exp2(std::rint(std::log2(size))); }

// A size crosses from one to the next at a number of records. So that those of a table and of its
// indexes cross together, as far as it can be, these are of what the table is taken to hold.
void round_sizes(RelOptInfo* relation) {
  constexpr double entries = 256;  // of integers, about, in a page of a B-tree
  relation->pages = static_cast<BlockNumber>(std::fmin(coarse(relation->pages), MaxBlockNumber));
  relation->tuples = coarse(relation->tuples);
  relation->allvisfrac = std::rint(relation->allvisfrac);
  for (auto* index : list<IndexOptInfo>(relation->indexlist)) {
    index->tuples = index->indpred == NIL ? relation->tuples : coarse(index->tuples);
    const double pages = index->relam == BTREE_AM_OID ? index->tuples / entries : index->pages;
    index->pages = static_cast<BlockNumber>(std::fmin(coarse(pages), MaxBlockNumber));
    if (index->tree_height >= 0) {
      index->tree_height = static_cast<int>(std::log(index->pages) / std::log(entries));
    }
  }
}

}  // namespace

void refuse_written_gate(Query* query) {
  if (!has_written_gate(query)) return;
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("idp.approved() is the condition of policies of hidden tables: leave it out "
                  "of the query")));
}

void gate_relation(PlannerInfo* root, RelOptInfo* relation, Oid table) {
  RangeTblEntry* entry = root->simple_rte_array[relation->relid];
  const bool is_gated = contains_gate(as<Node>(entry->securityQuals));
  if (is_gated || hides_rows(table)) root->glob->dependsOnRole = true;
  if (is_hidden(table)) {
    forget_statistics(relation);
    if (!entry->inh) round_sizes(relation);  // those of a parent are its children's
  }
  if (is_gated || !is_hidden(table)) return;
  const Oid function = gate_function();
  if (!OidIsValid(function)) elog(ERROR, "function idp.approved() does not exist");
  auto* gate = makeFuncExpr(function, BOOLOID, NIL, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  // one list for each level of security: it is the first
  entry->securityQuals = lcons(list_make1(gate), entry->securityQuals);
  root->qual_security_level =
      Max(root->qual_security_level, static_cast<Index>(list_length(entry->securityQuals)));
}

bool may_look_up_statistics(Oid index) { return !is_hidden(IndexGetRelation(index, false)); }

int32 width_without_statistics(Oid table, AttrNumber column) {
  if (!is_hidden(table)) return 0;
  Oid type = InvalidOid;
  int32 typmod = -1;
  Oid collation = InvalidOid;
  get_atttypetypmodcoll(table, column, &type, &typmod, &collation);
  return get_typavgwidth(type, typmod);
}

}  // namespace idp
