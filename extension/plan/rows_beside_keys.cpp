#include "extension/plan/rows_beside_keys.h"

#include "extension/pg/nodes.h"
#include "extension/plan/key_rows.h"

extern "C" {
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// The only entry that the query reads is the first, and a subquery of two parts put together.
const Query* put_together(const Query* query) {
  if (list_length(query->jointree->fromlist) != 1) return nullptr;
  const auto* reference =
      maybe<RangeTblRef>(static_cast<Node*>(linitial(query->jointree->fromlist)));
  if (reference == nullptr || reference->rtindex != 1) return nullptr;
  const auto* entry = rt_fetch(reference->rtindex, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery == nullptr) return nullptr;
  const Query* parts = entry->subquery;
  return parts->setOperations != nullptr && list_length(parts->rtable) == 2 ? parts : nullptr;
}

bool gives_keys(const Query* part) {
  for (const auto* target : list<TargetEntry>(part->targetList)) {
    if (is_key_marker(as<Node>(target->expr))) return true;
  }
  return false;
}

}  // namespace

// Nobody else writes the marker of keys (key_rows.h).
const Query* rows_beside_keys(const Query* query) {
  const Query* parts = put_together(query);
  if (parts == nullptr) return nullptr;
  const Query* rows = static_cast<const RangeTblEntry*>(linitial(parts->rtable))->subquery;
  const Query* keys = static_cast<const RangeTblEntry*>(lsecond(parts->rtable))->subquery;
  return rows != nullptr && keys != nullptr && gives_keys(keys) ? rows : nullptr;
}

}  // namespace idp
