#include "extension/access/plain_refusal.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_aggregate.h"
}

namespace idp {

namespace {

// Aggregates with a counterpart, and what they need.
enum class Needs { kNothing, kNumbers, kDomain };

struct Answered {
  const char* name;
  Needs needs;
};
constexpr Answered kAnswered[] = {
    {"count", Needs::kNothing},
    {"sum", Needs::kNumbers},
    {"avg", Needs::kNumbers},
    {"stddev", Needs::kNumbers},
    {"stddev_pop", Needs::kNumbers},
    {"stddev_samp", Needs::kNumbers},
    {"variance", Needs::kNumbers},
    {"var_pop", Needs::kNumbers},
    {"var_samp", Needs::kNumbers},
    {"min", Needs::kDomain},
    {"max", Needs::kDomain},
    {"percentile_cont", Needs::kDomain},
    {"percentile_disc", Needs::kDomain},
    {"mode", Needs::kDomain},
};

bool is_number(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID ||
         type == FLOAT8OID || type == NUMERICOID;
}

bool is_time(Oid type) { return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID; }

Oid type_of_argument(const Aggref* plain) {
  if (plain->args == NIL) return InvalidOid;
  const auto* target = static_cast<const TargetEntry*>(linitial(plain->args));
  return getBaseType(exprType(as<Node>(target->expr)));
}

// Why an aggregate that has a counterpart was left.
const char* way_without(const Aggref* plain, const char* name, Needs needs) {
  const Oid type = type_of_argument(plain);
  const bool is_mode = strcmp(name, "mode") == 0;
  if (plain->aggdistinct != NIL) {
    return needs == Needs::kNothing
               ? "ask for count(DISTINCT …) of numbers, dates, times, texts or UUIDs"
               : psprintf("%s(DISTINCT …) is not answered, ask without DISTINCT", name);
  }
  if (plain->aggorder != NIL && plain->aggkind == AGGKIND_NORMAL) {
    return psprintf("leave ORDER BY out of %s", name);
  }
  if (needs == Needs::kNumbers && !is_number(type)) {
    return psprintf("ask for %s of numbers, not of type %s", name, format_type_be(type));
  }
  if (needs == Needs::kDomain && !is_mode && !is_number(type) && !is_time(type)) {
    return psprintf("ask for %s of numbers, dates or times, not of type %s", name,
                    format_type_be(type));
  }
  if (needs == Needs::kDomain) {
    return psprintf("ask for %s of columns whose domain the owner declares with idp.set_domain",
                    name);
  }
  return psprintf("compute %s once, in a subquery with GROUP BY, and join that", name);
}

}  // namespace

const char* way_to_ask_plainly(const List* columns) {
  StringInfoData way;
  initStringInfo(&way);
  appendStringInfoString(&way, "ask for aggregates, such as count(*)");
  ListCell* cell;
  foreach (cell, columns) {
    appendStringInfo(&way, "%s\"%s\"", foreach_current_index(cell) == 0 ? ", by " : ", ",
                     static_cast<const char*>(lfirst(cell)));
  }
  return way.data;
}

const char* way_without_plain(const Aggref* plain) {
  const char* name = get_func_name(plain->aggfnoid);
  for (const Answered& answered : kAnswered) {
    if (strcmp(answered.name, name) == 0) return way_without(plain, name, answered.needs);
  }
  return psprintf("%s is not answered, ask for count, sum, avg, min, max or percentile_cont", name);
}

}  // namespace idp
