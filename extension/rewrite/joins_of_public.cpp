#include "extension/rewrite/joins_of_public.h"

#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/spine_joins.h"

extern "C" {
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

struct HiddenFirst {
  const QueryLevel* level;
  List* above;  // of JoinExpr: those that the part at work is joined by
};

bool is_hidden_part(const QueryLevel& level, const Node* from) {
  if (IsA(from, JoinExpr)) {
    return is_hidden_part(level, as<JoinExpr>(from)->larg) ||
           is_hidden_part(level, as<JoinExpr>(from)->rarg);
  }
  const auto* entry = rt_fetch(as<RangeTblRef>(from)->rtindex, level.query->rtable);
  return given_by_entry(level, entry) == Given::kRows;
}

// Columns of joins say nothing of what is joined, and those of rows at their side are theirs alone.
bool find_join_column(Node* node, void* query) {
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    const List* entries = static_cast<const Query*>(query)->rtable;
    return column->varlevelsup == 0 && column->varno > 0 &&
           rt_fetch(column->varno, entries)->rtekind == RTE_JOIN;
  }
  return walk_expression(node, find_join_column, query);
}

bool is_plain(Query* query) {
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->lateral) return false;
  }
  return list_length(query->jointree->fromlist) == 1 &&
         IsA(linitial(query->jointree->fromlist), JoinExpr) &&
         !find_join_column(as<Node>(query->targetList), query) &&
         !find_join_column(as<Node>(query->jointree), query) &&
         !find_join_column(query->havingQual, query) &&
         !find_join_column(as<Node>(grouped_expressions(query)), query);
}

// Whether the join of the join above it, (a LEFT JOIN b) LEFT JOIN c, may be made first, and has to
// be: a is public, or all three are hidden.
bool can_be_first(const HiddenFirst& walk, const JoinExpr* join) {
  if (join->jointype != JOIN_LEFT || !IsA(join->larg, JoinExpr)) return false;
  const auto* top = as<JoinExpr>(join->larg);
  return top->jointype == JOIN_LEFT && is_hidden_part(*walk.level, top->rarg) &&
         (!is_hidden_part(*walk.level, top->larg) || is_hidden_part(*walk.level, join->rarg)) &&
         may_be_made_first(join, top);
}

// Of the columns of some entries a join more says whether they are NULL, in all that stands above.
void null_by_too(const HiddenFirst& walk, Bitmapset* entries, int join) {
  const auto change = [&](Node* node) { return nulled_by_too(node, entries, join); };
  Query* query = walk.level->query;
  change_shown(query, change);
  query->jointree->quals = change(query->jointree->quals);
  change_grouped(query, change);
  for (auto* above : list<JoinExpr>(walk.above)) above->quals = change(above->quals);
}

Node* with_hidden_first(HiddenFirst& walk, Node* from) {
  check_stack_depth();
  if (!IsA(from, JoinExpr)) return from;
  auto* join = as<JoinExpr>(from);
  walk.above = lcons(join, walk.above);
  join->larg = with_hidden_first(walk, join->larg);
  walk.above = list_delete_first(walk.above);
  if (!can_be_first(walk, join)) return from;
  auto* top = as<JoinExpr>(join->larg);
  join->quals = not_nulled_by(join->quals, top->rtindex);
  null_by_too(walk, entries_of(join->rarg), top->rtindex);
  join->larg = top->rarg;
  walk.above = lcons(top, walk.above);
  top->rarg = with_hidden_first(walk, as<Node>(join));
  walk.above = list_delete_first(walk.above);
  return as<Node>(top);
}

}  // namespace

void join_hidden_first(const QueryLevel& level) {
  Query* query = level.query;
  if (query->commandType != CMD_SELECT || query->jointree == nullptr || !is_plain(query)) return;
  HiddenFirst walk{&level, NIL};
  linitial(query->jointree->fromlist) =
      with_hidden_first(walk, static_cast<Node*>(linitial(query->jointree->fromlist)));
}

}  // namespace idp
