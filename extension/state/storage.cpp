#include "extension/state/storage.h"

#include <cmath>
#include <new>
#include <type_traits>

#include "extension/pg/guard.h"
#include "extension/pg/memory.h"
#include "extension/state/running_query.h"

extern "C" {
#include "catalog/pg_tablespace.h"
#include "commands/tablespace.h"
#include "executor/instrument.h"
#include "storage/buffile.h"
#include "storage/fd.h"
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

ServerFileSet file_set_without_tablespaces(pid_t leader) {
  ServerFileSet set;
  memset(&set, 0, sizeof set);
  set.creator_pid = leader;
  set.number = kSetNumber;
  return set;
}

// Needs catalog access, so it is not for cleaning up.
ServerFileSet file_set_of(pid_t leader) {
  ServerFileSet set = file_set_without_tablespaces(leader);
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

// Deletes all files of this leader, wherever temp_tablespaces led when they were made: it may have
// changed since, in this query or between two.
void delete_travelling_files() {
  ServerFileSet set = file_set_without_tablespaces(MyProcPid);
  set.ntablespaces = 1;
  set.tablespaces[0] = DEFAULTTABLESPACE_OID;
  delete_all(&set);
  static const char kOthers[] = "pg_tblspc";
  DIR* directory = AllocateDir(kOthers);
  while (const struct dirent* entry = ReadDirExtended(directory, kOthers, LOG)) {
    if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name)) continue;
    set.tablespaces[0] = static_cast<Oid>(strtoul(entry->d_name, nullptr, 10));
    delete_all(&set);
  }
  FreeDir(directory);
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

  std::int64_t end() const { return end_; }
  void flush() {
    seek(0);
    at_end_ = false;
  }
  // Nothing in it is needed any more.
  void start_over() {
    end_ = 0;
    at_end_ = false;
  }
  void replace(BufFile* file) {
    close();
    file_ = file;
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

// A file of somebody who may still append to it.
struct OpenedFile {
  OpenedFile* following;
  TravellingFile name;
  ServerFileSet set;  // the server refers to it as long as the file is open
  TempFile file;
};

bool same_file(const TravellingFile& a, const TravellingFile& b) {
  return memcmp(a.set, b.set, sizeof a.set) == 0 && memcmp(a.name, b.name, sizeof a.name) == 0;
}

// The server keeps a temporary file in files of 1 GB, and counts them when it opens it.
bool has_more_segments(std::int64_t end, std::int64_t end_when_opened) {
  return end >> 30 != end_when_opened >> 30;
}

}  // namespace

// What the nodes of one running query share. Lives in the query's memory context.
struct Spills {
  EState* estate;
  NodeStorage* nodes;
  TempFile* own;
  TempFile* travelling;
  TravellingFile travelling_name;
  ServerFileSet travelling_set;  // the server refers to it as long as the file is open
  OpenedFile* opened;            // those of others, in the leader
  bool expects_files;
  void* scratch;
  std::size_t scratch_bytes;
};

namespace {

// How many queries of this process may have workers that leave files.
int expecting = 0;

// The query is over and has not failed: closes its files. (ExecutorEnd would be the place, but the
// recheck of a row that was updated meanwhile has no such end.)
void close_files(Datum argument) {
  auto* spills = reinterpret_cast<Spills*>(DatumGetPointer(argument));
  if (spills->own != nullptr) spills->own->close();
  if (spills->travelling != nullptr) spills->travelling->close();
  for (OpenedFile* opened = spills->opened; opened != nullptr; opened = opened->following) {
    opened->file.close();
  }
}

// The query's memory context goes away: its files are closed, or the server has dropped them.
void forget(void* argument) {
  if (static_cast<Spills*>(argument)->expects_files && --expecting == 0) delete_travelling_files();
}

Spills* find_spills(const EState* estate) {
  const RunningQuery* query = find_query(estate);
  return query == nullptr ? nullptr : query->spills;
}

Spills* spills_of(EState* estate) {
  RunningQuery* query = query_of(estate);
  if (query->spills != nullptr) return query->spills;
  auto* spills = static_cast<Spills*>(MemoryContextAllocZero(estate->es_query_cxt, sizeof(Spills)));
  auto* callback = static_cast<MemoryContextCallback*>(
      MemoryContextAllocZero(estate->es_query_cxt, sizeof(MemoryContextCallback)));
  callback->func = forget;
  callback->arg = spills;
  spills->estate = estate;
  MemoryContextRegisterResetCallback(estate->es_query_cxt, callback);
  RegisterExprContextCallback(CreateExprContext(estate), close_files, PointerGetDatum(spills));
  query->spills = spills;
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
  spills->travelling_set = file_set_of(leader == nullptr ? MyProcPid : leader->pid);
  memcpy(name.set, &spills->travelling_set, sizeof spills->travelling_set);
  // Process ids come again, perhaps while the leader still reads.
  snprintf(name.name, sizeof name.name, "idp.%d.%llx.%x", MyProcPid,
           static_cast<unsigned long long>(MyStartTimestamp), created++);
  spills->travelling =
      make<TempFile>(spills, &spills->travelling_set, static_cast<const char*>(name.name));
  spills->travelling_name = name;
}

std::size_t memory_limit() {
  // Three quarters of what a hash table may take: the rest is for splitters and for working.
  const double bytes = 0.75 * 1024 * static_cast<double>(work_mem) * hash_mem_multiplier;
  return static_cast<std::size_t>(std::fmin(bytes, 1e15));
}

}  // namespace

NodeStorage::NodeStorage(Spills* spills, const AggState* node, bool travels)
    : spills_(spills), node_(node), limit_(memory_limit()), travels_(travels) {}

void NodeStorage::give_back(std::size_t bytes) {
  taken_ -= bytes;
  if (taken_ > 0 || spills_->own == nullptr) return;
  for (const NodeStorage* node = spills_->nodes; node != nullptr; node = node->following) {
    if (node->taken_ > 0) return;
  }
  // Whatever lies in a file has its splitters in memory. So a plan node that is executed again and
  // again, or group after group, needs no more room on disk than it does once.
  spills_->own->start_over();
}

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

NodeStorage* find_storage(const AggState* node) {
  const Spills* spills = find_spills(node->ss.ps.state);
  NodeStorage* storage = spills == nullptr ? nullptr : spills->nodes;
  while (storage != nullptr && storage->node() != node) storage = storage->following;
  return storage;
}

NodeStorage* make_storage(const AggState* node, bool travels) {
  Spills* spills = spills_of(node->ss.ps.state);
  auto* storage = make<NodeStorage>(spills, spills, node, travels);
  storage->following = spills->nodes;
  spills->nodes = storage;
  return storage;
}

TravellingFile finish_travelling_file(const NodeStorage* storage) {
  Spills* spills = find_spills(storage->node()->ss.ps.state);
  if (spills->travelling == nullptr) create_travelling_file(spills);
  spills->travelling->flush();
  spills->travelling_name.end = spills->travelling->end();
  return spills->travelling_name;
}

RunFile* open_travelling_file(const NodeStorage* storage, const TravellingFile& file) {
  Spills* spills = find_spills(storage->node()->ss.ps.state);
  if (spills->travelling != nullptr && same_file(spills->travelling_name, file)) {
    return spills->travelling;
  }
  for (OpenedFile* opened = spills->opened; opened != nullptr; opened = opened->following) {
    if (!same_file(opened->name, file)) continue;
    if (has_more_segments(file.end, opened->name.end)) {
      MemoryContext before = MemoryContextSwitchTo(spills->estate->es_query_cxt);
      opened->file.replace(open_in(&opened->set, file.name));
      MemoryContextSwitchTo(before);
      opened->name.end = file.end;
    }
    return &opened->file;
  }
  MemoryContext before = MemoryContextSwitchTo(spills->estate->es_query_cxt);
  auto* opened = static_cast<OpenedFile*>(palloc(sizeof(OpenedFile)));
  memcpy(&opened->set, file.set, sizeof opened->set);
  opened->name = file;
  new (&opened->file) TempFile(open_in(&opened->set, file.name));
  MemoryContextSwitchTo(before);
  opened->following = spills->opened;
  spills->opened = opened;
  return &opened->file;
}

void expect_travelling_files(EState* estate) {
  Spills* spills = spills_of(estate);
  if (spills->expects_files) return;
  ++expecting;
  spills->expects_files = true;
}

}  // namespace idp
