#include "extension/plan/node_rules.h"

namespace idp {

namespace {

constexpr char kAnswerFirst[] =
    "Compute the private answers of the table by itself, in a subquery, and combine the answers.";
constexpr char kAllRows[] = "Say with WHERE, over columns of the row itself, which rows count.";
constexpr char kToTheTable[] =
    "Apply the private aggregate to the table; dp_count_distinct counts different values.";
constexpr char kToRows[] = "Apply the private aggregate to the rows of the table.";

constexpr Problem kJoin = {"a join", kAnswerFirst};
constexpr Problem kLimit = {"LIMIT", kAllRows};
constexpr Problem kSample = {"TABLESAMPLE", kAllRows};
constexpr Problem kAggregate = {"another aggregate, or DISTINCT", kToTheTable};
constexpr Problem kDistinct = {"DISTINCT", kToTheTable};
constexpr Problem kSetOperation = {"INTERSECT or EXCEPT", kAllRows};
constexpr Problem kRecursion = {"a recursive query", kAnswerFirst};
constexpr Problem kSetReturning = {"a function that returns sets", kToRows};
constexpr Problem kNoTable = {"a list of values or the rows of a function", kToRows};
constexpr Problem kForeignTable = {"a foreign table",
                                   "Protect the table, and ask, on the server that holds it."};
constexpr Problem kChanging = {
    "the rows of a statement that changes the table",
    "Change the table and ask for answers in two statements, outside triggers."};
constexpr Problem kForUpdate = {"FOR UPDATE", "Leave the locking clause out."};
constexpr Problem kUnknownPlan = {"a plan of an unknown kind", kAnswerFirst};

constexpr RowSource kChildren = RowSource::kChildren;
constexpr RowSource kTable = RowSource::kTable;

constexpr NodeRule kRules[] = {
    // scans: one row of the table each
    {T_SeqScan, kTable, Repeats::kOnce, nullptr},
    {T_IndexScan, kTable, Repeats::kOnce, nullptr},
    {T_IndexOnlyScan, kTable, Repeats::kOnce, nullptr},
    {T_BitmapHeapScan, kTable, Repeats::kOnce, nullptr},
    {T_BitmapIndexScan, kChildren, Repeats::kOnce, nullptr},
    {T_BitmapAnd, kChildren, Repeats::kOnce, nullptr},
    {T_BitmapOr, kChildren, Repeats::kOnce, nullptr},
    {T_SampleScan, kTable, Repeats::kOnce, &kSample},
    {T_TidScan, kTable, Repeats::kOnce, &kSystemColumnProblem},
    {T_TidRangeScan, kTable, Repeats::kOnce, &kSystemColumnProblem},
    {T_NamedTuplestoreScan, kTable, Repeats::kOnce, &kChanging},
    // what passes each row on once
    {T_Append, kChildren, Repeats::kOnce, nullptr},
    {T_MergeAppend, kChildren, Repeats::kOnce, nullptr},
    {T_SubqueryScan, kChildren, Repeats::kOnce, nullptr},
    {T_CteScan, kChildren, Repeats::kOnce, nullptr},
    {T_Result, kChildren, Repeats::kOnce, nullptr},
    {T_Sort, kChildren, Repeats::kOnce, nullptr},
    {T_IncrementalSort, kChildren, Repeats::kOnce, nullptr},
    {T_Material, kChildren, Repeats::kKept, nullptr},
    {T_Gather, kChildren, Repeats::kByProcesses, nullptr},
    {T_GatherMerge, kChildren, Repeats::kByProcesses, nullptr},
    // what makes other rows of them (the first half of a split aggregate is excepted in rule_of)
    {T_Agg, kChildren, Repeats::kOnce, &kAggregate},
    {T_Group, kChildren, Repeats::kOnce, &kDistinct},
    {T_Unique, kChildren, Repeats::kOnce, &kDistinct},
    {T_WindowAgg, kChildren, Repeats::kOnce, &kWindowProblem},
    {T_SetOp, kChildren, Repeats::kOnce, &kSetOperation},
    {T_Limit, kChildren, Repeats::kOnce, &kLimit},
    {T_LockRows, kChildren, Repeats::kOnce, &kForUpdate},
    {T_ProjectSet, kChildren, Repeats::kOnce, &kSetReturning},
    {T_ModifyTable, kChildren, Repeats::kOnce, &kChanging},
    {T_NestLoop, kChildren, Repeats::kInnerRepeated, &kJoin},
    {T_MergeJoin, kChildren, Repeats::kOnce, &kJoin},
    {T_HashJoin, kChildren, Repeats::kOnce, &kJoin},
    {T_Hash, kChildren, Repeats::kOnce, &kJoin},
    {T_Memoize, kChildren, Repeats::kRepeated, &kJoin},
    {T_RecursiveUnion, kChildren, Repeats::kInnerRepeated, &kRecursion},
    // rows of no table: of the values of expressions
    {T_FunctionScan, kChildren, Repeats::kOnce, &kNoTable},
    {T_ValuesScan, kChildren, Repeats::kOnce, &kNoTable},
    {T_TableFuncScan, kChildren, Repeats::kOnce, &kNoTable},
    // rows from elsewhere
    {T_WorkTableScan, RowSource::kUnknown, Repeats::kOnce, &kRecursion},
};

// Those over one table, and those that stand for a join or more.
constexpr NodeRule kForeignScan = {T_ForeignScan, kTable, Repeats::kRepeated, &kForeignTable};
constexpr NodeRule kForeignJoin = {T_ForeignScan, RowSource::kUnknown, Repeats::kRepeated,
                                   &kForeignTable};
constexpr NodeRule kCustomScan = {T_CustomScan, kTable, Repeats::kRepeated, &kUnknownPlan};
// The half of a split aggregate that stands over the rows: for the other half it passes them on.
constexpr NodeRule kFirstHalf = {T_Agg, kChildren, Repeats::kOnce, nullptr};

constexpr NodeRule kUnknown = {T_Invalid, RowSource::kUnknown, Repeats::kRepeated, &kUnknownPlan};

}  // namespace

const NodeRule& rule_of(const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_ForeignScan:
      return reinterpret_cast<const Scan*>(plan)->scanrelid > 0 ? kForeignScan : kForeignJoin;
    case T_CustomScan:
      return reinterpret_cast<const Scan*>(plan)->scanrelid > 0 ? kCustomScan : kUnknown;
    case T_Agg:
      if (DO_AGGSPLIT_SKIPFINAL(reinterpret_cast<const Agg*>(plan)->aggsplit)) return kFirstHalf;
      break;
    default:
      break;
  }
  for (const NodeRule& rule : kRules) {
    if (rule.plan == nodeTag(plan)) return rule;
  }
  return kUnknown;
}

List* further_expressions(const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_IndexScan: {
      const auto* scan = reinterpret_cast<const IndexScan*>(plan);
      return list_make2(scan->indexqualorig, scan->indexorderbyorig);
    }
    case T_IndexOnlyScan: {
      const auto* scan = reinterpret_cast<const IndexOnlyScan*>(plan);
      return list_make2(scan->indexqual, scan->indexorderby);
    }
    case T_BitmapIndexScan:
      return list_make1(reinterpret_cast<const BitmapIndexScan*>(plan)->indexqualorig);
    case T_BitmapHeapScan:
      return list_make1(reinterpret_cast<const BitmapHeapScan*>(plan)->bitmapqualorig);
    case T_Result:
      return list_make1(reinterpret_cast<const Result*>(plan)->resconstantqual);
    default:
      return NIL;
  }
}

}  // namespace idp
