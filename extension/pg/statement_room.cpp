#include "extension/pg/statement_room.h"

#include <limits>

#include "extension/pg/nodes.h"

extern "C" {
#include "miscadmin.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// In nodes of queries. A list of 100 rows takes 12 000 for a small subquery, or 65 000 where it
// stands in the query that is copied; lists of ten within one another 40 000. 160 000 are planned
// in some seconds. Long statements have more room, as what is copied of their parts adds up.
constexpr int64 kRoom = 75'000;
constexpr int64 kRoomOfNode = 100;
constexpr int64 kMostRoom = 500'000;
constexpr int64 kCopiesOfAny = 5;

// A step takes less than a microsecond, and statements of tools some thousands.
constexpr int64 kSteps = 3'000'000;
constexpr int64 kStepsOfNode = 1'000;

// Where no statement has begun nothing is copied but for a while.
StatementRoom room{std::numeric_limits<int64>::max(), std::numeric_limits<int64>::max()};

[[noreturn]] void refuse(const char* detail) {
  ereport(ERROR,
          (errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
           errmsg("this statement would be answered in too many parts"), errdetail("%s", detail),
           errhint("Ask in several statements, or for shorter lists.")));
  pg_unreachable();
}

struct Size {
  int64 nodes = 0;
  int64 entries = 0;  // of range tables
};

bool add_size(Node* node, void* size) {
  if (node == nullptr) return false;
  auto* sum = static_cast<Size*>(size);
  ++sum->nodes;
  if (!IsA(node, Query)) return walk_expression(node, add_size, size);
  auto* query = as<Query>(node);
  sum->entries += list_length(query->rtable);
  return walk_query(query, add_size, size);
}

Size size_of(const Query* query) {
  Size size;
  (void)add_size(as<Node>(const_cast<Query*>(query)), &size);
  return size;
}

}  // namespace

int64 nodes_within(const Query* query) {
  const Size size = size_of(query);
  return size.nodes + size.entries;
}

int64 entries_within(const Query* query) { return size_of(query).entries; }

StatementRoom room_of_statement() { return room; }

void begin_room(Query* statement) {
  const int64 nodes = statement == nullptr ? 0 : nodes_within(statement);
  room.nodes = Max(Min(kRoom + kRoomOfNode * nodes, kMostRoom), kCopiesOfAny * nodes);
  room.steps = kSteps + kStepsOfNode * nodes;
}

void end_room(StatementRoom outer) { room = outer; }

void take_room(int64 nodes) {
  room.nodes -= nodes;
  if (room.nodes < 0) {
    refuse(
        "Subqueries are answered for each row of a list, and for each place that reads them. Long "
        "lists, and lists within lists, multiply them.");
  }
}

Query* copy_of(const Query* query) {
  take_room(nodes_within(query));
  return static_cast<Query*>(copyObjectImpl(query));
}

void take_step() {
  CHECK_FOR_INTERRUPTS();
  if (--room.steps >= 0) return;
  refuse(
      "Its columns come from one another in more ways than can be followed, by subqueries that "
      "read others several times.");
}

TargetEntry* column_shown(const List* targets, AttrNumber number) {
  take_step();
  return get_tle_by_resno(const_cast<List*>(targets), number);
}

}  // namespace idp
