#include "extension/pg/temporary_files.h"

extern "C" {
#include "access/xact.h"
#include "commands/tablespace.h"
#include "storage/fd.h"
#include "utils/guc.h"
#include "utils/memutils.h"
}

namespace idp {

namespace {

constexpr int kNoLimit = -1;

int open_statements = 0;
int limit = kNoLimit;  // of the session, while some are open

// One that was changed meanwhile stays.
void give_limit_back() {
  if (open_statements > 0 && temp_file_limit == kNoLimit) temp_file_limit = limit;
  open_statements = 0;
}

// After an error none of them ends by itself.
void at_end(XactEvent event, void*) {
  if (event == XACT_EVENT_ABORT || event == XACT_EVENT_COMMIT || event == XACT_EVENT_PREPARE) {
    give_limit_back();
  }
}

struct Tablespaces {
  Oid* list;
  int count;
};

// Those in turn, which are looked up once in a transaction: now.
Tablespaces temporary_tablespaces() {
  PrepareTempTablespaces();
  int room = 8;
  auto* list = static_cast<Oid*>(MemoryContextAlloc(TopTransactionContext, sizeof(Oid) * room));
  int count;
  while ((count = GetTempTablespaces(list, room)) == room) {
    room *= 2;
    list = static_cast<Oid*>(repalloc(list, sizeof(Oid) * room));
  }
  return {list, count};
}

}  // namespace

void begin_unlimited_files() {
  static bool is_watching = false;
  if (!is_watching) RegisterXactCallback(at_end, nullptr);
  is_watching = true;
  if (open_statements == 0) {
    limit = temp_file_limit;
    temp_file_limit = kNoLimit;
  }
  ++open_statements;
}

void end_unlimited_files() {
  if (open_statements == 1) {
    give_limit_back();
  } else if (open_statements > 1) {
    --open_statements;
  }
}

void begin_unlimited_files(MemoryContext statement) {
  auto* end = static_cast<MemoryContextCallback*>(
      MemoryContextAllocZero(statement, sizeof(MemoryContextCallback)));
  end->func = [](void*) { end_unlimited_files(); };
  begin_unlimited_files();
  MemoryContextRegisterResetCallback(statement, end);
}

void with_temporary_files(void (*work)(void*), void* argument) {
  const Tablespaces tablespaces = temporary_tablespaces();
  PG_TRY();
  { work(argument); }
  PG_FINALLY();
  { SetTempTablespaces(tablespaces.list, tablespaces.count); }
  PG_END_TRY();
}

}  // namespace idp
