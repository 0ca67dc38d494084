// What groups of rows, and partitions of them, are made of: rows that agree on a key are of one
// unit.
#pragma once

#include "extension/query/unit_rows.h"

namespace idp {

// The columns that rows are told apart or ordered by, and the operators by which. A column may be
// unknown: null.
struct Keys {
  int count = 0;
  const ColumnFacts** columns = nullptr;
  const Oid* operators = nullptr;
  const Oid* collations = nullptr;
};

extern const Problem kMixedGroups;
extern const Problem kGroupFunction;
extern const Problem kUserAggregate;
extern const Problem kFirstOfPeers;
extern const Problem kAnyRow;
extern const Problem kAbsent;

// The rows of groups, before their columns are known. given: parameters that they depend on.
Rows groups_of(const UnitFacts& walk, const Rows& below, const Keys& keys, Bitmapset* given);

// The columns of the rows below, in the one that a group shows.
Rows shown_by_groups(UnitFacts& walk, const Rows& below, const Keys& keys);

// What is the matter with an aggregate of groups of rows; or null.
const Problem* problem_of_function(const Aggref* aggref, bool is_fixed);

// Whether an aggregate of fixed rows is the same in whatever order these come.
bool is_settled_in_groups(const UnitFacts& walk, const Aggref* aggref, const Inputs& below);

// Columns of some rows as equalities: by orderings, too.
List* equalities_by(const Keys& order);

// Whether the argument of an aggregate is one value in all rows of a unit.
bool is_one_value(const ColumnFacts& facts);

// --- windows ---

extern const Problem kMixedPartitions;
extern const Problem kWindowFunction;
extern const Problem kPeers;
extern const Problem kFrame;

struct Partition {
  bool any;      // whether each is of one unit
  bool of_unit;  // and all rows of the unit are in one
};
Partition partition_of(const Keys& parts);

// Whether frames end with peers: then an aggregate over one is the same for all of these.
bool frames_hold_peers(int frame_options);

// What window functions in an expression ask of the rows.
struct WindowFunctions {
  const Problem* problem;
  bool needs_order;
  bool frames_hold_peers;
  bool gives_any_form;  // whether one of them gives one of equal values
  Index window = 0;     // of which: 0 for any
};
void add_functions(Node* expression, WindowFunctions* functions);

// What a window function counts, where each partition is all rows of a unit.
ColumnFacts rank_of(const WindowFunc* call, const Keys& order);

}  // namespace idp
