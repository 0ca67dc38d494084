#include "extension/pg/remembered.h"

namespace idp {

namespace {

MemoryContext context = nullptr;
uint64 epoch = 1;

}  // namespace

void begin_remembering() {
  context = CurrentMemoryContext;
  ++epoch;
}

void forget_remembered() {
  context = nullptr;
  ++epoch;
}

MemoryContext remembering() { return context; }

uint64 remembered_epoch() { return epoch; }

}  // namespace idp
