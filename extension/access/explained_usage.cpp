#include "extension/access/explained_usage.h"

#include <algorithm>
#include <string_view>

#include "extension/pg/nodes.h"
#include "extension/state/open_snapshots.h"

extern "C" {
#include "commands/defrem.h"
#include "commands/prepare.h"
#include "executor/instrument.h"
#include "nodes/makefuncs.h"
#include "tcop/utility.h"
}

namespace idp {

namespace {

ProcessUtility_hook_type previous_utility = nullptr;
bool has_ended = false;  // for this process, which is one session

// Those that count nothing of the server's own. What is not known does.
constexpr std::string_view kOfRows[] = {"analyze", "verbose", "costs",     "settings",    "format",
                                        "timing",  "summary", "serialize", "generic_plan"};

struct Explained {
  const char* text;  // of the statement that is explained; null: of several
  bool counts_usage;
  Explained* outer;
  const QueryDesc* query = nullptr;  // what is explained, once it has started
};

Explained* innermost = nullptr;

bool is_of_rows(const DefElem* option) {
  return std::find(std::begin(kOfRows), std::end(kOfRows), std::string_view(option->defname)) !=
         std::end(kOfRows);
}

// An option that is on if it is not written, where another is.
bool counts_by_itself(const List* options) {
#if PG_VERSION_NUM >= 180000
  bool analyzes = false;
  for (auto* option : list<DefElem>(options)) {
    if (strcmp(option->defname, "buffers") == 0) return false;
    if (strcmp(option->defname, "analyze") == 0) analyzes = defGetBoolean(option);
  }
  return analyzes;
#else
  (void)options;
  return false;
#endif
}

bool counts_usage(const List* options) {
  for (auto* option : list<DefElem>(options)) {
    if (!is_of_rows(option) && defGetBoolean(option)) return true;
  }
  return counts_by_itself(options);
}

// Of what is explained, as its executor is told it. Null of what rules may make several statements
// of: each is planned after the one before was executed, and its planning is counted.
const char* text_of(const ExplainStmt* explain, const char* text) {
  const auto* query = as<Query>(explain->query);
  if (query->commandType != CMD_SELECT && query->commandType != CMD_UTILITY) return nullptr;
  const Node* statement = query->utilityStmt;
  if (statement != nullptr && IsA(statement, CreateTableAsStmt)) {
    const auto* made = as<Query>(as<CreateTableAsStmt>(statement)->query);
    if (made->commandType == CMD_UTILITY) statement = made->utilityStmt;
  }
  if (statement == nullptr || !IsA(statement, ExecuteStmt)) return text;
  const auto* prepared = FetchPreparedStatement(as<ExecuteStmt>(statement)->name, false);
  return prepared == nullptr ? text : prepared->plansource->query_string;
}

PlannedStmt* without_usage(const PlannedStmt* statement) {
  auto* changed = static_cast<PlannedStmt*>(copyObjectImpl(statement));
  auto* explain = as<ExplainStmt>(changed->utilityStmt);
  bool is_asked = false;
  List* options = NIL;
  for (auto* option : list<DefElem>(explain->options)) {
    if (is_of_rows(option)) {
      options = lappend(options, option);
    } else {
      is_asked |= defGetBoolean(option);
    }
  }
  if (is_asked) {
    ereport(
        NOTICE,
        (errmsg(
            "EXPLAIN counts no buffers, WAL or memory in a session that has read hidden rows")));
  }
  if (counts_by_itself(options)) {
    options =
        lappend(options, makeDefElem(pstrdup("buffers"), as<Node>(makeString(pstrdup("off"))), -1));
  }
  explain->options = options;
  return changed;
}

bool is_verbose(const DefElem* option) { return strcmp(option->defname, "verbose") == 0; }

// Whether a VACUUM or an ANALYZE says how many buffers it needed.
bool tells_usage(const VacuumStmt* vacuum) {
  for (auto* option : list<DefElem>(vacuum->options)) {
    if (is_verbose(option) && defGetBoolean(option)) return true;
  }
  return false;
}

PlannedStmt* without_words(const PlannedStmt* statement) {
  auto* changed = static_cast<PlannedStmt*>(copyObjectImpl(statement));
  auto* vacuum = as<VacuumStmt>(changed->utilityStmt);
  List* options = NIL;
  for (auto* option : list<DefElem>(vacuum->options)) {
    if (!is_verbose(option)) options = lappend(options, option);
  }
  vacuum->options = options;
  ereport(NOTICE, (errmsg("%s says nothing in a session that has read hidden rows",
                          vacuum->is_vacuumcmd ? "VACUUM (VERBOSE)" : "ANALYZE (VERBOSE)"),
                   errdetail("It would count the buffers that the server needed.")));
  return changed;
}

// Runs work() as that of an EXPLAIN.
template <class Work>
void explain_as(Explained explained, Work work) {
  innermost = &explained;
  PG_TRY();
  { work(); }
  PG_FINALLY();
  { innermost = explained.outer; }
  PG_END_TRY();
}

template <class... More>
void process_utility(PlannedStmt* statement, const char* text, More... more) {
  const auto process = previous_utility ? previous_utility : standard_ProcessUtility;
  const Node* utility = statement->utilityStmt;
  if (IsA(utility, VacuumStmt) && tells_usage(as<VacuumStmt>(utility))) {
    if (has_ended) return process(without_words(statement), text, more...);
    return explain_as({nullptr, true, innermost}, [&] { process(statement, text, more...); });
  }
  if (!IsA(utility, ExplainStmt)) return process(statement, text, more...);
  PlannedStmt* told = has_ended ? without_usage(statement) : statement;
  const auto* explain = as<ExplainStmt>(told->utilityStmt);
  explain_as({text_of(explain, text), counts_usage(explain->options), innermost},
             [&] { process(told, text, more...); });
}

constexpr int kUsage = INSTRUMENT_BUFFERS | INSTRUMENT_WAL;

bool stop_node(PlanState* node, void*) {
  if (node == nullptr) return false;
  check_stack_depth();
  if (node->instrument != nullptr) {
    node->instrument->need_bufusage = node->instrument->need_walusage = false;
  }
  return walk_plan_states(node, stop_node, nullptr);
}

// From now on: what the nodes have counted they keep. Another extension may have them count, for
// its log, and tell the session.
void stop_counting(QueryDesc* query) {
  query->instrument_options &= ~kUsage;
  if (query->estate == nullptr || query->estate->es_instrument == 0) return;
  query->estate->es_instrument &= ~kUsage;
  (void)stop_node(query->planstate, nullptr);
  for (auto* node : list<PlanState>(query->estate->es_subplanstates))
    (void)stop_node(node, nullptr);
}

// What is counted for the writing of rows is counted after they were read.
bool is_written(const QueryDesc* query) {
#if PG_VERSION_NUM >= 170000
  return query->dest != nullptr && query->dest->mydest == DestExplainSerialize;
#else
  (void)query;
  return false;
#endif
}

// Of an EXPLAIN around a query, unless that is what is explained.
bool is_counted(const QueryDesc* query) {
  for (const Explained* explained = innermost; explained != nullptr; explained = explained->outer) {
    if (!explained->counts_usage) continue;
    const bool is_explained =
        explained == innermost && explained->query == query && !is_written(query);
    if (!is_explained) return true;
  }
  return false;
}

}  // namespace

void watch_explain() {
  previous_utility = ProcessUtility_hook;
  ProcessUtility_hook = process_utility;
}

void end_counting_usage(const QueryDesc* query) {
  if (is_counted(query)) {
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("private answers cannot be asked for while EXPLAIN, or VACUUM (VERBOSE), "
                    "counts buffers, WAL or memory of another statement"),
             errdetail("The count would tell what the server looked up for hidden rows."),
             errhint("Leave out these options, or write BUFFERS off.")));
  }
  if (!has_ended) for_each_open_query(stop_counting);
  has_ended = true;
}

void count_no_usage(QueryDesc* query, bool reads_hidden_rows) {
  // Another text may come to lie where that of a statement was, which is gone: what is explained
  // starts once, and nothing else is counted by its nodes.
  const bool counts = (query->instrument_options & kUsage) != 0;
  if (innermost != nullptr && innermost->query == nullptr && counts &&
      innermost->text == query->sourceText) {
    innermost->query = query;
  }
  if (reads_hidden_rows || has_ended) stop_counting(query);
}

void keep_counting_nothing(QueryDesc* query) {
  if (has_ended) stop_counting(query);
}

}  // namespace idp
