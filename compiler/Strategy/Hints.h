// What the hints of a strategy file ask of a layer.
#pragma once

#include "compiler/Strategy/StrategyFile.h"
#include "compiler/Tiling/Way.h"

namespace tilerig {

struct Hints {
  std::optional<bool> cutsImage = {}; // split_io: rows, columns, batch or positions are shared out
  // split_wb: outputs are shared out; dupl_wb: they are not, so tiles have equal weights
  std::optional<bool> cutsWeights = {};
  bool splitsDepth = false;                  // split_k: tiles share out what sums are made of
  bool pinsWeights = false;                  // wb_pin_ocm: loaded before the first inference, and kept
  std::optional<Mapping> mapping = {};       // LAMM, SAMM1, SAMM2
  std::optional<Flattening> flattening = {}; // FLATTEN_MM, FLATTEN_MM_OVERLAP; DIRECTCONV: none
  std::optional<int64_t> tiles = {};
  std::vector<int64_t> parts = {};              // by axis of the result; empty: as is best
  std::vector<std::vector<int64_t>> sizes = {}; // of these parts, where an axis is not to be cut equally
  std::optional<bool> onHost = {};              // host, accelerator: where the layer runs
  // fusion_block: neighbouring layers with the same number go through their shares band by band
  std::optional<int64_t> fusionBlock = {};

  bool saysHowToCut() const { return cutsImage || cutsWeights || splitsDepth || tiles || !parts.empty(); }
  bool empty() const { return !saysHowToCut() && !pinsWeights && !mapping && !flattening && !fusionBlock; }
};

// Refuses hints that are not known, or contradict each other.
Result<Hints> hintsOf(const StrategyLayer &layer);

} // namespace tilerig
