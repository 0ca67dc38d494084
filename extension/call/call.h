// One aggregate call of a query: which statistic, over a column of which type, with which
// arguments.
//
// Arguments other than the column must be the same for all rows of the call and known before the
// first: constants, parameters of the query, or expressions of these. They are evaluated once, when
// the executor starts, before any row is read (plan/bind.h).
#pragma once

#include "extension/pg/pg.h"

#include <span>

#include "extension/state/request.h"
#include "extension/types/types.h"

namespace idp {

struct Call {
  Statistic statistic = Statistic::kNone;
  Column column;                  // grid type kNone if the statistic has no column
  int column_arguments = 0;       // 1 if the first SQL argument is the column, else 0
  int parameters = 0;             // how many SQL arguments follow
  bool several_epsilons = false;  // whether the first of them is an array
  bool short_integer = false;     // whether k, buckets or gamma comes as an integer, not a bigint
  bool named = false;             // whether the name of a release comes after them
};

// The call that a transition function of the statistic serves. types: of its SQL arguments, the
// column among them; typmod: of the column, -1 if it has none. Nothing else of the query is needed.
Call describe_call(Statistic statistic, Oid transition_function, std::span<const Oid> types,
                   int32 typmod);

// Whether the last argument of a transition function is the name of a release.
bool is_named(Oid transition_function);

// Whether an aggregate is one of these, with the name of a release as its last argument.
bool is_named_call(Oid aggregate);

// Reads the parameters. values: the arguments after the column, in SQL order. Reports an error if
// one of them breaks its rule; the message names the argument, never a value.
Request read_request(const Call& call, const NullableDatum* values);

// The values of a call's public domain, in its order, and their keys, narrow ones widened. Memory
// is that of the current context.
struct ListedDomain {
  std::size_t count;
  Datum* values;
  Key128* keys;
  int16 length;
  bool by_value;
  char alignment;
};
inline constexpr int kMostListed = 100000;
ListedDomain read_domain(const Call& call, Datum value);

// The parameters of a call: the SQL arguments after the column.
inline constexpr int kMaxParameters = ParameterList::kMost;
inline constexpr int kMaxArguments = kMaxParameters + 2;  // with the column and the release
const char* parameter_name(const Call& call, int position);

}  // namespace idp
