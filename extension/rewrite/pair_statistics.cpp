#include "extension/rewrite/pair_statistics.h"

#include "extension/domain/ranges.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/rewrite/never_null.h"
#include "extension/rewrite/private_call.h"
#include "extension/total/twins.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

Node* copy_of(const Node* node) { return static_cast<Node*>(copyObjectImpl(node)); }

Node* call(Oid function, Node* argument) {
  return as<Node>(makeFuncExpr(function, FLOAT8OID, list_make1(argument), InvalidOid, InvalidOid,
                               COERCE_EXPLICIT_CALL));
}

Node* square_root(Node* value) {
  return call(F_SQRT_FLOAT8, end_of(IS_GREATEST, value, as<Node>(float_constant(0))));
}

// A correlation that noise moved beyond 1 or -1 is that.
Node* within_one(Node* value) {
  List* whens = NIL;
  for (const int end : {1, -1}) {
    Node* limit = as<Node>(float_constant(end));
    whens = with_when(whens, operation(end > 0 ? ">" : "<", copy_of(value), limit), copy_of(limit));
  }
  return cases(nullptr, whens, value);
}

// --- the numbers of a pair ---

// Exact numbers are averaged as such: their sums have a grid.
Node* before_cast_to_float(Node* value) {
  const auto* cast = maybe<FuncExpr>(value);
  if (cast == nullptr || cast->funcresulttype != FLOAT8OID || list_length(cast->args) != 1) {
    return value;
  }
  auto* given = static_cast<Node*>(linitial(cast->args));
  return is_exact_number(exprType(given)) ? given : value;
}

// Near the middle of what its domain allows, as its type; null if that is not known.
Node* middle_of(const QueryLevel& level, Node* number) {
  const std::optional<Range> range = range_of_number(level, number);
  if (!range) return nullptr;
  Node* ends = operation("+", as_type(copy_of(as<Node>(range->lower)), FLOAT8OID),
                         as_type(copy_of(as<Node>(range->upper)), FLOAT8OID));
  Node* middle = call(F_FLOOR_FLOAT8, operation("/", ends, as<Node>(float_constant(2))));
  Node* constant = folded(as_type(middle, exprType(number)));
  const bool is_known = IsA(constant, Const) && !as<Const>(constant)->constisnull;
  return is_known ? constant : nullptr;
}

// A number, and its distance from the middle of its values.
struct Number {
  Node* value;
  Node* middle;  // null: 0

  Node* distance() const {
    return middle == nullptr ? copy_of(value) : operation("-", copy_of(value), copy_of(middle));
  }
};

Number number_of(const QueryLevel& level, Node* value, bool has_grid) {
  Node* number = has_grid ? as_type(copy_of(value), NUMERICOID) : copy_of(value);
  return {number, middle_of(level, number)};
}

// --- their averages ---

// Of answers, which may be anything: NULL where it is beyond what the type holds.
Node* of_answers(const char* symbol, Node* left, Node* right) {
  return in_total_form(operation(symbol, left, right));
}

class Pair {
 public:
  Pair(const QueryLevel& level, const Aggref* plain) : plain_(plain) {
    Node* y = argument(0);
    Node* x = argument(1);
    const bool has_grid = is_exact_number(exprType(before_cast_to_float(y))) &&
                          is_exact_number(exprType(before_cast_to_float(x)));
    if (has_grid) {
      y = before_cast_to_float(y);
      x = before_cast_to_float(x);
    }
    y_ = number_of(level, y, has_grid);
    x_ = number_of(level, x, has_grid);
    conditions_ = copy_of(as<Node>(plain->aggfilter));
    for (Node* number : {y, x}) {
      if (is_never_null_column(level.query, number)) continue;
      conditions_ = make_and_qual(conditions_, null_test(copy_of(number), IS_NOT_NULL));
    }
  }

  // Null if the aggregate is none of pairs.
  Node* statistic() const {
    switch (plain_->aggfnoid) {
      case F_REGR_COUNT:
        return count();
      case F_REGR_AVGX:
        return mean(x_);
      case F_REGR_AVGY:
        return mean(y_);
      case F_REGR_SXX:
        return of_answers("*", as_type(count(), FLOAT8OID), variance(x_));
      case F_REGR_SYY:
        return of_answers("*", as_type(count(), FLOAT8OID), variance(y_));
      case F_REGR_SXY:
        return of_answers("*", as_type(count(), FLOAT8OID), covariance(y_, x_));
      case F_COVAR_POP:
      case F_COVAR_SAMP:  // noise is far more than the factor between the two
        return covariance(y_, x_);
      case F_REGR_SLOPE:
        return slope();
      case F_REGR_INTERCEPT:
        return of_answers("-", mean(y_), of_answers("*", slope(), mean(x_)));
      case F_CORR:
        return correlation();
      case F_REGR_R2:
        return of_answers("*", correlation(), correlation());
      default:
        return nullptr;
    }
  }

 private:
  Node* argument(int place) const {
    const auto* target = static_cast<const TargetEntry*>(list_nth(plain_->args, place));
    return as<Node>(target->expr);
  }

  Node* count() const { return as<Node>(of_pairs(aggregate_call(F_COUNT_, INT8OID, nullptr))); }

  // Of what is NULL where a number of the pair is.
  Node* average(Node* value) const {
    const bool has_grid = exprType(value) == NUMERICOID;
    Aggref* average = has_grid ? aggregate_call(F_AVG_NUMERIC, NUMERICOID, value)
                               : aggregate_call(F_AVG_FLOAT8, FLOAT8OID, value);
    return as_type(as<Node>(of_pairs(average)), FLOAT8OID);
  }

  Node* mean(const Number& number) const {
    Node* distance = average(number.distance());
    if (number.middle == nullptr) return distance;
    return of_answers("+", distance, as_type(copy_of(number.middle), FLOAT8OID));
  }

  Node* covariance(const Number& one, const Number& other) const {
    Node* product = average(operation("*", one.distance(), other.distance()));
    Node* of_means = of_answers("*", average(one.distance()), average(other.distance()));
    return of_answers("-", product, of_means);
  }

  Node* variance(const Number& number) const {
    return end_of(IS_GREATEST, covariance(number, number), as<Node>(float_constant(0)));
  }

  Node* slope() const { return of_answers("/", covariance(y_, x_), variance(x_)); }

  Node* correlation() const {
    Node* deviations = of_answers("*", square_root(variance(x_)), square_root(variance(y_)));
    return within_one(of_answers("/", covariance(y_, x_), deviations));
  }

  Aggref* of_pairs(Aggref* average) const {
    average->aggfilter = as<Expr>(copy_of(conditions_));
    average->location = plain_->location;
    return average;
  }

  const Aggref* plain_;
  Number y_;
  Number x_;
  Node* conditions_;
};

// --- in place ---

Node* with_averages(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (!IsA(node, Aggref)) return map_expression(node, with_averages, context);
  const auto* plain = as<Aggref>(node);
  const bool is_pair = plain->agglevelsup == 0 && list_length(plain->args) == 2 &&
                       plain->aggdistinct == NIL && plain->aggorder == NIL &&
                       plain->aggfnoid >= F_REGR_COUNT && plain->aggfnoid <= F_CORR;
  if (!is_pair) return node;
  Node* statistic = Pair(*static_cast<const QueryLevel*>(context), plain).statistic();
  return statistic == nullptr ? node : statistic;
}

}  // namespace

void average_pairs(const QueryLevel& level) {
  QueryLevel of_level = level;
  Query* query = level.query;
  change_shown(query, [&](Node* shown) { return with_averages(shown, &of_level); });
}

}  // namespace idp
