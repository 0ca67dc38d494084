#include "extension/access/group_order.h"

#include "extension/access/hidden.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"

extern "C" {
#include "utils/guc.h"
}

namespace idp {

namespace {

struct Seen {
  bool sets;
  bool hidden;
};

bool find_sets(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_sets, context);
  auto* query = as<Query>(node);
  auto* seen = static_cast<Seen*>(context);
  seen->sets |= query->groupingSets != NIL;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    seen->hidden |= is_hidden(entry->relid);
  }
  return walk_queries(query, find_sets, context);
}

void set_within_level(const char* name, const char* value) {
  (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

}  // namespace

int begin_sorting_groups(Query* query) {
  Seen seen = {false, false};
  (void)find_sets(as<Node>(query), &seen);
  if (!seen.sets || !seen.hidden) return 0;
  const int level = NewGUCNestLevel();
  set_within_level("enable_hashagg", "off");
  set_within_level("enable_sort", "on");
  return level;
}

void end_sorting_groups(int level) {
  if (level > 0) AtEOXact_GUC(true, level);
}

bool has_sorted_groups(const Agg* plan) {
  if (plan->aggstrategy != AGG_SORTED && plan->aggstrategy != AGG_PLAIN) return false;
  for (const auto* agg : list<Agg>(plan->chain)) {
    if (!has_sorted_groups(agg)) return false;
  }
  return true;
}

}  // namespace idp
