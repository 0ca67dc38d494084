#include "core/aggregate/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace idp {

namespace {

using Double = std::numeric_limits<double>;

constexpr double kMostSteps = 1125899906842624.0;  // 2^50; below it t, t + 1/2, t + 1 are exact

// a * b / c, finite and c > 0, without the overflow or underflow of what is in between
double product_over(double a, double b, double c) {
  int a_exponent, b_exponent, c_exponent;
  const double a_mantissa = std::frexp(a, &a_exponent);
  const double b_mantissa = std::frexp(b, &b_exponent);
  const double c_mantissa = std::frexp(c, &c_exponent);
  return std::ldexp(a_mantissa * b_mantissa / c_mantissa, a_exponent + b_exponent - c_exponent);
}

// -ln Pr[|N| > t * step]: increases with t and with r
double log_tail(double r, double t) { return r * (t + 1) + std::log1p(std::expm1(-r) / 2); }

// -ln(1 - confidence): the noise stays within t if log_tail(r, t) >= this
double log_doubt(double confidence) { return -std::log1p(-confidence); }

// t * step. A step such as 0.01 is not a double, but a hundred is: 3 steps of 0.1 are 0.3, not
// 0.30000000000000004.
double multiple_of(double step, double t) {
  const double per_unit = std::round(1 / step);
  return 1 / per_unit == step ? t / per_unit : t * step;
}

// How many whole steps are at most error; kMostSteps stands for all that is more.
double steps_within(double error, double step) {
  const double guess = std::floor(error / step);
  if (guess >= kMostSteps) return kMostSteps;
  for (const double t : {guess + 1, guess}) {
    if (multiple_of(step, t) <= error) return t;
  }
  return guess - 1;
}

// The smallest r with log_tail(r, t) >= target, by Newton's method from above: log_tail is
// increasing and convex in r, so the iterates fall towards the root. log_tail(r, t) >= r (t + 1/2)
// says where to start.
double smallest_rate(double t, double target) {
  double r = target / (t + 0.5);
  for (;;) {
    const double alpha = std::exp(-r);
    const double slope = t + 1 - alpha / (1 + alpha);
    const double next = r - (log_tail(r, t) - target) / slope;
    if (!(next < r)) return r;
    r = next;
  }
}

std::optional<Violation> find_violation(const NoiseQuestion& question) {
  if (!is_not_negative(question.sensitivity)) return kBadSensitivity;
  if (!(question.confidence > 0 && question.confidence < 1)) return kBadConfidence;
  if (!is_not_negative(question.step)) return kBadStep;
  return std::nullopt;
}

}  // namespace

std::optional<Violation> find_violation_of_epsilon(double epsilon, const NoiseQuestion& question) {
  return is_positive(epsilon) ? find_violation(question) : kBadEpsilon;
}

std::optional<Violation> find_violation_of_error(double error, const NoiseQuestion& question) {
  if (!is_not_negative(error)) return kBadError;
  if (const auto violation = find_violation(question)) return violation;
  if (error == 0 && question.step == 0) return kErrorWithoutStep;
  return std::nullopt;
}

double noise_error(double epsilon, const NoiseQuestion& question) {
  const auto& [sensitivity, confidence, step] = question;
  if (sensitivity == 0) return 0;
  const double target = log_doubt(confidence);
  const double r = product_over(epsilon, step, sensitivity);
  if (r == 0 || target / r >= kMostSteps) return product_over(target, sensitivity, epsilon);

  const double guess = std::max(0.0, std::ceil((target - std::log1p(std::expm1(-r) / 2)) / r - 1));
  for (const double t : {guess - 1, guess}) {
    if (t >= 0 && log_tail(r, t) >= target) return multiple_of(step, t);
  }
  return multiple_of(step, guess + 1);
}

double epsilon_for_error(double error, const NoiseQuestion& question) {
  const auto& [sensitivity, confidence, step] = question;
  if (sensitivity == 0) return 0;
  const double target = log_doubt(confidence);
  const double t = step == 0 ? kMostSteps : steps_within(error, step);
  double epsilon = t == kMostSteps ? product_over(target, sensitivity, error)
                                   : product_over(smallest_rate(t, target), sensitivity, step);
  epsilon = std::clamp(epsilon, Double::denorm_min(), Double::max());

  // Rounding may have left it an ulp too small. The doubling is for products that round to
  // denormals: it ends at infinity.
  for (double growth = Double::epsilon() / 2;
       epsilon < Double::infinity() && noise_error(epsilon, question) > error; growth *= 2) {
    epsilon = std::max(std::nextafter(epsilon, Double::infinity()),
                       std::min(epsilon * (1 + growth), Double::max()));
  }
  return epsilon;
}

}  // namespace idp
