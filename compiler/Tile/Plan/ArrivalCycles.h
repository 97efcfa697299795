// Cycles until the operands of an operation have arrived at its tiles, given the splits that are chosen for
// it and for the operations that produce the operands.
#pragma once

#include "compiler/Planning/Cost/Movement.h"
#include "compiler/Tile/Plan/SplitCandidates.h"

#include <numeric>
#include <unordered_map>

namespace tilerig::compiler {

// For each network step, the split that is chosen; null if none is chosen yet, or if the host runs the step.
using ChosenSplits = std::vector<const SplitCandidate *>;

// Traffic until operands have arrived at the tiles: the bytes that have to reach each tile, for one operand
// or for all operands of an operation.
struct ArrivalTraffic {
  struct OfTile {
    uint64_t bytes = 0;
    uint64_t partners = 0; // number of other tiles that have to send parts of an operand to this tile
  };
  std::vector<OfTile> byTile;
  uint64_t ddrBytes = 0; // bytes that DDR has to serve, for all tiles together
  // split of the operation that computes the operand; null: the operand comes from DDR
  const SplitCandidate *producer = nullptr;

  explicit ArrivalTraffic(unsigned tiles = 0) : byTile(tiles) {}
  ArrivalTraffic &operator+=(const ArrivalTraffic &other) {
    return combine(other, [](uint64_t &a, uint64_t b) { a += b; });
  }
  ArrivalTraffic &operator-=(const ArrivalTraffic &other) {
    return combine(other, [](uint64_t &a, uint64_t b) { a -= b; });
  }

private:
  template <class Apply>
  ArrivalTraffic &combine(const ArrivalTraffic &other, Apply apply) {
    for (size_t tile = 0; tile < byTile.size(); ++tile) {
      apply(byTile[tile].bytes, other.byTile[tile].bytes);
      apply(byTile[tile].partners, other.byTile[tile].partners);
    }
    apply(ddrBytes, other.ddrBytes);
    return *this;
  }
};

// Caches its results, because the search asks for the same splits of neighbouring operations again and again.
class ArrivalCycles {
public:
  // `problem` and `chosen` must outlive the object. When a split in `chosen` changes, producerChanged() must
  // be called.
  ArrivalCycles(const SplitProblem &problem, const ChosenSplits &chosen);

  // Cycles until all operands of a step have arrived, if the step has this candidate split: at the tile that
  // receives most, or at DDR's bandwidth if that takes longer.
  uint64_t of(size_t step, const SplitCandidate &candidate);
  // Must be called when another split has been chosen for the operation that computes `tensor`.
  void producerChanged(TensorIndex tensor);

private:
  // The cached traffic of the operands of a step with many operands, for the splits that are chosen at
  // present.
  struct WideArrival {
    const SplitCandidate *candidate = nullptr; // the step's split for which the traffic was computed
    std::vector<ArrivalTraffic> operands;
    ArrivalTraffic sum;
    std::vector<size_t> changed; // operands that may come from another split than when the traffic was cached
  };
  // Key of the cache: a step's candidate split, then the splits of the operations that compute its operands.
  using NeighbouringSplits = std::vector<const SplitCandidate *>;
  struct HashOfSplits {
    size_t operator()(const NeighbouringSplits &splits) const {
      return std::accumulate(
          splits.begin(), splits.end(), size_t{0}, [](size_t hash, const SplitCandidate *candidate) {
            return (hash ^ std::hash<const SplitCandidate *>()(candidate)) * 0x9E3779B97F4A7C15;
          });
    }
  };

  // Whether an operation has many operands; a concat may have hundreds. The search hardly ever asks twice for
  // the same combination of splits of all their producers, so results are not memoised for such an operation.
  // Instead its total traffic is kept, and updated for the few producers whose split has changed.
  static bool isWide(const DeviceOp &deviceOp) { return deviceOp.operands.size() > 8; }
  uint64_t ofWideStep(size_t step, const SplitCandidate &candidate);
  uint64_t memoised(const DeviceOp &deviceOp, const SplitCandidate &candidate);

  uint64_t cyclesOf(const ArrivalTraffic &traffic) const;
  ArrivalTraffic trafficOf(const Operand &operand, const SplitCandidate &candidate) const;
  ArrivalTraffic::OfTile trafficAt(unsigned tile, const Box &needed, const DeviceTensor &tensor,
                                   const SplitCandidate *producer) const;
  uint64_t bytesOfDdr(const Operand &operand, const SplitCandidate &candidate) const;
  const SplitCandidate *producerOf(TensorIndex tensor) const {
    return problem.producers[tensor] ? chosen[*problem.producers[tensor]] : nullptr;
  }

  const SplitProblem &problem;
  const ChosenSplits &chosen;
  MovementCosts movement;
  std::unordered_map<NeighbouringSplits, uint64_t, HashOfSplits> known;
  NeighbouringSplits key;                // key of the cache entry to look up
  std::vector<WideArrival> wideArrivals; // cached traffic of steps with many operands
};

} // namespace tilerig::compiler
