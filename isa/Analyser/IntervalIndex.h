// Values that belong to byte ranges, found by the ranges they overlap.
//
// Ranges are kept by size: class c holds those of 2^(c-1)+1 .. 2^c bytes, sorted by their beginning. Of each
// class all that can overlap a range then begin within one stretch of the list, which is at most 2^c longer
// than the range. Most lists are short, because whoever uses them throws away what no longer matters; but a
// network that goes through DDR in small pieces leaves very many, so a list is cut into chunks, and what
// comes in between moves the items of one chunk.
#pragma once

#include "isa/Instructions/Region.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>
#include <vector>

namespace tilerig {

template <class T>
class IntervalIndex {
public:
  void insert(ByteRange range, T value) {
    const unsigned size = std::bit_width(range.size() - 1);
    List &list = classes[size];
    used |= uint64_t{1} << size;
    if (list.empty())
      list.emplace_back();
    // The last one that begins no later, so that equal ones stay in the order in which they came.
    auto chunk = std::ranges::upper_bound(list.begin() + 1, list.end(), range.begin, {},
                                          [](const Chunk &it) { return it.front().range.begin; }) -
                 1;
    chunk->insert(std::ranges::upper_bound(*chunk, range.begin, {}, beginOf), Item{range, std::move(value)});
    if (chunk->size() > longestChunk)
      splitChunk(list, chunk);
    ++count;
  }

  // Calls visit(range, value) for every value whose range overlaps; those that it says true to are removed.
  // Values may be changed on the way.
  template <class Visitor>
  void visitOverlapping(ByteRange range, Visitor &&visit) {
    for (uint64_t rest = used; rest != 0; rest &= rest - 1) {
      const unsigned size = std::countr_zero(rest);
      List &list = classes[size];
      const uint64_t low = lowestBegin(range, size);
      bool isOneEmpty = false;
      for (auto chunk = chunkFrom(list, low); chunk != list.end() && chunk->front().range.begin < range.end;
           ++chunk) {
        auto item = std::ranges::lower_bound(*chunk, low, {}, beginOf);
        auto kept = item;
        for (; item != chunk->end() && item->range.begin < range.end; ++item) {
          if (item->range.end > range.begin && visit(std::as_const(item->range), item->value))
            continue;
          if (kept != item)
            *kept = std::move(*item);
          ++kept;
        }
        isOneEmpty |= erase(*chunk, kept, item);
      }
      if (isOneEmpty)
        dropEmpty(size);
    }
  }

  // The same without removing or changing any.
  template <class Visitor>
  void visitOverlapping(ByteRange range, Visitor &&visit) const {
    for (uint64_t rest = used; rest != 0; rest &= rest - 1) {
      const unsigned size = std::countr_zero(rest);
      const uint64_t low = lowestBegin(range, size);
      const List &list = classes[size];
      for (auto chunk = chunkFrom(list, low); chunk != list.end() && chunk->front().range.begin < range.end;
           ++chunk) {
        auto item = std::ranges::lower_bound(*chunk, low, {}, beginOf);
        for (; item != chunk->end() && item->range.begin < range.end; ++item)
          if (item->range.end > range.begin)
            visit(item->range, item->value);
      }
    }
  }

  // Removes those that visit(range, value) says true to.
  template <class Visitor>
  void removeIf(Visitor &&visit) {
    for (uint64_t rest = used; rest != 0; rest &= rest - 1) {
      const unsigned size = std::countr_zero(rest);
      bool isOneEmpty = false;
      for (Chunk &chunk : classes[size])
        isOneEmpty |=
            erase(chunk,
                  std::remove_if(chunk.begin(), chunk.end(),
                                 [&](Item &item) { return visit(std::as_const(item.range), item.value); }),
                  chunk.end());
      if (isOneEmpty)
        dropEmpty(size);
    }
  }

  size_t size() const { return count; }

private:
  struct Item {
    ByteRange range;
    T value;
  };
  using Chunk = std::vector<Item>; // never empty between calls
  using List = std::vector<Chunk>;
  static constexpr size_t longestChunk = 256;

  static uint64_t beginOf(const Item &item) { return item.range.begin; }

  // Where one of this class that overlaps begins at the earliest.
  static uint64_t lowestBegin(ByteRange range, unsigned size) {
    const uint64_t reach = uint64_t{1} << size;
    return range.begin >= reach ? range.begin - reach + 1 : 0;
  }

  // The first one with an item that begins there or later.
  static auto chunkFrom(auto &list, uint64_t begin) {
    return std::ranges::lower_bound(list, begin, {},
                                    [](const Chunk &chunk) { return chunk.back().range.begin; });
  }

  static void splitChunk(List &list, typename List::iterator chunk) {
    const auto middle = chunk->begin() + longestChunk / 2;
    Chunk second(std::make_move_iterator(middle), std::make_move_iterator(chunk->end()));
    chunk->erase(middle, chunk->end());
    list.insert(chunk + 1, std::move(second));
  }

  // Whether the chunk is empty then.
  bool erase(Chunk &chunk, typename Chunk::iterator begin, typename Chunk::iterator end) {
    count -= static_cast<size_t>(end - begin);
    chunk.erase(begin, end);
    return chunk.empty();
  }

  void dropEmpty(unsigned size) {
    std::erase_if(classes[size], [](const Chunk &chunk) { return chunk.empty(); });
    if (classes[size].empty())
      used &= ~(uint64_t{1} << size);
  }

  std::array<List, 64> classes;
  uint64_t used = 0; // classes that hold something
  size_t count = 0;
};

} // namespace tilerig
