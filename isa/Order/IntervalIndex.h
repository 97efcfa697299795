// An interval index: stores values by byte range and finds those whose range overlaps a given one.
//
// Ranges are grouped by size: class c holds ranges of 2^(c-1)+1 .. 2^c bytes, sorted by their first byte. All
// ranges of a class that can overlap a given range then lie side by side in the sorted list: they begin
// within an interval of addresses that is at most 2^c longer than the given range. Most lists are short,
// because users of the index remove values that no longer matter. But a network whose tensors are moved
// through DDR in small pieces leaves very many values. So each list is split into chunks, and an insertion
// moves only the items of one chunk.
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
    // The chunk into which a new item is inserted: the last chunk that begins no later than the item's range.
    // Items with equal begin thus keep their insertion order.
    auto chunk =
        std::ranges::upper_bound(list.begin() + 1, list.end(), range.begin, {},
                                 [](const Chunk &candidate) { return candidate.front().range.begin; }) -
        1;
    chunk->insert(std::ranges::upper_bound(*chunk, range.begin, {}, beginOf), Item{range, std::move(value)});
    if (chunk->size() > longestChunk)
      splitChunk(list, chunk);
    ++count;
  }

  // Calls visit(range, value) for every value whose range overlaps `range`, and removes the values for which
  // `visit` returns true. `visit` may change the value.
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

  // Calls visit(range, value) for every value whose range overlaps `range`; changes nothing.
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

  // Removes the values for which visit(range, value) returns true.
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
  using Chunk = std::vector<Item>; // chunks of a list are never empty between calls
  using List = std::vector<Chunk>;
  static constexpr size_t longestChunk = 256;

  static uint64_t beginOf(const Item &item) { return item.range.begin; }

  // The lowest address at which a range of a size class can begin and still overlap the given range.
  static uint64_t lowestBegin(ByteRange range, unsigned size) {
    const uint64_t reach = uint64_t{1} << size;
    return range.begin >= reach ? range.begin - reach + 1 : 0;
  }

  // The first chunk of a list that has an item with range.begin >= `begin`.
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

  // Removes the items from `begin` to `end` of a chunk; returns whether the chunk is then empty.
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
  uint64_t used = 0; // bit c is 1 if size class c is not empty
  size_t count = 0;
};

} // namespace tilerig
