#include "extension/statement/charging.h"

#include <algorithm>
#include <cmath>

#include "core/accounting/approximate.h"
#include "core/accounting/group_loss.h"
#include "core/mechanism/group_selection.h"
#include "core/sensitivity/moments.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/budget/bound_readers.h"
#include "extension/catalog/changed_rules.h"
#include "extension/call/bound_call.h"
#include "extension/call/functions.h"
#include "extension/catalog/store.h"
#include "extension/pg/guard.h"
#include "extension/pg/nodes.h"
#include "extension/plan/groups.h"
#include "extension/query/unit_rows.h"
#include "extension/release/release_name.h"
#include "extension/release/reservation.h"
#include "extension/statement/refuse_input.h"
#include "extension/types/numeric_grid.h"

namespace idp {

namespace {

// How often the epsilon of a call counts in the groups of one grouping set, or without groups.
int times_lost(const BoundCall& call, const Account& account, bool grouped) {
  return times_lost(account, call.request.spec, neighbours_of(call.charge.accounts), grouped);
}

// The same of a named call over all grouping sets: once or twice for each.
int times_lost(const BoundCall& call, const Agg* plan, const Account& account) {
  int times = 0;
  if (plan->groupingSets == NIL) {
    times = times_lost(call, account, has_groups(plan));
  } else {
    for (auto* inner_list : list<List>(plan->groupingSets)) {
      times += times_lost(call, account, inner_list != NIL);
    }
  }
  for (const auto* agg : list<Agg>(plan->chain)) {
    times += times_lost(call, agg, account);
  }
  return times;
}

const BoundedMass* mass_of(const BoundCall& call, const Account& account) {
  for (const auto* mass : list<BoundedMass>(account.masses)) {
    if (mass->aggregate == call.aggref->aggno) return mass;
  }
  return nullptr;
}

constexpr Int128 kUnknown = -1;

// The bound of a mass in steps of a grid; kUnknown if its digits are not all steps of it: those are
// the digits of the values, too.
Int128 steps_of_mass(Datum bound, const Grid& grid) {
  constexpr Int128 kLimit = Int128{1} << 126;
  if (grid.is_float()) return kUnknown;
  const int scale = grid.type == ValueType::kNumeric ? grid.scale : 0;
  const NumericUnits units = units_of_numeric(bound, scale, kLimit, Rounding::kCeiling);
  if (units.kind != NumericKind::kFinite || units.units >= kLimit) return kUnknown;
  const bool is_on_grid = scale_of_clip(bound) <= scale;
  return is_on_grid ? units.units : kUnknown;
}

}  // namespace

bool counts_as_one_row(const BoundCall& call, const Account& account) {
  const BoundedMass* mass = mass_of(call, account);
  const Spec& spec = call.request.spec;
  if (mass == nullptr || !call.has_request || spec.statistic != Statistic::kPrivateSum)
    return false;
  const Int128 steps = steps_of_mass(mass->bound, spec.grid);
  if (steps < 0) return false;
  bool holds = false;
  guarded([&] {
    const mpz_class bound = mpz_from(steps);
    const StepBounds limits = step_bounds(spec.grid, spec.lower, spec.upper);
    const bool holds_zero = limits.lower <= 0 && limits.upper >= 0;
    holds = holds_zero && (limits.lower == 0 || bound <= -limits.lower) &&
            (limits.upper == 0 || bound <= limits.upper);
  });
  return holds;
}

namespace {

// How many steps apart the neighbours are that differ in one unit. Its rows that are one value put
// one value among the different ones of a group, or take it away; in several groups it is one of
// each.
int steps_of(const BoundCall& call, const Account& account, bool grouped) {
  const bool is_one = !grouped && call.request.spec.collects() == Collects::kDistinct &&
                      bms_is_member(call.aggref->aggno, account.one_value);
  return is_one || counts_as_one_row(call, account) ? 1 : account.most.count();
}

// What a call for these epsilons loses about one unit in the groups of one grouping set, or without
// groups.
Datum loss_of(const BoundCall& call, std::span<const double> epsilons, const Account& account,
              bool grouped) {
  const int steps = steps_of(call, account, grouped);
  if (row_of(call.request.spec.statistic).guarantee != Guarantee::kIndividual) {
    return decimal_times(decimal_of(epsilons[0]), steps);
  }
  std::int32_t times[kMaxGroup];
  guarded([&] {
    costliest_division(epsilons, steps, grouped, std::span(times).first(epsilons.size()));
  });
  Datum loss = no_amount();
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    if (times[i] > 0) loss = sum_of(loss, decimal_times(decimal_of(epsilons[i]), times[i]));
  }
  return loss;
}

// A number in (0, 1] as a decimal that is not less. The shortest decimal of a double may be less
// than that by half of its last place.
Datum decimal_above(const mpq_class& v) {
  const double below = v.get_d();  // cut off
  const double above = mpq_class(below) == v ? below : std::nextafter(below, 2.0);
  return decimal_of(std::nextafter(above, 2.0));
}

// What it may lose altogether, likewise. Where units are substituted, a row of one can leave a
// group and enter another: two coins change. How two of one answer do is known of those that one
// account is charged for; parts of a table have accounts of their own.
Datum delta_lost(const BoundCall& call, const Account& account, bool grouped) {
  const Spec& spec = call.request.spec;
  const auto size = static_cast<unsigned long>(account.most.count());
  const int factor = times_lost(call, account, grouped);
  if (size == 1 && (factor == 1 || has_parts(account))) {
    return decimal_times(decimal_of(spec.delta), factor);
  }
  mpq_class delta;
  guarded([&] {
    const mpq_class epsilon(spec.epsilon);
    delta = factor * loss_of_group({epsilon, mpq_class(spec.delta)}, size).delta;
    if (factor == 1 || has_parts(account)) return;
    const GroupSelection selection(spec.epsilon, spec.delta);
    const ApproximateLoss moved{2 * epsilon, selection.delta_of_move()};
    delta = std::min(delta, loss_of_group(moved, size).delta);
  });
  return decimal_above(delta);
}

// What a call costs over all grouping sets of a node, each of which loses loss(whether it has
// groups). In one group at most, one row changes one answer.
template <class Loss>
Datum cost_over_sets(const BoundCall& call, const Agg* plan, Loss loss) {
  Datum cost = no_amount();
  const auto add = [&](bool grouped) { cost = sum_of(cost, loss(grouped)); };
  if (plan->groupingSets == NIL) add(has_groups(plan) && !call.charge.has_one_group);
  for (auto* inner_list : list<List>(plan->groupingSets)) add(inner_list != NIL);
  for (const auto* agg : list<Agg>(plan->chain)) {
    cost = sum_of(cost, cost_over_sets(call, agg, loss));
  }
  return cost;
}

Datum cost_of(const BoundCall& call, std::span<const double> epsilons, const Account& account) {
  const auto* plan = as<Agg>(call.node->ss.ps.plan);
  return cost_over_sets(call, plan, [&](bool grouped) {
    return decimal_times(loss_of(call, epsilons, account, grouped),
                         times_lost(call, account, grouped));
  });
}

// What the account was charged for an answer that the call refines; null if it refines none.
const Datum* paid_by(const BoundCall& call, const Account& account) {
  if (call.charge.paid == nullptr) return nullptr;
  ListCell* cell;
  ListCell* inner;
  forboth(cell, call.charge.accounts, inner, call.charge.paid->costs) {
    if (static_cast<const Account*>(lfirst(cell))->id != account.id) continue;
    auto* paid = static_cast<Datum*>(palloc(sizeof(Datum)));
    *paid = PointerGetDatum(lfirst(inner));
    return paid;
  }
  return nullptr;
}

// A call that refines an answer costs what it is beyond that one (answers/refined.h). The rows are
// those of then: if that one was charged more than it would cost under the rules and by the keys of
// now, so many times more is charged for the finer one, too. Where a period has ended since, both
// count.
Datum cost_of(const BoundCall& call, const Account& account, bool is_earlier) {
  const Datum cost = cost_of(call, call.request.epsilon_span(), account);
  const Datum* paid = paid_by(call, account);
  if (paid == nullptr) return cost;
  const Datum before = cost_of(call, {&call.charge.paid->epsilon, 1}, account);
  if (is_none(before) || !is_less(before, *paid)) {
    return is_earlier ? sum_of(cost, before) : difference_of(cost, *paid);
  }
  const Datum then = decimal_times(cost, times_as_much(*paid, before));
  return is_earlier ? sum_of(then, *paid) : difference_of(then, *paid);
}

// The same of delta; 0 for answers that have none.
Datum delta_of(const BoundCall& call, const Agg* plan, const Account& account) {
  if (!call.request.spec.has(Parameter::kDelta)) return 0;
  return cost_over_sets(call, plan,
                        [&](bool grouped) { return delta_lost(call, account, grouped); });
}

Loss loss_in(const BoundCall& call, const Account& account, bool is_earlier) {
  const auto* plan = as<Agg>(call.node->ss.ps.plan);
  return {cost_of(call, account, is_earlier), delta_of(call, plan, account)};
}

bool is_charged_now(const BoundCall* call) {
  return call->charge.is_fixed && call->release.name == nullptr;
}

void add_unnamed(const RunningQuery& query, Charging& charging) {
  for (auto* call : list<BoundCall>(query.calls)) {
    if (!is_charged_now(call)) continue;
    CallCharge& charge = call->charge;
    charge.costs = charge.numbers = NIL;
    for (const auto* account : list<Account>(charge.accounts)) {
      const bool refines = charge.paid != nullptr;
      const bool is_earlier = refines && charging.is_earlier(*account, charge.paid->at);
      const Loss cost = loss_in(*call, *account, is_earlier);
      auto* number = static_cast<ChargeNumber*>(palloc0(sizeof(ChargeNumber)));
      charging.add(
          {account, call->name, cost.epsilon, nullptr, nullptr, 0, refines, cost.delta, 0, number});
      charge.numbers = lappend(charge.numbers, number);
      charge.costs = lappend(charge.costs, DatumGetPointer(cost.epsilon));
    }
  }
}

// What calls before it in the list reserve for the same releases.
double reserved_before(List* reservations, const Reservation* reservation) {
  double epsilon = 0;
  for (const auto* other : list<Reservation>(reservations)) {
    if (other == reservation) break;
    if (other->call->release.table == reservation->call->release.table &&
        equal(other->name, reservation->name)) {
      epsilon = Max(epsilon, other->call->request.epsilons[0]);
    }
  }
  return epsilon;
}

void add_reservation(const Reservation* reservation, double reserved, Charging& charging) {
  const double epsilon = reservation->call->request.epsilons[0];
  for (const auto* account : list<Account>(reservation->accounts)) {
    const pg_uuid_t* family = reservation->family;
    const LevelCost cost = charging.cost_of_level(*account, family, epsilon,
                                                  reservation->call->request.spec.groups, reserved);
    if (is_none(cost.epsilon)) continue;
    const BoundCall& call = *reservation->call;
    const int times = family
                          ? Charging::times_of(*account, *family,
                                               times_lost(*account, call.request.spec,
                                                          reservation->drawn, reservation->grouped))
                          : times_lost(call, as<Agg>(call.node->ss.ps.plan), *account);
    charging.reserve(*account, decimal_times(cost.epsilon, times), cost.refines);
  }
}

// All that is to be decided about.
void add_all(const RunningQuery& query, List* reservations, Charging& charging) {
  add_unnamed(query, charging);
  for (const auto* reservation : list<Reservation>(reservations)) {
    add_reservation(reservation, reserved_before(reservations, reservation), charging);
  }
}

// Charges unnamed calls if there is room for named ones too. False if there is not, where that is
// no error yet.
bool charge(RunningQuery& query, List* accounts, List* reservations, bool is_final) {
  Charging charging(accounts);
  query.charged_until = charging.ends();
  add_all(query, reservations, charging);
  if (!is_final && !charging.fits()) {
    charging.abandon();
    return false;
  }
  if (charging.commit()) make_durable();
  return true;
}

// Without those of groups that may be answered at no cost.
List* certain_reservations(List* reservations) {
  List* certain = NIL;
  for (auto* reservation : list<Reservation>(reservations)) {
    if (has_group_names(reservation->call) && may_repeat(reservation->call)) {
      ereport(NOTICE,
              (errmsg("privacy budget of table \"%s\" does not suffice for releases that begin",
                      table_text(reservation->accounts)),
               errdetail("Groups for which it does not suffice have no answer.")));
    } else {
      certain = lappend(certain, reservation);
    }
  }
  return certain;
}

// What a query may charge.
struct Bill {
  List* accounts = NIL;
  List* named = NIL;  // of BoundCall
  List* reservations = NIL;
  bool writes = false;  // whether anything is written: charges or releases

  explicit Bill(const RunningQuery& query) {
    for (auto* call : list<BoundCall>(query.calls)) {
      if (!call->charge.is_fixed) continue;
      writes |= call->charge.accounts != NIL || call->release.name != nullptr;
      if (call->release.name != nullptr) named = lappend(named, call);
      accounts = union_of(accounts, call->charge.accounts);
    }
  }

  void reserve() {
    for (auto* call : list<BoundCall>(named)) {
      Reservation* reservation = reservation_of(call);
      if (reservation == nullptr) continue;
      reservations = lappend(reservations, reservation);
      accounts = union_of(accounts, reservation->accounts);
    }
  }
};

}  // namespace

Loss cost_of_call(const BoundCall& call, const Account& account) {
  return loss_in(call, account, false);
}

void charge_at_start(RunningQuery& query) {
  Bill bill(query);
  if (bill.writes) prepare_to_write();
  bill.reserve();
  if (bill.accounts == NIL) return;
  require_unchanged_rules();
  require_bound_readers(query.state, bill.accounts);
  if (charge(query, bill.accounts, bill.reservations, false)) return;
  (void)charge(query, bill.accounts, certain_reservations(bill.reservations), true);
}

List* costs_of(const RunningQuery& query) {
  Bill bill(query);
  bill.reserve();
  if (bill.accounts == NIL) return NIL;
  Charging charging(bill.accounts);
  add_all(query, bill.reservations, charging);
  List* costs = charging.costs();
  charging.abandon();
  return costs;
}

}  // namespace idp
