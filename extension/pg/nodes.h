// Lists and nodes of the server, typed.
//
//   for (const auto* entry : list<RangeTblEntry>(query->rtable)) …
//   for (const Oid table : oids(tables)) …
//   if (const auto* call = maybe<FuncExpr>(expression)) …
//   as<Agg>(plan)->numCols
#pragma once

#include "extension/pg/pg.h"

#include <type_traits>

extern "C" {
#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
}

namespace idp {

// --- lists ---

// What is read at each step is what the list has by then: it may grow meanwhile.
template <class Read>
class Elements {
 public:
  struct End {};
  class Iterator {
   public:
    explicit Iterator(const List* list) : list_(list) {}
    auto operator*() const { return Read::of(list_->elements[place_]); }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator!=(End) const { return list_ != NIL && place_ < list_->length; }

   private:
    const List* list_;
    int place_ = 0;
  };

  explicit Elements(const List* list) : list_(list) {}
  Iterator begin() const { return Iterator(list_); }
  End end() const { return {}; }

 private:
  const List* list_;
};

template <class Element>
struct ReadPointer {
  static Element* of(const ListCell& cell) { return static_cast<Element*>(cell.ptr_value); }
};
struct ReadInt {
  static int of(const ListCell& cell) { return cell.int_value; }
};
struct ReadOid {
  static Oid of(const ListCell& cell) { return cell.oid_value; }
};

// Of pointers to Element.
template <class Element>
auto list(const List* list) {
  return Elements<ReadPointer<Element>>(list);
}

inline auto oids(const List* list) { return Elements<ReadOid>(list); }
inline auto ints(const List* list) { return Elements<ReadInt>(list); }

// --- nodes ---

// The tag that nodes of a type have. Those that begin others, such as Plan and Expr, have none, nor
// has OpExpr, which three kinds of expressions are.
template <class Type>
constexpr NodeTag kTagOf = T_Invalid;

#define IDP_TAG(type) \
  template <>         \
  inline constexpr NodeTag kTagOf<type> = T_##type
IDP_TAG(Agg);
IDP_TAG(AggPath);
IDP_TAG(AggState);
IDP_TAG(Aggref);
IDP_TAG(AlterTableCmd);
IDP_TAG(AlterTableStmt);
IDP_TAG(AlternativeSubPlan);
IDP_TAG(Append);
IDP_TAG(AppendState);
IDP_TAG(BitmapAnd);
IDP_TAG(BitmapAndState);
IDP_TAG(BitmapHeapScan);
IDP_TAG(BitmapIndexScan);
IDP_TAG(BitmapOr);
IDP_TAG(BitmapOrState);
IDP_TAG(BoolExpr);
IDP_TAG(CaseExpr);
IDP_TAG(CoalesceExpr);
IDP_TAG(CoerceToDomain);
IDP_TAG(CoerceViaIO);
IDP_TAG(Const);
IDP_TAG(CteScan);
IDP_TAG(CteScanState);
IDP_TAG(CustomScan);
IDP_TAG(CustomScanState);
IDP_TAG(FieldSelect);
IDP_TAG(ForeignScan);
IDP_TAG(FromExpr);
IDP_TAG(FuncExpr);
IDP_TAG(FunctionScan);
IDP_TAG(Group);
IDP_TAG(HashJoin);
IDP_TAG(IndexOnlyScan);
IDP_TAG(IndexScan);
IDP_TAG(JoinExpr);
IDP_TAG(Limit);
IDP_TAG(LimitState);
IDP_TAG(MaterialState);
IDP_TAG(Memoize);
IDP_TAG(MergeAppend);
IDP_TAG(MergeAppendState);
IDP_TAG(MergeJoin);
IDP_TAG(MinMaxExpr);
IDP_TAG(ModifyTable);
IDP_TAG(NestLoop);
IDP_TAG(NullTest);
IDP_TAG(Param);
IDP_TAG(PlaceHolderVar);
IDP_TAG(Query);
IDP_TAG(RangeTblRef);
IDP_TAG(RecursiveUnion);
IDP_TAG(RelabelType);
IDP_TAG(Result);
IDP_TAG(RowCompareExpr);
IDP_TAG(ScalarArrayOpExpr);
IDP_TAG(SeqScanState);
IDP_TAG(SetOp);
IDP_TAG(SetOperationStmt);
IDP_TAG(SubLink);
IDP_TAG(SubPlan);
IDP_TAG(SubqueryScan);
IDP_TAG(SubqueryScanState);
IDP_TAG(Unique);
IDP_TAG(ValuesScan);
IDP_TAG(Var);
IDP_TAG(WindowAgg);
IDP_TAG(WindowFunc);
#undef IDP_TAG

// A pointer as one to nodes of a type that it is known to be of; constant if it was.
template <class Type, class Pointed>
auto* as(Pointed* node) {
  using Result = std::conditional_t<std::is_const_v<Pointed>, const Type, Type>;
  Assert(node == nullptr || kTagOf<Type> == T_Invalid ||
         nodeTag(reinterpret_cast<const Node*>(node)) == kTagOf<Type>);
  return reinterpret_cast<Result*>(node);
}

// The same; null if it is of another.
template <class Type, class Pointed>
auto* maybe(Pointed* node) {
  static_assert(kTagOf<Type> != T_Invalid, "add its tag");
  const bool fits = node != nullptr && nodeTag(reinterpret_cast<const Node*>(node)) == kTagOf<Type>;
  return as<Type>(fits ? node : static_cast<Pointed*>(nullptr));
}

}  // namespace idp
