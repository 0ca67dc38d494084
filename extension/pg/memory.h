// Server memory contexts as a C++ memory resource, so that what the core allocates is seen by
// work_mem, freed with its context, and reported as bad_alloc instead of a longjmp.
#pragma once

#include "extension/pg/pg.h"

#include <memory_resource>
#include <new>

namespace idp {

class ContextResource final : public std::pmr::memory_resource {
 public:
  explicit ContextResource(MemoryContext context) : context_(context) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* p = nullptr;
    if (alignment <= MAXIMUM_ALIGNOF && bytes <= MaxAllocHugeSize) {
      p = MemoryContextAllocExtended(context_, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
    }
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }
  void do_deallocate(void* p, std::size_t, std::size_t) override { pfree(p); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  MemoryContext context_;
};

}  // namespace idp
