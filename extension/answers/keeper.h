// Keeping what a node draws, so that it is given again.
#pragma once

#include "extension/pg/pg.h"

#include "extension/answers/numbers.h"
#include "extension/catalog/store.h"

namespace idp {

// A number that somebody is about to draw: who asks the same waits for it.
struct LockedNumber {
  const AskedNode* asked;
  const AskedNumber* number;
  StoreLock lock;
};

// Of LockedNumber: all numbers of some nodes (AskedNode), which everybody locks in one order.
List* lock_numbers(const List* nodes);

// Has a node keep those numbers (LockedNumber) when it draws them, as of then; it unlocks them.
void keep_when_drawn(const AskedNode& asked, List* numbers, TimestampTz at);

}  // namespace idp
