#include "extension/plan/node_rules.h"

#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/remote_plan.h"

extern "C" {
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
}

namespace idp {

namespace {

constexpr char kAnswerFirst[] =
    "Compute the private answers of the table by itself, in a subquery, and combine the answers.";
constexpr char kAllRows[] = "Say with WHERE, over columns of the row itself, which rows count.";
constexpr char kToTheTable[] =
    "Apply the private aggregate to the table; dp_count_distinct counts different values.";
constexpr char kToRows[] = "Apply the private aggregate to the rows of the table.";

constexpr char kAnswerFirstAdvice[] = "join the answers";
constexpr char kAllRowsAdvice[] = "choose rows with WHERE";
constexpr char kToTheTableAdvice[] = "apply it to the table";

constexpr Problem kJoin = {"a join", kAnswerFirst, kAnswerFirstAdvice};
constexpr Problem kLimit = {"LIMIT", kAllRows, kAllRowsAdvice};
constexpr Problem kSample = {"TABLESAMPLE", kAllRows, kAllRowsAdvice};
constexpr Problem kAggregate = {"another aggregate, or DISTINCT", kToTheTable, kToTheTableAdvice};
constexpr Problem kDistinct = {"DISTINCT", kToTheTable, kToTheTableAdvice};
constexpr Problem kSetOperation = {"INTERSECT or EXCEPT", kAllRows, kAllRowsAdvice};
constexpr Problem kRecursion = {"a recursive query", kAnswerFirst, kToTheTableAdvice};
constexpr Problem kSetReturning = {"a function that returns sets", kToRows, kToTheTableAdvice};
constexpr Problem kNoTable = {"a list of values or the rows of a function", kToRows,
                              kToTheTableAdvice};
constexpr Problem kForeignTable = {"a foreign table",
                                   "Protect the table, and ask, on the server that holds it.",
                                   "ask on the server that holds it"};
constexpr Problem kChanging = {
    "the rows of a statement that changes the table",
    "Change the table and ask for answers in two statements, outside triggers.",
    "ask in a statement of its own"};
constexpr Problem kForUpdate = {"FOR UPDATE", "Leave the locking clause out.", "leave it out"};
constexpr Problem kUnknownPlan = {"a plan of an unknown kind", kAnswerFirst, kToTheTableAdvice};

constexpr RowSource kChildren = RowSource::kChildren;
constexpr RowSource kTable = RowSource::kTable;

constexpr NodeRule kRules[] = {
    // scans: one row of the table each
    {T_SeqScan, kTable, ColumnSource::kOwn, Effect::kAsked, nullptr},
    {T_IndexScan, kTable, ColumnSource::kOwn, Effect::kAsked, nullptr},
    {T_IndexOnlyScan, kTable, ColumnSource::kOwn, Effect::kAsked, nullptr},
    {T_BitmapHeapScan, kTable, ColumnSource::kOwn, Effect::kAsked, nullptr},
    {T_BitmapIndexScan, kChildren, ColumnSource::kOwn, Effect::kAsked, nullptr},
    {T_BitmapAnd, kChildren, ColumnSource::kOwn, Effect::kAsked, nullptr},
    {T_BitmapOr, kChildren, ColumnSource::kOwn, Effect::kAsked, nullptr},
    {T_SampleScan, kTable, ColumnSource::kOwn, Effect::kUnknown, &kSample},
    {T_TidScan, kTable, ColumnSource::kOwn, Effect::kUnknown, &kSystemColumnProblem},
    {T_TidRangeScan, kTable, ColumnSource::kOwn, Effect::kUnknown, &kSystemColumnProblem},
    {T_NamedTuplestoreScan, kTable, ColumnSource::kOwn, Effect::kUnknown, &kChanging},
    // what passes each row on once
    {T_Append, kChildren, ColumnSource::kMembers, Effect::kAsked, nullptr},
    {T_MergeAppend, kChildren, ColumnSource::kMembers, Effect::kAsked, nullptr},
    {T_SubqueryScan, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr},
    {T_CteScan, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr},
    {T_Result, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr},
    {T_Sort, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr},
    {T_IncrementalSort, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr},
    {T_Material, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr},
    {T_Gather, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr},
    {T_GatherMerge, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr},
    // what makes other rows of them (the first half of a split aggregate is excepted in rule_of)
    {T_Agg, kChildren, ColumnSource::kChild, Effect::kAsked, &kAggregate},
    {T_Group, kChildren, ColumnSource::kChild, Effect::kAsked, &kDistinct},
    {T_Unique, kChildren, ColumnSource::kChild, Effect::kAsked, &kDistinct},
    {T_WindowAgg, kChildren, ColumnSource::kChild, Effect::kAsked, &kWindowProblem},
    {T_SetOp, kChildren, ColumnSource::kOwn, Effect::kAsked, &kSetOperation},
    {T_Limit, kChildren, ColumnSource::kChild, Effect::kAsked, &kLimit},
    {T_LockRows, kChildren, ColumnSource::kChild, Effect::kUnknown, &kForUpdate},
    {T_ProjectSet, kChildren, ColumnSource::kChild, Effect::kAsked, &kSetReturning},
    {T_ModifyTable, kChildren, ColumnSource::kOwn, Effect::kUnknown, &kChanging},
    {T_NestLoop, kChildren, ColumnSource::kSides, Effect::kAsked, &kJoin},
    {T_MergeJoin, kChildren, ColumnSource::kSides, Effect::kAsked, &kJoin},
    {T_HashJoin, kChildren, ColumnSource::kSides, Effect::kAsked, &kJoin},
    {T_Hash, kChildren, ColumnSource::kChild, Effect::kAsked, &kJoin},
    {T_Memoize, kChildren, ColumnSource::kChild, Effect::kAsked, &kJoin},
    {T_RecursiveUnion, kChildren, ColumnSource::kOwn, Effect::kUnknown, &kRecursion},
    // rows of no table: of the values of expressions
    {T_FunctionScan, kChildren, ColumnSource::kOwn, Effect::kAsked, &kNoTable},
    {T_ValuesScan, kChildren, ColumnSource::kOwn, Effect::kAsked, &kNoTable},
    {T_TableFuncScan, kChildren, ColumnSource::kOwn, Effect::kUnknown, &kNoTable},
    // rows from elsewhere
    {T_WorkTableScan, RowSource::kUnknown, ColumnSource::kOwn, Effect::kUnknown, &kRecursion},
};

// Those over one table, and those that stand for a join or more.
constexpr NodeRule kForeignScan = {T_ForeignScan, kTable, ColumnSource::kOwn, Effect::kUnknown,
                                   &kForeignTable};
constexpr NodeRule kForeignJoin = {T_ForeignScan, RowSource::kUnknown, ColumnSource::kOwn,
                                   Effect::kUnknown, &kForeignTable};
constexpr NodeRule kCustomScan = {T_CustomScan, kTable, ColumnSource::kOwn, Effect::kUnknown,
                                  &kUnknownPlan};
// The answers of the level below: rows of their own, and the same however often they are read.
constexpr NodeRule kAnswers = {T_CustomScan, kChildren, ColumnSource::kOwn, Effect::kAsked,
                               &kAggregate};
// Rows of a table as a scan of this server would give them.
constexpr NodeRule kRemoteRows = {T_CustomScan, kTable, ColumnSource::kOwn, Effect::kAsked,
                                  nullptr};
// The half of a split aggregate that stands over the rows: for the other half it passes them on.
constexpr NodeRule kFirstHalf = {T_Agg, kChildren, ColumnSource::kChild, Effect::kAsked, nullptr};

constexpr NodeRule kUnknown = {T_Invalid, RowSource::kUnknown, ColumnSource::kOwn, Effect::kUnknown,
                               &kUnknownPlan};

}  // namespace

const NodeRule& rule_of(const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_ForeignScan:
      return as<Scan>(plan)->scanrelid > 0 ? kForeignScan : kForeignJoin;
    case T_CustomScan:
      if (is_answers(plan)) return kAnswers;
      if (is_remote_rows(plan)) return kRemoteRows;
      return as<Scan>(plan)->scanrelid > 0 ? kCustomScan : kUnknown;
    case T_Agg:
      if (DO_AGGSPLIT_SKIPFINAL(as<Agg>(plan)->aggsplit)) return kFirstHalf;
      break;
    default:
      break;
  }
  for (const NodeRule& rule : kRules) {
    if (rule.plan == nodeTag(plan)) return rule;
  }
  return kUnknown;
}

List* plans_behind(const Plan* plan, const Var* column, const List* subplans) {
  const auto only = [](Plan* child) { return child == nullptr ? NIL : list_make1(child); };
  switch (rule_of(plan).columns) {
    case ColumnSource::kOwn:
      return NIL;
    case ColumnSource::kMembers:
      return further_plans(plan);
    case ColumnSource::kSides:
      return only(column->varno == INNER_VAR ? plan->righttree : plan->lefttree);
    case ColumnSource::kChild:
      if (IsA(plan, SubqueryScan)) return further_plans(plan);
      if (IsA(plan, CteScan)) {
        take_step();
        const int number = as<CteScan>(plan)->ctePlanId;
        return only(static_cast<Plan*>(list_nth(subplans, number - 1)));
      }
      return only(plan->lefttree);
  }
  pg_unreachable();
}

List* further_plans(const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_Append:
      return as<Append>(plan)->appendplans;
    case T_MergeAppend:
      return as<MergeAppend>(plan)->mergeplans;
    case T_BitmapAnd:
      return as<BitmapAnd>(plan)->bitmapplans;
    case T_BitmapOr:
      return as<BitmapOr>(plan)->bitmapplans;
    case T_SubqueryScan:
      return list_make1(as<SubqueryScan>(plan)->subplan);
    case T_CustomScan:
      return as<CustomScan>(plan)->custom_plans;
    default:
      return NIL;
  }
}

bool depends_on_outer_rows(const Plan* plan, const EState* state) {
  for (int i = -1; (i = bms_next_member(plan->extParam, i)) >= 0;) {
    // some carry no value; others are those of initial plans
    if (OidIsValid(list_nth_oid(state->es_plannedstmt->paramExecTypes, i)) &&
        state->es_param_exec_vals[i].execPlan == nullptr) {
      return true;
    }
  }
  return false;
}

bool may_put_null(const Plan* plan) {
  if (rule_of(plan).columns == ColumnSource::kSides) {
    return as<Join>(plan)->jointype != JOIN_INNER;
  }
  if (!IsA(plan, Agg)) return false;
  const auto* agg = as<Agg>(plan);
  return agg->groupingSets != NIL || agg->chain != NIL;
}

PartitionPruneInfo* pruning_of(const Plan* plan, const PlannedStmt* statement) {
  const auto of = [&](const auto* node) -> PartitionPruneInfo* {
    return pruning_in(node, statement);
  };
  switch (nodeTag(plan)) {
    case T_Append:
      return of(as<Append>(plan));
    case T_MergeAppend:
      return of(as<MergeAppend>(plan));
    default:
      return nullptr;
  }
}

List* further_expressions(const Plan* plan, const PlannedStmt* statement) {
  List* lists = NIL;
  (void)for_each_further_list(const_cast<Plan*>(plan), statement, [&](const List* list) {
    lists = lappend(lists, const_cast<List*>(list));
  });
  return lists;
}

const Problem* problem_of_index(const Plan* plan) {
  static constexpr Problem kUnknownIndex = {
      "an index that is none of the server's own kinds",
      "SET enable_indexscan = off, enable_indexonlyscan = off, enable_bitmapscan = off.",
      "switch scans of indexes off"};
  Oid index = InvalidOid;
  switch (nodeTag(plan)) {
    case T_IndexScan:
      index = as<IndexScan>(plan)->indexid;
      break;
    case T_IndexOnlyScan:
      index = as<IndexOnlyScan>(plan)->indexid;
      break;
    case T_BitmapIndexScan:
      index = as<BitmapIndexScan>(plan)->indexid;
      break;
    default:
      return nullptr;
  }
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index));
  if (!HeapTupleIsValid(tuple)) return &kUnknownIndex;
  const Oid method = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relam;
  ReleaseSysCache(tuple);
  switch (method) {
    case BTREE_AM_OID:
    case HASH_AM_OID:
    case GIST_AM_OID:
    case SPGIST_AM_OID:
    case BRIN_AM_OID:
    case GIN_AM_OID:
      return nullptr;
    default:
      return &kUnknownIndex;
  }
}

Order order_of(const Plan* plan) {
  const auto of = [](const auto* node) {
    return Order{node->numCols, node->sortOperators, node->collations};
  };
  switch (nodeTag(plan)) {
    case T_Sort:
    case T_IncrementalSort:  // begins with a Sort
      return of(as<Sort>(plan));
    case T_MergeAppend:
      return of(as<MergeAppend>(plan));
    case T_GatherMerge:
      return of(as<GatherMerge>(plan));
    default:
      return {};
  }
}

}  // namespace idp
