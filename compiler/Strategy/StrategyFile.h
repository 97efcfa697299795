// The strategy file: how each layer was cut, and hints how it should be, in the form of profiling tools.
//
//   {"file_type": "ExtStrategy",
//    "layers": [{"id": 1, "op": "CONV", "to_layer_ids": [2],
//                "first_onnx_op": "conv0", "last_onnx_op": "relu0",
//                "strategy_applied": ["split_io", "dupl_wb", "DIRECTCONV"],
//                "external_strategy_hints": ["split_io", "dupl_wb"],
//                "tiles": 64, "parts": [1, 64, 1, 1], "fusion_block": 1}]}
//
// The last three are ours: how many tiles work, into how many parts each axis of the result is cut, and to
// which fusion block the layer belongs, if to any. A list in place of a number of parts has the size of each:
// "parts": [8, [15, 15, 15, 15, 15, 15, 15, 7], 1, 1]. With a hint the first two say what is wanted, or only
// the one that the hint "tiles" or "parts" names; the block is wanted where the hint "fusion_block" names it.
// What was applied is told and not read.
#pragma once

#include "isa/Support/Error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig {

struct StrategyLayer {
  int64_t id = 0; // from 1, in the order in which layers run
  std::string op;
  std::vector<int64_t> toLayerIds = {};
  std::string firstOnnxOp = {}, lastOnnxOp = {};
  std::vector<std::string> applied = {}, hints = {};
  std::optional<int64_t> tiles = {};
  std::vector<int64_t> parts = {};
  std::vector<std::vector<int64_t>> sizes = {}; // of the parts of each axis; none where they are equal
  std::optional<int64_t> fusionBlock = {};      // from 1
  bool operator==(const StrategyLayer &) const = default;
};

struct StrategyFile {
  std::vector<StrategyLayer> layers;
  bool operator==(const StrategyFile &) const = default;
};

Result<StrategyFile> parseStrategy(std::string_view text);
std::string printStrategy(const StrategyFile &file);

} // namespace tilerig
