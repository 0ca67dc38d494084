// Partition-wise aggregation: one node per partition computes answers for groups of its own, from
// rows of its own. Together they cost what one of them costs.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"

namespace idp {

// The calls of one child of a partition-wise plan: those that are charged, and the tables all read.
struct Partition {
  List* charged = NIL;
  List* relations = NIL;
  bool grouped = true;
};

class PartitionWise {
 public:
  // of_worker: as in sources_of().
  explicit PartitionWise(bool of_worker) : of_worker_(of_worker) {}

  // The calls of one more child of an Append: those of the list from that one on.
  void add(List* calls, int from);

 private:
  bool of_worker_;
  Partition model_;
};

}  // namespace idp
