// What is known about a tensor besides its reference and target values: seams between tiles, the layer that
// computes it, and how the run went.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "verify/Evidence/Product.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

// Seams between tiles: for each axis of the tensor, the indices at which the part of another tile begins.
using Seams = std::vector<std::vector<int64_t>>;

// What the analyser found in the program, as features. If all are false, the program is proved free of races.
struct Order {
  bool unordered = false;     // whether there are unordered accesses to the same bytes
  bool uninitialised = false; // whether there is a read of bytes that nothing wrote
  bool other = false;
  // Number of conflicts (unordered accesses to the same bytes), and number of reads of bytes that nothing
  // wrote. If there are many conflicts, the analyser lists only the first ones.
  uint64_t conflicts = 0, unwrittenReads = 0;
  // Share of the conflicts listed by the analyser whose accesses are both on one tile.
  double withinTile = 0;
  // Share of the conflicts listed by the analyser that involve an instruction just after a wait or a sync.
  double besideControl = 0;
  // Distinct instructions in the conflicts listed by the analyser / (2 × number of these conflicts).
  double instructions = 0;
  // Least distance, in instructions, between the two accesses of a listed conflict within one tile; empty if
  // there is no such conflict.
  std::optional<uint64_t> nearest;
  // Number of the hub's accesses in the conflicts that the analyser lists / number of these conflicts. The
  // hub is the engine that takes part in conflicts most often.
  double ofHub = 0;
  // Distinct instructions of the hub (the engine most often in conflict) in listed conflicts / 8, at most 1.
  double hubInstructions = 0;
  // Share of the hub's conflicting instructions that are adjacent to another one of them. The hub is the
  // engine most often in conflict.
  double hubAdjacent = 0;
  // Share of the hub's conflicting instructions that break the order of layers or addresses. The hub is the
  // engine most often in conflict.
  double hubOutOfOrder = 0;
  // Share of writes among the accesses of the hub (the engine most often in conflict) that are in conflicts.
  double hubWrites = 0;
  bool leftOver = false; // whether a semaphore overflows, or keeps a signal for which nothing waits
  bool stuck = false;    // whether some wait instruction of the program never ends
};

// The part of a tensor that a tile holds, a box of its elements.
struct TilePart {
  uint32_t tile = 0;
  // The box of the tile's elements: first index and number of indices along each axis of the tensor.
  std::vector<int64_t> begin, extent;
};

struct Circumstances {
  std::optional<Seams> seams;
  // Kind of the layer that computes the tensor, as programs name it.
  std::optional<std::string> layerKind;
  std::optional<std::vector<TilePart>> parts;
  // constant bias of each channel, in any unit, since it is only correlated with errors
  std::optional<std::vector<float>> bias;
  std::shared_ptr<const Product> product; // the layer's operands; null if it sums no products, or is unknown
  std::optional<Order> order;
  bool trapped = false;
  bool isOracle = false; // whether the reference is exactly, bit for bit, what a faultless device computes
  // What the layer computes from right inputs; empty if it is not known.
  std::optional<Tensor> isolated;
  // The tensor's values in runs with other latencies; absent if there were no such runs. The list is empty
  // for a program that is proved free of races, because latencies cannot change its results.
  std::optional<std::vector<Tensor>> otherRuns;
};

} // namespace tilerig::verify
