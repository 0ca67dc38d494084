#include "extension/access/approval.h"

#include "extension/access/eager_opens.h"
#include "extension/access/explained_usage.h"
#include "extension/access/expressions.h"
#include "extension/access/open_gate.h"
#include "extension/access/group_order.h"
#include "extension/access/hidden.h"
#include "extension/access/kept_groups.h"
#include "extension/access/kept_tables.h"
#include "extension/access/plain_refusal.h"
#include "extension/access/prepared_plan.h"
#include "extension/access/refusal.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/temporary_files.h"
#include "extension/budget/account.h"
#include "extension/budget/links.h"
#include "extension/call/bound_call.h"
#include "extension/pg/nodes.h"
#include "extension/pg/session_check.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/debug_messages.h"
#include "extension/pg/fixed_settings.h"
#include "extension/pg/keys.h"
#include "extension/pg/stack.h"
#include "extension/pg/versions.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/gate.h"
#include "extension/plan/execution.h"
#include "extension/plan/groups.h"
#include "extension/plan/key_rows.h"
#include "extension/plan/node_rules.h"
#include "extension/plan/sources.h"
#include "extension/query/judge.h"
#include "extension/state/running_query.h"
#include "extension/total/one_form.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

// What becomes of the rows that a node gives.
struct Cover {
  enum Kind { kNone, kPrivate, kNeverRead } kind = kNone;
  const AggState* aggregate = nullptr;  // the private one, or the last one that is not
  Oid table = InvalidOid;               // private: one that it reads, and that is hidden
  bool may_show_groups = false;         // likewise: as they are public, or were decided about
  bool is_sorted = false;               // likewise: whether groups come in the order of their keys
  bool is_kept = false;                 // likewise: read before hidden rows, and kept
  bool is_joined = false;               // likewise: maybe begun with a row of the other side
  const CustomScan* answers = nullptr;  // the node of answers whose aggregation follows, or that
                                        // is not read either
  const List* level = NIL;              // private: what is asked (query/level.h)
};

struct ApprovalWalk {
  EState* state;
  Oid table;          // the first hidden one: named where it is not clear which one is meant
  List* visited;      // of PlanState: plans of subqueries and CTEs
  List* scans;        // of PlanState: whose gates will be opened
  int depth;          // of the node that is visited
  PlanState* top;     // of the query
  int initial_plans;  // how many it is below that are computed once, for all rows
  bool is_rechecked;  // whether hidden rows are read outside of them
  Unfit unfit = {};   // the first that is met: refused when there is no other reason
  Oid unfit_table = InvalidOid;  // that is named
};

// The first aggregate of the node that is not one of ours that are charged; null if all are.
// The extension has others, which count what is private already.
const Aggref* foreign_aggregate(const AggState* node) {
  for (const auto* aggref : list<Aggref>(node->aggs)) {
    const bool is_private = collects_privately(node, aggref) || answers_privately(node, aggref);
    if (!is_private || !is_own_function(aggref->aggfnoid)) return aggref;
  }
  return nullptr;
}

// Whether nothing but answers of ours, and keys of groups, leaves the node.
bool gives_answers_alone(const AggState* node) {
  return node->aggs != NIL && foreign_aggregate(node) == nullptr;
}

Oid scanned_table(PlanState* node) {
  if (rule_of(node->plan).source != RowSource::kTable) return InvalidOid;
  const Index number = as<Scan>(node->plan)->scanrelid;
  return number > 0 ? exec_rt_fetch(number, node->state)->relid : InvalidOid;
}

// --- everything over the rows is total and silent ---

// Which rows are asked for, and in which groups, is a reason that comes before what is done with
// each of them: a step that sorts groups, for instance, is none of the user's words.
void require_fit(ApprovalWalk& walk, Oid table, const Unfit& unfit) {
  if (!unfit.any() || walk.unfit.any()) return;
  walk.unfit = unfit;
  // which of several tables the plan reads first hangs on their sizes
  walk.unfit_table = OidIsValid(walk.table) ? walk.table : table;
}

void require_fit(ApprovalWalk& walk, Oid table, PlanState* node, List* expressions) {
  if (walk.unfit.any()) return;
  require_fit(walk, table, find_unfit(as<Node>(expressions), node));
}

void require_fit_equalities(ApprovalWalk& walk, Oid table, int count, const Oid* operators,
                            const Oid* collations) {
  for (int i = 0; i < count; ++i) {
    require_fit(walk, table, find_unfit_equality(operators[i], collations[i]));
  }
}

void require_fit_pairs(ApprovalWalk& walk, Oid table, const List* clauses) {
  for (const auto* clause : list<OpExpr>(clauses)) {
    require_fit(walk, table, find_unfit_equality(clause->opno, clause->inputcollid));
  }
}

void require_fit_order(ApprovalWalk& walk, Oid table, const Plan* plan) {
  const Order order = order_of(plan);
  for (int i = 0; i < order.columns; ++i) {
    require_fit(walk, table, find_unfit_operator(order.operators[i], order.collations[i]));
  }
}

// How a node tells groups of rows apart, or puts rows in pairs.
void require_fit_groups(ApprovalWalk& walk, Oid table, const Plan* node) {
  switch (nodeTag(node)) {
    case T_Agg: {
      const auto* plan = as<Agg>(node);
      return require_fit_equalities(walk, table, plan->numCols, plan->grpOperators,
                                    plan->grpCollations);
    }
    case T_Group: {
      const auto* plan = as<Group>(node);
      return require_fit_equalities(walk, table, plan->numCols, plan->grpOperators,
                                    plan->grpCollations);
    }
    case T_Unique: {
      const auto* plan = as<Unique>(node);
      return require_fit_equalities(walk, table, plan->numCols, plan->uniqOperators,
                                    plan->uniqCollations);
    }
    case T_WindowAgg: {
      const auto* plan = as<WindowAgg>(node);
      require_fit_equalities(walk, table, plan->partNumCols, plan->partOperators,
                             plan->partCollations);
      return require_fit_equalities(walk, table, plan->ordNumCols, plan->ordOperators,
                                    plan->ordCollations);
    }
    case T_Memoize: {
      const auto* plan = as<Memoize>(node);
      return require_fit_equalities(walk, table, plan->numKeys, plan->hashOperators,
                                    plan->collations);
    }
    case T_SetOp: {
      const auto* plan = as<SetOp>(node);
      return require_fit_equalities(walk, table, plan->numCols, equalities_of(plan),
                                    collations_of(plan));
    }
    case T_Limit: {  // WITH TIES
      const auto* plan = as<Limit>(node);
      return require_fit_equalities(walk, table, plan->uniqNumCols, plan->uniqOperators,
                                    plan->uniqCollations);
    }
    case T_HashJoin:
      return require_fit_pairs(walk, table, as<HashJoin>(node)->hashclauses);
    case T_MergeJoin:
      return require_fit_pairs(walk, table, as<MergeJoin>(node)->mergeclauses);
    default:
      return;
  }
}

// The same for all grouping sets of a node, and how it sorts rows for them.
void require_fit_grouping_sets(ApprovalWalk& walk, Oid table, const Agg* plan) {
  require_fit_groups(walk, table, &plan->plan);
  for (const auto* next : list<Agg>(plan->chain)) {
    require_fit_groups(walk, table, &next->plan);
    if (next->plan.lefttree != nullptr) require_fit_order(walk, table, next->plan.lefttree);
  }
}

[[noreturn]] void refuse_node(Oid table, const Plan* plan) {
  if (is_answers(plan)) refuse_answers_among_rows(table);
  refuse_unknown_plan(table);
}

// What a node below a private aggregate does with each row.
void require_fit_node(ApprovalWalk& walk, Oid table, PlanState* node) {
  Plan* plan = node->plan;
  require_fit_groups(walk, table, plan);
  require_fit_order(walk, table, plan);
  require_fit(walk, table, node, plan->targetlist);
  require_fit(walk, table, node, conditions_besides_gates(plan));
  const bool is_known = for_each_further_list(
      plan, node->state->es_plannedstmt,
      [&](List* expressions) { require_fit(walk, table, node, expressions); });
  if (!is_known) refuse_node(table, plan);
  if (IsA(plan, Limit)) {
    const auto* limit = as<Limit>(plan);
    require_fit(walk, table, find_unfit_count(limit->limitCount, node));
    require_fit(walk, table, find_unfit_count(limit->limitOffset, node));
  }
}

void require_fit_clauses(ApprovalWalk& walk, Oid table, const Aggref* aggref, List* clauses) {
  for (const auto* clause : list<SortGroupClause>(clauses)) {
    Node* sorted = get_sortgroupclause_expr(const_cast<SortGroupClause*>(clause), aggref->args);
    const Oid op = OidIsValid(clause->sortop) ? clause->sortop : clause->eqop;
    require_fit(walk, table, find_unfit_operator(op, exprCollation(sorted)));
    require_fit(walk, table, find_unfit_operator(clause->eqop, exprCollation(sorted)));
  }
}

void require_fit_aggregates(ApprovalWalk& walk, Oid table, AggState* node) {
  for (auto* aggref : list<Aggref>(node->aggs)) {
    require_fit(walk, table, find_unfit_collation(aggref->inputcollid));
    if (!collects_privately(node, aggref) && !answers_privately(node, aggref)) {
      require_fit(walk, table, find_unfit_aggregate(aggref, &node->ss.ps));
    }
    require_fit_clauses(walk, table, aggref, aggref->aggorder);
    require_fit_clauses(walk, table, aggref, aggref->aggdistinct);
    if (DO_AGGSPLIT_COMBINE(aggref->aggsplit)) continue;  // over states
    require_fit(walk, table, &node->ss.ps, aggref->args);
    require_fit(walk, table, &node->ss.ps, list_make1(aggref->aggfilter));
  }
}

// --- the walk ---

bool changes_rows(const Plan* plan) {
  return plan != nullptr && IsA(plan, ModifyTable) &&
         as<ModifyTable>(plan)->operation != CMD_INSERT;
}

// Whether a row that another session changed meanwhile is looked at again. That executes parts of
// the query anew, in a plan of its own that nobody approved: how it fails would tell of rows.
// Initial plans are not; their values are taken over.
bool may_recheck_rows(const PlannedStmt* statement) {
  bool changes = statement->rowMarks != NIL || changes_rows(statement->planTree);
  for (const auto* plan : list<Plan>(statement->subplans)) {
    changes = changes || changes_rows(plan);
  }
  return changes;
}

void visit(PlanState* node, Cover cover, ApprovalWalk& walk);

void visit_subplan(PlanState* node, Cover cover, ApprovalWalk& walk) {
  walk.visited = list_append_unique_ptr(walk.visited, node);
  visit(node, cover, walk);
}

Cover unread(const Cover& cover) { return cover.kind == Cover::kNeverRead ? cover : Cover{}; }

// A gate over rows that no account hides is that of a table which was a part of a hidden one. Shut
// it would fail with the first row: so for whoever is not exempt the query fails now.
void read_unhidden_table(PlanState* node, Oid table, ApprovalWalk& walk) {
  if (!has_gate(node->plan)) return;
  if (!hides_rows(table) && !passes_row_security() && !owns(table)) refuse_rows(table, nullptr);
  walk.scans = lappend(walk.scans, node);
}

// Whether neither which groups there are nor their order tells of rows.
void require_silent_groups(Oid table, const Cover& cover) {
  const auto* plan = as<Agg>(cover.aggregate->ss.ps.plan);
  if (!has_groups(plan)) return;
  if (!cover.may_show_groups) refuse_groups(table, cover.level);
  if (!cover.is_sorted) refuse_unsorted_groups(table);
}

Cover no_cover(const AggState* node, const Cover& outer);

struct ReadRows {
  Index number;  // of the table in the statement; 0: not known
  Oid table;
  const AggState* aggregate;
};

// The first that is read under no answers: the order of the plan hangs on the sizes of tables.
void find_read_rows(PlanState* node, Cover cover, ReadRows& first) {
  check_stack_depth();
  for (const List* plans : {node->initPlan, node->subPlan}) {
    for (const auto* plan : list<SubPlanState>(plans)) find_read_rows(plan->planstate, {}, first);
  }
  if (is_answers(node->plan)) return;
  if (const Oid table = scanned_table(node); OidIsValid(table) && is_hidden(table)) {
    const Index number = as<Scan>(node->plan)->scanrelid;
    if (first.number == 0 || number < first.number) first = {number, table, cover.aggregate};
  }
  if (IsA(node, AggState)) cover = no_cover(as<AggState>(node), cover);
  for_each_child(node, [&](const Child& child) { find_read_rows(child.node, cover, first); });
}

[[noreturn]] void refuse_read_rows(const ApprovalWalk& walk, Oid table, const AggState* aggregate) {
  ReadRows first = {0, table, aggregate};
  find_read_rows(walk.top, {}, first);
  refuse_rows(first.table, first.aggregate ? foreign_aggregate(first.aggregate) : nullptr);
}

void read_table(PlanState* node, Oid table, const Cover& cover, ApprovalWalk& walk) {
  if (!is_hidden(table)) {
    if (cover.kind == Cover::kPrivate) {
      if (!is_kept_by_others(table, cover.table)) refuse_own_table(cover.table, table);
      if (!cover.is_kept) refuse_lookups(cover.table, table);
    }
    return read_unhidden_table(node, table, walk);
  }
  if (!has_hiding_account(table)) refuse_unaccounted(table);
  switch (cover.kind) {
    case Cover::kNeverRead:  // its gate stays shut
      if (walk.state->es_instrument != 0 && cover.answers == nullptr) refuse_analysis(table);
      return;
    case Cover::kNone:
      refuse_read_rows(walk, table, cover.aggregate);
    case Cover::kPrivate:
      if (!may_be_read_beside(table, cover.table)) refuse_own_table(cover.table, table);
      require_silent_groups(table, cover);
      walk.is_rechecked |= walk.initial_plans == 0;
      walk.scans = lappend(walk.scans, node);
  }
}

bool is_unique(Oid number) {
  Relation index = index_open(number, AccessShareLock);
  const bool tells = index->rd_index->indisunique || index->rd_index->indisexclusion;
  index_close(index, NoLock);
  return tells;
}

// Whether the table, or one that it may pass its rows on to, has one. The lock is the one that
// inserting takes: it keeps others from making an index meanwhile.
bool has_unique_index(Oid table) {
  for (const Oid oid : oids(find_all_inheritors(table, RowExclusiveLock, nullptr))) {
    Relation relation = table_open(oid, NoLock);
    List* indexes = RelationGetIndexList(relation);
    table_close(relation, NoLock);
    for (const Oid index : oids(indexes)) {
      if (is_unique(index)) return true;
    }
  }
  return false;
}

void require_blind_insert(const ModifyTable* plan, Oid table) {
  if (plan->onConflictAction != ONCONFLICT_NONE) {
    refuse_change(table, "INSERT … ON CONFLICT", "It would tell which rows there are.");
  }
  if (plan->returningLists != NIL) {
    refuse_change(table, "INSERT … RETURNING", "It reads rows of the table.");
  }
  if (has_unique_index(table)) {
    refuse_change(table, "INSERT",
                  "The table, or a part of it, has a unique or exclusion constraint: an error "
                  "would tell of a row that is there.");
  }
}

void change_tables(ModifyTableState* node) {
  const auto* plan = as<ModifyTable>(node->ps.plan);
  for (int i = 0; i < node->mt_nrels; ++i) {
    const ResultRelInfo* target = node->resultRelInfo + i;
    const Oid table = RelationGetRelid(target->ri_RelationDesc);
    if (!is_hidden(table)) continue;
    switch (plan->operation) {
      case CMD_INSERT:
        require_blind_insert(plan, table);
        break;
      case CMD_UPDATE:
        refuse_change(table, "UPDATE", "It would tell how many rows fit its condition.");
      case CMD_DELETE:
        refuse_change(table, "DELETE", "It would tell how many rows fit its condition.");
      default:
        refuse_change(table, "MERGE", "It would tell which rows there are.");
    }
  }
}

bool require_exact(Node* node, void* context) {
  if (node == nullptr || IsA(node, Aggref) || is_number_in_one_form(node)) return false;
  if (IsA(node, Var) &&
      !has_exact_equality(exprType(node), exprTypmod(node), exprCollation(node))) {
    refuse_inexact_groups(*static_cast<Oid*>(context), exprType(node));
  }
  return walk_expression(node, require_exact, context);
}

struct Shown {
  Oid table;
  const List* columns;  // of the aggregation
};

// Of the columns that the node of answers shows, or makes something of.
bool require_exact_columns(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Var)) return walk_expression(node, require_exact_columns, context);
  auto* shown = static_cast<Shown*>(context);
  const TargetEntry* column = column_shown(shown->columns, as<Var>(node)->varattno);
  return require_exact(as<Node>(column->expr), &shown->table);
}

// What a group shows beside its answers is of one of its rows: of its keys, those too that a
// condition made the same for all groups, so that the node does not compare them. It must not tell
// which row.
bool shows_exact_groups(Oid table, const AggState* node, const CustomScan* answers) {
  Shown shown = {table, node->ss.ps.plan->targetlist};
  (void)require_exact_columns(as<Node>(answers->scan.plan.targetlist), &shown);
  (void)require_exact_columns(as<Node>(answers->scan.plan.qual), &shown);
  return true;
}

// Whether there is a group for each row of a table that is not protected, and no other.
bool has_public_groups(AggState* node, const CustomScan* answers, const Sources& sources) {
  if (!has_groups(as<Agg>(node->ss.ps.plan))) return false;
  List* relations = list_concat_copy(sources.relations, tables_of_query(node->ss.ps.state));
  List* accounts = accounts_of_all(sources.relations);
  for (const auto* account : list<Account>(accounts)) {
    const PrivacyUnit& unit = *unit_of(*account, relations, node->ss.ps.state->es_snapshot);
    const UnitInput input =
        unit_input(node, Level(asking_level(answers)), unit, settled_before(node->ss.ps.state));
    if (input.problem != nullptr || !input.has_public_groups) return false;
  }
  return accounts != NIL;
}

// Whether only groups that were decided about leave the node, and nothing of the others.
bool opens_groups(ApprovalWalk& walk, Oid table, AggState* node, const CustomScan* answers) {
  const auto* plan = as<Agg>(node->ss.ps.plan);
  if (!has_groups(plan)) return false;
  if (!shows_kept_groups(node, answers)) {
    if (has_decision(node)) refuse_decision(table, asking_level(answers));
    return false;
  }
  if (has_named_answer(node)) refuse_named_groups(table);
  require_fit_grouping_sets(walk, table, plan);
  return true;
}

// Whether groups come in the order of their keys: from the aggregation, or as their answers are
// sorted.
bool gives_sorted_groups(ApprovalWalk& walk, Oid table, const AggState* node,
                         const CustomScan* answers) {
  if (has_sorted_groups(as<Agg>(node->ss.ps.plan))) return true;
  const AnswerOrder order = order_of_answers(answers);
  for (int i = 0; i < list_length(order.columns); ++i) {
    require_fit(
        walk, table,
        find_unfit_operator(list_nth_oid(order.operators, i), list_nth_oid(order.collations, i)));
  }
  return order.columns != NIL;
}

// Of two plain aggregates, one over the other, a refusal names the one that cannot be answered: the
// other may make one number for each unit.
Cover no_cover(const AggState* node, const Cover& outer) {
  const Aggref* above = outer.aggregate ? foreign_aggregate(outer.aggregate) : nullptr;
  const Aggref* below = foreign_aggregate(node);
  const bool is_step =
      above != nullptr && !can_be_answered(above) && (below == nullptr || can_be_answered(below));
  return {Cover::kNone, is_step ? outer.aggregate : node};
}

// The cover of the rows that an aggregate reads.
Cover cover_of_input(ApprovalWalk& walk, AggState* node, const Cover& outer) {
  if (outer.kind != Cover::kNone) return outer;
  const CustomScan* answers = outer.answers;
  if (!gives_answers_alone(node) || answers == nullptr) return no_cover(node, outer);
  const Sources sources = sources_of(node, false);
  Cover cover{Cover::kPrivate, node, first_hidden(sources.relations)};
  if (!OidIsValid(cover.table)) return no_cover(node, outer);
  cover.level = asking_level(answers);
  cover.may_show_groups =
      has_key_rows(node->ss.ps.plan) || ((has_public_groups(node, answers, sources) ||
                                          opens_groups(walk, cover.table, node, answers)) &&
                                         shows_exact_groups(cover.table, node, answers));
  cover.is_sorted = gives_sorted_groups(walk, cover.table, node, answers);
  return cover;
}

// It hangs on the node of its level, where EXPLAIN would show it beside the answers.
void note_read_below(PlanState* cte) {
  RunningQuery* query = query_of(cte->state);
  query->read_below = list_append_unique_ptr(query->read_below, cte);
}

void visit(PlanState* node, Cover cover, ApprovalWalk& walk) {
  check_stack_depth();
  const bool is_known =
      rule_of(node->plan).source != RowSource::kUnknown || IsA(node->plan, WorkTableScan);
  if (!is_known && OidIsValid(walk.table)) refuse_node(walk.table, node->plan);
  if (++walk.depth > deepest_plan() && OidIsValid(walk.table)) refuse_deep_plan(walk.table);
  for (const auto* plan : list<SubPlanState>(node->initPlan)) {
    // a CTE is read where it is scanned
    if (plan->subplan->subLinkType == CTE_SUBLINK) continue;
    // below what changes or locks rows they are computed again
    const bool is_above = node == walk.top || IsA(node, ModifyTableState);
    walk.initial_plans += is_above;
    // the least or greatest value by an index is one, too: for each row, where it hangs on rows
    const bool is_of_rows = !bms_is_empty(plan->planstate->plan->extParam);
    visit_subplan(plan->planstate, is_of_rows ? cover : unread(cover), walk);
    walk.initial_plans -= is_above;
  }
  for (const auto* state : list<SubPlanState>(node->subPlan)) {
    visit_subplan(state->planstate, unread(cover), walk);
  }
  // What it evaluates to find that out, an OFFSET for instance, may read subqueries above.
  if (is_never_executed(node)) cover = {Cover::kNeverRead};
  if (cover.kind == Cover::kPrivate) {
    // whether workers are started would tell of rows (kept_tables.cpp)
    const bool has_workers = IsA(node->plan, Gather) || IsA(node->plan, GatherMerge);
    if (has_workers && cover.is_joined) refuse_node(cover.table, node->plan);
    cover.is_joined |= rule_of(node->plan).columns == ColumnSource::kSides;
    require_fit_node(walk, cover.table, node);
    if (!cover.is_kept && is_kept(node)) {
      cover.is_kept = true;
      if (!walk.unfit.any()) read_before(node);
    }
  }
  if (const Oid table = scanned_table(node); OidIsValid(table)) {
    read_table(node, table, cover, walk);
  }
  if (IsA(node, ModifyTableState)) change_tables(as<ModifyTableState>(node));
  if (IsA(node, AggState)) {
    auto* aggregate = as<AggState>(node);
    cover = cover_of_input(walk, aggregate, cover);
    if (cover.kind == Cover::kPrivate) require_fit_aggregates(walk, cover.table, aggregate);
  }
  if (is_answers(node->plan) && cover.kind != Cover::kPrivate) {
    if (cover.kind == Cover::kNone) cover = {};
    cover.answers = as<CustomScan>(node->plan);
  }
  if (IsA(node, CteScanState)) {
    PlanState* read = as<CteScanState>(node)->cteplanstate;
    if (cover.kind == Cover::kPrivate) {
      note_read_below(read);
      read_before(as<CteScanState>(node), &cover.aggregate->ss.ps);
      // It is kept as a whole. Nothing within may be read apart, as others may have begun with it.
      cover.is_kept |= !reads_hidden_rows(read->plan, node->state->es_plannedstmt) &&
                       !depends_on_outer_rows(read->plan, node->state);
    }
    visit_subplan(read, cover, walk);
  }
  for_each_child(node, [&](const Child& child) { visit(child.node, cover, walk); });
  --walk.depth;
}

// Of the leader, for a worker's part of its plan.
void take_approval(QueryDesc* query) {
  if (OidIsValid(first_hidden(tables_of_query(query->estate)))) {
    open_long_values(query->estate);
    look_up_enums(query->estate);
    fix_settings_of_worker();
  }
  open_all_gates(query->planstate);
}

}  // namespace

void approve(QueryDesc* query, bool of_worker) {
  EState* state = query->estate;
  if (of_worker) return take_approval(query);
  ApprovalWalk walk = {
      state, first_hidden(tables_of_query(state)), NIL, NIL, 0, query->planstate, 0, false};
  // Plans of tables with policies are made for one role.
  if (!OidIsValid(walk.table) && !query->plannedstmt->dependsOnRole) return;
  if (OidIsValid(walk.table)) require_session();
  if (OidIsValid(walk.table) && IsolationIsSerializable()) refuse_serializable(walk.table);
  if (OidIsValid(walk.table)) {
    open_long_values(state);
    look_up_enums(state);
    if (!is_only_explained(state)) {
      end_counting_usage(query);
      end_debug_messages();
    }
    query_of(state)->reads_hidden_rows = true;
  }
  visit(query->planstate, {}, walk);
  // CTEs that nobody scans: those that change tables are executed nevertheless
  for (auto* plan : list<PlanState>(state->es_subplanstates)) {
    if (plan != nullptr && !list_member_ptr(walk.visited, plan)) visit(plan, {}, walk);
  }
  if (walk.unfit.any()) refuse_unfit(walk.unfit_table, walk.unfit);
  if (walk.is_rechecked && may_recheck_rows(query->plannedstmt)) refuse_recheck(walk.table);
  if (OidIsValid(walk.table) && !is_only_explained(state)) {
    begin_unlimited_files(state->es_query_cxt);
  }
  for (auto* state : list<PlanState>(walk.scans)) open_gate(state);
}

}  // namespace idp
