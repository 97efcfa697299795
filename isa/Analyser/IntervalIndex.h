// Values that belong to byte ranges, found by the ranges they overlap.
//
// Ranges are kept by size: class c holds those of 2^(c-1)+1 .. 2^c bytes, sorted by their beginning. Of each
// class all that can overlap a range then begin within one stretch of the list, which is at most 2^c longer
// than the range. The lists are flat, and short because whoever uses them throws away what no longer matters.
#pragma once

#include "isa/Instructions/Region.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace tilerig {

template <class T>
class IntervalIndex {
public:
  void insert(ByteRange range, T value) {
    const unsigned size = std::bit_width(range.size() - 1);
    auto &list = classes[size];
    used |= uint64_t{1} << size;
    list.insert(std::ranges::upper_bound(list, range.begin, {}, beginOf), Item{range, std::move(value)});
    ++count;
  }

  // Calls visit(range, value) for every value whose range overlaps; those that it says true to are removed.
  // Values may be changed on the way.
  template <class Visitor>
  void visitOverlapping(ByteRange range, Visitor &&visit) {
    for (uint64_t rest = used; rest != 0; rest &= rest - 1) {
      const unsigned size = std::countr_zero(rest);
      auto &list = classes[size];
      const uint64_t reach = uint64_t{1} << size;
      const uint64_t low = range.begin >= reach ? range.begin - reach + 1 : 0;
      const auto first = std::ranges::lower_bound(list, low, {}, beginOf);
      auto kept = first, item = first;
      for (; item != list.end() && item->range.begin < range.end; ++item) {
        const bool remove = item->range.end > range.begin && visit(std::as_const(item->range), item->value);
        if (remove)
          continue;
        if (kept != item)
          *kept = std::move(*item);
        ++kept;
      }
      erase(list, size, kept, item);
    }
  }

  // The same without removing or changing any.
  template <class Visitor>
  void visitOverlapping(ByteRange range, Visitor &&visit) const {
    for (uint64_t rest = used; rest != 0; rest &= rest - 1) {
      const unsigned size = std::countr_zero(rest);
      const uint64_t reach = uint64_t{1} << size;
      const uint64_t low = range.begin >= reach ? range.begin - reach + 1 : 0;
      auto item = std::ranges::lower_bound(classes[size], low, {}, beginOf);
      for (; item != classes[size].end() && item->range.begin < range.end; ++item)
        if (item->range.end > range.begin)
          visit(item->range, item->value);
    }
  }

  // Removes those that visit(range, value) says true to.
  template <class Visitor>
  void removeIf(Visitor &&visit) {
    for (uint64_t rest = used; rest != 0; rest &= rest - 1) {
      const unsigned size = std::countr_zero(rest);
      auto &list = classes[size];
      erase(list, size,
            std::remove_if(list.begin(), list.end(),
                           [&](Item &item) { return visit(std::as_const(item.range), item.value); }),
            list.end());
    }
  }

  size_t size() const { return count; }

private:
  struct Item {
    ByteRange range;
    T value;
  };
  static uint64_t beginOf(const Item &item) { return item.range.begin; }

  template <class Iterator>
  void erase(std::vector<Item> &list, unsigned size, Iterator begin, Iterator end) {
    count -= static_cast<size_t>(end - begin);
    list.erase(begin, end);
    if (list.empty())
      used &= ~(uint64_t{1} << size);
  }

  std::array<std::vector<Item>, 64> classes;
  uint64_t used = 0; // classes that hold something
  size_t count = 0;
};

} // namespace tilerig
