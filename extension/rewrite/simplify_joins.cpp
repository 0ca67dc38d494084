#include "extension/domain/absent_rows.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/plan/gate.h"
#include "extension/rewrite/inner_joins.h"
#include "extension/rewrite/simplify.h"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

Snapshot snapshot_at_work() { return ActiveSnapshotSet() ? GetActiveSnapshot() : nullptr; }

// --- columns that no join has put NULL in ---

TableColumn kept_column(const Query* query, const Node* value) {
  check_stack_depth();
  if (!IsA(value, Var)) return {};
  const auto* column = as<Var>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0 ||
      may_be_absent(query, static_cast<Index>(column->varno))) {
    return {};
  }
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  switch (entry->rtekind) {
    case RTE_RELATION:
      return {entry->relid, column->varattno};
    case RTE_SUBQUERY: {
      const Query* subquery = entry->subquery;
      if (subquery->commandType != CMD_SELECT || subquery->setOperations != nullptr ||
          subquery->groupingSets != NIL) {
        return {};
      }
      const TargetEntry* target = get_tle_by_resno(subquery->targetList, column->varattno);
      return target == nullptr ? TableColumn{} : kept_column(subquery, as<Node>(target->expr));
    }
    case RTE_JOIN:
      return kept_column(
          query, static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
    default:
      return {};
  }
}

bool is_never_null(const Query* query, const Node* value) {
  const TableColumn column = kept_column(query, value);
  return OidIsValid(column.table) && is_not_null(column.table, column.number, snapshot_at_work());
}

// --- outer joins that find a row each ---

// Whether all rows of an entry are read, but for the gate of its table.
bool reads_whole_table(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_RELATION || entry->tablesample != nullptr) return false;
  if (entry->relkind == RELKIND_PARTITIONED_TABLE ? !entry->inh
                                                  : entry->relkind != RELKIND_RELATION) {
    return false;
  }
  for (const auto* condition : list<Node>(entry->securityQuals)) {
    if (!is_gate(condition)) return false;
  }
  return true;
}

bool is_equality(const OpExpr* comparison, const Node* value) {
  const Oid family = lookup_type_cache(exprType(value), TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  return OidIsValid(family) &&
         get_op_opfamily_strategy(comparison->opno, family) == BTEqualStrategyNumber;
}

// Whether there is a row of the side that may lack one, for each of the other: the only condition
// says that what is never NULL refers to it.
bool finds_a_row(const Query* query, const JoinExpr* join) {
  const auto* reference = maybe<RangeTblRef>(join->rarg);
  const auto* comparison = as<OpExpr>(join->quals);
  if (join->jointype != JOIN_LEFT || reference == nullptr || comparison == nullptr ||
      !IsA(comparison, OpExpr) || list_length(comparison->args) != 2) {
    return false;
  }
  const auto number = static_cast<int>(reference->rtindex);
  const RangeTblEntry* found = rt_fetch(number, query->rtable);
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  if (IsA(left, Var) && static_cast<int>(as<Var>(left)->varno) == number) std::swap(left, right);
  if (!reads_whole_table(found) || !IsA(left, Var) || !IsA(right, Var)) return false;
  const auto* wanted = as<Var>(right);
  if (static_cast<int>(wanted->varno) != number || wanted->varattno <= 0 ||
      wanted->varlevelsup > 0) {
    return false;
  }
  const TableColumn column = kept_column(query, left);
  if (!OidIsValid(column.table) || !is_never_null(query, left) || !is_equality(comparison, right)) {
    return false;
  }
  AttrNumber referenced = InvalidAttrNumber;
  return reference_of(column.table, column.number, found->relid, wanted->varattno,
                      snapshot_at_work(), &referenced) == Reference::kSound &&
         referenced == wanted->varattno;
}

// --- NOT IN ---

// The comparison of x NOT IN (SELECT y …); null if it is of another kind.
const OpExpr* excluding_comparison(const Node* condition) {
  const auto* negation = maybe<BoolExpr>(condition);
  if (negation == nullptr || negation->boolop != NOT_EXPR) return nullptr;
  const auto* link = static_cast<const SubLink*>(linitial(negation->args));
  if (!IsA(link, SubLink) || link->subLinkType != ANY_SUBLINK) return nullptr;
  const auto* comparison = as<OpExpr>(link->testexpr);
  return IsA(comparison, OpExpr) && list_length(comparison->args) == 2 &&
                 IsA(lsecond(comparison->args), Param)
             ? comparison
             : nullptr;
}

bool chooses_rows_alone(const Query* query) {
  return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs &&
         !query->hasTargetSRFs && query->groupClause == NIL && query->groupingSets == NIL &&
         query->havingQual == nullptr && query->setOperations == nullptr && query->cteList == NIL &&
         query->limitCount == nullptr && query->limitOffset == nullptr &&
         !contain_volatile_functions(as<Node>(query->targetList));
}

void change_exclusion(const Query* query, Node* condition) {
  const OpExpr* comparison = excluding_comparison(condition);
  if (comparison == nullptr) return;
  auto* link = static_cast<SubLink*>(linitial(as<BoolExpr>(condition)->args));
  auto* subquery = as<Query>(link->subselect);
  auto* value = static_cast<Node*>(linitial(comparison->args));
  if (!chooses_rows_alone(subquery) || list_length(subquery->targetList) != 1) return;
  auto* excluded = as<Node>(static_cast<TargetEntry*>(linitial(subquery->targetList))->expr);
  if (!is_equality(comparison, value) || !is_never_null(query, value) ||
      !is_never_null(subquery, excluded)) {
    return;
  }
  auto* equal = static_cast<OpExpr*>(copyObjectImpl(comparison));
  IncrementVarSublevelsUp(static_cast<Node*>(linitial(equal->args)), 1, 0);
  lsecond(equal->args) = copyObjectImpl(excluded);
  subquery->jointree->quals = make_and_qual(subquery->jointree->quals, as<Node>(equal));
  subquery->distinctClause = NIL;
  static_cast<TargetEntry*>(linitial(subquery->targetList))->ressortgroupref = 0;
  subquery->sortClause = NIL;
  link->subLinkType = EXISTS_SUBLINK;
  link->testexpr = nullptr;
  link->operName = NIL;
}

void change_exclusions(const Query* query, Node* condition) {
  if (condition == nullptr) return;
  if (!is_andclause(condition)) return change_exclusion(query, condition);
  for (auto* part : list<Node>(as<BoolExpr>(condition)->args)) {
    change_exclusion(query, part);
  }
}

}  // namespace

void simplify_joins(const Level& level) {
  Query* query = level.query;
  if (query->jointree == nullptr) return;
  make_inner_where(query, finds_a_row);
  change_exclusions(query, query->jointree->quals);
}

}  // namespace idp
