// Hints: what a strategy file asks for one layer.
#pragma once

#include "compiler/Planning/Strategy/EngineMapping.h"
#include "compiler/Planning/Strategy/StrategyFile.h"

namespace tilerig::compiler {

struct Hints {
  std::optional<bool> cutsImage = {}; // hint split_io: split rows, columns, batch or positions of the result
  // Hint split_wb (true): the outputs, and so the weights, are divided among the tiles. Hint dupl_wb (false):
  // they are not, so that all tiles have the same weights.
  std::optional<bool> cutsWeights = {};
  bool splitsDepth = false;                  // hint split_k: tiles divide the depth (K) of the sums
  bool pinsWeights = false;                  // hint wb_pin_ocm: weights are loaded once and stay on the tiles
  std::optional<Mapping> mapping = {};       // mapping to the POD (matrix engine): hint LAMM, SAMM1 or SAMM2
  std::optional<Flattening> flattening = {}; // hint FLATTEN_MM, FLATTEN_MM_OVERLAP or DIRECTCONV (no im2col)
  std::optional<int64_t> tiles = {};
  std::vector<int64_t> parts = {};              // number of parts of each axis; empty: the compiler chooses
  std::vector<std::vector<int64_t>> sizes = {}; // lengths of the parts along each axis, if they are unequal
  std::optional<bool> onHost = {};              // where the layer runs: hint host or accelerator
  // Hint fusion_block: neighbouring layers with the same number form a block that runs band by band (a few
  // rows at a time).
  std::optional<int64_t> fusionBlock = {};

  bool saysHowToCut() const { return cutsImage || cutsWeights || splitsDepth || tiles || !parts.empty(); }
  bool empty() const { return !saysHowToCut() && !pinsWeights && !mapping && !flattening && !fusionBlock; }
};

// Returns an error for hints that are unknown or contradict each other.
Result<Hints> hintsOf(const StrategyLayer &layer);

} // namespace tilerig::compiler
