#include "extension/query/equalities.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

// Columns that are equal to one another, by one operator.
struct EqualColumns {
  Oid op;
  Oid collation;
  List* columns;  // of Var
};

constexpr int kMostColumns = 32;

void add_equality(List** classes, const OpExpr* condition) {
  EqualColumns* first = nullptr;
  for (auto* known : list<EqualColumns>(*classes)) {
    const bool is_same = known->op == condition->opno && known->collation == condition->inputcollid;
    const bool has_any = is_same && (list_member(known->columns, linitial(condition->args)) ||
                                     list_member(known->columns, lsecond(condition->args)));
    if (!has_any) continue;
    if (first == nullptr) {
      first = known;
      continue;
    }
    first->columns = list_union(first->columns, known->columns);
    *classes = list_delete_ptr(*classes, known);
    break;  // two columns are in two classes at most
  }
  if (first == nullptr) {
    first = static_cast<EqualColumns*>(palloc(sizeof(EqualColumns)));
    *first = {condition->opno, condition->inputcollid, NIL};
    *classes = lappend(*classes, first);
  }
  first->columns = list_union(first->columns, condition->args);
}

}  // namespace

bool is_of_several_texts(const OpExpr* condition) {
  return IsA(condition, OpExpr) && OidIsValid(condition->inputcollid) &&
         !get_collation_isdeterministic(condition->inputcollid);
}

List* with_derived(List* conditions) {
  List* classes = NIL;  // of EqualColumns
  for (const auto* condition : list<OpExpr>(conditions)) {
    if (!IsA(condition, OpExpr) || list_length(condition->args) != 2) continue;
    const auto* left = maybe<Var>(static_cast<Node*>(linitial(condition->args)));
    const auto* right = maybe<Var>(static_cast<Node*>(lsecond(condition->args)));
    if (left == nullptr || right == nullptr || left->vartype != right->vartype) continue;
    if (get_mergejoin_opfamilies(condition->opno) == NIL || is_of_several_texts(condition))
      continue;
    add_equality(&classes, condition);
  }
  List* all = list_copy(conditions);
  for (const auto* equal : list<EqualColumns>(classes)) {
    const int count = Min(list_length(equal->columns), kMostColumns);
    for (int i = 0; i < count; ++i) {
      for (int k = i + 1; k < count; ++k) {
        auto* left = static_cast<Expr*>(list_nth(equal->columns, i));
        auto* right = static_cast<Expr*>(list_nth(equal->columns, k));
        auto* derived = as<Node>(
            make_opclause(equal->op, BOOLOID, false, left, right, InvalidOid, equal->collation));
        set_opfuncid(as<OpExpr>(derived));
        if (!list_member(conditions, derived)) all = lappend(all, derived);
      }
    }
  }
  return all;
}

}  // namespace idp
