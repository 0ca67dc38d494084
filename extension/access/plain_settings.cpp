#include "extension/access/plain_settings.h"

#include "extension/pg/versions.h"

extern "C" {
#include "utils/guc.h"
#include "utils/plancache.h"
}

namespace idp {

namespace {

constexpr double kLeast = 1e-12;
constexpr double kMostEpsilon = 1e6;
constexpr double kMostDelta = 1 - 1e-12;

bool rewrites = true;
double epsilon = 0.1;
double delta = 1e-9;

// Of the accounts that are asked, where nobody set another.
double epsilon_of_accounts = 0;
bool is_epsilon_set = false;

// What is remembered of a value: whether somebody set it.
bool remember_source(double*, void** extra, GucSource source) {
  auto* is_set = static_cast<bool*>(allocate_for_setting(sizeof(bool)));
  if (is_set == nullptr) return false;
  *is_set = source > PGC_S_DEFAULT;
  *extra = is_set;
  return true;
}

// Plans hold the values that they were made with. Also where a setting gets its old value back.
template <class Value>
void forget_plans(Value, void*) {
  ResetPlanCache();
}

void assign_epsilon(double, void* extra) {
  is_epsilon_set = *static_cast<const bool*>(extra);
  ResetPlanCache();
}

}  // namespace

void define_settings() {
  DefineCustomBoolVariable(
      "idp.rewrite", "Answers plain aggregates over hidden rows by private ones.",
      "Off, they are refused. It changes nothing for roles that rows are not hidden from.",
      &rewrites, true, PGC_USERSET, 0, nullptr, forget_plans<bool>, nullptr);
  DefineCustomRealVariable(
      "idp.epsilon", "Sets the epsilon of each plain aggregate over hidden rows.",
      "A statement costs the sum over its different aggregates, as if it had named the private "
      "ones.",
      &epsilon, 0.1, kLeast, kMostEpsilon, PGC_USERSET, 0, remember_source, assign_epsilon,
      nullptr);
  DefineCustomRealVariable(
      "idp.delta",
      "Sets the delta of the decision which groups of hidden rows a plain GROUP BY shows.",
      "It is spent where the keys of the groups are not declared and the account has a delta.",
      &delta, 1e-9, kLeast, kMostDelta, PGC_USERSET, 0, nullptr, forget_plans<double>, nullptr);
}

bool rewrites_plain_aggregates() { return rewrites; }
double epsilon_of_answers() {
  return is_epsilon_set || epsilon_of_accounts == 0 ? epsilon : epsilon_of_accounts;
}
bool takes_epsilon_of_accounts() { return !is_epsilon_set; }
void take_epsilon_of_accounts(double default_epsilon) { epsilon_of_accounts = default_epsilon; }
double delta_of_groups() { return delta; }

}  // namespace idp
