#include "extension/pg/query_copies.h"

#include <limits>

#include "extension/pg/nodes.h"

namespace idp {

namespace {

// In nodes of queries. A list of 100 rows takes 12 000 for a small subquery, or 65 000 where it
// stands in the query that is copied; lists of ten within one another 40 000. 160 000 are planned
// in some seconds. Long statements have more room, as what is copied of their parts adds up.
constexpr int64 kRoom = 75'000;
constexpr int64 kRoomOfNode = 100;
constexpr int64 kMostRoom = 500'000;
constexpr int64 kCopiesOfAny = 5;

// Outside of planning nothing is copied but for a while.
CopyRoom room{std::numeric_limits<int64>::max()};

bool count_nodes(Node* node, void* count) {
  if (node == nullptr) return false;
  ++*static_cast<int64*>(count);
  if (!IsA(node, Query)) return walk_expression(node, count_nodes, count);
  auto* query = as<Query>(node);
  *static_cast<int64*>(count) += list_length(query->rtable);
  return walk_query(query, count_nodes, count);
}

int64 nodes_within(const Query* query) {
  int64 count = 0;
  (void)count_nodes(as<Node>(const_cast<Query*>(query)), &count);
  return count;
}

bool count_entries(Node* node, void* count) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, count_entries, count);
  auto* query = as<Query>(node);
  *static_cast<int64*>(count) += list_length(query->rtable);
  return walk_query(query, count_entries, count);
}

}  // namespace

int64 entries_within(const Query* query) {
  int64 count = 0;
  (void)count_entries(as<Node>(const_cast<Query*>(query)), &count);
  return count;
}

CopyRoom room_for_copies() { return room; }

void begin_copies(Query* statement) {
  const int64 nodes = nodes_within(statement);
  room.nodes = Max(Min(kRoom + kRoomOfNode * nodes, kMostRoom), kCopiesOfAny * nodes);
}

void end_copies(CopyRoom outer) { room = outer; }

Query* copy_of(const Query* query) {
  room.nodes -= nodes_within(query);
  if (room.nodes < 0) {
    ereport(ERROR,
            (errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
             errmsg("this statement would be answered in too many parts"),
             errdetail("Subqueries are answered for each row of a list, and for each place that "
                       "reads them. Long lists, and lists within lists, multiply them."),
             errhint("Ask in several statements, or for shorter lists.")));
  }
  return static_cast<Query*>(copyObjectImpl(query));
}

}  // namespace idp
