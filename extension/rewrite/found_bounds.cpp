#include "extension/rewrite/found_bounds.h"

#include <cmath>

#include "extension/access/plain_settings.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"

namespace idp {

namespace {

// Of fewer units than this many over epsilon the search finds no more than its first step: such a
// sum is near 0 (docs/sql.md).
constexpr double kUnitsToFind = 150;
constexpr double kFewUnits = 300;

constexpr const char* kFinders[] = {"dp_sum", "dp_avg", "dp_stddev", "dp_variance"};

// Of a column and epsilon alone.
bool is_finder(const Aggref* call) {
  if (list_length(call->args) != 2 || !is_own_function(call->aggfnoid)) return false;
  const char* name = get_func_name(call->aggfnoid);
  for (const char* finder : kFinders) {
    if (strcmp(finder, name) == 0) return true;
  }
  return false;
}

bool find_finder(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) return is_finder(as<Aggref>(node));
  return walk_expression(node, find_finder, nullptr);
}

bool needs_many(double* units) {
  *units = std::ceil(kUnitsToFind / epsilon_of_answers());
  return *units > kFewUnits;
}

}  // namespace

bool finds_bounds(Node* answer) { return find_finder(answer, nullptr); }

void warn_of_found_bounds_of_rows() {
  double units = 0;
  if (!needs_many(&units)) return;
  ereport(NOTICE,
          (errmsg("bounds of sums and averages are found: of fewer than some %.0f rows they are "
                  "mostly noise",
                  units),
           errdetail("No domain says between which bounds the values lie."),
           errhint("Ask with more epsilon, or for groups of more rows. The owner of the table can "
                   "declare bounds with idp.set_domain.")));
}

void warn_of_found_bounds_of_persons() {
  double units = 0;
  if (!needs_many(&units)) return;
  ereport(
      NOTICE,
      (errmsg("bounds of sums are found: of fewer than some %.0f persons a sum is near 0", units),
       errdetail("Each person has one sum, and what the domain and max_rows allow is far more "
                 "than most have."),
       errhint("Ask with more epsilon, or for groups of more persons.")));
}

}  // namespace idp
