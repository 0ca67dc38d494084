// Budgets that are given anew for each period of the calendar.
//
// A period is a number of months, or a length of time. Periods follow one another without a gap, in
// UTC, and one of them begins with 2001: the first day of a year, a quarter and a month, and a
// Monday. So a month begins with its first day, a week on Monday, twelve hours at noon or midnight.
//
// What the budget B of a period promises. Whatever is known when it begins, all earlier answers
// included, the answers that are drawn in it change the odds of one data set against a neighbour by
// e^B at most. Those of m periods together then cost m B. Proof: given the past, an answer without
// a name is a draw of its own, whose loss adds up with those of the others in the period. What
// remains is the levels of a release (core/gradual/process.h). Let its finest level of earlier
// periods have epsilon_1, or 0 if there is none, and its finest of this one epsilon_2 > epsilon_1.
// Given the finest of all, the coarser levels do not depend on the data, so the odds after the
// period are those of the finest answer alone, and before it those of the finest one then: the log
// of the odds has gone from within [-epsilon_1, epsilon_1] to within [-epsilon_2, epsilon_2]. In
// this period that is epsilon_1 + epsilon_2 at most, and so much is lost where the finer answer
// says the contrary of the coarser one, which has a probability above 0. So that is what it costs
// (cost_of_level); later levels of the same period cost what they are beyond, as ever. A level that
// is not finer than those before is free in any period. One of several epsilons may be finer though
// its first epsilon, which bounds the odds, is not: then epsilon_2 is epsilon_1.
//
// An answer is drawn in the period that it was charged to, or refused: a cursor may be read late.
//
// Source: the adaptive composition of Rogers, Roth, Ullman, Vadhan, "Privacy Odometers and Filters"
// (2016), with a filter for each period.
#pragma once

#include "core/no_postgres.h"

#include <chrono>
#include <cstdint>

namespace idp {

// One of the two is 0, the other at least 1.
struct Period {
  std::int32_t months;
  std::int64_t microseconds;
};

using Instant = std::chrono::sys_time<std::chrono::microseconds>;

namespace period_detail {

inline constexpr Instant kOrigin = std::chrono::sys_days{std::chrono::January / 1 / 2001};

constexpr std::int64_t divided_down(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// The beginning of the period of that number; number 0 begins with 2001.
constexpr Instant beginning(Period period, std::int64_t number) {
  using namespace std::chrono;
  if (period.months == 0) return kOrigin + microseconds{number * period.microseconds};
  const std::int64_t month = number * period.months;
  const std::int64_t years = divided_down(month, 12);
  return sys_days{year{static_cast<int>(2001 + years)} / static_cast<int>(month - 12 * years + 1) /
                  1};
}

constexpr std::int64_t number_of(Period period, Instant at) {
  using namespace std::chrono;
  if (period.months == 0) return divided_down((at - kOrigin).count(), period.microseconds);
  const year_month_day day{floor<days>(at)};
  const std::int64_t month = 12 * (static_cast<int>(day.year()) - std::int64_t{2001}) +
                             static_cast<unsigned>(day.month()) - 1;
  return divided_down(month, period.months);
}

}  // namespace period_detail

// The first instant of the period that an instant is in, and of the following one.
constexpr Instant period_start(Period period, Instant at) {
  return period_detail::beginning(period, period_detail::number_of(period, at));
}
constexpr Instant period_end(Period period, Instant at) {
  return period_detail::beginning(period, period_detail::number_of(period, at) + 1);
}

}  // namespace idp
