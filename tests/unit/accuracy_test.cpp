// The accuracy of noise against sums of the discrete Laplace law, and the inverse against itself.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "core/aggregate/accuracy.h"
#include "core/aggregate/spec.h"

namespace idp::test {
namespace {

using Double = std::numeric_limits<double>;

const double kEpsilons[] = {1e-3, 0.01, 0.1, 0.5, 0.6931471805599453, 1, 2, 5, 10, 40};
const double kSensitivities[] = {0.5, 1, 2, 17, 1000};
const double kConfidences[] = {1e-9, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999999, 1 - 1e-12};
const double kSteps[] = {0.01, 0.1, 1, 2, 3, 100};

// 1 - Pr[|N| <= t steps], summed term by term from the far end of the tail.
long double tail_by_sum(long double r, double t) {
  long double total = 0, tail = 0;
  for (double i = std::ceil(t + 120 / static_cast<double>(r)) + 1; i >= 0; --i) {
    const long double weight = std::exp(-r * static_cast<long double>(i)) * (i == 0 ? 1 : 2);
    total += weight;
    if (i > t) tail += weight;
  }
  return tail / total;
}

TEST(NoiseError, IsTheSmallestMultipleThatHolds) {
  int checked = 0;
  for (const double epsilon : kEpsilons) {
    for (const double sensitivity : kSensitivities) {
      for (const double step : kSteps) {
        const long double r = static_cast<long double>(epsilon) * step / sensitivity;
        if (r < 5e-3L) continue;  // too long a sum
        for (const double confidence : kConfidences) {
          SCOPED_TRACE(testing::Message()
                       << epsilon << " " << sensitivity << " " << step << " " << confidence);
          const double error = noise_error(epsilon, {sensitivity, confidence, step});
          const double t = std::round(error / step);
          EXPECT_DOUBLE_EQ(error, t * step);
          const long double doubt = 1 - static_cast<long double>(confidence);
          EXPECT_LE(tail_by_sum(r, t), doubt * (1 + 1e-12L));
          if (t > 0) {
            EXPECT_GT(tail_by_sum(r, t - 1), doubt * (1 - 1e-12L));
          }
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 1000);
}

TEST(NoiseError, IsZeroOrOneStepWhereNoiseIsRare) {
  // Pr[N = 0] = (1 - alpha)/(1 + alpha) = tanh(r / 2)
  for (const double r : {0.1, 1.0, 3.0, 20.0}) {
    const double hit = std::tanh(r / 2);
    EXPECT_EQ(noise_error(r, {1, hit * (1 - 1e-12), 1}), 0) << r;
    EXPECT_EQ(noise_error(r, {1, hit + (1 - hit) * 1e-6, 1}), 1) << r;
  }
}

TEST(NoiseError, ContinuousLimit) {
  EXPECT_DOUBLE_EQ(noise_error(1, {1, 0.5, 0}), std::log(2.0));
  EXPECT_DOUBLE_EQ(noise_error(0.5, {10, 0.99, 0}), 20 * std::log(100.0));
  EXPECT_DOUBLE_EQ(noise_error(1, {1, 1e-20, 0}), 1e-20);
  // a fine step comes close to it, and where a step is as fine as a double it is taken
  for (const double confidence : kConfidences) {
    const double limit = noise_error(0.1, {3, confidence, 0});
    EXPECT_NEAR(noise_error(0.1, {3, confidence, 1e-9}), limit, 1e-9);
    EXPECT_NEAR(noise_error(0.1, {3, confidence, 0x1p-20}), limit, 0x1p-20);
    EXPECT_NEAR(noise_error(0.1, {3, confidence, 1e-13}), limit, 1e-13 + 4e-16 * limit);
    EXPECT_EQ(noise_error(0.1, {3, confidence, 1e-30}), limit);
  }
}

TEST(NoiseError, StepsOfDecimals) {
  EXPECT_EQ(noise_error(1, {0.1, 0.95, 0.1}), 0.3);  // not 0.30000000000000004
  EXPECT_EQ(noise_error(1, {0.01, 0.95, 0.01}), 0.03);
  EXPECT_EQ(noise_error(1, {3, 0.95, 3}), 9);
}

// Table 1 of the paper: 95 % intervals for epsilon = 1 and sensitivities of 1. The Laplace noise of
// iDP stays within 3. Smooth sensitivity takes noise of density ~ 1/(1 + |z|^gamma), scaled by
// 4 gamma / epsilon: tails integrated here.
TEST(NoiseError, PaperTable1) {
  EXPECT_EQ(noise_error(1, {1, 0.95, 1}), 3);
  EXPECT_NEAR(noise_error(1, {1, 0.95, 0}), 3, 0.005);

  const auto smooth_tail = [](double gamma, double half_width) {
    const double z = half_width / (4 * gamma);
    // the integral over |x| > z, with x = 1/u: u^(gamma - 2)/(1 + u^gamma) over (0, 1/z)
    double tail = 0;
    constexpr int kPieces = 100000;
    for (int i = 0; i < kPieces; ++i) {
      const double u = (i + 0.5) / kPieces / z;
      tail += std::pow(u, gamma - 2) / (1 + std::pow(u, gamma)) / kPieces / z;
    }
    return tail / (std::numbers::pi / gamma / std::sin(std::numbers::pi / gamma));
  };
  EXPECT_NEAR(smooth_tail(2, 101.7), 0.05, 0.0001);
  EXPECT_NEAR(smooth_tail(3, 34.2), 0.05, 0.0001);
}

TEST(NoiseError, NoSensitivityNoNoise) {
  for (const double step : {0.0, 1.0, 1e300}) {
    EXPECT_EQ(noise_error(1e-300, {0, 0.999, step}), 0);
    EXPECT_EQ(epsilon_for_error(1, {0, 0.999, step}), 0);
  }
  EXPECT_EQ(epsilon_for_error(0, {0, 0.999, 1}), 0);
}

TEST(NoiseError, RelationsBetweenArguments) {
  // only epsilon * step / sensitivity matters, in multiples of the step
  EXPECT_EQ(noise_error(1, {1, 0.95, 1}) * 7, noise_error(1, {7, 0.95, 7}));
  EXPECT_EQ(noise_error(0.25, {1, 0.95, 1}), noise_error(1, {4, 0.95, 1}));
  double before = Double::infinity();
  for (const double epsilon : kEpsilons) {
    const double error = noise_error(epsilon, {17, 0.95, 1});
    EXPECT_LE(error, before);
    before = error;
  }
}

TEST(EpsilonForError, IsTheSmallestThatHolds) {
  for (const double error : {0.0, 0.005, 0.3, 0.99, 1.0, 2.5, 10.0, 123.456, 1e6, 1e17, 1e30}) {
    for (const double sensitivity : {1e-3, 0.5, 1.0, 17.0, 1e9}) {
      for (const double confidence : kConfidences) {
        for (const double step : {0.0, 1e-30, 1e-9, 0.01, 0.1, 1.0, 7.0}) {
          if (error == 0 && step == 0) continue;
          SCOPED_TRACE(testing::Message()
                       << error << " " << sensitivity << " " << confidence << " " << step);
          const NoiseQuestion question{sensitivity, confidence, step};
          const double epsilon = epsilon_for_error(error, question);
          ASSERT_GT(epsilon, 0);
          ASSERT_TRUE(std::isfinite(epsilon));
          EXPECT_LE(noise_error(epsilon, question), error);
          EXPECT_GT(noise_error(epsilon * (1 - 1e-6), question), error);
        }
      }
    }
  }
}

TEST(EpsilonForError, KnownValues) {
  EXPECT_DOUBLE_EQ(epsilon_for_error(10, {1, 0.5, 0}), std::log(2.0) / 10);
  // Pr[N = 0] = tanh(epsilon / 2)
  EXPECT_NEAR(epsilon_for_error(0, {1, 0.95, 1}), 2 * std::atanh(0.95), 1e-14);
  EXPECT_EQ(epsilon_for_error(0.7, {1, 0.95, 1}), epsilon_for_error(0, {1, 0.95, 1}));
  EXPECT_EQ(epsilon_for_error(3.9, {1, 0.95, 1}), epsilon_for_error(3, {1, 0.95, 1}));
  // three steps of 0.1 are within 0.3
  EXPECT_NEAR(epsilon_for_error(0.3, {0.1, 0.95, 0.1}), epsilon_for_error(3, {1, 0.95, 1}), 1e-14);
}

// What a double cannot hold is 0 or infinity; nothing is NaN, and nothing takes long.
TEST(NoiseError, ExtremeArguments) {
  EXPECT_EQ(noise_error(1e-300, {1e300, 0.95, 1}), Double::infinity());
  EXPECT_EQ(noise_error(1e300, {1e-300, 0.95, 1}), 0);
  EXPECT_EQ(noise_error(1e300, {1e-300, 0.95, 0}), 0);
  EXPECT_EQ(noise_error(1e300, {1e300, 0.95, 1e300}), 0);
  // epsilon * step and epsilon * step / sensitivity are below the smallest double
  EXPECT_DOUBLE_EQ(noise_error(1e-300, {1, 0.95, 1e-300}), -std::log1p(-0.95) * 1e300);
  EXPECT_EQ(noise_error(1e-300, {1e-300, 1 - 1e-16, 1}), 37);  // ln(2^53) = 36.7
  EXPECT_EQ(epsilon_for_error(1e-300, {1e300, 0.95, 0}), Double::infinity());
  EXPECT_EQ(epsilon_for_error(1e300, {1e-300, 0.95, 1}), Double::denorm_min());

  std::vector<double> range{Double::denorm_min(), 1e-310, 1e-300, 1e-20, 0.3, 1, 1e16, 1e300,
                            Double::max()};
  for (const double a : range) {
    for (const double sensitivity : range) {
      for (const double confidence :
           {Double::denorm_min(), 1e-300, 1e-17, 0.5, 1 - 1e-16, std::nextafter(1.0, 0.0)}) {
        for (const double step :
             {0.0, Double::denorm_min(), 1e-300, 1e-16, 1.0, 1e16, 1e300, Double::max()}) {
          SCOPED_TRACE(testing::Message()
                       << a << " " << sensitivity << " " << confidence << " " << step);
          const NoiseQuestion question{sensitivity, confidence, step};
          EXPECT_GE(noise_error(a, question), 0);
          const double epsilon = epsilon_for_error(a, question);
          EXPECT_GT(epsilon, 0);
          if (std::isfinite(epsilon)) {
            EXPECT_LE(noise_error(epsilon, question), a);
          } else {
            EXPECT_GT(noise_error(Double::max(), question), a);
          }
        }
      }
    }
  }
}

std::string message(const std::optional<Violation>& violation) {
  if (!violation) return "";
  EXPECT_FALSE(violation->out_of_range);
  return std::string(violation->argument) + " " + violation->rule;
}

TEST(NoiseQuestion, Rules) {
  const NoiseQuestion good{1, 0.95, 1};
  const double infinity = Double::infinity(), nan = Double::quiet_NaN();
  Spec count;
  count.statistic = Statistic::kCount;
  for (const double epsilon : {0.0, -0.0, -1.0, infinity, -infinity, nan}) {
    count.epsilon = epsilon;  // the same rule in the same words as for an aggregate
    EXPECT_EQ(message(find_violation_of_epsilon(epsilon, good)), message(find_violation(count)));
    EXPECT_NE(message(find_violation(count)), "");
  }
  for (const double error : {-1.0, infinity, -infinity, nan}) {
    EXPECT_EQ(message(find_violation_of_error(error, good)),
              "error must be a finite number not less than 0");
  }
  EXPECT_EQ(message(find_violation_of_error(0, {1, 0.95, 0})),
            "error must be greater than 0 if step is 0");

  const auto expect_rule = [](const NoiseQuestion& question, const std::string& rule) {
    EXPECT_EQ(message(find_violation_of_epsilon(1, question)), rule);
    EXPECT_EQ(message(find_violation_of_error(1, question)), rule);
  };
  for (const double bad : {-5e-324, -1.0, infinity, -infinity, nan}) {
    expect_rule({bad, 0.95, 1}, "sensitivity must be a finite number not less than 0");
    expect_rule({1, 0.95, bad}, "step must be a finite number not less than 0");
  }
  for (const double bad : {0.0, 1.0, -0.5, 95.0, infinity, nan}) {
    expect_rule({1, bad, 1}, "confidence must be greater than 0 and less than 1");
  }
  expect_rule(good, "");
  expect_rule({0, 5e-324, 0}, "");
  EXPECT_EQ(message(find_violation_of_error(0, good)), "");
}

}  // namespace
}  // namespace idp::test
