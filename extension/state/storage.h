// Where states keep their values, on the server's terms: memory up to work_mem (times
// hash_mem_multiplier, as hash tables of the server), then temporary files, which count against
// temp_file_limit and show in log_temp_files and pg_stat_database.
//
// A large state that a process of a parallel query hands to the leader leaves its values in a
// temporary file that the leader reads: what travels is the splitters and counts
// (core/select/divide.h). That file outlives a worker, and is deleted when the leader's query
// ends, however it ends. Copying the values through the server's queues instead would cost several
// times as much, all of it where the processes wait for one of them.
#pragma once

#include "extension/pg/pg.h"

#include "core/select/storage.h"

namespace idp {

// The storage of all states of one Agg node. It lives as long as the node's query.
class NodeStorage final : public Storage {
 public:
  NodeStorage(struct Spills* spills, const AggState* node, bool travels);

  std::size_t limit() const override { return limit_; }
  bool has_room(std::size_t bytes) const override { return taken_ + bytes <= limit_; }
  void take(std::size_t bytes) override { taken_ += bytes; }
  void give_back(std::size_t bytes) override;
  bool prefers_file() const override { return travels_; }
  // Both may throw ServerError and std::bad_alloc: for use inside guarded().
  RunFile& file() override;
  void* scratch(std::size_t bytes) override;

  // Whether the states are those of one process of several, on their way to the combining half of
  // their aggregate.
  bool travels() const { return travels_; }

  const AggState* node() const { return node_; }
  NodeStorage* following = nullptr;

 private:
  Spills* spills_;
  const AggState* node_;
  std::size_t limit_;
  std::size_t taken_ = 0;
  bool travels_;
};

// The storage of a node; null if it has none yet.
NodeStorage* find_storage(const AggState* node);
// travels: whether its states go to another process, where only our combine function sees them.
NodeStorage* make_storage(const AggState* node, bool travels);

// A file that travelled: how the leader finds it. Plain bytes.
struct TravellingFile {
  std::int64_t end;  // how many bytes are there
  char set[80];      // the server's struct
  char name[48];     // in it
};

// In a worker: completes the file of its states' values, and says where it is.
TravellingFile finish_travelling_file(const NodeStorage* storage);
// In the leader: opens such a file, until the query ends.
RunFile* open_travelling_file(const NodeStorage* storage, const TravellingFile& file);

// Called by the leader before its query starts workers that may leave such files.
void expect_travelling_files(EState* estate);

}  // namespace idp
