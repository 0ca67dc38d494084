// Memory of whatever collects millions of values: the pieces that these lie in, all of one size,
// from slabs of the server's memory context for which the kernel is asked for huge pages. Read in
// batches, values come faster than the kernel gives pages of 4 kB: a quarter of the time of
// idp_median went there.
#pragma once

#include "extension/pg/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace idp {

class SlabResource final : public std::pmr::memory_resource {
 public:
  // What comes from slabs is as large as piece, one megabyte at most. Whoever has no more than
  // alone of them takes each alone. A slab has half as many as there are, so that no more than a
  // third lies idle, and untouched.
  SlabResource(MemoryContext context, std::size_t piece, std::size_t alone)
      : memory_(context), piece_bytes_(piece), alone_(alone) {}

 private:
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;  // of a slab

  struct Slab {
    Slab* following;
    char* next;  // the pieces from here on were never given
    char* end;
    std::size_t used;  // pieces that are given and not back
    bool has(const void* piece) const { return piece > this && piece < end; }
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes != piece_bytes_) return memory_.allocate(bytes, alignment);
    ++pieces_;
    if (slabs_ == nullptr || slabs_->next == slabs_->end) {
      if (pieces_ <= alone_) return touched_but_first(memory_.allocate(bytes, alignment));
      add_slab(std::clamp(pieces_ / 2 * bytes, kHugePage, kMostBytes));
    }
    void* piece = slabs_->next;
    slabs_->next += bytes;
    ++slabs_->used;
    return piece;
  }

  void do_deallocate(void* area, std::size_t bytes, std::size_t alignment) override {
    if (bytes != piece_bytes_) return memory_.deallocate(area, bytes, alignment);
    --pieces_;
    for (Slab** place = &slabs_; *place != nullptr; place = &(*place)->following) {
      Slab* slab = *place;
      if (!slab->has(area)) continue;
      if (--slab->used > 0) return;
      *place = slab->following;
      pfree(slab);
      return;
    }
    memory_.deallocate(area, bytes, alignment);
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  // The kernel gives all pages of a piece at once, which takes less than a fault for each. Of the
  // first piece most may stay unused.
  void* touched_but_first(void* piece) const {
#ifdef MADV_POPULATE_WRITE
    if (pieces_ == 1) return piece;
    constexpr std::size_t kPage = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(piece);
    const auto first = (begin + kPage - 1) & ~(kPage - 1);
    const auto end = (begin + piece_bytes_) & ~(kPage - 1);
    (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE);
#endif
    return piece;
  }

  // Whole pieces, the first at the beginning of a huge page: before it there is room for the slab
  // itself.
  void add_slab(std::size_t most_bytes) {
    const std::size_t bytes = most_bytes / piece_bytes_ * piece_bytes_;
    void* area = memory_.allocate(sizeof(Slab) + kHugePage + bytes, alignof(Slab));
    auto* slab = static_cast<Slab*>(area);
    const auto behind = reinterpret_cast<std::uintptr_t>(slab + 1);
    auto* first = reinterpret_cast<char*>((behind + kHugePage - 1) & ~(kHugePage - 1));
#ifdef MADV_HUGEPAGE
    (void)madvise(first, bytes & ~(kHugePage - 1), MADV_HUGEPAGE);  // it does without, too
#endif
    *slab = {slabs_, first, first + bytes, 0};
    slabs_ = slab;
  }

  ContextResource memory_;
  const std::size_t piece_bytes_;
  const std::size_t alone_;
  std::size_t pieces_ = 0;  // that are given and not back
  Slab* slabs_ = nullptr;
};

}  // namespace idp
