// The plan of PrivateAnswers (extension/answers), as those read it who walk plans.
//
// The node stands where hidden rows end and answers begin: below it an aggregation draws the
// answers, above it everything is post-processing. Nothing passes it but the rows of the
// aggregation, all of them drawn before the first is given, in the order of their keys.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/extensible.h"
}

namespace idp {

// The methods by which a plan knows the node. answers/node.cpp fills them in.
extern CustomScanMethods answers_methods;

// Whether a node of a plan is ours.
bool is_answers(const Plan* plan);

// The aggregation below, which computes keys of groups, and answers, in columns of their own.
Plan* drawing_plan(const CustomScan* plan);

// How the rows are sorted where the aggregation hashes its groups: by all keys. Empty if there are
// none, or one has no order.
struct AnswerOrder {
  List* columns;      // int: of the aggregation, from 1
  List* operators;    // of Oid
  List* collations;   // of Oid
  List* nulls_first;  // int
};

// In custom_private: that order, the columns that decide whether a row is given at all, whether
// WHERE leaves one group at most, as it makes each key equal to a constant, and what is asked
// (query/level.h).
List* private_list(const AnswerOrder& order, List* deciding, bool has_one_group, List* level);
AnswerOrder order_of_answers(const CustomScan* plan);

// Columns (int) of dp_keep_group and of other answers that are true or false, which HAVING has as
// conditions of their own: where one is not true the row is gone before anything is done with it.
List* deciding_columns(const CustomScan* plan);

bool has_one_group(const CustomScan* plan);

const List* asking_level(const CustomScan* plan);

}  // namespace idp
