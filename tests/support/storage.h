// A storage with a limit of one's own, whose file is a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/select/storage.h"

namespace idp::test {

class VectorFile final : public RunFile {
 public:
  std::int64_t append(const void* bytes, std::size_t size) override {
    const auto begin = static_cast<std::int64_t>(content_.size());
    const auto* from = static_cast<const char*>(bytes);
    content_.insert(content_.end(), from, from + size);
    return begin;
  }
  void read(std::int64_t at, void* bytes, std::size_t size) override {
    bytes_read += size;
    std::memcpy(bytes, content_.data() + at, size);
  }
  std::size_t size() const { return content_.size(); }

  std::size_t bytes_read = 0;

 private:
  std::vector<char> content_;
};

class LimitedStorage final : public Storage {
 public:
  explicit LimitedStorage(std::size_t limit) : limit_(limit) {}
  std::size_t limit() const override { return limit_; }
  bool has_room(std::size_t bytes) const override { return taken + bytes <= limit_; }
  void take(std::size_t bytes) override { taken += bytes; }
  void give_back(std::size_t bytes) override { taken -= bytes; }
  RunFile& file() override { return file_; }
  void* scratch(std::size_t bytes) override {
    scratch_.resize((bytes + 15) / 16);
    return scratch_.data();
  }
  const VectorFile& contents() const { return file_; }
  VectorFile& contents() { return file_; }

  std::size_t taken = 0;

 private:
  struct alignas(16) Unit {
    char bytes[16];
  };
  std::size_t limit_;
  VectorFile file_;
  std::vector<Unit> scratch_;
};

}  // namespace idp::test
