// A private median of one column of a CSV file, and a count of its rows that is refined.
#include <fstream>
#include <iostream>
#include <string>

#include <idp/accounting/composition.h>
#include <idp/aggregate/aggregate.h>
#include <idp/gradual/refined_answer.h>
#include <idp/random/system_bits.h>

int main(int, char** arguments) {
  using namespace idp;
  Aggregate median({.statistic = Statistic::kMedian, .grid = {ValueType::kFloat64}, .epsilon = 1});
  Aggregate count({.statistic = Statistic::kCount, .epsilon = 0.1});

  std::ifstream file(arguments[1]);
  std::string line;
  std::getline(file, line);  // the head: name,salary
  while (std::getline(file, line)) {
    median.add(std::stod(line.substr(line.find(',') + 1)));
    count.add();
  }

  // Nobody learns whether a row is in the file: epsilon 2 for all answers together.
  using Pure = PureEpsilon;
  Budget<Pure> budget(Neighbours::kAddRemove, Pure::of(2));
  if (!budget.charge(Pure::of(1))) return 1;
  const Answer middle = median.answer(system_bits());
  std::cout << "median " << from_ordered_bits(std::get<Key64>(middle)) << '\n';

  RefinedAnswer rows(count.spec(), count.freeze(system_bits()));
  mpq_class so_far = Pure::none();
  for (const double epsilon : {0.1, 1.0}) {  // at first roughly, then for what is left
    if (!budget.refine(so_far, Pure::of(epsilon))) return 1;
    so_far = Pure::of(epsilon);
    std::cout << "rows at epsilon " << epsilon << ": "
              << std::get<Key64>(rows.at(epsilon, system_bits())) << '\n';
  }
  std::cout << "spent " << budget.spent() << " of " << budget.total() << '\n';
}
