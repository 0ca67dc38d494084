#include "extension/rewrite/rewrite.h"

#include "extension/access/hidden.h"
#include "extension/access/value_lists.h"
#include "extension/budget/account.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/in_place.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/rewrite/bounded_rows.h"
#include "extension/rewrite/chosen_ranks.h"
#include "extension/rewrite/clipped_sums.h"
#include "extension/rewrite/counted_keys.h"
#include "extension/rewrite/counted_units.h"
#include "extension/rewrite/counterparts.h"
#include "extension/rewrite/exact_sums.h"
#include "extension/rewrite/found_bounds.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/group_decisions.h"
#include "extension/domain/keys_below.h"
#include "extension/domain/levels.h"
#include "extension/domain/pinned_keys.h"
#include "extension/rewrite/linked_rows.h"
#include "extension/rewrite/joins_of_links.h"
#include "extension/rewrite/measured_intervals.h"
#include "extension/rewrite/pair_statistics.h"
#include "extension/rewrite/quotients.h"
#include "extension/rewrite/row_keys.h"
#include "extension/rewrite/simplify.h"
#include "extension/access/plain_settings.h"

extern "C" {
#include "access/transam.h"
#include "access/xact.h"
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

// --- what becomes of the rows of a level ---

// Decided by the levels above, from the whole statement down.
enum class Fate {
  kShown,      // by the statement, as they are
  kAnswered,   // by an aggregate that becomes private
  kTested,     // by a condition on the rows of such a one
  kAsWritten,  // by a private aggregate that the user wrote, or a plain one for each unit
};

bool is_private_call(const Node* node) {
  if (!IsA(node, Aggref)) return false;
  const Oid function = as<Aggref>(node)->aggfnoid;
  return function >= FirstNormalObjectId && is_own_function(function);
}

bool find_private_call(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (IsA(node, Aggref)) return is_private_call(node);
  return walk_expression(node, find_private_call, nullptr);
}

// The same, in the queries within as well.
bool find_own_call(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_own_call, nullptr);
  if (is_private_call(node)) return true;
  return walk_expression(node, find_own_call, nullptr);
}

bool has_private_calls(const Query* query) {
  return find_private_call(as<Node>(query->targetList), nullptr) ||
         find_private_call(query->havingQual, nullptr);
}

// Whether the aggregates of a level stay as they are: they make one number for each unit, or for
// each row of the query around them, and what is above aggregates these. Those of answers are
// nothing to rows, whichever row they are computed for.
bool stays(const QueryLevel& level, Fate fate) {
  if (is_correlated(level)) return given_by(level) == Given::kRows;
  if (level.query->groupClause == NIL || fate == Fate::kShown) return false;
  return fate == Fate::kAsWritten || groups_by_unit(level);
}

// --- the walk ---

// Those that give the rows of their tables, one by one, to the aggregates of a level.
struct Readers {
  List* queries = NIL;  // of Query
  // Whether a join above may repeat these rows, or those of groups of units.
  bool rows_repeated = false;
  bool groups_repeated = false;

  void add(const Readers& more) {
    queries = list_concat_unique_ptr(queries, more.queries);
    rows_repeated |= more.rows_repeated;
    groups_repeated |= more.groups_repeated;
  }
};

// A CTE that was visited, where it is read first.
struct VisitedCte {
  const CommonTableExpr* cte;
  bool has_rows;
  Readers readers;
};

struct AnswerWalk {
  const QueryLevel* level;
  Fate fate;      // of the rows that its expressions and its tables give
  bool has_rows;  // whether the level reads hidden rows
  List** ctes;    // of VisitedCte: those of the statement
  Readers* readers;
};

bool visit(const QueryLevel& level, Fate fate, List** ctes, Readers* readers);

bool visit_subqueries(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit_subqueries, context);
  auto* walk = static_cast<AnswerWalk*>(context);
  const Fate fate = walk->fate == Fate::kAnswered ? Fate::kTested : walk->fate;
  Readers readers;  // of conditions: none of the level's own
  walk->has_rows |= visit({as<Query>(node), walk->level}, fate, walk->ctes, &readers);
  return false;
}

bool visit_cte(const AnswerWalk& walk, const RangeTblEntry* entry) {
  const FoundCte found = cte_of(*walk.level, entry);
  if (found.cte == nullptr) return false;
  for (const auto* visited : list<VisitedCte>(*walk.ctes)) {
    if (visited->cte != found.cte) continue;
    walk.readers->add(visited->readers);
    return visited->has_rows;
  }
  auto* visited = static_cast<VisitedCte*>(palloc(sizeof(VisitedCte)));
  auto* query = as<Query>(found.cte->ctequery);
  *visited = {found.cte, false, {}};
  visited->has_rows = visit({query, found.owner}, walk.fate, walk.ctes, &visited->readers);
  *walk.ctes = lappend(*walk.ctes, visited);
  walk.readers->add(visited->readers);
  return visited->has_rows;
}

// number: of the entry in the range table of the level.
void visit_entry(RangeTblEntry* entry, int number, AnswerWalk& walk) {
  Readers found;
  bool has_rows = false;
  switch (entry->rtekind) {
    case RTE_RELATION:
      walk.has_rows |= is_hidden(entry->relid);
      return;
    case RTE_SUBQUERY: {
      // then they are counted as they are
      const bool are_chosen = bounds_by_rank(*walk.level, entry);
      has_rows = visit({entry->subquery, walk.level}, walk.fate, walk.ctes, &found);
      if (are_chosen) found = {};
      break;
    }
    case RTE_CTE: {
      AnswerWalk within = walk;
      within.readers = &found;
      has_rows = visit_cte(within, entry);
      break;
    }
    default:
      return;
  }
  walk.has_rows |= has_rows;
  if (has_rows && walk.fate == Fate::kAnswered && joins_may_repeat(walk.level->query, number)) {
    (found.queries != NIL ? found.rows_repeated : found.groups_repeated) = true;
  }
  walk.readers->add(found);
}

struct Replaced {
  QueryLevel level;
  bool finds_bounds;
};

Node* replace_aggregates(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Query)) return node;
  if (!IsA(node, Aggref)) return map_in_place(node, replace_aggregates, context);
  const auto* plain = as<Aggref>(node);
  auto* replaced = static_cast<Replaced*>(context);
  Node* answer = plain->agglevelsup > 0 ? nullptr : counterpart_of(replaced->level, plain);
  if (answer == nullptr) return node;
  replaced->finds_bounds |= finds_bounds(answer);
  return answer;
}

// Whether its words alone say that the level reads no row, as WHERE 1 = 0 of a tool that asks for
// the types of columns: then plain aggregates tell nothing of rows.
bool reads_no_row(const Query* query) {
  Node* where = query->jointree == nullptr ? nullptr : query->jointree->quals;
  for (auto* condition : list<Node>(conjuncts(where))) {
    if (is_constant_condition(folded(condition), false)) return true;
  }
  return false;
}

// Whether what the level reads are rows of its tables, one by one: no step of its own comes before
// that leaves some out.
bool gives_rows_of_tables(const Query* query) {
  if (query->hasAggs) return true;  // what comes before them
  return query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == nullptr &&
         query->distinctClause == NIL && query->limitCount == nullptr &&
         query->limitOffset == nullptr;
}

void replace_aggregates(const QueryLevel& level) {
  Replaced replaced{level, false};
  change_shown(level.query, [&](Node* shown) { return replace_aggregates(shown, &replaced); });
  if (replaced.finds_bounds) warn_of_found_bounds_of_rows();
}

// Makes private what the level answers.
void answer(const QueryLevel& level, const Readers& found) {
  List* readers = found.queries;
  average_pairs(level);
  measure_intervals(level);
  bound_counted_keys(level);
  leave_out_rows_below(level.query);
  int64 most = most_rows(readers);
  if (most > 0) warn_of_repeated_rows(readers, found.rows_repeated);
  if (most == 0) {
    give_units_of_groups(level);
    most = most_groups_of_unit(level, &readers);
    if (most > 0 && found.groups_repeated) warn_of_repeated_groups(most);
  }
  const ClippedSums sums = most > 0 ? clip_sums(level, most) : ClippedSums{nullptr, true};
  if (sums.rows != nullptr) {
    // they read what the level read
    readers = lappend(list_delete_ptr(readers, level.query), sums.rows);
  }
  if (sums.leaves_any) bound_rows(readers);
  replace_aggregates(level);
  if (!needs_decision(level)) return;
  bound_rows(readers);
  decide_about_groups(level, most);
}

// Whether hidden rows, or what is computed of those of one unit, leave the level.
bool visit(const QueryLevel& level, Fate fate, List** ctes, Readers* readers) {
  check_stack_depth();
  Query* query = level.query;
  // of units there are as many as the rows say
  if (is_value_list(query) && !groups_by_unit(level)) return false;
  const bool is_private = query->hasAggs && has_private_calls(query);
  const bool stays_plain = query->hasAggs && !is_private && stays(level, fate);
  const bool answers = query->hasAggs && !stays_plain;
  Readers own_readers;
  AnswerWalk walk{&level, fate, false, ctes, answers ? &own_readers : readers};
  if (answers) walk.fate = is_private ? Fate::kAsWritten : Fate::kAnswered;
  if (stays_plain) walk.fate = Fate::kAsWritten;
  if (walk.fate == Fate::kAnswered) join_along_links(query);
  // entries may be left of what it does not read any more
  const bool reads_entries =
      (query->jointree->fromlist != NIL && (is_private || !reads_no_row(query))) ||
      query->setOperations != nullptr;
  int number = 0;
  for (auto* entry : list<RangeTblEntry>(reads_entries ? query->rtable : NIL)) {
    visit_entry(entry, ++number, walk);
  }
  (void)visit_subqueries(as<Node>(query->targetList), &walk);
  (void)visit_subqueries(as<Node>(query->jointree), &walk);
  (void)visit_subqueries(query->havingQual, &walk);
  if (walk.fate == Fate::kAnswered && gives_rows_of_tables(query)) {
    walk.readers->queries = lappend(walk.readers->queries, query);
  }
  if (!answers || !walk.has_rows) {
    // around private calls that somebody wrote nothing is changed
    if (stays_plain && walk.has_rows && fate != Fate::kAsWritten) add_up_exactly(query);
    if (!walk.has_rows && !is_private) guard_quotients(level);
    return walk.has_rows;
  }
  if (takes_epsilon_of_accounts()) {
    take_epsilon_of_accounts(default_epsilon(accounts_of_level(level)));
  }
  if (is_private) {
    replace_aggregates(level);
  } else {
    answer(level, own_readers);
    guard_quotients(level);
  }
  return false;
}

}  // namespace

bool reads_hidden_tables(Query* query) {
  if (query->commandType == CMD_UTILITY || !IsTransactionState() || sees_all_rows()) {
    return false;
  }
  // without the table the extension is of an earlier version, or not there
  return names_hidden_table_anywhere(query) && OidIsValid(own_relation("domain"));
}

void rewrite_plain(Query* query) {
  if (!rewrites_plain_aggregates()) return;
  read_nothing_for_single_groups(query);
  // what somebody wrote in private aggregates stays as it is written
  const bool is_plain = !find_own_call(as<Node>(query), nullptr);
  (void)take_pinned_keys(is_plain);
  if (is_plain) simplify(query);
  List* ctes = NIL;
  Readers readers;
  (void)visit({query, nullptr}, Fate::kShown, &ctes, &readers);
}

}  // namespace idp
