// Boxes: rectangular parts of tensors, stated as a range of indices along each axis.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace tilerig::compiler {

struct Range {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
  bool empty() const { return end <= begin; }
  bool contains(Range other) const { return other.empty() || (begin <= other.begin && other.end <= end); }
  bool operator==(const Range &) const = default;
};

inline Range intersection(Range a, Range b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }
// The smallest range that contains both ranges; if one of them is empty, the other one.
inline Range hull(Range a, Range b) {
  return a.empty() ? b : b.empty() ? a : Range{std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

inline constexpr size_t maxBoxRank = 8;

// A range of indices along each axis, of which there are at most `maxBoxRank`. A box of rank 0 is a scalar
// and has one element.
class Box {
public:
  Box() = default;
  explicit Box(size_t rank) : length(rank) {}
  static Box whole(std::span<const int64_t> shape) {
    Box box(shape.size());
    for (size_t i = 0; i < shape.size(); ++i)
      box[i] = {0, shape[i]};
    return box;
  }

  size_t rank() const { return length; }
  Range &operator[](size_t axis) { return ranges[axis]; }
  const Range &operator[](size_t axis) const { return ranges[axis]; }
  const Range *begin() const { return ranges.data(); }
  const Range *end() const { return ranges.data() + length; }
  bool operator==(const Box &other) const { return std::ranges::equal(*this, other); }

  bool empty() const { return std::ranges::any_of(*this, &Range::empty); }
  uint64_t elements() const {
    uint64_t all = 1;
    for (const Range &range : *this)
      all *= range.empty() ? 0 : static_cast<uint64_t>(range.size());
    return all;
  }
  bool contains(const Box &other) const {
    if (other.empty())
      return true;
    for (size_t i = 0; i < length; ++i)
      if (!ranges[i].contains(other[i]))
        return false;
    return true;
  }

private:
  std::array<Range, maxBoxRank> ranges = {};
  size_t length = 0;
};

inline Box intersection(const Box &a, const Box &b) {
  Box both(a.rank());
  for (size_t i = 0; i < a.rank(); ++i)
    both[i] = intersection(a[i], b[i]);
  return both;
}
inline Box hull(const Box &a, const Box &b) {
  if (a.empty())
    return b;
  if (b.empty())
    return a;
  Box all(a.rank());
  for (size_t i = 0; i < a.rank(); ++i)
    all[i] = hull(a[i], b[i]);
  return all;
}

} // namespace tilerig::compiler
