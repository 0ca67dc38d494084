#include "extension/answers/put_in.h"

#include "extension/answers/dropped_keys.h"
#include "extension/budget/account.h"
#include "extension/call/call.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/versions.h"
#include "extension/plan/answers_plan.h"
#include "extension/query/take.h"

extern "C" {
#include "catalog/pg_operator_d.h"
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- which levels ---

bool find_named(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_named, nullptr);
  const Oid function = as<Aggref>(node)->aggfnoid;
  return function >= FirstNormalObjectId && is_named_call(function);
}

void add_tables(const RangeTblEntry* entry, List*& tables) {
  if (!OidIsValid(entry->relid)) return;
  // the changed rows of a table, and of its parts
  List* all = entry->rtekind == RTE_NAMEDTUPLESTORE
                  ? find_all_inheritors(entry->relid, AccessShareLock, nullptr)
                  : list_make1_oid(entry->relid);
  tables = list_concat_unique_oid(tables, all);
}

// The tables of a level and of the subqueries in its FROM, whose parts are known by now.
void add_tables_of_level(const PlannerInfo* root, List*& tables) {
  check_stack_depth();
  for (const auto* entry : list<RangeTblEntry>(root->parse->rtable)) {
    add_tables(entry, tables);
  }
  for (int i = 1; i < root->simple_rel_array_size; ++i) {
    const RelOptInfo* relation = root->simple_rel_array[i];
    if (relation != nullptr && relation->subroot != nullptr) {
      add_tables_of_level(relation->subroot, tables);
    }
  }
}

// All that the level may read. CTEs and subqueries of expressions are those of the whole query,
// as far as it is planned.
List* tables_below(const PlannerInfo* root) {
  List* tables = NIL;
  add_tables_of_level(root, tables);
  for (const auto* level : list<PlannerInfo>(root->glob->subroots)) {
    add_tables_of_level(level, tables);
  }
  return tables;
}

bool computes_privately(const PlannerInfo* root) {
  return root->parse->hasAggs && (has_own_aggregate(as<Node>(root->processed_tlist)) ||
                                  has_own_aggregate(root->parse->havingQual));
}

bool has_named(const PlannerInfo* root) {
  return find_named(as<Node>(root->processed_tlist), nullptr) ||
         find_named(root->parse->havingQual, nullptr);
}

// --- what the aggregation computes, and what is made of it ---

struct Outputs {
  List* keys;     // of Node: what the query groups by
  List* targets;  // of TargetEntry
};

bool is_key(const Outputs& outputs, Node* node) { return list_member(outputs.keys, node); }

AttrNumber add_output(Outputs& outputs, Expr* value, char* name, Index reference) {
  const auto number = static_cast<AttrNumber>(list_length(outputs.targets) + 1);
  TargetEntry* target =
      makeTargetEntry(static_cast<Expr*>(copyObjectImpl(value)), number, name, false);
  target->ressortgroupref = reference;
  outputs.targets = lappend(outputs.targets, target);
  return number;
}

// Adds what an expression over groups is made of, each once: keys, aggregates, and columns that
// follow from keys.
bool add_outputs(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* outputs = static_cast<Outputs*>(context);
  if (is_key(*outputs, node)) return false;  // all keys are there
  const bool is_output =
      IsA(node, Aggref) || IsA(node, GroupingFunc) || IsA(node, Var) || IsA(node, PlaceHolderVar);
  if (!is_output) return walk_expression(node, add_outputs, context);
  auto* value = as<Expr>(node);
  if (tlist_member(value, outputs->targets) == nullptr) {
    (void)add_output(*outputs, value, nullptr, 0);
  }
  return false;
}

// Whatever became of the query since it was parsed, of a group nothing is shown but what is one
// value in all its rows. Whether keys are dropped, or an expression is written twice and means two
// things, a column of any one row is not.
void require_one_value(const PlannerInfo* root, const Outputs& outputs) {
  for (const auto* target : list<TargetEntry>(outputs.targets)) {
    auto* value = as<Node>(target->expr);
    if (IsA(value, Aggref) || IsA(value, GroupingFunc) || is_key(outputs, value)) continue;
    if (follows_from_keys(value, outputs.keys, root->parse->rtable)) continue;
    ereport(ERROR,
            (errcode(ERRCODE_GROUPING_ERROR),
             errmsg("a column beside private answers is neither grouped by nor follows from a "
                    "key that is: name it in GROUP BY"),
             errhint("An expression that stands in GROUP BY and in SELECT must mean the same "
                     "in both.")));
  }
}

// Columns that the query groups, or sorts, by, though the planner dropped them from the keys, as a
// key among these implies them: release names may be made of them.
void add_implied_keys(const List* targets, Outputs& outputs) {
  for (const auto* target : list<TargetEntry>(targets)) {
    if (target->ressortgroupref == 0 || !IsA(target->expr, Var)) continue;
    if (is_key(outputs, as<Node>(target->expr))) continue;
    (void)add_output(outputs, target->expr, target->resname, target->ressortgroupref);
  }
}

// Of which grouping set a row is: that tells the rows of answers apart that are given again, as
// NULL in place of a key may also be a key. Its column; or 0, for more keys than it can tell.
AttrNumber add_grouping_set(const List* clauses, Outputs& outputs) {
  constexpr int kMostBits = 31;
  if (list_length(outputs.keys) > kMostBits) return 0;
  auto* set = makeNode(GroupingFunc);
  set->args = static_cast<List*>(copyObjectImpl(outputs.keys));
  for (const auto* clause : list<SortGroupClause>(clauses)) {
    set->refs = lappend_int(set->refs, static_cast<int>(clause->tleSortGroupRef));
  }
  set->location = -1;
  (void)add_outputs(as<Node>(set), &outputs);
  return tlist_member(as<Expr>(set), outputs.targets)->resno;
}

// Rows of several sets that agree in all keys come in the same order when they are given again.
void order_by_set(AttrNumber set, AnswerOrder* order) {
  if (set == 0 || order->columns == NIL) return;
  order->columns = lappend_int(order->columns, set);
  order->operators = lappend_oid(order->operators, Int4LessOperator);
  order->collations = lappend_oid(order->collations, InvalidOid);
  order->nulls_first = lappend_int(order->nulls_first, 0);
}

// The columns of the aggregation: first the keys, in the order of GROUP BY.
Outputs outputs_of(const PlannerInfo* root, List* targets, List* having, AnswerOrder* order) {
  Outputs outputs{NIL, NIL};
  bool is_sortable = true;
  for (const auto* clause : list<SortGroupClause>(root->parse->groupClause)) {
    TargetEntry* key = get_sortgroupref_tle(clause->tleSortGroupRef, root->processed_tlist);
    auto* value = as<Node>(key->expr);
    outputs.keys = lappend(outputs.keys, value);
    const AttrNumber number = add_output(outputs, key->expr, key->resname, clause->tleSortGroupRef);
    is_sortable &= OidIsValid(clause->sortop);
    order->columns = lappend_int(order->columns, number);
    order->operators = lappend_oid(order->operators, clause->sortop);
    order->collations = lappend_oid(order->collations, exprCollation(value));
    order->nulls_first = lappend_int(order->nulls_first, clause->nulls_first);
  }
  if (!is_sortable) *order = {NIL, NIL, NIL, NIL};
  add_implied_keys(targets, outputs);
  (void)add_outputs(as<Node>(targets), &outputs);
  (void)add_outputs(as<Node>(having), &outputs);
  require_one_value(root, outputs);
  return outputs;
}

// The conditions of HAVING that are answers by themselves. Only those that come before anything
// else: what could fail, or tell, is evaluated for rows that the ones before it let pass.
List* deciding(const List* having, List* targets) {
  List* columns = NIL;
  for (auto* condition : list<Node>(having)) {
    if (!IsA(condition, Aggref)) break;
    const TargetEntry* target = tlist_member(as<Expr>(condition), targets);
    columns = lappend_int(columns, target->resno);
  }
  return columns;
}

// The planner drops keys that are equal to a constant in all rows from those that it would sort by.
bool leaves_one_group(const PlannerInfo* root) {
  const Query* query = root->parse;
  if (query->groupClause == NIL || query->groupingSets != NIL) return false;
  if (!grouping_is_sortable(query->groupClause)) return false;
  return sorts_no_groups(root);
}

// Grouping sets make NULL of a key that they leave out, but of no other that is equal to it, and of
// no constant that is none. Above the aggregation the server knows a column by its expression
// alone, and a constant not at all. So keys that are constants, or equal to ones before, are told
// apart by how often they are cast to what they are.
Expr* marked(Expr* key, int times) {
  auto* value = as<Node>(key);
  const Oid type = exprType(value);
  const int32 modifier = exprTypmod(value);
  const Oid collation = exprCollation(value);
  for (int i = 0; i < times; ++i) {
    key = as<Expr>(makeRelabelType(key, type, modifier, collation, COERCE_IMPLICIT_CAST));
  }
  return key;
}

void mark(List* targets, Index reference, int times) {
  for (auto* target : list<TargetEntry>(targets)) {
    if (target->ressortgroupref == reference) target->expr = marked(target->expr, times);
  }
}

void mark_keys(const PlannerInfo* root, const List* keys, const CustomScan* plan) {
  List* before = NIL;
  int times = 0;
  ListCell* cell;
  foreach (cell, keys) {
    auto* key = static_cast<Node*>(lfirst(cell));
    if (IsA(key, Const) || list_member(before, key)) {
      const auto* clause = static_cast<const SortGroupClause*>(
          list_nth(root->parse->groupClause, foreach_current_index(cell)));
      ++times;
      mark(plan->scan.plan.targetlist, clause->tleSortGroupRef, times);
      mark(plan->custom_scan_tlist, clause->tleSortGroupRef, times);
    }
    before = lappend(before, key);
  }
}

// They are kept as rows.
void require_row(const List* columns) {
  if (list_length(columns) <= MaxTupleAttributeNumber) return;
  ereport(ERROR, (errcode(ERRCODE_TOO_MANY_COLUMNS),
                  errmsg("private answers and keys of groups can have at most %d columns",
                         MaxTupleAttributeNumber),
                  errdetail("The query computes %d.", list_length(columns)),
                  errhint("Compute them in several queries.")));
}

// The column that has these values. A varchar is sorted as the text that it is cast to.
const TargetEntry* column_of(const PlannerInfo* root, const Expr* value, const Outputs& outputs) {
  for (const auto* target : list<TargetEntry>(outputs.targets)) {
    Node* column = not_nulled_by_groups(root, as<Node>(target->expr));
    if (equal(without_relabels(column), without_relabels(as<Node>(value)))) return target;
  }
  return nullptr;
}

// The order of sorted groups, which is by their keys in some order. Empty if it is not known.
AnswerOrder order_of_path(const PlannerInfo* root, const List* pathkeys, const Outputs& outputs) {
  AnswerOrder order{NIL, NIL, NIL, NIL};
  for (const auto* pathkey : list<PathKey>(pathkeys)) {
    const TargetEntry* column = nullptr;
    for (auto* member : list<EquivalenceMember>(pathkey->pk_eclass->ec_members)) {
      if (column == nullptr) column = column_of(root, member->em_expr, outputs);
    }
    if (column == nullptr) return {NIL, NIL, NIL, NIL};
    const Oid type = exprType(as<Node>(column->expr));
    const TypeCacheEntry* known = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
    const bool is_descending = strategy_of(pathkey) == BTGreaterStrategyNumber;
    const Oid op = is_descending ? known->gt_opr : known->lt_opr;
    if (get_op_opfamily_strategy(op, pathkey->pk_opfamily) != strategy_of(pathkey)) {
      return {NIL, NIL, NIL, NIL};
    }
    order.columns = lappend_int(order.columns, column->resno);
    order.operators = lappend_oid(order.operators, op);
    order.collations = lappend_oid(order.collations, pathkey->pk_eclass->ec_collation);
    order.nulls_first = lappend_int(order.nulls_first, pathkey->pk_nulls_first);
  }
  return order;
}

Plan* plan_answers(PlannerInfo* root, RelOptInfo*, CustomPath* path, List* targets, List*,
                   List* plans) {
  auto* drawing = linitial_node(Agg, plans);
  AnswerOrder order{NIL, NIL, NIL, NIL};
  List* having = drawing->plan.qual;
  Outputs outputs = outputs_of(root, targets, having, &order);
  const bool repeats = path->custom_private != NIL;
  const bool has_sets = root->parse->groupingSets != NIL;
  const AttrNumber set =
      repeats && has_sets ? add_grouping_set(root->parse->groupClause, outputs) : AttrNumber{0};
  require_row(outputs.targets);
  drawing->plan.targetlist = outputs.targets;
  drawing->plan.qual = NIL;
  // questions of named releases have the keys that the planner has left, as they always had
  if (repeats && !has_named(root)) give_back_keys(drawing);
  const bool is_any_order = repeats && has_sets && path->path.pathkeys == NIL;
  if (drawing->aggstrategy != AGG_HASHED && !is_any_order) {  // they are sorted
    order = repeats ? order_of_path(root, path->path.pathkeys, outputs)
                    : AnswerOrder{NIL, NIL, NIL, NIL};
  }
  order_by_set(set, &order);
  auto* plan = makeNode(CustomScan);
  plan->scan.plan.targetlist = targets;
  plan->scan.plan.qual = having;
  plan->flags = path->flags;
  plan->custom_plans = plans;
  plan->custom_scan_tlist = static_cast<List*>(copyObjectImpl(outputs.targets));
  if (has_sets) mark_keys(root, outputs.keys, plan);
  require_few_levels(root);
  plan->custom_private = private_list(order, deciding(having, outputs.targets),
                                      leaves_one_group(root), level_of(root));
  plan->methods = &answers_methods;
  return &plan->scan.plan;
}

constexpr CustomPathMethods kPathMethods = {"PrivateAnswers", plan_answers, nullptr};

bool is_hashed(const Path* path) {
  return IsA(path, AggPath) && as<AggPath>(path)->aggstrategy == AGG_HASHED;
}

// Of one aggregation that stands over all groups, the cheapest path; one that hashes, if there is
// one, where answers are given again: the node sorts those by itself.
Path* cheapest_aggregation(const RelOptInfo* grouped, bool prefers_hash) {
  Path* cheapest = nullptr;
  for (auto* path : list<Path>(grouped->pathlist)) {
    if (!IsA(path, AggPath) && !IsA(path, GroupingSetsPath)) continue;
    const bool is_preferred =
        cheapest != nullptr && prefers_hash && is_hashed(path) != is_hashed(cheapest);
    if (cheapest == nullptr ||
        (is_preferred ? is_hashed(path) : compare_path_costs(path, cheapest, TOTAL_COST) < 0)) {
      cheapest = path;
    }
  }
  return cheapest;
}

// Answers of one partition each, whose groups are its own, would have nodes of their own. The
// planner finds other ways cheaper then.
void discourage(RelOptInfo* part) {
  for (const List* paths : {part->pathlist, part->partial_pathlist}) {
    for (auto* path : list<Path>(paths)) disable_path(path);
  }
}

}  // namespace

bool may_repeat_answers(const PlannerInfo* root) {
  return computes_privately(root) && all_repeat(accounts_of_all(tables_below(root)));
}

void put_in_answers(PlannerInfo* root, RelOptInfo* grouped) {
  if (!computes_privately(root)) return;
  const List* accounts = accounts_of_all(tables_below(root));
  if (accounts == NIL && !has_named(root)) return;
  if (grouped->reloptkind != RELOPT_UPPER_REL) return discourage(grouped);
  const bool repeats = all_repeat(accounts);
  Path* aggregation = cheapest_aggregation(grouped, repeats);
  if (aggregation == nullptr) return;  // refused when the query starts (statement.h)
  auto* path = makeNode(CustomPath);
  path->path.pathtype = T_CustomScan;
  path->path.parent = grouped;
  path->path.pathtarget = aggregation->pathtarget;
  path->path.rows = aggregation->rows;
  path->path.startup_cost = path->path.total_cost = aggregation->total_cost;
  count_disabled_of(&path->path, aggregation);
  path->path.pathkeys = aggregation->pathkeys;
  path->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN | kProjects;
  path->custom_paths = list_make1(aggregation);
  if (repeats)
    path->custom_private = list_make1(makeInteger(1));  // whether answers are given again
  path->methods = &kPathMethods;
  grouped->pathlist = list_make1(path);
  grouped->partial_pathlist = NIL;
}

}  // namespace idp
