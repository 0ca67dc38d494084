#include "extension/storage.h"

#include <cmath>
#include <new>
#include <type_traits>

#include "extension/guard.h"
#include "extension/memory.h"

extern "C" {
#include "commands/tablespace.h"
#include "executor/instrument.h"
#include "storage/buffile.h"
#include "storage/proc.h"
#if PG_VERSION_NUM >= 150000
#include "storage/fileset.h"
#else
#include "storage/sharedfileset.h"
#endif
#include "access/parallel.h"
#include "access/xact.h"
}

namespace idp {

namespace {

// Up to PostgreSQL 14 only shared file sets can be opened by name.
#if PG_VERSION_NUM >= 150000
using ServerFileSet = FileSet;
BufFile* create_in(ServerFileSet* set, const char* name) { return BufFileCreateFileSet(set, name); }
BufFile* open_in(ServerFileSet* set, const char* name) {
  return BufFileOpenFileSet(set, name, O_RDONLY, false);
}
void delete_all(ServerFileSet* set) { FileSetDeleteAll(set); }
#else
using ServerFileSet = SharedFileSet;
BufFile* create_in(ServerFileSet* set, const char* name) { return BufFileCreateShared(set, name); }
BufFile* open_in(ServerFileSet* set, const char* name) {
  return BufFileOpenShared(set, name, O_RDONLY);
}
void delete_all(ServerFileSet* set) { SharedFileSetDeleteAll(set); }
#endif
static_assert(sizeof(ServerFileSet) <= sizeof(TravellingFile::set));
static_assert(std::is_trivially_copyable_v<TravellingFile>);

// One file set serves all queries of a leader. The server numbers its own from 0 and wraps around
// at 2^31, so this number is nobody else's.
constexpr uint32 kSetNumber = uint32{1} << 31;

// Needs catalog access, so it is not for cleaning up.
ServerFileSet file_set_of(pid_t leader) {
  ServerFileSet set;
  memset(&set, 0, sizeof set);
  set.creator_pid = leader;
  set.number = kSetNumber;
  PrepareTempTablespaces();
  set.ntablespaces = GetTempTablespaces(set.tablespaces, lengthof(set.tablespaces));
  if (set.ntablespaces == 0) {
    set.tablespaces[0] = MyDatabaseTableSpace;
    set.ntablespaces = 1;
  }
  for (int i = 0; i < set.ntablespaces; ++i) {
    if (!OidIsValid(set.tablespaces[i])) set.tablespaces[i] = MyDatabaseTableSpace;
  }
  return set;
}

// A BufFile as bytes from one end to the other. Calls of the server that may fail are made through
// call_server(): core code is between us and the border.
class TempFile final : public RunFile {
 public:
  // Of one's own, deleted by the server when it is closed.
  TempFile() : file_(BufFileCreateTemp(false)) {}
  // One that is opened.
  explicit TempFile(BufFile* file) : file_(file) {}
  // One for others to open.
  TempFile(ServerFileSet* set, const char* name) : file_(create_in(set, name)) {
    // With the first block behind it, going back to 0 makes BufFile write out what it holds.
    static char block[BLCKSZ];
    BufFileWrite(file_, block, BLCKSZ);
    end_ = BLCKSZ;
  }

  std::int64_t append(const void* bytes, std::size_t size) override {
    const std::int64_t begin = end_;
    call_server([&] {
      if (!at_end_) seek(end_);
      BufFileWrite(file_, const_cast<void*>(bytes), size);
    });
    at_end_ = true;
    end_ += static_cast<std::int64_t>(size);
    return begin;
  }

  void read(std::int64_t at, void* bytes, std::size_t size) override {
    at_end_ = false;
    call_server([&] {
      seek(at);
      if (BufFileRead(file_, bytes, size) != size) {
        ereport(ERROR, (errcode(ERRCODE_IO_ERROR),
                        errmsg("could not read from a temporary file of idp: it ended early")));
      }
    });
  }

  void flush() {
    seek(0);
    at_end_ = false;
  }
  void close() {
    if (file_ != nullptr) BufFileClose(file_);
    file_ = nullptr;
  }

 private:
  void seek(std::int64_t at) {
    if (BufFileSeek(file_, 0, static_cast<off_t>(at), SEEK_SET) != 0) {
      ereport(ERROR,
              (errcode(ERRCODE_IO_ERROR), errmsg("could not seek in a temporary file of idp")));
    }
  }

  BufFile* file_;
  std::int64_t end_ = 0;
  bool at_end_ = true;
};

struct OpenedFile {
  OpenedFile* following;
  TravellingFile name;
  TempFile file;
};

}  // namespace

// What the nodes of one running query share. Lives in the query's memory context.
struct Spills {
  EState* estate;
  Spills* following;
  NodeStorage* nodes;
  TempFile* own;
  TempFile* travelling;
  TravellingFile travelling_name;
  OpenedFile* opened;  // those of others, in the leader
  bool expects_files;
  void* scratch;
  std::size_t scratch_bytes;
};

namespace {

Spills* all_spills = nullptr;

// The queries of this process whose workers may leave files, and where.
int expecting = 0;
ServerFileSet expected_in;

// The query's memory context goes away: its files are closed, or the server has dropped them.
void forget(void* argument) {
  auto* spills = static_cast<Spills*>(argument);
  for (Spills** link = &all_spills; *link != nullptr; link = &(*link)->following) {
    if (*link == spills) {
      *link = spills->following;
      break;
    }
  }
  if (spills->expects_files && --expecting == 0) delete_all(&expected_in);
}

Spills* find_spills(const EState* estate) {
  Spills* spills = all_spills;
  while (spills != nullptr && spills->estate != estate) spills = spills->following;
  return spills;
}

Spills* spills_of(EState* estate) {
  if (Spills* spills = find_spills(estate)) return spills;
  auto* spills = static_cast<Spills*>(MemoryContextAllocZero(estate->es_query_cxt, sizeof(Spills)));
  auto* callback = static_cast<MemoryContextCallback*>(
      MemoryContextAllocZero(estate->es_query_cxt, sizeof(MemoryContextCallback)));
  callback->func = forget;
  callback->arg = spills;
  spills->estate = estate;
  MemoryContextRegisterResetCallback(estate->es_query_cxt, callback);
  spills->following = all_spills;
  all_spills = spills;
  return spills;
}

// Makes an object in the query's memory context. The server may report an error.
template <class Object, class... Arguments>
Object* make(const Spills* spills, Arguments... arguments) {
  MemoryContext before = MemoryContextSwitchTo(spills->estate->es_query_cxt);
  auto* object = new (palloc(sizeof(Object))) Object(arguments...);
  MemoryContextSwitchTo(before);
  return object;
}

void create_travelling_file(Spills* spills) {
  static uint32 created = 0;
  TravellingFile name;
  memset(&name, 0, sizeof name);
  if (!IsParallelWorker()) expect_travelling_files(spills->estate);
  const PGPROC* leader = MyProc->lockGroupLeader;
  ServerFileSet set = file_set_of(leader == nullptr ? MyProcPid : leader->pid);
  memcpy(name.set, &set, sizeof set);
  snprintf(name.name, sizeof name.name, "idp.%d.%u", MyProcPid, created++);
  spills->travelling = make<TempFile>(spills, &set, static_cast<const char*>(name.name));
  spills->travelling_name = name;
}

std::size_t memory_limit() {
  // Three quarters of what a hash table may take: the rest is for splitters and for working.
  const double bytes = 0.75 * 1024 * static_cast<double>(work_mem) * hash_mem_multiplier;
  return static_cast<std::size_t>(std::fmin(bytes, 1e15));
}

}  // namespace

NodeStorage::NodeStorage(Spills* spills, const AggState* node)
    : spills_(spills),
      node_(node),
      limit_(memory_limit()),
      travels_(DO_AGGSPLIT_SKIPFINAL(node->aggsplit) && IsInParallelMode()) {}

RunFile& NodeStorage::file() {
  TempFile*& file = travels_ ? spills_->travelling : spills_->own;
  if (file == nullptr) {
    call_server([&] {
      if (travels_) {
        create_travelling_file(spills_);
      } else {
        file = make<TempFile>(spills_);
      }
    });
  }
  return *file;
}

void* NodeStorage::scratch(std::size_t bytes) {
  if (bytes > spills_->scratch_bytes) {
    ContextResource memory(spills_->estate->es_query_cxt);
    void* larger = memory.allocate(bytes, MAXIMUM_ALIGNOF);
    if (spills_->scratch != nullptr) pfree(spills_->scratch);
    spills_->scratch = larger;
    spills_->scratch_bytes = bytes;
  }
  return spills_->scratch;
}

NodeStorage* node_storage(FunctionCallInfo fcinfo) {
  auto* node = reinterpret_cast<AggState*>(fcinfo->context);
  Spills* spills = spills_of(node->ss.ps.state);
  NodeStorage* storage = spills->nodes;
  while (storage != nullptr && storage->node() != node) storage = storage->following;
  if (storage == nullptr) {
    storage = make<NodeStorage>(spills, spills, static_cast<const AggState*>(node));
    storage->following = spills->nodes;
    spills->nodes = storage;
  }
  return storage;
}

TravellingFile finish_travelling_file(const NodeStorage* storage) {
  Spills* spills = find_spills(storage->node()->ss.ps.state);
  if (spills->travelling == nullptr) create_travelling_file(spills);
  spills->travelling->flush();
  return spills->travelling_name;
}

RunFile* open_travelling_file(const NodeStorage* storage, const TravellingFile& file) {
  Spills* spills = find_spills(storage->node()->ss.ps.state);
  if (spills->travelling != nullptr && memcmp(&spills->travelling_name, &file, sizeof file) == 0) {
    return spills->travelling;
  }
  for (OpenedFile* opened = spills->opened; opened != nullptr; opened = opened->following) {
    if (memcmp(&opened->name, &file, sizeof file) == 0) return &opened->file;
  }
  ServerFileSet set;
  memcpy(&set, file.set, sizeof set);
  MemoryContext before = MemoryContextSwitchTo(spills->estate->es_query_cxt);
  BufFile* buffile = open_in(&set, file.name);
  void* place = palloc(sizeof(OpenedFile));
  MemoryContextSwitchTo(before);
  spills->opened = new (place) OpenedFile{spills->opened, file, TempFile(buffile)};
  return &spills->opened->file;
}

void expect_travelling_files(EState* estate) {
  Spills* spills = spills_of(estate);
  if (spills->expects_files) return;
  if (expecting == 0) expected_in = file_set_of(MyProcPid);
  ++expecting;
  spills->expects_files = true;
}

void close_files(EState* estate) {
  Spills* spills = find_spills(estate);
  if (spills == nullptr) return;
  if (spills->own != nullptr) spills->own->close();
  if (spills->travelling != nullptr) spills->travelling->close();
  for (OpenedFile* opened = spills->opened; opened != nullptr; opened = opened->following) {
    opened->file.close();
  }
}

}  // namespace idp
