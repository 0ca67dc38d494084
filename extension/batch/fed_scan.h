// What is known of a scan that is read in batches (feed.h), and what it has in hand.
#pragma once

#include "extension/pg/pg.h"

#include "extension/batch/condition.h"
#include "extension/batch/group_cache.h"
#include "extension/batch/page.h"

extern "C" {
#include "executor/nodeAgg.h"
}

namespace idp {

// What is asked of each row: first what loops decide, then the rest, in their order.
struct Conditions {
  int count;
  Condition* of_loops;
  ExprState* rest;  // or null
};

// A value of each row: that of a column, or computed of the row.
struct RowValue {
  int place;         // of the column among those of the page; -1 if it is none
  ExprState* other;  // or null
  int16 length;      // likewise: of its type
  bool by_value;
};

// One of the aggregation's transitions.
struct FedTransition {
  AggStatePerTrans transition;
  bool is_ours;    // otherwise it counts rows, as count() does
  bool has_value;  // it takes one of each row, and leaves out NULL
  RowValue value;
  Conditions filter;  // FILTER
  int parameter_count;
  Datum* parameters;  // what it takes behind the value: constants
};

struct GroupKey {
  RowValue value;
  KeyForm form;
};

// What a feed has in hand while its scan is under way.
struct Hand {
  MemoryContext memory;    // where all of it lies
  MemoryContext computed;  // values of a batch, where these are computed
  int selected_count;
  std::uint16_t* selected;  // the rows of the page that fit the conditions
  int next;                 // which of them comes next
  std::uint16_t* chosen;    // those that fit a FILTER too
  Datum* values;
  AggStatePerGroup* group_of_row;
  AggStatePerGroup* groups;
  GroupCache cache;
  bool is_group_open;  // the aggregation has a row whose group has this key:
  bool is_key_null;    // or, of a single one, has none
  std::uint64_t key[kMostWords];
};

struct Feed {
  Feed* following;
  SeqScanState* scan;
  PlanState* between;  // the Append whose member the scan is; or null
  AggState* aggregation;
  ExecProcNodeMtd by_server;  // what the scan does otherwise
  PageRows* page;
  TupleTableSlot* slot;  // a row of the page, where something is computed of it
  Conditions conditions;
  int transition_count;
  FedTransition* transitions;
  int key_count;
  GroupKey* keys;
  int key_words;
  bool has_first;  // whether the first row was given
  Hand* hand;      // null: the scan is not under way
};

}  // namespace idp
