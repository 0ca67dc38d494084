// What is known of the columns of rows: where they come from, and which of them tell rows apart.
#include "extension/plan/certain.h"
#include "extension/query/unit_rows.h"

#include <algorithm>

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/plan/node_rules.h"
#include "extension/plan/settled.h"
#include "extension/state/running_query.h"

extern "C" {
#include "catalog/pg_am.h"
#include "catalog/pg_opfamily.h"
#include "nodes/pathnodes.h"
}

namespace idp {

Rows rows_with_problem(const Problem* problem) {
  Rows rows;
  rows.problem = problem;
  return rows;
}

struct UnitFacts::Binding {
  int parameter;
  ColumnFacts column;
};

bool UnitFacts::bind(int parameter, const ColumnFacts& column) {
  if (bms_is_member(parameter, bound_)) return false;
  auto* binding = static_cast<Binding*>(palloc(sizeof(Binding)));
  *binding = {parameter, {}};
  // Of ranks and of rows that are kept or absent nothing is known where the value is read.
  binding->column.id = column.id;
  binding->column.key = column.key;
  binding->column.of_unit = column.of_unit;
  binding->column.has_one_form = column.has_one_form;
  binding->column.is_of_any_form = column.is_of_any_form;
  bindings_ = lappend(bindings_, binding);
  bound_ = bms_add_member(bound_, parameter);
  return true;
}

void UnitFacts::unbind(int parameter) {
  ListCell* cell;
  foreach (cell, bindings_) {
    if (static_cast<Binding*>(lfirst(cell))->parameter == parameter) {
      bindings_ = foreach_delete_current(bindings_, cell);
    }
  }
  bound_ = bms_del_member(bound_, parameter);
}

const Bitmapset* UnitFacts::all_known() const {
  return bms_union(bound_, answered_values_of(state_));
}

const ColumnFacts* UnitFacts::bound(int parameter) const {
  ListCell* cell;
  foreach (cell, bindings_) {
    const auto* binding = static_cast<const Binding*>(lfirst(cell));
    if (binding->parameter == parameter) return &binding->column;
  }
  return nullptr;
}

void UnitFacts::add_key(int scan, const UniqueKey* key) {
  scans_ = lappend_int(scans_, scan);
  keys_ = lappend(keys_, const_cast<UniqueKey*>(key));
}

List* UnitFacts::keys_of(int scan) const {
  List* keys = NIL;
  ListCell* cell;
  ListCell* inner;
  forboth(cell, scans_, inner, keys_) {
    if (lfirst_int(cell) == scan) keys = lappend(keys, lfirst(inner));
  }
  return keys;
}

// A row that is given twice is still of one unit, has the values it had, and is equal to the same
// parameters; it agrees with its like on every column, a rank does not tell the two apart, and its
// mass counts twice. Of a
// column with NULL in some rows its values alone are known: not whose row it is, as rows of all
// units agree on NULL, nor that it is the same in all rows, or equal to anything.
Rows after(UnitFacts& walk, const Rows& rows, Step step) {
  Rows result;
  result.is_settled = rows.is_settled;
  result.count = rows.count;
  result.columns =
      static_cast<ColumnFacts*>(palloc0(sizeof(ColumnFacts) * static_cast<Size>(rows.count + 1)));
  for (int i = 0; i < rows.count; ++i) {
    ColumnFacts& facts = result.columns[i];
    if (step.puts_null) {
      facts.id = walk.new_id();
      facts.has_one_form = rows.columns[i].has_one_form;
      facts.is_of_any_form = rows.columns[i].is_of_any_form;
      continue;
    }
    facts = rows.columns[i];
    if (step.repeats && facts.rank == Rank::kRow) facts.rank = Rank::kNone;
    if (step.repeats) facts.mass = nullptr;
  }
  if (!step.puts_null) {
    result.pins = rows.pins;
    result.limits = rows.limits;
  }
  if (!step.puts_null && !step.repeats) result.unique = rows.unique;
  return result;
}

const ColumnFacts* column_of(const UnitFacts& walk, const Node* expression, const Inputs& inputs) {
  if (IsA(expression, Param)) {
    const auto* param = reinterpret_cast<const Param*>(expression);
    return param->paramkind == PARAM_EXEC ? walk.bound(param->paramid) : nullptr;
  }
  if (!IsA(expression, Var)) return nullptr;
  const auto* var = reinterpret_cast<const Var*>(expression);
  return var->varattno < 1 ? nullptr : columns_of(var, inputs).first;
}

NamedColumns columns_of(const Var* var, const Inputs& inputs) {
  constexpr NamedColumns kUnknown = {nullptr, 0};
  const Rows* rows = inputs.rows;
  if (rows == nullptr || var->varlevelsup > 0 || var->varattno < 0) return kUnknown;
  const Layout& layout = *inputs.layout;
  const auto number = static_cast<int>(var->varno);
  if (number < 1 || number > layout.relations) return kUnknown;
  const int first = layout.first[number];
  const int count = layout.count[number];
  if (var->varattno == InvalidAttrNumber) return {rows->columns + first, count};
  if (var->varattno > count) return kUnknown;
  const ColumnFacts* column = rows->columns + first + var->varattno - 1;
  return column->id == 0 ? kUnknown : NamedColumns{column, 1};
}

namespace {

// What holds of an expression if it does of all columns in it: known of those that do nothing but
// compute one value.
struct Common {
  const UnitFacts* walk;
  const Inputs* inputs;
  bool of_unit;
  bool of_public;
};

bool is_function_of_parts(const Node* node) {
  switch (nodeTag(node)) {
    case T_Const:
      return true;
    case T_FuncExpr:
      return !reinterpret_cast<const FuncExpr*>(node)->funcretset;
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
      return !reinterpret_cast<const OpExpr*>(node)->opretset;
    case T_MinMaxExpr:
    case T_CaseTestExpr:
    case T_SQLValueFunction:
      return true;
    default:
      return only_calls_functions(node);
  }
}

bool find_common(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* common = static_cast<Common*>(context);
  if (IsA(node, Var)) {
    const ColumnFacts* column = column_of(*common->walk, node, *common->inputs);
    common->of_unit &= column != nullptr && column->of_unit;
    common->of_public &= column != nullptr && column->of_public;
    return false;
  }
  const bool is_given =
      IsA(node, Param) && reinterpret_cast<Param*>(node)->paramkind == PARAM_EXTERN;
  if (is_settled(node) || common->walk->is_constant(node)) return false;
  if (is_given || is_function_of_parts(node)) {
    common->of_unit &= !common->walk->are_made_at_any_time() || is_timeless(node);
    return walk_expression(node, find_common, context);
  }
  common->of_unit = common->of_public = false;
  return false;
}

}  // namespace

// Of the value of a parameter nothing: what is known of the column that it comes from is known of
// rows of the outer side, and of none that is made here. A column under another type or collation
// is the same column if its values are still told apart as they were.
ColumnFacts facts_of(UnitFacts& walk, const Node* expression, const Inputs& inputs) {
  const Node* bare = without_relabels(expression);
  ColumnFacts facts;
  const ColumnFacts* column = IsA(bare, Var) ? column_of(walk, bare, inputs) : nullptr;
  if (column != nullptr && tells_apart_as(walk, expression, bare, inputs)) {
    facts = *column;
  } else {
    facts.id = walk.new_id();
    Common common{&walk, &inputs, true, true};
    (void)find_common(const_cast<Node*>(bare), &common);
    facts.of_unit = common.of_unit;
    facts.of_public = common.of_public;
  }
  facts.has_one_form = has_one_form(walk, expression, inputs);
  facts.is_of_any_form = form_of(walk, expression, inputs) != Form::kOwn;
  return facts;
}

bool covers_unique(const Rows& rows, const List* equals, bool with_nulls) {
  const auto is_equal = [&](const UniqueSet::Column& column) {
    ListCell* cell;
    foreach (cell, equals) {
      const auto* equal = static_cast<const Equal*>(lfirst(cell));
      if (equal->id == column.id && is_equality_of(column.family, equal->op, equal->collation)) {
        return true;
      }
    }
    return false;
  };
  ListCell* cell;
  foreach (cell, rows.unique) {
    const auto* set = static_cast<const UniqueSet*>(lfirst(cell));
    bool covered = with_nulls || set->without_nulls;
    ListCell* inner;
    foreach (inner, set->columns) {
      covered = covered && is_equal(*static_cast<const UniqueSet::Column*>(lfirst(inner)));
    }
    if (covered) return true;
  }
  return false;
}

bool agrees_within_unit(const ColumnFacts& column, Oid op, Oid collation) {
  if (column.of_unit) return true;
  return column.key != nullptr && column.key->is_unit &&
         is_equality_of(column.key->family, op, collation);
}

namespace {

// The value that a rank is compared with: a constant, or a parameter that the client gave.
bool find_bound(const UnitFacts& walk, Node* expression, int64* bound) {
  const Oid type = exprType(expression);
  if (type != INT2OID && type != INT4OID && type != INT8OID) return false;
  const std::optional<NullableDatum> found = certain_value(expression, walk.state());
  if (!found) return false;
  *bound = found->isnull     ? 0
           : type == INT2OID ? DatumGetInt16(found->value)
           : type == INT4OID ? DatumGetInt32(found->value)
                             : DatumGetInt64(found->value);
  return true;
}

// The ranks for which a condition holds, of those that are left.
Ranks narrowed(const UnitFacts& walk, Ranks ranks, Oid op, Node* compared) {
  int64 bound = 0;
  const int strategy = OidIsValid(op) ? get_op_opfamily_strategy(op, INTEGER_BTREE_FAM_OID) : 0;
  // no value is equal to two: one row, or one value of an order, whichever it is
  if (strategy == BTEqualStrategyNumber && is_certain(compared)) return {1, 1};
  if (strategy == 0 || strategy == BTEqualStrategyNumber || !find_bound(walk, compared, &bound)) {
    return ranks;
  }
  switch (strategy) {
    case BTLessStrategyNumber:
      ranks.greatest = std::min(ranks.greatest, std::max(bound, int64{1}) - 1);
      break;
    case BTLessEqualStrategyNumber:
      ranks.greatest = std::min(ranks.greatest, bound);
      break;
    case BTGreaterEqualStrategyNumber:
      ranks.least = std::max(ranks.least, bound);
      break;
    case BTGreaterStrategyNumber:
      ranks.least = std::max(ranks.least, bound == PG_INT64_MAX ? bound : bound + 1);
      break;
    default:
      break;
  }
  return ranks;
}

}  // namespace

// In each data set a unit has one row, or one value of an order, at most for each of the ranks that
// are left.
Ranks apply_limit(UnitFacts& walk, const OpExpr* condition, Node* ranked, const ColumnFacts& rank,
                  Rows* rows) {
  auto* first = static_cast<Node*>(linitial(condition->args));
  auto* second = static_cast<Node*>(lsecond(condition->args));
  const bool is_first = first == ranked;
  const Oid op = is_first ? condition->opno : get_commutator(condition->opno);
  const Ranks ranks = narrowed(walk, rank.ranks, op, is_first ? second : first);
  if (ranks.greatest == PG_INT64_MAX) return ranks;
  const int64 count = ranks.least > ranks.greatest ? 1 : ranks.greatest - ranks.least + 1;
  const Multiplicity most = Multiplicity::of(Max(count, int64{1}));
  if (rank.rank == Rank::kRow) {
    rows->most = std::min(rows->most, most);
  } else if (rank.rank == Rank::kDense) {
    auto* limit = static_cast<DistinctLimit*>(palloc(sizeof(DistinctLimit)));
    *limit = {rank.ranked, most};
    rows->limits = lappend(rows->limits, limit);
  }
  return ranks;
}

void apply_limits(UnitFacts& walk, const List* conditions, const Inputs& inputs, Rows* rows) {
  List* seen = NIL;  // of ColumnFacts: ranks, as the conditions so far leave them
  ListCell* cell;
  foreach (cell, conditions) {
    const auto* condition = static_cast<const OpExpr*>(lfirst(cell));
    if (!IsA(condition, OpExpr) || list_length(condition->args) != 2) continue;
    ListCell* inner;
    foreach (inner, condition->args) {
      auto* argument = static_cast<Node*>(lfirst(inner));
      const ColumnFacts* column = column_of(walk, argument, inputs);
      if (column == nullptr || column->rank == Rank::kNone) continue;
      ColumnFacts* rank = nullptr;
      ListCell* other;
      foreach (other, seen) {
        auto* facts = static_cast<ColumnFacts*>(lfirst(other));
        if (facts->id == column->id) rank = facts;
      }
      if (rank == nullptr) {
        rank = static_cast<ColumnFacts*>(palloc(sizeof(ColumnFacts)));
        *rank = *column;
        seen = lappend(seen, rank);
      }
      rank->ranks = apply_limit(walk, condition, argument, *rank, rows);
    }
  }
  foreach (cell, seen) {
    const auto* rank = static_cast<const ColumnFacts*>(lfirst(cell));
    for (int i = 0; i < rows->count; ++i) {
      ColumnFacts& facts = rows->columns[i];
      if (facts.id == rank->id && facts.rank == rank->rank) facts.ranks = rank->ranks;
    }
  }
}

namespace {

// Whether a value is computed below the join that rows are absent from: of relations that are.
bool is_made_of_absent(const PlaceHolderVar* value, const Inputs& inputs) {
  const Layout* layout = inputs.layout;
  if (bms_is_empty(value->phrels)) return false;
  for (int i = -1; (i = bms_next_member(value->phrels, i)) >= 0;) {
    if (i > layout->relations || layout->count[i] == 0) return false;
    if (!inputs.rows->columns[layout->first[i]].of_absent) return false;
  }
  return true;
}

// Whether an expression is NULL wherever what is of absent rows is.
bool is_null_of_absent(const Node* node, const Inputs& inputs) {
  const auto any = [&](const List* arguments) {
    ListCell* cell;
    foreach (cell, arguments) {
      if (is_null_of_absent(static_cast<const Node*>(lfirst(cell)), inputs)) return true;
    }
    return false;
  };
  switch (nodeTag(node)) {
    case T_Var: {
      const auto* var = reinterpret_cast<const Var*>(node);
      const NamedColumns columns = columns_of(var, inputs);
      return var->varattno >= 1 && columns.count == 1 && columns.first->of_absent;
    }
    case T_PlaceHolderVar:
      return is_made_of_absent(reinterpret_cast<const PlaceHolderVar*>(node), inputs);
    case T_RelabelType:
      return is_null_of_absent(
          reinterpret_cast<const Node*>(reinterpret_cast<const RelabelType*>(node)->arg), inputs);
    case T_CoerceViaIO: {
      const auto* text = reinterpret_cast<const CoerceViaIO*>(node);
      Oid input = InvalidOid;
      Oid parameter = InvalidOid;
      getTypeInputInfo(text->resulttype, &input, &parameter);
      return func_strict(input) &&
             is_null_of_absent(reinterpret_cast<const Node*>(text->arg), inputs);
    }
    case T_FuncExpr: {
      const auto* call = reinterpret_cast<const FuncExpr*>(node);
      return func_strict(call->funcid) && any(call->args);
    }
    case T_OpExpr: {
      const auto* call = reinterpret_cast<const OpExpr*>(node);
      return func_strict(get_opcode(call->opno)) && any(call->args);
    }
    default:
      return false;
  }
}

// Whether a condition is true of no row that belongs to nobody.
bool leaves_out(const Node* condition, const Inputs& inputs) {
  if (is_andclause(condition)) {
    ListCell* cell;
    foreach (cell, reinterpret_cast<const BoolExpr*>(condition)->args) {
      if (leaves_out(static_cast<const Node*>(lfirst(cell)), inputs)) return true;
    }
    return false;
  }
  if (IsA(condition, NullTest)) {
    const auto* test = reinterpret_cast<const NullTest*>(condition);
    return test->nulltesttype == IS_NOT_NULL && !test->argisrow &&
           is_null_of_absent(reinterpret_cast<const Node*>(test->arg), inputs);
  }
  return is_null_of_absent(condition, inputs);
}

}  // namespace

bool leaves_out_absent(const Aggref* aggref, const Inputs& inputs) {
  const auto* filter = reinterpret_cast<const Node*>(aggref->aggfilter);
  if (filter != nullptr && leaves_out(filter, inputs)) return true;
  if (aggref->args == NIL || !func_strict(transition_function_of(aggref->aggfnoid))) return false;
  const auto* argument = static_cast<const TargetEntry*>(linitial(aggref->args));
  return is_null_of_absent(reinterpret_cast<const Node*>(argument->expr), inputs);
}

}  // namespace idp
