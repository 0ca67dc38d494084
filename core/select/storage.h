// Where collected values may be kept: so much in memory, and beyond it in a file.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>

namespace idp {

// A file that bytes are appended to and read back from. Both throw what they like if they fail.
class RunFile {
 public:
  virtual ~RunFile() = default;
  // Returns where the bytes begin.
  virtual std::int64_t append(const void* bytes, std::size_t size) = 0;
  virtual void read(std::int64_t at, void* bytes, std::size_t size) = 0;
};

class Storage {
 public:
  virtual ~Storage() = default;
  // How many bytes all who share this storage should keep in memory together.
  virtual std::size_t limit() const = 0;
  // Whether so many more are within the limit; what is taken counts until it is given back.
  virtual bool has_room(std::size_t bytes) const = 0;
  virtual void take(std::size_t bytes) = 0;
  virtual void give_back(std::size_t bytes) = 0;
  // Whether full chunks had better go to the file at once: the values are to be read elsewhere.
  virtual bool prefers_file() const { return false; }
  // Where the rest goes.
  virtual RunFile& file() = 0;
  // Room to work in, aligned for keys. The next call takes it away again.
  virtual void* scratch(std::size_t bytes) = 0;
};

}  // namespace idp
