// What is known of a tensor besides its two sides: where tiles meet, what made it, and how the run went.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "verify/Evidence/Product.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

// Where tiles meet: of each axis of the tensor the indices at which another piece begins.
using Seams = std::vector<std::vector<int64_t>>;

// What the analyser says of the program; all false is a proof.
struct Order {
  bool unordered = false;     // two accesses that nothing orders
  bool uninitialised = false; // a read of what nobody wrote
  bool other = false;
  // Finer: how many conflicts and reads of what nobody wrote there are, and of the conflicts that were looked
  // at ...
  uint64_t conflicts = 0, unwrittenReads = 0;
  double withinTile = 0;           // ... the share between instructions of one tile
  double besideControl = 0;        // ... the share of which one stands right behind a wait or a sync
  double instructions = 0;         // ... how many different ones there are, for each side of one
  std::optional<uint64_t> nearest; // instructions between the two of one tile, where they are fewest
  // The engine of one tile that most of them have in common, their hub.
  double ofHub = 0;           // how many of its accesses there are for each of them
  double hubInstructions = 0; // how many of its instructions, eighths up to 1
  double hubAdjacent = 0;     // of these, those that follow one another
  double hubOutOfOrder = 0;   // ... those that break the order of layers or addresses
  double hubWrites = 0;       // of its accesses, those that write
  bool leftOver = false;      // a semaphore that nobody waited for, or that overflows
  bool stuck = false;         // somebody waits for ever
};

// What a tile has of the tensor: a box.
struct TilePart {
  uint32_t tile = 0;
  std::vector<int64_t> begin, extent; // by axis
};

struct Circumstances {
  std::optional<Seams> seams;
  std::optional<std::string> layerKind; // of the layer that makes it, as programs name it
  std::optional<std::vector<TilePart>> parts;
  std::optional<std::vector<float>> bias; // of each channel, in any unit
  std::shared_ptr<const Product> product; // null where it is no sum of products, or not known
  std::optional<Order> order;
  bool trapped = false;
  bool isOracle = false; // the reference is what a faultless device gives, bit for bit
  // What the layer makes of right inputs.
  std::optional<Tensor> isolated;
  // What came of other runs with other latencies; an empty list of a program with a proof says that nothing
  // varies.
  std::optional<std::vector<Tensor>> otherRuns;
};

} // namespace tilerig::verify
