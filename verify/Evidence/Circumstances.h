// What is known of a tensor besides its two sides: where tiles meet, what made it, and how the run went.
#pragma once

#include "isa/Tensor/Tensor.h"

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
