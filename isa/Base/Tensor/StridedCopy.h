// Copies a box of elements between two strided layouts; prepared once and run any number of times.
//
// Most of these copies are transpositions: models store channels first, the machine stores them innermost.
// They are done in blocks that touch whole cache lines on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilerig {

class StridedCopy {
public:
  // A dimension of the box: number of elements, and strides in bytes in the destination (`to`) and in the
  // source (`from`). The stride `from` may be negative, stored modulo 2^64.
  struct Dim {
    uint64_t count;
    uint64_t to, from;
  };

  StridedCopy(std::byte *to, const std::byte *from, unsigned elementBytes, std::vector<Dim> dims);
  void run() const;
  // Calls visit(to, from, bytes) for each contiguous run of bytes that the copy would copy, until `visit` returns false.
  // Returns whether all runs were visited.
  template <class Visit>
  bool forEachRun(Visit &&visit) const {
    return visitFrom(0, to, from, visit);
  }

private:
  template <class Visit>
  bool visitFrom(size_t dim, std::byte *at, const std::byte *source, Visit &visit) const {
    if (dim == dims.size())
      return visit(at, source, unit);
    for (uint64_t i = 0; i < dims[dim].count; ++i)
      if (!visitFrom(dim + 1, at + i * dims[dim].to, source + static_cast<int64_t>(i * dims[dim].from),
                     visit))
        return false;
    return true;
  }
  void simplify();
  void copyFrom(size_t dim, std::byte *to, const std::byte *from) const;
  void transpose(std::byte *to, const std::byte *from) const;

  std::byte *to;
  const std::byte *from;
  uint64_t unit; // number of bytes that are contiguous in source and destination
  // dimensions, outermost first; if the copy is a transposition, the last two are exchanged
  std::vector<Dim> dims;
  bool transposes = false;
};

} // namespace tilerig
