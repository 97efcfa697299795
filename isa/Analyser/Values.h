// Static analysis of values in memory: which bytes are copies of which constants, and bounds of integers.
//
// The analyser processes the steps in an order in which every byte was last written by the write whose value
// the reader sees (the program has no races). So facts are simply propagated. A transfer without conversion
// copies them from source to destination; a fill creates them, and so does a POD instruction that stores
// accumulators with known bounds. Every write removes the facts about the bytes that it touches. Removal is
// conservative: it may remove more facts than necessary.
#pragma once

#include "isa/Analyser/Constants.h"
#include "isa/Instructions/Access.h"
#include "isa/Order/IntervalIndex.h"

#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace tilerig {

struct Bounds {
  int64_t low = 0, high = 0;

  int64_t magnitude() const { return std::max(std::abs(low), std::abs(high)); }
  Bounds with(Bounds other) const { return {std::min(low, other.low), std::max(high, other.high)}; }
};

// A fact about the values in a region of memory.
struct Fact {
  enum Kind : uint8_t {
    shifted,   // the byte at address a is a copy of the constant's byte at address a + shift
    scattered, // every element is a copy of some element of the constants in the region `source`
    bounded,   // all elements lie within the known bounds
  } kind = bounded;
  // Type of the elements, for the kinds of facts that are about whole elements.
  ElementType type = ElementType::i32;
  // The id of the fact, which learn() assigns. If some bytes of the fact are overwritten, the facts about the
  // other bytes keep the id.
  uint32_t id = 0;
  int64_t shift = 0;
  Region region = {}, source = {};
  Bounds bounds = {};
};

class Values {
public:
  Values(const Constants &constants, unsigned tiles) : constants(constants), memories(tiles + 1) {}

  // What is known about the values at the destination of a transfer without type conversion, derived from the
  // facts about its source; nullopt if nothing is known.
  std::optional<Fact> copied(MemoryId from, const Stream &source, const Stream &destination) const;
  void forget(MemoryId memory, const Region &region);
  // Stores a fact about the values of a region, for which forget() must have been called before.
  void learn(MemoryId memory, Fact fact);

  // If all bytes of the region are copies of constants in the same layout: the distance to add to an address
  // to get the address of the constant. nullopt otherwise.
  std::optional<int64_t> shiftToConstants(MemoryId memory, const Region &region) const;
  // Bounds that the values of all elements of a region keep; nullopt if none are known.
  std::optional<Bounds> boundsOf(MemoryId memory, const Region &region, ElementType type);
  // The greatest sum of |w - zeroPoint| over the elements w of the `rowDims` innermost dimensions of a
  // stream, over all positions of the outer dimensions; nullopt if the elements are not known constants.
  std::optional<int64_t> greatestRowSum(MemoryId memory, const Stream &stream, unsigned rowDims,
                                        int zeroPoint);

  // markOld() marks all present facts about values as old, until forgetOld(). lost() returns the ids of the
  // old facts of which a byte has been overwritten in the meantime.
  void markOld() { oldBefore = nextId; }
  void forgetOld() { oldBefore = 0; }
  const std::vector<uint32_t> &lost() const { return lostIds; }
  void drop(const std::vector<uint32_t> &ids);

private:
  using RegionKey = std::tuple<uint64_t, uint64_t, std::vector<std::pair<uint64_t, uint64_t>>, ElementType>;
  using RowsKey =
      std::tuple<uint64_t, std::array<std::pair<uint32_t, uint32_t>, 5>, unsigned, int, ElementType>;

  const Fact *factAbout(MemoryId memory, const Region &region) const;
  std::optional<Bounds> boundsIn(const Fact &fact, const Region &region, ElementType type);
  std::optional<Bounds> constantBounds(const Region &region, ElementType type);
  std::optional<int64_t> constantRowSum(uint64_t base, const Stream &stream, unsigned rowDims,
                                        int zeroPoint) const;

  const Constants &constants;
  std::vector<IntervalIndex<std::unique_ptr<Fact>>> memories;
  uint32_t nextId = 1, oldBefore = 0;
  std::vector<uint32_t> lostIds;
  // Caches of bounds and sums computed from constants, because many tiles and instructions use the same
  // constants.
  std::map<RegionKey, std::optional<Bounds>> knownBounds;
  std::map<RowsKey, std::optional<int64_t>> knownRowSums;
};

} // namespace tilerig
