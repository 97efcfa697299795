// Hints: what a strategy file asks for one layer.
#pragma once

#include "compiler/Strategy/StrategyFile.h"
#include "compiler/Tiling/EngineMapping.h"

namespace tilerig::compiler {

struct Hints {
  std::optional<bool> cutsImage = {}; // hint split_io: split rows, columns, batch or positions
  // Hint split_wb: split the outputs among the tiles; hint dupl_wb: do not, so that all tiles have the same
  // weights.
  std::optional<bool> cutsWeights = {};
  bool splitsDepth = false;                  // split_k: tiles divide the depth (K) of the sums
  bool pinsWeights = false;                  // wb_pin_ocm: loaded once before the first inference, and kept
  std::optional<Mapping> mapping = {};       // LAMM, SAMM1, SAMM2
  std::optional<Flattening> flattening = {}; // FLATTEN_MM, FLATTEN_MM_OVERLAP; DIRECTCONV: none
  std::optional<int64_t> tiles = {};
  std::vector<int64_t> parts = {};              // by axis of the result; empty: the compiler chooses
  std::vector<std::vector<int64_t>> sizes = {}; // lengths of the parts along each axis, if they are unequal
  std::optional<bool> onHost = {};              // host, accelerator: where the layer runs
  // fusion_block: neighbouring layers with the same number run band by band
  std::optional<int64_t> fusionBlock = {};

  bool saysHowToCut() const { return cutsImage || cutsWeights || splitsDepth || tiles || !parts.empty(); }
  bool empty() const { return !saysHowToCut() && !pinsWeights && !mapping && !flattening && !fusionBlock; }
};

// Returns an error for hints that are unknown or contradict each other.
Result<Hints> hintsOf(const StrategyLayer &layer);

} // namespace tilerig::compiler
