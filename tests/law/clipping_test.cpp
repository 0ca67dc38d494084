// The law of the scan that finds bounds.
#include <gtest/gtest.h>

#include "core/mechanism/draws/first_sparse.h"
#include "tests/support/layers.h"
#include "tests/support/scan_law.h"

namespace idp::test {
namespace {

// What the law of draw(counts, limit, of_limit, of_counts, source) differs in.
template <class Draw>
std::string judge(const Counts& counts, long limit, const Rates& rates, Draw draw) {
  const auto rate = [](Real r) {
    return Rate{mpq_class(static_cast<double>(r)).get_num(),
                mpq_class(static_cast<double>(r)).get_den()};
  };
  const Rate of_limit = rate(rates.of_limit), of_counts = rate(rates.of_counts);
  const auto law = walk<Exact<kGeometrics>>([&](Exact<kGeometrics>& source) {
    return draw(counts, mpz_class(limit), of_limit, of_counts, source);
  });
  const std::vector<Real> exact = scan_law(counts, limit, rates);
  const mpq_class slack(1, 1000000000000);  // of long double
  return law.differs([&](std::size_t j) {
    const mpq_class p(static_cast<double>(exact.at(j)));
    return Mass::between(Mass(mpq_class(p - slack)), Mass(mpq_class(p + slack)));
  });
}

const auto library = [](const Counts& counts, const mpz_class& limit, const Rate& of_limit,
                        const Rate& of_counts, auto& source) {
  return draws::first_sparse(std::span<const std::int64_t>(counts), limit, of_limit, of_counts,
                             source);
};

TEST(LawOfTheScan, IsThatOfItsDefinition) {
  EXPECT_EQ(judge({1, 0}, 0, {3, 2}, library), "");
  EXPECT_EQ(judge({2, 1, 0}, 1, {2, 4}, library), "");
  EXPECT_EQ(judge({3}, 0, {1, 1}, library), "");
}

TEST(LawOfTheScan, MutantsDiffer) {
  // the rates the other way round; a count that equals the limit passes; no noise on the limit
  const auto swapped = [](const Counts& counts, const mpz_class& limit, const Rate& of_limit,
                          const Rate& of_counts, auto& source) {
    return library(counts, limit, of_counts, of_limit, source);
  };
  const auto strict = [](const Counts& counts, const mpz_class& limit, const Rate& of_limit,
                         const Rate& of_counts, auto& source) {
    return library(counts, limit - 1, of_limit, of_counts, source);
  };
  EXPECT_NE(judge({2, 1, 0}, 1, {2, 4}, swapped), "");
  EXPECT_NE(judge({1, 0}, 0, {3, 2}, strict), "");
  EXPECT_NE(judge({1, 0}, 0, {0, 2},
                  [](const Counts& counts, const mpz_class& limit, const Rate&,
                     const Rate& of_counts, auto& source) {
                    return library(counts, limit, Rate{3, 1}, of_counts, source);
                  }),
            "");
}

}  // namespace
}  // namespace idp::test
