// How a question lies in a plan. Everything is made of nodes of the server, which copies plans and
// sends them to workers: the query's range table gets one more entry, of no table and without
// columns, whose alias has this list (recorded_node.h), and the calls carry its number in place of
// their position in the text of the query, which nobody reads any more.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The list. A level is what can be written in terms of one range table: items in the order of SQL,
// each a String, an expression, or a List, which is a level within, or one condition alone. A
// subquery of an expression is a parameter there, and told apart.
namespace recorded {
// of a question
enum {
  kLevel,
  kConditions,
  kOnlyTable,
  kCalls,
  kKeys,
  kUsed,
  kIdentity,
  kMoments,
  kMeanings,
  kIsKnown,
  kIsWithoutSettings,
  kToFillIn  // where parameters, or values of the session, matter, in place of identity and
             // meanings: a query (level_identity.h)
};
// of a level
enum { kTables, kNames, kItems, kSubqueries };
// of a subquery: its number, what is done with it, an expression or null, a level, and what tells
// its value from others: a digest, empty if that is not known
enum { kNumber, kWords, kTest, kBody, kDigest };
// of a call
enum { kCallNumber, kFilter, kColumn, kDistinct };
// of a key of GROUP BY
enum { kKeyReference, kKey };
// of what is used: whether all columns are known, and the names of these of the only table
enum { kAllKnown, kUsedColumns };
}  // namespace recorded

// The parameters that stand for subqueries have numbers from here on, all of ten digits.
inline constexpr int kFirstSubquery = 2000000000;

}  // namespace idp
