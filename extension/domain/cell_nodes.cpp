#include "extension/domain/cell_nodes.h"

#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

Node* call(Oid function, Oid type, List* arguments) {
  return as<Node>(makeFuncExpr(function, type, arguments, InvalidOid, DEFAULT_COLLATION_OID,
                               COERCE_EXPLICIT_CALL));
}

Node* interval_constant(const char* interval) {
  const Datum length = DirectFunctionCall3(interval_in, CStringGetDatum(interval),
                                           ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
  return as<Node>(makeConst(INTERVALOID, -1, InvalidOid, sizeof(Interval), length, false, false));
}

}  // namespace

Node* cell_of_node(Oid type, const Grain& grain, Node* instant) {
  List* arguments = list_make2(text_constant(grain.unit), instant);
  if (type == TIMESTAMPTZOID) arguments = lappend(arguments, text_constant(grain.zone));
  return call(
      type == TIMESTAMPOID ? F_DATE_TRUNC_TEXT_TIMESTAMP : F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, type,
      arguments);
}

Node* next_cell_of_node(Oid type, const Grain& grain, Node* cell) {
  const char* length = name_of_grain(grain);
  // hours go on when clocks are moved; days are those of the zone's clocks
  if (type == TIMESTAMPOID || !lies_in({"day", nullptr}, grain.unit)) {
    return moved_instant(type, cell, length);
  }
  Node* zone = text_constant(grain.zone);
  Node* shown = call(F_TIMEZONE_TEXT_TIMESTAMPTZ, TIMESTAMPOID, list_make2(zone, cell));
  return call(F_TIMEZONE_TEXT_TIMESTAMP, type,
              list_make2(zone, moved_instant(TIMESTAMPOID, shown, length)));
}

Node* moved_instant(Oid type, Node* instant, const char* interval) {
  return call(type == TIMESTAMPOID ? F_TIMESTAMP_PL_INTERVAL : F_TIMESTAMPTZ_PL_INTERVAL, type,
              list_make2(instant, interval_constant(interval)));
}

Node* time_of_zone(const char* zone, Node* time) {
  return call(F_TIMEZONE_TEXT_TIMESTAMP, TIMESTAMPTZOID, list_make2(text_constant(zone), time));
}

Node* as_instant(Oid type, Node* value) {
  const Oid given = exprType(value);
  if (given == type) return value;
  Oid cast = InvalidOid;
  if (type == TIMESTAMPOID && given == DATEOID) cast = F_TIMESTAMP_DATE;
  if (type == TIMESTAMPTZOID && given == DATEOID) cast = F_TIMESTAMPTZ_DATE;
  if (type == TIMESTAMPTZOID && given == TIMESTAMPOID) cast = F_TIMESTAMPTZ_TIMESTAMP;
  if (!OidIsValid(cast)) return nullptr;
  return as<Node>(
      makeFuncExpr(cast, type, list_make1(value), InvalidOid, InvalidOid, COERCE_EXPLICIT_CAST));
}

}  // namespace idp
