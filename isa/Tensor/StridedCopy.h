// A box of elements from one layout to another, made ready once and run as often as wanted.
//
// Most such copies are transpositions, as a model has channels in front and the machine innermost; they go in
// blocks that touch whole cache lines of both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilerig {

class StridedCopy {
public:
  // So many steps, in bytes on either side; `from` may go back, as a negative number modulo 2^64.
  struct Dim {
    uint64_t count;
    uint64_t to, from;
  };

  StridedCopy(std::byte *to, const std::byte *from, unsigned elementBytes, std::vector<Dim> dims);
  void run() const;

private:
  void simplify();
  void copyFrom(size_t dim, std::byte *to, const std::byte *from) const;
  void transpose(std::byte *to, const std::byte *from) const;

  std::byte *to;
  const std::byte *from;
  uint64_t unit;         // bytes that lie together on both sides
  std::vector<Dim> dims; // outermost first; the last two are transposed if `transposes`
  bool transposes = false;
};

} // namespace tilerig
