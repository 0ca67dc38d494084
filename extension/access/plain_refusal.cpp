#include "extension/access/plain_refusal.h"

#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"

extern "C" {
#include "catalog/pg_aggregate.h"
}

namespace idp {

namespace {

// Aggregates with a counterpart, what they need, and how it is written.
enum class Needs { kNothing, kNumbers, kDomain };

struct Answered {
  const char* name;
  Needs needs;
  const char* call;
};
constexpr Answered kAnswered[] = {
    {"count", Needs::kNothing, "dp_count(epsilon)"},
    {"sum", Needs::kNumbers, "dp_sum(x, epsilon)"},
    {"avg", Needs::kNumbers, "dp_avg(x, epsilon)"},
    {"stddev", Needs::kNumbers, "dp_stddev(x, epsilon)"},
    {"stddev_pop", Needs::kNumbers, "dp_stddev(x, epsilon)"},
    {"stddev_samp", Needs::kNumbers, "dp_stddev(x, epsilon)"},
    {"variance", Needs::kNumbers, "dp_variance(x, epsilon)"},
    {"var_pop", Needs::kNumbers, "dp_variance(x, epsilon)"},
    {"var_samp", Needs::kNumbers, "dp_variance(x, epsilon)"},
    {"min", Needs::kDomain, "dp_min(x, epsilon, lower, upper)"},
    {"max", Needs::kDomain, "dp_max(x, epsilon, lower, upper)"},
    {"percentile_cont", Needs::kDomain, "dp_quantile(x, epsilon, lower, upper, fraction)"},
    {"percentile_disc", Needs::kDomain, "dp_quantile(x, epsilon, lower, upper, fraction)"},
    {"mode", Needs::kDomain, "dp_mode(x, epsilon, domain)"},
};

bool is_time(Oid type) { return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID; }

Oid type_of_argument(const Aggref* plain) {
  if (plain->args == NIL) return InvalidOid;
  const auto* target = static_cast<const TargetEntry*>(linitial(plain->args));
  return getBaseType(exprType(as<Node>(target->expr)));
}

bool is_text(Oid type) { return type == TEXTOID || type == VARCHAROID || type == BPCHAROID; }

// Of an aggregate that has a counterpart: why it cannot be planned as that, whatever the rest of
// the query. Null where it can.
const char* own_fault(const Aggref* plain, const Answered& answered) {
  const char* name = answered.name;
  const Needs needs = answered.needs;
  const Oid type = type_of_argument(plain);
  const bool is_mode = strcmp(name, "mode") == 0;
  if (plain->aggdistinct != NIL && needs != Needs::kNothing) {
    return psprintf("%s(DISTINCT …) is not answered, ask without DISTINCT", name);
  }
  if (plain->aggdistinct != NIL && !is_number(type) && !is_time(type) && !is_text(type) &&
      type != UUIDOID) {
    return "ask for count(DISTINCT …) of numbers, dates, times, texts or UUIDs";
  }
  if (plain->aggorder != NIL && plain->aggkind == AGGKIND_NORMAL) {
    return psprintf("leave ORDER BY out of %s", name);
  }
  if (type == INTERVALOID && needs != Needs::kNothing && !is_mode) {
    return psprintf("ask for %s of differences of instants, or of extract(epoch FROM …)", name);
  }
  if (needs == Needs::kNumbers && !is_number(type)) {
    return psprintf("ask for %s of numbers, not of type %s", name, format_type_be(type));
  }
  if (needs == Needs::kDomain && is_text(type) && !is_mode && plain->aggkind == AGGKIND_NORMAL) {
    return psprintf(
        "ask for %s of texts as an answer of its own, of a column as it is whose domain the owner "
        "lists with idp.set_domain",
        name);
  }
  if (needs == Needs::kDomain && !is_mode && !is_number(type) && !is_time(type)) {
    return psprintf("ask for %s of numbers, dates or times, not of type %s", name,
                    format_type_be(type));
  }
  if (needs == Needs::kDomain) {
    return psprintf(
        "ask for %s of columns whose domain the owner declares with idp.set_domain, or write %s",
        name, answered.call);
  }
  return nullptr;
}

const Answered* counterpart_of(const Aggref* plain) {
  const char* name = get_func_name(plain->aggfnoid);
  for (const Answered& answered : kAnswered) {
    if (strcmp(answered.name, name) == 0) return &answered;
  }
  return nullptr;
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

bool can_be_answered(const Aggref* plain) {
  const Answered* answered = counterpart_of(plain);
  return answered != nullptr && own_fault(plain, *answered) == nullptr;
}

const char* way_without_plain(const Aggref* plain) {
  const char* name = get_func_name(plain->aggfnoid);
  const Answered* answered = counterpart_of(plain);
  if (answered == nullptr) {
    return psprintf("%s is not answered, ask for count, sum, avg, min, max or percentile_cont",
                    name);
  }
  const char* fault = own_fault(plain, *answered);
  return fault != nullptr
             ? fault
             : psprintf("compute %s once, in a subquery with GROUP BY, and join that", name);
}

const char* way_to_write_privately(const Aggref* plain) {
  const Answered* answered = counterpart_of(plain);
  if (answered == nullptr) return nullptr;
  if (plain->aggdistinct != NIL && answered->needs == Needs::kNothing) {
    return "write dp_count_distinct(x, epsilon) in place of count";
  }
  return psprintf("write %s in place of %s", answered->call, answered->name);
}

}  // namespace idp
