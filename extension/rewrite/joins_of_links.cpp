#include "extension/rewrite/joins_of_links.h"

#include <initializer_list>

#include "extension/pg/outer_joins.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/plan/gate.h"
#include "extension/rewrite/inner_joins.h"
#include "extension/rewrite/unit_column.h"

namespace idp {

namespace {

// Whether row security lets an approved query see all rows of an entry.
bool shows_all(const RangeTblEntry* entry) {
  for (const auto* node : list<Node>(entry->securityQuals)) {
    if (!is_gate(node)) return false;
  }
  return true;
}

// The table of a side of a join of which every row can be read; null if it is anything else.
const RangeTblEntry* whole_table(const Query* query, const Node* side) {
  if (!IsA(side, RangeTblRef)) return nullptr;
  const auto* reference = as<RangeTblRef>(side);
  const RangeTblEntry* entry = rt_fetch(reference->rtindex, query->rtable);
  const bool is_whole = entry->rtekind == RTE_RELATION && entry->tablesample == nullptr &&
                        shows_all(entry) && whole_of(entry->relid) == entry->relid;
  return is_whole ? entry : nullptr;
}

// Whether its foreign key holds at all times.
bool has_reference(const LinkRow& link) {
  AttrNumber referenced = InvalidAttrNumber;
  const Reference found = reference_of(link.table(), link.column_in(link.table()), link.parent(),
                                       link.referenced(), nullptr, &referenced);
  return found == Reference::kSound;
}

// Whether a column is that by which a table is linked to another, and the other one what it refers
// to.
bool is_link(const Query* query, const Node* from, const Node* to, Oid parent, const Node* kept) {
  if (!IsA(from, Var) || !IsA(to, Var)) return false;
  const auto* column = as<Var>(from);
  const auto* referenced = as<Var>(to);
  if (column->varlevelsup > 0 || referenced->varlevelsup > 0) return false;
  const RangeTblEntry* child = rt_fetch(column->varno, query->rtable);
  const RangeTblEntry* entry = rt_fetch(referenced->varno, query->rtable);
  if (child->rtekind != RTE_RELATION || entry->rtekind != RTE_RELATION || entry->relid != parent ||
      !list_member_int(entries_read(kept), column->varno)) {
    return false;
  }
  const LinkRow* link = link_of(child->relid);
  return link != nullptr && link->parent() == parent &&
         column_of_link(*link, child->relid) == column->varattno &&
         link->referenced() == referenced->varattno && has_reference(*link);
}

// Whether each row of the side that the join keeps has a row of the other, its only condition being
// that along a link.
bool follows_link(const Query* query, const JoinExpr* join) {
  if (join->jointype != JOIN_LEFT && join->jointype != JOIN_RIGHT) return false;
  const bool is_left = join->jointype == JOIN_LEFT;
  const Node* kept = is_left ? join->larg : join->rarg;
  const RangeTblEntry* parent = whole_table(query, is_left ? join->rarg : join->larg);
  if (parent == nullptr || join->quals == nullptr || !IsA(join->quals, OpExpr)) return false;
  const auto* condition = as<OpExpr>(join->quals);
  if (list_length(condition->args) != 2) return false;
  const auto* first = static_cast<const Node*>(linitial(condition->args));
  const auto* second = static_cast<const Node*>(lsecond(condition->args));
  if (!op_mergejoinable(condition->opno, exprType(first))) return false;
  for (const bool is_first : {true, false}) {
    const Node* from = is_first ? first : second;
    const Node* to = is_first ? second : first;
    if (!is_link(query, from, to, parent->relid, kept)) continue;
    const auto child = static_cast<Index>(as<Var>(from)->varno);
    return !may_be_absent(kept, child);
  }
  return false;
}

}  // namespace

void join_along_links(Query* query) { make_inner_where(query, follows_link); }

}  // namespace idp
