// What is looked up once, where the same is asked for dozens of times and nothing changes it: the
// accounts of a table, the domain of a column. It is known while a query is planned, and while the
// start of a statement is checked, and no longer: not where another query is planned, or another
// statement starts, within, nor once such a row is written.
//
//   Remembered<DomainOf> domains;
//   domains.of([&](const DomainOf& known) { return known.table == table; },
//              [&] { return DomainOf{table, domain_looked_up(table)}; });
#pragma once

#include "extension/pg/nodes.h"

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
  // The entry that is_it(entry) holds of, or look_up(), whose result is remembered with what it
  // points to. It belongs to all who ask: nothing may change it.
  template <class IsIt, class LookUp>
  Entry of(IsIt is_it, LookUp look_up) {
    if (remembering() == nullptr) return look_up();
    for (const auto* known : list<Entry>(all())) {
      if (is_it(*known)) return *known;
    }
    const uint64 epoch = remembered_epoch();
    const MemoryContext caller = MemoryContextSwitchTo(remembering());
    const Entry found = look_up();
    MemoryContextSwitchTo(caller);
    add(epoch, found);
    return found;
  }

 private:
  const List* all() {
    if (epoch_ == remembered_epoch()) return entries_;
    epoch_ = remembered_epoch();
    return entries_ = NIL;
  }

  // What was looked up since the epoch, which may have ended meanwhile.
  void add(uint64 epoch, const Entry& entry) {
    if (remembering() == nullptr || epoch != remembered_epoch()) return;
    (void)all();
    const MemoryContext caller = MemoryContextSwitchTo(remembering());
    auto* copy = static_cast<Entry*>(palloc(sizeof(Entry)));
    *copy = entry;
    entries_ = lappend(entries_, copy);
    MemoryContextSwitchTo(caller);
  }

  List* entries_ = NIL;
  uint64 epoch_ = 0;
};

}  // namespace idp
