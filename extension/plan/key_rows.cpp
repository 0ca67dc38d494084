#include "extension/plan/key_rows.h"

#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

constexpr char kMarkerType[] = "key_marker";

enum Marker : char { kNone, kAny, kListed };

Const* marker(Marker value) {
  return makeConst(own_type(kMarkerType), -1, InvalidOid, 1, CharGetDatum(value), value == kNone,
                   true);
}

// What a node gives rows of; kNone if it gives others, too.
Marker marker_of(const Plan* plan) {
  for (auto* target : list<TargetEntry>(plan->targetlist)) {
    const auto* constant = maybe<Const>(target->expr);
    if (constant == nullptr || constant->constisnull) continue;
    if (constant->consttype >= FirstNormalObjectId &&
        constant->consttype == own_type(kMarkerType)) {
      return static_cast<Marker>(DatumGetChar(constant->constvalue));
    }
  }
  switch (nodeTag(plan)) {  // what passes on the rows below as they are
    case T_SubqueryScan:
      return marker_of(as<SubqueryScan>(plan)->subplan);
    case T_Sort:
    case T_IncrementalSort:
    case T_Material:
    case T_Result:
    case T_Gather:
    case T_GatherMerge:
      return plan->lefttree == nullptr ? kNone : marker_of(plan->lefttree);
    default:
      return kNone;
  }
}

Marker find_key_rows(const Plan* plan) {
  check_stack_depth();
  if (plan == nullptr) return kNone;
  if (const Marker marker = marker_of(plan)) return marker;
  const List* members = NIL;
  switch (nodeTag(plan)) {
    case T_Append:
      members = as<Append>(plan)->appendplans;
      break;
    case T_MergeAppend:
      members = as<MergeAppend>(plan)->mergeplans;
      break;
    case T_SubqueryScan:
      return find_key_rows(as<SubqueryScan>(plan)->subplan);
    case T_Agg:  // the half that stands over the rows
      if (!DO_AGGSPLIT_SKIPFINAL(as<Agg>(plan)->aggsplit)) return kNone;
      break;
    case T_Result:
    case T_Sort:
    case T_IncrementalSort:
    case T_Material:
    case T_Gather:
    case T_GatherMerge:
      break;
    default:
      return kNone;
  }
  for (const auto* plan : list<Plan>(members)) {
    if (const Marker marker = find_key_rows(plan)) return marker;
  }
  return find_key_rows(plan->lefttree);
}

}  // namespace

bool is_key_marker(const Node* expression) {
  const auto* constant = reinterpret_cast<const Const*>(expression);
  return IsA(constant, Const) && !constant->constisnull &&
         constant->consttype >= FirstNormalObjectId && constant->consttype == own_type(kMarkerType);
}

Const* key_marker(bool listed) { return marker(listed ? kListed : kAny); }
Const* no_key_marker() { return marker(kNone); }

bool gives_key_rows(const Plan* plan) { return marker_of(plan) != kNone; }

bool has_key_rows(const Plan* aggregation) { return find_key_rows(aggregation->lefttree) != kNone; }

bool has_listed_keys(const Plan* aggregation) {
  return find_key_rows(aggregation->lefttree) == kListed;
}

namespace {

[[noreturn]] Datum refuse_marker(FunctionCallInfo) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("values of type idp.key_marker cannot be made")));
}

// EXPLAIN shows it.
Datum marker_text(FunctionCallInfo) { PG_RETURN_CSTRING(pstrdup("key")); }

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_key_marker_in, refuse_marker);
IDP_FUNCTION(idp_key_marker_out, marker_text);

}  // extern "C"
#pragma GCC visibility pop
