// Memory of a state that collects millions of values: the chunks that these lie in
// (core/collect/ordered_values.h), from slabs of the server's memory context for which the kernel
// is asked for huge pages. Read in batches, values come faster than the kernel gives pages of 4 kB:
// a quarter of the time of idp_median went there.
#pragma once

#include "extension/pg/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace idp {

class SlabResource final : public std::pmr::memory_resource {
 public:
  // What comes from slabs: as large as the largest chunk of values.
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  // A state that has few of them takes each alone. Then a slab has half as many as there are, so
  // that no more than a third lies idle, and untouched.
  static constexpr std::size_t kFewPieces = 4;
  static constexpr std::size_t kMostPieces = 16;

  explicit SlabResource(MemoryContext context) : memory_(context) {}

 private:
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;

  struct Slab {
    Slab* following;
    char* next;  // the pieces from here on were never given
    char* end;
    std::size_t used;  // pieces that are given and not back
    bool has(const void* piece) const { return piece > this && piece < end; }
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes != kPiece) return memory_.allocate(bytes, alignment);
    ++pieces_;
    if (slabs_ == nullptr || slabs_->next == slabs_->end) {
      if (pieces_ <= kFewPieces) return memory_.allocate(bytes, alignment);
      add_slab(std::min(pieces_ / 2, kMostPieces));
    }
    void* piece = slabs_->next;
    slabs_->next += kPiece;
    ++slabs_->used;
    return piece;
  }

  void do_deallocate(void* area, std::size_t bytes, std::size_t alignment) override {
    if (bytes != kPiece) return memory_.deallocate(area, bytes, alignment);
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

  // The first piece begins at a huge page: before it there is room for the slab itself.
  void add_slab(std::size_t pieces) {
    const std::size_t bytes = pieces * kPiece;
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
  std::size_t pieces_ = 0;
  Slab* slabs_ = nullptr;
};

}  // namespace idp
