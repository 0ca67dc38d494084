#include "core/grid/room.h"

#include <cstdlib>
#include <new>

namespace idp {

void require_room(std::size_t more) {
  // 64 numbers of 1 KB, and half as much for what lies between them. So little stays in the heap
  // when it is freed: asking again costs no system call.
  constexpr std::size_t kNumbers = 96 * 1024;
  // What is more may be given back to the system, and the heap then grows in steps of its own.
  constexpr std::size_t kSteps = 1280 * 1024;
  void* const area = std::malloc(more == 0 ? kNumbers : kNumbers + kSteps + more);
  if (area == nullptr) throw std::bad_alloc();
  asm volatile("" : : "r"(area) : "memory");  // or the compiler would leave both calls out
  std::free(area);
}

}  // namespace idp
