#include "extension/pg/server_bits.h"

#include <stdexcept>

namespace idp {

namespace {

class ServerBits final : public BitSource {
  void refill(Block& block) override {
    if (!pg_strong_random(block.data(), sizeof block)) {
      throw std::runtime_error("could not generate random bits");
    }
  }
};

}  // namespace

BitSource& server_bits() {
  static ServerBits bits;
  static int owner = 0;
  if (owner != MyProcPid) {
    bits.discard();
    owner = MyProcPid;
  }
  return bits;
}

}  // namespace idp
