#include "extension/hooks.h"

#include "extension/pg/pg.h"

#include "extension/access/eager_opens.h"
#include "extension/access/explained_usage.h"
#include "extension/access/group_order.h"
#include "extension/access/hidden.h"
#include "extension/access/kept_tables.h"
#include "extension/access/plain_settings.h"
#include "extension/access/planning.h"
#include "extension/access/prepared_plan.h"
#include "extension/access/usage_counters.h"
#include "extension/access/copy_guard.h"
#include "extension/access/untouched.h"
#include "extension/access/value_lists.h"
#include "extension/answers/node.h"
#include "extension/answers/put_in.h"
#include "extension/audit/run.h"
#include "extension/batch/batch.h"
#include "extension/budget/account.h"
#include "extension/budget/remote_tables.h"
#include "extension/distribute/native_query.h"
#include "extension/distribute/remote_path.h"
#include "extension/distribute/remote_rows.h"
#include "extension/domain/all_groups.h"
#include "extension/domain/pinned_keys.h"
#include "extension/domain/public_bounds.h"
#include "extension/domain/session_zone.h"
#include "extension/pg/debug_messages.h"
#include "extension/pg/fixed_settings.h"
#include "extension/pg/fold.h"
#include "extension/pg/column_parameters.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/parents.h"
#include "extension/pg/remembered.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/pg/zone_comparisons.h"
#include "extension/plan/question.h"
#include "extension/plan/recorded_node.h"
#include "extension/plan/ways.h"
#include "extension/rewrite/margins.h"
#include "extension/rewrite/rewrite.h"
#include "extension/state/open_snapshots.h"
#include "extension/state/running_query.h"
#include "extension/statement/cost.h"
#include "extension/statement/statement.h"

extern "C" {
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "utils/guc.h"
#include "utils/selfuncs.h"
}

namespace idp {

namespace {

ExecutorStart_hook_type previous_executor_start = nullptr;
ExecutorRun_hook_type previous_executor_run = nullptr;
ExecutorEnd_hook_type previous_executor_end = nullptr;
ExecutorCheckPerms_hook_type previous_check_rights = nullptr;
planner_hook_type previous_planner = nullptr;
get_relation_info_hook_type previous_get_relation_info = nullptr;
set_rel_pathlist_hook_type previous_set_rel_pathlist = nullptr;
get_relation_stats_hook_type previous_table_statistics = nullptr;
get_index_stats_hook_type previous_index_statistics = nullptr;
get_attavgwidth_hook_type previous_column_width = nullptr;
create_upper_paths_hook_type previous_create_upper_paths = nullptr;

// Of hidden rows all checks see the same accounts, as of now.
void begin_checked(QueryDesc* query, bool reads_hidden_rows) {
  if (!reads_hidden_rows) return begin_statement(query);
  const StatementRoom outer = room_of_statement();
  PG_TRY();
  {
    begin_room(nullptr);
    begin_remembering();
    begin_statement(query);
  }
  PG_FINALLY();
  {
    end_room(outer);
    forget_remembered();
  }
  PG_END_TRY();
}

// What may be read beside hidden rows is not asked for a query that an owner has looked at: the
// tables are his, or it is not executed. A function that it calls asks by itself.
void require_looked_at(const QueryDesc* query) {
  if (!looks_as_others() || cost_receiver(query) != nullptr || audit_run(query) != nullptr) return;
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("rows that are hidden from others cannot be read by a function while idp.cost or "
                  "idp.audit looks at a query as others see it"),
           errhint("Leave the call of the function out of the query.")));
}

void executor_start(QueryDesc* query, int flags) {
  forget_remembered();
  require_zone_of(query->plannedstmt);
  require_few_ways(query->plannedstmt);  // the library may have been loaded since it was planned
  const bool reads_hidden_rows = prepare_plan(query, flags);
  if (reads_hidden_rows) require_looked_at(query);
  count_no_usage(query, reads_hidden_rows);
  const auto begin = [&] {
    Uncounted uncounted(reads_hidden_rows);
    const auto start = previous_executor_start ? previous_executor_start : standard_ExecutorStart;
    // Code of others may run at the start, as the input of an aggregate's first state. What it sets
    // does not stay: what is asked was settled before, and is told afterwards.
    const int level = reads_hidden_rows ? NewGUCNestLevel() : 0;
    start_planned(query, [&] { start(query, flags); });
    if (level > 0) AtEOXact_GUC(false, level);
    note_snapshot(query);
    keep_counting_nothing(query);
    begin_checked(query, reads_hidden_rows);
    uncounted.end();
  };
  if (!reads_hidden_rows) return begin();
  uncounted_usage(nullptr, begin);
}

// Sorts tell of themselves when they end.
void executor_end(QueryDesc* query) {
  const auto end = previous_executor_end ? previous_executor_end : standard_ExecutorEnd;
  const auto* known = find_query(query->estate);
  if (known == nullptr) return end(query);
  close_long_values(query->estate);
  const auto end_quietly = [&] {
    with_fixed_settings(known->reads_hidden_rows, [&] { end(query); });
  };
  if (!known->reads_hidden_rows) return end_quietly();
  uncounted_usage(nullptr, end_quietly);
}

// What it reads is counted for a statement that calls a function which asks it, too, and shown by
// EXPLAIN (BUFFERS, WAL) of that.
// Up to PostgreSQL 17 it is passed whether that is once.
template <class... More>
void executor_run(QueryDesc* query, ScanDirection direction, uint64 count, More... more) {
  const auto run = previous_executor_run ? previous_executor_run : standard_ExecutorRun;
  require_zone_of(query->plannedstmt);
  const auto* known = find_query(query->estate);
  if (known == nullptr || !known->reads_hidden_rows) return run(query, direction, count, more...);
  uncounted_usage(query->totaltime, [&] { run(query, direction, count, more...); });
}

template <class Right>
bool may_read_statistics_of(const List* rights, bool reports) {
  for (const auto* right : list<Right>(rights)) {
    if (!may_read_statistics(right->relid, right->checkAsUser, reports)) return false;
  }
  return true;
}

#if PG_VERSION_NUM >= 160000
bool check_rights(List* tables, List* rights, bool reports) {
  const bool granted = (!previous_check_rights || previous_check_rights(tables, rights, reports)) &&
                       may_read_statistics_of<RTEPermissionInfo>(rights, reports);
#else
bool check_rights(List* tables, bool reports) {
  const bool granted = (!previous_check_rights || previous_check_rights(tables, reports)) &&
                       may_read_statistics_of<RangeTblEntry>(tables, reports);
#endif
  return granted && may_be_unplanned(tables, reports);
}

// Nothing is done to it. Other queries may be planned meanwhile, or be waiting for it.
template <class... More>
PlannedStmt* plan_untouched(Query* query, const char* text, int options, ParamListInfo parameters,
                            More... more) {
  const auto planner = previous_planner ? previous_planner : standard_planner;
  const bool outer = begin_no_joins();
  const PlannedHere begun = begin_planning(false);
  PlannedStmt* volatile plan = nullptr;
  PG_TRY();
  { plan = planner(query, text, options, parameters, more...); }
  PG_FINALLY();
  {
    end_joins(outer);
    end_planning(begun);
  }
  PG_END_TRY();
  mark_native(plan);
  prepare_new_plan(plan);
  return plan;
}

template <class... More>
PlannedStmt* plan_with_answers(Query* query, const char* text, int options,
                               ParamListInfo parameters, More... more) {
  if (is_untouched(query)) return plan_untouched(query, text, options, parameters, more...);
  begin_room(query);
  ZoneWatch zone;
  PublicBoundsWatch bounds;
  Dependencies dependencies{NIL, false};
  bool reads_hidden_rows = reads_hidden_tables(query);
  const bool knows_columns = !reads_hidden_rows || fill_in_column_parameters(query, parameters);
  if (reads_hidden_rows || (calls_others(as<Node>(query)) && !is_native(query))) {
    dependencies = settle_constants(query, parameters, reads_hidden_rows);
    reads_hidden_rows = reads_hidden_tables(query);  // functions in FROM may be queries now
  }
  const bool outer_keys = take_pinned_keys(false);
  if (reads_hidden_rows) {
    refuse_written_gate(query);
    rewrite_plain(query);
  }
  const bool has_no_calls = is_native(query);
  if (!has_no_calls && !reads_hidden_rows) refuse_written_gate(query);
  if (!has_no_calls) give_margins(query);
  give_all_groups(query);
  list_values(query);
  (void)take_pinned_keys(outer_keys);
  if (!has_no_calls || reads_hidden_rows) hide_zone_comparisons(query);
  const bool here = (!has_no_calls || reads_hidden_rows) && needs_remote_rows(query);
  const auto planner = previous_planner && !here ? previous_planner : standard_planner;
  const int level = begin_sorting_groups(query);
  const bool outer = begin_joins(query, &options);
  // Nothing is known of how many hidden rows there are of a kind: a loop for each of those that
  // were thought to be one takes hours.
  const bool may_loop = enable_nestloop;
  if (reads_hidden_rows) enable_nestloop = false;
  const bool may_drop_joins = set_self_join_elimination(false);
  const PlannedHere begun = begin_planning(here);
  PlannedStmt* volatile plan = nullptr;
  PG_TRY();
  { plan = planner(query, text, options, parameters, more...); }
  PG_FINALLY();
  {
    enable_nestloop = may_loop;
    (void)set_self_join_elimination(may_drop_joins);
    end_joins(outer);
    end_planning(begun);
  }
  PG_END_TRY();
  end_sorting_groups(level);
  zone.end(plan);
  bounds.end(plan);
  plan->invalItems = list_concat(plan->invalItems, dependencies.items);
  plan->dependsOnRole |= dependencies.role;
  if (has_no_calls) mark_native(plan);
  require_few_ways(plan);
  if (knows_columns) {
    prepare_new_plan(plan);
  } else {
    avoid_plan(plan);
  }
  return plan;
}

// PostgreSQL 19 passes more.
template <class... More>
PlannedStmt* plan_query(Query* query, const char* text, int options, ParamListInfo parameters,
                        More... more) {
  PlannedStmt* volatile plan = nullptr;
  const StatementRoom outer = room_of_statement();
  begin_remembering();
  PG_TRY();
  { plan = plan_with_answers(query, text, options, parameters, more...); }
  PG_FINALLY();
  {
    end_room(outer);
    forget_remembered();
  }
  PG_END_TRY();
  return plan;
}

void get_relation_info(PlannerInfo* root, Oid table, bool inherits, RelOptInfo* rel) {
  if (previous_get_relation_info && !is_planned_here()) {
    previous_get_relation_info(root, table, inherits, rel);
  }
  guess_remote_rows(rel, table);
  gate_relation(root, rel, table);
}

bool table_statistics(PlannerInfo* root, RangeTblEntry* entry, AttrNumber column,
                      VariableStatData* statistics) {
  if (entry->rtekind == RTE_RELATION && is_hidden(entry->relid)) {
    statistics->statsTuple = nullptr;
    return true;
  }
  return previous_table_statistics && previous_table_statistics(root, entry, column, statistics);
}

bool index_statistics(PlannerInfo* root, Oid index, AttrNumber column,
                      VariableStatData* statistics) {
  if (!may_look_up_statistics(index)) {
    statistics->statsTuple = nullptr;
    return true;
  }
  return previous_index_statistics && previous_index_statistics(root, index, column, statistics);
}

int32 column_width(Oid table, AttrNumber column) {
  const int32 width = width_without_statistics(table, column);
  return width == 0 && previous_column_width ? previous_column_width(table, column) : width;
}

// What is known of a level with its first relation is known with each.
bool is_first(const PlannerInfo* root, const RelOptInfo* rel) {
  for (int i = 1; i < root->simple_rel_array_size; ++i) {
    const RelOptInfo* one = root->simple_rel_array[i];
    if (one != nullptr && one->reloptkind == RELOPT_BASEREL) return one == rel;
  }
  return false;
}

void set_rel_pathlist(PlannerInfo* root, RelOptInfo* rel, Index number, RangeTblEntry* entry) {
  if (previous_set_rel_pathlist && !is_planned_here()) {
    previous_set_rel_pathlist(root, rel, number, entry);
  }
  read_remote_rows(root, rel, entry);
  keep_whole_scans(rel, entry);
  if (is_first(root, rel)) record_question(root, may_repeat_answers(root));
}

// A query without tables has no other hook.
void create_upper_paths(PlannerInfo* root, UpperRelationKind stage, RelOptInfo* input,
                        RelOptInfo* output, void* extra) {
  if (previous_create_upper_paths && !is_planned_here()) {
    previous_create_upper_paths(root, stage, input, output, extra);
  }
  if (stage != UPPERREL_GROUP_AGG) return;
  record_question(root, false);
  put_in_answers(root, output);
}

}  // namespace

void install_hooks() {
  define_settings();
  define_batches();
  register_answers();
  register_recorded_questions();
  register_remote_rows();
  // pg_upgrade makes the extension's own tables one by one, and nobody else is connected.
  if (IsBinaryUpgrade) return;
  previous_executor_start = ExecutorStart_hook;
  ExecutorStart_hook = executor_start;
  previous_executor_end = ExecutorEnd_hook;
  ExecutorEnd_hook = executor_end;
  previous_executor_run = ExecutorRun_hook;
  ExecutorRun_hook = executor_run;
  previous_check_rights = ExecutorCheckPerms_hook;
  ExecutorCheckPerms_hook = check_rights;
  previous_planner = planner_hook;
  planner_hook = plan_query;
  previous_get_relation_info = get_relation_info_hook;
  get_relation_info_hook = get_relation_info;
  previous_set_rel_pathlist = set_rel_pathlist_hook;
  set_rel_pathlist_hook = set_rel_pathlist;
  previous_create_upper_paths = create_upper_paths_hook;
  create_upper_paths_hook = create_upper_paths;
  previous_table_statistics = get_relation_stats_hook;
  get_relation_stats_hook = table_statistics;
  previous_index_statistics = get_index_stats_hook;
  get_index_stats_hook = index_statistics;
  previous_column_width = get_attavgwidth_hook;
  get_attavgwidth_hook = column_width;
  watch_relations();
  watch_parents();
  watch_functions();
  watch_debug_messages();
  watch_explain();
}

}  // namespace idp
