// What is looked up once, where the same is asked for dozens of times and nothing changes it: the
// accounts of a table, the domain of a column. It is known while a query is planned, and while the
// start of a statement is checked, and no longer: not where another query is planned, or another
// statement starts, within, nor once such a row is written.
//
//   Remembered<DomainOf> domains;
//   for (const auto* known : list<DomainOf>(domains.all())) …
//   domains.add(epoch, found);
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/pg_list.h"
}

namespace idp {

// From here to the next call of either. The current memory context has to last as long.
void begin_remembering();
// Also called where something of it changes.
void forget_remembered();

// Where it is kept; null where nothing is remembered.
MemoryContext remembering();

// Another number after each call of the two.
uint64 remembered_epoch();

// Entries of one kind: a variable of the library.
template <class Entry>
class Remembered {
 public:
  // Of Entry: what is known now.
  const List* all() {
    if (epoch_ == remembered_epoch()) return entries_;
    epoch_ = remembered_epoch();
    return entries_ = NIL;
  }

  // What was looked up since the epoch, which may have ended meanwhile. What it points to is in
  // remembering().
  void add(uint64 epoch, const Entry& entry) {
    if (remembering() == nullptr || epoch != remembered_epoch()) return;
    (void)all();
    const MemoryContext caller = MemoryContextSwitchTo(remembering());
    auto* copy = static_cast<Entry*>(palloc(sizeof(Entry)));
    *copy = entry;
    entries_ = lappend(entries_, copy);
    MemoryContextSwitchTo(caller);
  }

 private:
  List* entries_ = NIL;
  uint64 epoch_ = 0;
};

}  // namespace idp
