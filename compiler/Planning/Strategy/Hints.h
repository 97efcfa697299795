// Hints: what a strategy file requests for one layer.
#pragma once

#include "compiler/Planning/Strategy/EngineMapping.h"
#include "compiler/Planning/Strategy/StrategyFile.h"

namespace tilerig::compiler {

struct Hints {
  // hint split_io: divide rows, columns, batch or positions of the result among the tiles
  std::optional<bool> cutsImage = {};
  // True for the hint split_wb: the outputs, and with them the weights, are divided among the tiles. False
  // for the hint dupl_wb: they are not, and every tile has all weights.
  std::optional<bool> cutsWeights = {};
  bool splitsDepth = false; // hint split_k: divide the depth (K) of the sums among the tiles
  // hint wb_pin_ocm: load the weights once and keep them on the tiles
  bool pinsWeights = false;
  std::optional<Mapping> mapping = {}; // mapping to the POD (matrix engine): hint LAMM, SAMM1 or SAMM2
  // hint FLATTEN_MM, FLATTEN_MM_OVERLAP (both im2col) or DIRECTCONV (no im2col)
  std::optional<Flattening> flattening = {};
  std::optional<int64_t> tiles = {};
  // number of parts along each axis of the result; empty: the compiler chooses
  std::vector<int64_t> parts = {};
  // lengths of the parts along each axis of the result, if they are unequal
  std::vector<std::vector<int64_t>> sizes = {};
  std::optional<bool> onHost = {}; // where the layer runs: hint host or accelerator
  // Hint fusion_block: neighbouring layers with the same number form a block that runs band by band (a few
  // rows at a time).
  std::optional<int64_t> fusionBlock = {};

  bool saysHowToCut() const { return cutsImage || cutsWeights || splitsDepth || tiles || !parts.empty(); }
  bool empty() const { return !saysHowToCut() && !pinsWeights && !mapping && !flattening && !fusionBlock; }
};

// Returns an error for hints that are unknown or contradict each other.
Result<Hints> hintsOf(const StrategyLayer &layer);

} // namespace tilerig::compiler
