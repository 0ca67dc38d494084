// What is known of relations, by their numbers, until anything about relations changes. A variable
// of the library, which is told of changes by callbacks:
//
//   KnownRelations<Entry> known("idp: parents");
//   known.forget();                                     in a callback
//   if (const Entry* entry = known.find(relation)) …    until the next look into a catalog
//   known.look_up(relation, [&] { return entry; }, [](Entry entry) { … return entry; });
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "utils/hsearch.h"
#include "utils/memutils.h"
}

namespace idp {

// Entry: begins with Oid relation.
template <class Entry>
class KnownRelations {
 public:
  explicit constexpr KnownRelations(const char* name) : name_(name) {}

  bool is_current() const { return is_current_; }

  void forget() {
    is_current_ = false;
    ++changes_;
  }

  // Null if it is not known.
  const Entry* find(Oid relation) {
    if (!is_current_) renew();
    return static_cast<const Entry*>(hash_search(known_, &relation, HASH_FIND, nullptr));
  }

  // Of one that is not known. copied: the entry with copies of what it points to, made in memory
  // that lasts as long as it is known.
  template <class LookUp, class Copied>
  Entry look_up(Oid relation, LookUp look_up, Copied copied) {
    const uint64 before = changes_;
    const Entry found = look_up();
    // Something may have changed while we looked: then it is looked up again the next time.
    if (changes_ != before) return found;
    const MemoryContext caller = MemoryContextSwitchTo(context_);
    const Entry kept = copied(found);
    *static_cast<Entry*>(hash_search(known_, &relation, HASH_ENTER, nullptr)) = kept;
    MemoryContextSwitchTo(caller);
    return found;
  }

 private:
  void renew() {
    known_ = nullptr;  // should there be no memory
    if (context_ != nullptr) MemoryContextReset(context_);
    if (context_ == nullptr) {
      context_ = AllocSetContextCreateInternal(TopMemoryContext, name_, ALLOCSET_SMALL_SIZES);
    }
    HASHCTL control = {};
    control.keysize = sizeof(Oid);
    control.entrysize = sizeof(Entry);
    control.hcxt = context_;
    known_ = hash_create(name_, 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    is_current_ = true;
  }

  const char* name_;
  HTAB* known_ = nullptr;
  MemoryContext context_ = nullptr;  // of it and of what its entries point to
  bool is_current_ = false;
  uint64 changes_ = 0;
};

}  // namespace idp
