// The table of statistics against the SQL of the first version: what it declares of each aggregate
// is what the row says.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/aggregate/statistic.h"

namespace idp::test {
namespace {

const StatisticRow* row_named(const std::string& name) {
  for (const StatisticRow& row : statistic_rows::kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string script() {
  std::ifstream file(IDP_SOURCE "/extension/sql/idp--0.1.0.sql");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The names in ", lower T, upper T, buckets integer", behind epsilon.
std::vector<std::string> names_in(const std::string& parameters) {
  std::vector<std::string> names{"epsilon"};
  const std::regex name(R"(, (\w+) )");
  for (std::sregex_iterator at(parameters.begin(), parameters.end(), name), end; at != end; ++at) {
    names.push_back((*at)[1]);
  }
  return names;
}

AnswerType result_of(const std::string& kind) {
  if (kind == "value") return AnswerType::kValue;
  if (kind == "count") return AnswerType::kCount;
  if (kind == "histogram") return AnswerType::kCounts;
  return kind == "sum" ? AnswerType::kSum : AnswerType::kMean;
}

Columns columns_of(const std::string& types) {
  if (types == "numbers") return Columns::kNumbers;
  return types == "ordered" ? Columns::kOrdered : Columns::kAny;
}

TEST(Statistic, RowsAreWhatTheScriptDeclares) {
  const std::string text = script();
  const std::regex line(R"(\('(i?dp_\w+)', '([^']*)', (\w+), '(\w+)', (true|false),)");
  const std::regex near_an_end("^idp_(min|max|kth)|^dp_max_global$");
  std::set<std::string> seen;
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
    const std::string name = (*at)[1], kind = (*at)[4];
    SCOPED_TRACE(name);
    seen.insert(name);
    const StatisticRow* row = row_named(name);
    ASSERT_TRUE(row);
    const auto names = names_in((*at)[2]);
    EXPECT_GE(names.size(), row->parameters.required);
    ASSERT_LE(names.size(), row->parameters.count);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(names[i], name_of(row->parameters.list[i]));
    }
    EXPECT_EQ(row->columns, columns_of((*at)[3]));
    EXPECT_EQ(row->answer, result_of(kind));
    EXPECT_EQ(row->groups, (*at)[5] == "true");
    const bool grows =
        !std::regex_search(name, near_an_end) && (kind == "value" || name == "dp_count_distinct");
    EXPECT_EQ(row->state_bytes(), grows ? 1024 : 256);
    EXPECT_EQ(row->guarantee,
              name.starts_with("idp_") ? Guarantee::kIndividual : Guarantee::kDifferential);
  }
  EXPECT_EQ(seen.size(), 27u);  // of the first version, less dp_count, which has no column
  const StatisticRow& count = row_of(Statistic::kCount);
  EXPECT_STREQ(count.name, "dp_count");
  EXPECT_EQ(count.columns, Columns::kNone);
}

TEST(Statistic, TransitionFunctionsDiffer) {
  std::set<std::string> stems;
  for (const StatisticRow& row : statistic_rows::kRows)
    EXPECT_TRUE(stems.insert(row.stem()).second);
}

// Aggregates that share a name differ in how many arguments they have, or the server cannot tell
// them apart.
TEST(Statistic, AggregatesOfOneNameDiffer) {
  std::set<std::pair<std::string, std::size_t>> seen;
  for (const StatisticRow& row : statistic_rows::kRows) {
    for (std::size_t n = row.parameters.required; n <= row.parameters.count + 1; ++n) {
      EXPECT_TRUE(seen.insert({row.name, n}).second) << row.name << ", " << n;
    }
  }
}

// What a damaged state says may be any byte.
TEST(Statistic, ANumberThatNoneHas) {
  for (int i = kStatistics; i < 256; ++i) {
    const StatisticRow& row = row_of(static_cast<Statistic>(i));
    EXPECT_EQ(row.statistic, Statistic::kNone);
    EXPECT_EQ(row.collects, Collects::kNothing);
  }
}

}  // namespace
}  // namespace idp::test
