#include "extension/call/refused_name.h"

#include <algorithm>
#include <string_view>

namespace idp {

namespace {

// The same question as an aggregate whose answers can be refined; empty if there is none.
const char* what_can_be_refined(const StatisticRow& row, const char* name) {
  if (row.mechanism == Mechanism::kClipping) {
    return psprintf(" With bounds it can be refined: %s(x, epsilon, lower, upper, release).", name);
  }
  if (row.rank == RankRule::kNone) return "";
  const std::string_view stem = row.name;  // dp_median, dp_median_smooth
  const std::size_t begin = std::string_view("dp_").size();
  const std::size_t end = std::min(stem.find("_smooth"), stem.size());
  return psprintf(" Answers of idp_%.*s can be refined.", static_cast<int>(end - begin),
                  stem.data() + begin);
}

}  // namespace

void refuse_release_name(Statistic statistic, const char* name) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("answers of %s cannot be released under a name", name),
                  errdetail("Only answers made by adding discrete Laplace noise can be refined."),
                  errhint("Ask without a release name: every answer is then a new draw.%s",
                          what_can_be_refined(row_of(statistic), name))));
  pg_unreachable();
}

}  // namespace idp
