// Side information about a tensor, beyond its reference and target values: seams between tiles, the layer
// that computes it, and how the run went.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "verify/Evidence/Product.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

// Seams between tiles: for each axis of the tensor, the indices at which another tile's piece begins.
using Seams = std::vector<std::vector<int64_t>>;

// The analyser's result on the program, as features; all false means that it is proved.
struct Order {
  bool unordered = false;     // two accesses that nothing orders
  bool uninitialised = false; // a read of bytes that nothing wrote
  bool other = false;
  // Details: the number of conflicts and of reads of unwritten bytes, and statistics of the conflicts that
  // the analyser kept (at most the first ones, called "kept conflicts" below).
  uint64_t conflicts = 0, unwrittenReads = 0;
  double withinTile = 0;           // share of the kept conflicts within one tile
  double besideControl = 0;        // share in which an instruction directly follows a wait or a sync
  double instructions = 0;         // distinct instructions / (2 × kept conflicts)
  std::optional<uint64_t> nearest; // least distance in instructions of a conflict within one tile
  // The hub: the engine of one tile that takes part in most of the kept conflicts.
  double ofHub = 0;           // accesses of the hub / kept conflicts
  double hubInstructions = 0; // distinct instructions of the hub / 8, at most 1
  double hubAdjacent = 0;     // share of these that are adjacent to another one
  double hubOutOfOrder = 0;   // share of these that break the order of layers or addresses
  double hubWrites = 0;       // share of the hub's accesses that are writes
  bool leftOver = false;      // a semaphore with an unconsumed signal or an overflow
  bool stuck = false;         // a wait that never ends
};

// The part of a tensor that a tile holds: a box.
struct TilePart {
  uint32_t tile = 0;
  std::vector<int64_t> begin, extent; // by axis
};

struct Circumstances {
  std::optional<Seams> seams;
  std::optional<std::string> layerKind; // kind of the layer that computes it, as programs name it
  std::optional<std::vector<TilePart>> parts;
  std::optional<std::vector<float>> bias; // bias of each channel, in any unit
  std::shared_ptr<const Product> product; // null if the layer sums no products, or is unknown
  std::optional<Order> order;
  bool trapped = false;
  bool isOracle = false; // the reference is what a faultless device computes, bit for bit
  // The layer's result from right inputs.
  std::optional<Tensor> isolated;
  // Results of runs with other latencies; absent if this is not known. The list is empty for a proved
  // program, whose results never depend on latencies.
  std::optional<std::vector<Tensor>> otherRuns;
};

} // namespace tilerig::verify
