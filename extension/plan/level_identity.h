// What the text of a question does not tell of its level, but of its conditions: tables and
// subqueries, joins, and how groups are told apart.
//
// Parameters count by value: WHERE status = $1, in a subquery too, is the question WHERE status =
// 'paid' where that is given. So do current_user, settings and the time in ON, in policies and in
// keys. So what is told of a level with these is written into the plan, and identified when it is
// executed (whole_question.cpp).
#pragma once

#include "extension/pg/pg.h"

namespace idp {

struct LevelIdentity {
  const char* digest;  // empty if it is not known
  List* meanings;      // of columns of subqueries
};
inline constexpr LevelIdentity kUnknownLevel{"", nullptr};

// The parts of a query that count.
Query* told_of_level(const Query* query);

// keys, subqueries: as they are recorded (recorded_question.h).
bool has_parameters(Query* told, List* keys);
// Whether conditions of its joins, policies or keys hang on the session (identity.h). WHERE is told
// by itself.
bool follows_session(const Query* told, List* keys);
LevelIdentity identity_of_level(const Query* told, List* keys, List* subqueries);

}  // namespace idp
