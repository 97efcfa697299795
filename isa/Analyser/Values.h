// What is known about the values in memory without running the program: which bytes are copies of which
// constants, and between which bounds 32-bit integers lie.
//
// The analyser takes the steps in an order in which every byte that is read was written before by the write
// that the reader will see (the program has no races), so knowledge is simply carried along: a transfer that
// does not convert takes it from its source to its destination, a fill and a POD instruction that writes
// bounded accumulators make it, and every write ends what was known of the bytes that it touches, rather too
// many than too few.
#pragma once

#include "isa/Analyser/Constants.h"
#include "isa/Analyser/IntervalIndex.h"
#include "isa/Instructions/Access.h"

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

// Knowledge about a region.
struct Fact {
  enum Kind : uint8_t {
    shifted,   // the byte at address a is the constant at a + shift
    scattered, // the elements are among those of the constants' region `source`
    bounded,   // the elements lie within `bounds`
  } kind = bounded;
  ElementType type = ElementType::i32; // of scattered and bounded elements
  uint32_t id = 0;                     // given by learn(); what is left after a cut keeps it
  int64_t shift = 0;
  Region region = {}, source = {};
  Bounds bounds = {};
};

class Values {
public:
  Values(const Constants &constants, unsigned tiles) : constants(constants), memories(tiles + 1) {}

  // What is known of the elements that a transfer without conversion is about to read, said of where it puts
  // them.
  std::optional<Fact> copied(MemoryId from, const Stream &source, const Stream &destination) const;
  void forget(MemoryId memory, const Region &region);
  // After forget().
  void learn(MemoryId memory, Fact fact);

  // Where the bytes of a region lie among the constants, as a distance to add to their addresses, if all are
  // copies that lie there just as they lie here.
  std::optional<int64_t> shiftToConstants(MemoryId memory, const Region &region) const;
  // Bounds of all elements of a region.
  std::optional<Bounds> boundsOf(MemoryId memory, const Region &region, ElementType type);
  // The greatest sum of |w - zeroPoint| over the `rowDims` innermost dimensions of a stream.
  std::optional<int64_t> greatestRowSum(MemoryId memory, const Stream &stream, unsigned rowDims,
                                        int zeroPoint);

  // Facts known so far are old from now on, until forgetOld(); lost() has the ids of those of which something
  // was forgotten in that time.
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
  // The same constants are used by many tiles and many instructions.
  std::map<RegionKey, std::optional<Bounds>> knownBounds;
  std::map<RowsKey, std::optional<int64_t>> knownRowSums;
};

} // namespace tilerig
