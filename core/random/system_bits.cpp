#include "core/random/system_bits.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace idp {

namespace {

class SystemBits final : public BitSource {
  void refill(Block& block) override {
    constexpr std::size_t kMostAtOnce = 256;  // bytes, says getentropy(3)
    auto* at = reinterpret_cast<char*>(block.data());
    for (std::size_t left = sizeof block; left > 0;) {
      const std::size_t take = std::min(left, kMostAtOnce);
      if (getentropy(at, take) != 0) {
        throw std::system_error(errno, std::generic_category(), "getentropy");
      }
      at += take;
      left -= take;
    }
  }
};

}  // namespace

BitSource& system_bits() {
  thread_local SystemBits bits;
  thread_local pid_t owner = 0;
  if (const pid_t self = getpid(); owner != self) {
    bits.discard();
    owner = self;
  }
  return bits;
}

}  // namespace idp
