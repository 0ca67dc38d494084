// Prints the install script: idp.sql with what follows from the statistics
// (core/aggregate/statistic.h) in the places it names. Plain SQL, every object spelled out, so that
// a search for one finds it.
//
// Usage: install_script idp.sql > idp--VERSION.sql

#include <array>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/aggregate/spec.h"
#include "core/aggregate/statistic.h"

namespace {

using idp::AnswerType;
using idp::Parameter;
using idp::StatisticRow;
using idp::ValueType;
using idp::ValueTypeRow;

std::string concatenated(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

// --- final functions -----------------------------------------------------------------------------

// Of an answer over a column of that type.
std::string final_function(AnswerType answer, ValueType column) {
  switch (answer) {
    case AnswerType::kNone:
      break;
    case AnswerType::kValue:
      return concatenated({"idp.", row_of(column).name, "_final"});
    case AnswerType::kCount:
      return "idp.count_final";
    case AnswerType::kCounts:
      return "idp.histogram_final";
    case AnswerType::kDecision:
      return "idp.decision_final";
    case AnswerType::kSum:
    case AnswerType::kMean:
      return concatenated({"idp.moments_", row_of(type_of(answer, column)).name, "_final"});
  }
  throw std::logic_error("an aggregate has no answer");
}

void print_final_function(const StatisticRow& row, ValueType column, std::ostream& out) {
  const ValueTypeRow& type = row_of(type_of(row.answer, column));
  const char* symbol = "";
  std::string result = type.sql, what;
  switch (row.answer) {
    case AnswerType::kNone:
      return;
    case AnswerType::kValue:
      symbol = "idp_order_statistic_final";
      what =
          is_opaque(column)
              ? concatenated({"modes of ", type.name, ": counts the values and draws the answer"})
              : concatenated({"order statistics of ", type.name,
                              ": selects, measures the sensitivity and draws the answer"});
      break;
    case AnswerType::kCount:
      symbol = "idp_count_final";
      what = "counts: draws the noise";
      break;
    case AnswerType::kCounts:
      symbol = "idp_histogram_final";
      result += "[]";
      what = "histograms: draws the noise of every bucket";
      break;
    case AnswerType::kDecision:
      symbol = "idp_count_final";
      result = "boolean";
      what = "decisions: counts the rows and draws the answer";
      break;
    case AnswerType::kSum:
    case AnswerType::kMean:
      symbol = "idp_moments_final";
      what =
          concatenated({"sums, averages and variances that are ", type.name, ": draws the noise"});
      break;
  }
  const std::string name = final_function(row.answer, column);
  out << "CREATE FUNCTION " << name << "(idp_state) RETURNS " << result
      << "\n  AS 'MODULE_PATHNAME', '" << symbol
      << "' LANGUAGE C VOLATILE PARALLEL SAFE;\nCOMMENT ON FUNCTION " << name
      << "(idp_state) IS\n  'final function of the private " << what << "';\n\n";
}

// --- aggregates ----------------------------------------------------------------------------------

struct Argument {
  std::string name, type;
};
using Arguments = std::vector<Argument>;

std::string listed(const Arguments& arguments, bool with_names) {
  std::string list;
  for (const auto& [name, type] : arguments) {
    if (!list.empty()) list += ", ";
    list += with_names ? concatenated({name, " ", type}) : type;
  }
  return list;
}

// What a call lists: the column, so many parameters, and the name of a release if it has one.
struct Overload {
  const StatisticRow* row;
  ValueType column;
  std::size_t parameters;
  bool has_groups;
  bool is_named;
};

std::string type_of(Parameter parameter, const Overload& overload) {
  switch (parameter) {
    case Parameter::kEpsilon:
      return overload.has_groups ? "idp.epsilons" : "double precision";
    case Parameter::kFraction:
    case Parameter::kDelta:
      return "double precision";
    case Parameter::kK:
    case Parameter::kBuckets:
    case Parameter::kGamma:
      return "bigint";
    case Parameter::kLower:
    case Parameter::kUpper:
      return row_of(overload.column).sql;
    case Parameter::kDomain:
      return concatenated({row_of(overload.column).sql, "[]"});
  }
  throw std::logic_error("a parameter has no type");
}

Arguments arguments_of(const Overload& overload) {
  Arguments arguments;
  if (overload.column != ValueType::kNone) {
    arguments.push_back({"x", row_of(overload.column).sql});
  }
  for (std::size_t i = 0; i < overload.parameters; ++i) {
    const Parameter parameter = overload.row->parameters.list[i];
    const bool is_several = parameter == Parameter::kEpsilon && overload.has_groups;
    arguments.push_back(
        {is_several ? "epsilons" : idp::name_of(parameter), type_of(parameter, overload)});
  }
  if (overload.is_named) arguments.push_back({"release", "text"});
  return arguments;
}

// gamma stands for its default where it is not asked for.
std::string description_of(const Overload& overload) {
  const StatisticRow& row = *overload.row;
  if (overload.is_named) {
    return row.is_additive()
               ? "the same as a named release: repeated, refined or tightened when it is asked for "
                 "again"
               : "always refused, saying why: answers of this mechanism cannot be refined";
  }
  std::string text = row.description;
  if (overload.has_groups) text += "; epsilons[i] protects groups of i records";
  if (!row.has(Parameter::kGamma)) return text;
  const std::string_view gamma = idp::name_of(Parameter::kGamma);
  const std::size_t at = text.find(gamma);
  if (at == std::string::npos) throw std::logic_error("a description does not name gamma");
  if (overload.parameters == row.parameters.count) return text += ", gamma 2, 3 or 4";
  const std::string_view around = text;
  return concatenated(
      {around.substr(0, at), std::to_string(idp::kDefaultGamma), around.substr(at + gamma.size())});
}

std::string transition_of(const StatisticRow& row, bool is_refused) {
  return concatenated({row.stem(), is_refused ? "_refused" : "_accum"});
}

void print_transition(const StatisticRow& row, const Arguments& arguments, const char* comment,
                      std::ostream& out) {
  const std::string name = transition_of(row, false);
  out << "CREATE FUNCTION idp." << name << "(state idp_state, " << listed(arguments, true)
      << ") RETURNS idp_state\n  AS 'MODULE_PATHNAME', '" << name
      << "' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;\nCOMMENT ON FUNCTION idp." << name
      << "(idp_state, " << listed(arguments, false) << ") IS\n  'transition function of " << comment
      << "';\n";
}

// Aggregates that refuse the name of a release have one transition function for all their types.
void print_refusals(const StatisticRow& row, std::ostream& out) {
  if (row.is_additive()) return;
  const std::string name = transition_of(row, true);
  for (std::size_t parameters = row.parameters.required; parameters <= row.parameters.count;
       ++parameters) {
    Arguments arguments;
    if (row.columns != idp::Columns::kNone) arguments.push_back({"x", "\"any\""});
    for (std::size_t i = 0; i < parameters; ++i) {
      arguments.push_back({idp::name_of(row.parameters.list[i]), "\"any\""});
    }
    arguments.push_back({"release", "text"});
    out << "CREATE FUNCTION idp." << name << "(state idp_state, " << listed(arguments, true)
        << ") RETURNS idp_state\n  AS 'MODULE_PATHNAME', '" << name
        << "' LANGUAGE C IMMUTABLE PARALLEL SAFE;\nCOMMENT ON FUNCTION idp." << name
        << "(idp_state, " << listed(arguments, false) << ") IS\n  'transition function of "
        << row.name << " with the name of a release, which is refused';\n\n";
  }
}

// Until 0.2.0 epsilons were an array, and numbers of things integers. Who collects states has
// aggregates of their own with these types, which a dump makes again by name.
void print_old_transition(const Overload& overload, std::ostream& out) {
  Arguments arguments = arguments_of(overload);
  bool is_other = false;
  for (auto& [name, type] : arguments) {
    if (name == "epsilons") {
      type = "double precision[]";
    } else if (name == "k" || name == "buckets" || name == "gamma") {
      type = "integer";
    } else {
      continue;
    }
    is_other = true;
  }
  if (!is_other || overload.is_named) return;
  print_transition(*overload.row, arguments, "aggregates made before 0.3.0", out);
}

void print_aggregate(const Overload& overload, std::ostream& out) {
  const StatisticRow& row = *overload.row;
  const Arguments arguments = arguments_of(overload);
  const bool is_refused = overload.is_named && !row.is_additive();
  if (!is_refused) print_transition(row, arguments, row.name, out);
  print_old_transition(overload, out);
  out << "CREATE AGGREGATE " << row.name << "(" << listed(arguments, true) << ") (\n  SFUNC = idp."
      << transition_of(row, is_refused) << ", STYPE = idp_state, SSPACE = " << row.state_bytes()
      << ", INITCOND = 'empty'," << (overload.is_named ? "" : " COMBINEFUNC = idp.combine,")
      << "\n  FINALFUNC = " << final_function(row.answer, overload.column)
      << ", FINALFUNC_MODIFY = READ_WRITE, PARALLEL = "
      << (overload.is_named ? "RESTRICTED" : "SAFE") << ");\nCOMMENT ON AGGREGATE " << row.name
      << "(" << listed(arguments, false) << ") IS\n  '" << description_of(overload) << "';\n\n";
}

// Every overload: with epsilon or, where groups can be protected, epsilons; with the parameters
// that may be left out or without; with a release name or without.
void print_overloads(const StatisticRow& row, ValueType column, std::ostream& out) {
  const auto& [required, count, list] = row.parameters;
  for (const bool has_groups : {false, true}) {
    if (has_groups && !row.groups) continue;
    for (std::size_t parameters = required; parameters <= count; ++parameters) {
      for (const bool is_named : {false, true}) {
        print_aggregate({&row, column, parameters, has_groups, is_named}, out);
      }
    }
  }
}

// --- the script ----------------------------------------------------------------------------------

// Calls use with each statistic and each type of column it takes, kNone if it takes none.
template <class Use>
void for_each_column(Use use) {
  for (const StatisticRow& row : idp::statistic_rows::kRows) {
    if (row.statistic == idp::Statistic::kNone) continue;
    for (const ValueTypeRow& type : idp::value_type_rows::kRows) {
      if (takes(row.columns, type.type)) use(row, type.type);
    }
  }
}

void print_final_functions(std::ostream& out) {
  std::set<std::string> printed;
  for_each_column([&](const StatisticRow& row, ValueType column) {
    if (printed.insert(final_function(row.answer, column)).second) {
      print_final_function(row, column, out);
    }
  });
}

void print_aggregates(std::ostream& out) {
  for (const StatisticRow& row : idp::statistic_rows::kRows) {
    if (row.statistic != idp::Statistic::kNone) print_refusals(row, out);
  }
  for_each_column(
      [&](const StatisticRow& row, ValueType column) { print_overloads(row, column, out); });
}

void print_script(std::istream& in, std::ostream& out) {
  out << "-- Printed by extension/sql/generate/install_script.cpp (make install-script): not to be "
         "changed by hand.\n";
  for (std::string line; std::getline(in, line);) {
    if (line == "-- [final functions]") {
      print_final_functions(out);
    } else if (line == "-- [aggregates]") {
      print_aggregates(out);
    } else {
      out << line << '\n';
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 2) throw std::runtime_error("usage: install_script idp.sql");
    std::ifstream in(arguments[1]);
    if (!in) throw std::runtime_error(concatenated({"cannot read ", arguments[1]}));
    print_script(in, std::cout);
    std::cout.flush();
    if (!std::cout) throw std::runtime_error("cannot write the script");
  } catch (const std::exception& error) {
    std::cerr << "install_script: " << error.what() << '\n';
    return 1;
  }
}
