#include "extension/query/take.h"

#include <initializer_list>

#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/plan/ways.h"
#include "extension/query/level.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

List* numbered(int number, void* value) { return list_make2(list_make1_int(number), value); }

List* members_of(const PlannerInfo* root, Index relation) {
  List* members = NIL;
  for (const auto* member : list<AppendRelInfo>(root->append_rel_list)) {
    if (member->parent_relid != relation) continue;
    members = lappend(members, numbered(static_cast<int>(member->child_relid),
                                        copyObjectImpl(member->translated_vars)));
  }
  return members;
}

List* parameters_of(const RelOptInfo* relation) {
  List* parameters = NIL;
  for (const auto* handed : list<PlannerParamItem>(relation->subplan_params)) {
    parameters = lappend(parameters, numbered(handed->paramId, copyObjectImpl(handed->item)));
  }
  return parameters;
}

// Where the CTE that an entry of the level reads stands in the list of its own level, which *root
// becomes; -1 if it is not known.
int place_of_cte(const PlannerInfo** root, const RangeTblEntry* entry) {
  for (Index up = entry->ctelevelsup; up > 0; --up) {
    *root = (*root)->parent_root;
    if (*root == nullptr) return -1;
  }
  ListCell* cell;
  foreach (cell, (*root)->parse->cteList) {
    if (strcmp(static_cast<const CommonTableExpr*>(lfirst(cell))->ctename, entry->ctename) == 0) {
      return foreach_current_index(cell);
    }
  }
  return -1;
}

// Those that are not pulled up are planned by themselves.
const PlannerInfo* root_of_cte(const PlannerInfo* root, const RangeTblEntry* entry) {
  const int place = place_of_cte(&root, entry);
  if (place < 0 || place >= list_length(root->cte_plan_ids)) return nullptr;
  const int plan = list_nth_int(root->cte_plan_ids, place);
  if (plan <= 0) return nullptr;
  return static_cast<const PlannerInfo*>(list_nth(root->glob->subroots, plan - 1));
}

// The CTE or the subquery of an entry, of which the planner takes a copy before it changes it.
const Query* written_in(const PlannerInfo* root, const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_CTE) return entry->subquery;
  const int place = place_of_cte(&root, entry);
  if (place < 0) return nullptr;
  return as<Query>(
      static_cast<const CommonTableExpr*>(list_nth(root->parse->cteList, place))->ctequery);
}

// From PostgreSQL 16 on the planner takes out of PARTITION BY what is one value in all rows, such
// as the key of the only unit that WHERE lets pass. The partitions are the same, but say less.
List* windows_as_written(const List* planned, const Query* written) {
  List* windows = NIL;
  for (const auto* window : list<WindowClause>(planned)) {
    auto* copy = makeNode(WindowClause);
    *copy = *window;
    for (const auto* other : list<WindowClause>(written->windowClause)) {
      if (other->winref == window->winref) copy->partitionClause = other->partitionClause;
    }
    windows = lappend(windows, copy);
  }
  return windows;
}

const RelOptInfo* relation_of(const PlannerInfo* root, Index number) {
  const bool is_known = number < static_cast<Index>(root->simple_rel_array_size);
  return is_known ? root->simple_rel_array[number] : nullptr;
}

// Whether the planner has left a relation out of a join, as no column of it is used and each row
// has one partner at most there.
bool is_left_out(const PlannerInfo* root, Index number) {
  const RelOptInfo* relation = relation_of(root, number);
  return relation == nullptr || is_dead(relation);
}

// The same of an inner join of a table with itself on a unique key, which has the rows of the
// table: conditions on the one are conditions on the other already.
bool is_same_row(const PlannerInfo* root, const Node* node) {
  if (!kRemovesSelfJoins || !IsA(node, RangeTblRef)) return false;
  const auto number = static_cast<Index>(as<RangeTblRef>(node)->rtindex);
  return rt_fetch(number, root->parse->rtable)->rtekind == RTE_RELATION &&
         is_left_out(root, number);
}

// The only entry of a part of FROM, be it a subquery with conditions of its own; 0 if there are
// more.
Index only_entry(const Node* from) {
  while (IsA(from, FromExpr) && list_length(as<FromExpr>(from)->fromlist) == 1) {
    from = static_cast<const Node*>(linitial(as<FromExpr>(from)->fromlist));
  }
  return IsA(from, RangeTblRef) ? static_cast<Index>(as<RangeTblRef>(from)->rtindex) : 0;
}

// The join tree without outer joins with those, and without tables that are joined with themselves:
// each row of the other side is there once.
Node* without_left_out(const PlannerInfo* root, Node* node) {
  check_stack_depth();
  if (node == nullptr || IsA(node, RangeTblRef)) return node;
  if (IsA(node, FromExpr)) {
    auto* copy = makeNode(FromExpr);
    *copy = *as<FromExpr>(node);
    copy->fromlist = NIL;
    for (auto* item : list<Node>(as<FromExpr>(node)->fromlist)) {
      if (is_same_row(root, item)) continue;
      copy->fromlist = lappend(copy->fromlist, without_left_out(root, item));
    }
    return as<Node>(copy);
  }
  const auto* join = as<JoinExpr>(node);
  const Index optional = join->jointype == JOIN_LEFT ? only_entry(join->rarg) : 0;
  if (optional > 0 && is_left_out(root, optional)) {
    return without_left_out(root, join->larg);
  }
  if (join->jointype == JOIN_INNER &&
      (is_same_row(root, join->larg) || is_same_row(root, join->rarg))) {
    List* kept = NIL;
    for (Node* side : {join->larg, join->rarg}) {
      if (!is_same_row(root, side)) kept = lappend(kept, without_left_out(root, side));
    }
    return as<Node>(makeFromExpr(kept, join->quals));
  }
  auto* copy = makeNode(JoinExpr);
  *copy = *join;
  copy->larg = without_left_out(root, join->larg);
  copy->rarg = without_left_out(root, join->rarg);
  return as<Node>(copy);
}

// What an entry reads: a CTE or a subquery; null if neither, or if the planner did not look at it.
const PlannerInfo* root_below(const PlannerInfo* root, Index number) {
  const auto* entry = rt_fetch(number, root->parse->rtable);
  const RelOptInfo* relation = relation_of(root, number);
  if (relation == nullptr) return nullptr;
  if (entry->rtekind != RTE_CTE || entry->self_reference) return relation->subroot;
  const PlannerInfo* cte = root_of_cte(root, entry);
  return cte != root ? cte : nullptr;
}

List* level_as_written(const PlannerInfo* root, const Query* written);

List* parts_of(const PlannerInfo* root, Index number) {
  const auto* entry = rt_fetch(number, root->parse->rtable);
  const RelOptInfo* relation = relation_of(root, number);
  if (relation == nullptr) return NIL;  // pulled up, or not in the join tree any more
  const PlannerInfo* below = root_below(root, number);
  return list_make3(below != nullptr ? level_as_written(below, written_in(root, entry)) : NIL,
                    entry->inh ? members_of(root, number) : NIL, parameters_of(relation));
}

// The relations that the join tree names, each as often as it does.
void add_relations(const Node* node, List** relations) {
  check_stack_depth();
  if (IsA(node, RangeTblRef)) {
    *relations = lappend_int(*relations, as<RangeTblRef>(node)->rtindex);
  } else if (IsA(node, JoinExpr)) {
    add_relations(as<JoinExpr>(node)->larg, relations);
    add_relations(as<JoinExpr>(node)->rarg, relations);
  } else {
    for (const auto* item : list<Node>(as<FromExpr>(node)->fromlist)) {
      add_relations(item, relations);
    }
  }
}

// Whether each relation of a join tree is one that the planner reads, once. Joins that it leaves
// out for other reasons than those above, as one of a table with itself, change what others name.
bool is_planned(const PlannerInfo* root, const FromExpr* tree) {
  List* relations = NIL;
  add_relations(reinterpret_cast<const Node*>(tree), &relations);
  List* seen = NIL;
  for (const int number : ints(relations)) {
    const RelOptInfo* relation = relation_of(root, static_cast<Index>(number));
    if (relation == nullptr || is_left_out(root, static_cast<Index>(number))) return false;
    if (list_member_int(seen, number)) return false;
    seen = lappend_int(seen, number);
  }
  return true;
}

// How many levels a level is made of, a CTE once for each way to it: at most so many.
int levels_in(const PlannerInfo* root, int most) {
  check_stack_depth();
  int count = 1;
  for (Index number = 1; number <= static_cast<Index>(list_length(root->parse->rtable)); ++number) {
    if (count > most) break;
    const PlannerInfo* below = root_below(root, number);
    if (below != nullptr) count += levels_in(below, most - count);
  }
  return count;
}

// What is kept of an entry: what is below it is kept by itself; an alias may hold a question
// (plan/recorded_node.h), which the plan has already.
RangeTblEntry* bare(const RangeTblEntry* entry) {
  auto* copy = makeNode(RangeTblEntry);
  *copy = *entry;
  copy->subquery = nullptr;
  copy->alias = nullptr;
  return copy;
}

// written: null if it is not known.
List* level_as_written(const PlannerInfo* root, const Query* written) {
  check_stack_depth();
  const Query* parsed = root->parse;
  auto* query = makeNode(Query);
  *query = *parsed;
  query->cteList = NIL;
  if (written != nullptr) query->windowClause = windows_as_written(parsed->windowClause, written);
  query->targetList = root->processed_tlist;
  query->jointree = as<FromExpr>(without_left_out(root, as<Node>(parsed->jointree)));
  // HAVING true is gone by now; what it makes, a row of no rows, is not.
  if (root->hasHavingQual && query->havingQual == nullptr) {
    query->havingQual = makeBoolConst(true, false);
  }
  if (!is_planned(root, query->jointree)) return NIL;
  query->rtable = NIL;
  List* relations = NIL;
  for (Index number = 1; number <= static_cast<Index>(list_length(parsed->rtable)); ++number) {
    query->rtable = lappend(query->rtable, bare(rt_fetch(number, parsed->rtable)));
    relations = lappend(relations, parts_of(root, number));
  }
  return level_node(static_cast<Query*>(copyObjectImpl(query)), relations);
}

}  // namespace

List* level_of(const PlannerInfo* root) { return level_as_written(root, nullptr); }

void require_few_levels(const PlannerInfo* root) {
  if (levels_in(root, kMostWays) > kMostWays) refuse_many_ways();
}

}  // namespace idp
