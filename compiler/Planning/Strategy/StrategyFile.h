// The strategy file, in the format of profiling tools: how each layer was split, and hints for how to split
// it.
//
//   {"file_type": "ExtStrategy",
//    "layers": [{"id": 1, "op": "CONV", "to_layer_ids": [2],
//                "first_onnx_op": "conv0", "last_onnx_op": "relu0",
//                "strategy_applied": ["split_io", "dupl_wb", "DIRECTCONV"],
//                "external_strategy_hints": ["split_io", "dupl_wb"],
//                "tiles": 64, "parts": [1, 64, 1, 1], "fusion_block": 1}]}
//
// Three fields are extensions of the format: "tiles" is the number of tiles that work on the layer, "parts"
// the number of parts along each axis of its result, and "fusion_block" the number of its fusion block, if
// any. A list instead of a number gives the size of each part: "parts": [8, [15, 15, 15, 15, 15, 15, 15, 7],
// 1, 1].
//
// The compiler reads "tiles" and "parts" as requests if the layer has hints. But if "tiles" or "parts" is one
// of the hints, it reads only the fields that are named as hints. It reads "fusion_block" only if that is one
// of the hints. It writes "strategy_applied", and ignores it when reading.
#pragma once

#include "isa/Base/Support/Error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig::compiler {

// One entry of a strategy file: how a layer was split, and the hints for it.
struct StrategyLayer {
  int64_t id = 0; // number of the layer, from 1, in the order in which layers run
  std::string op;
  std::vector<int64_t> toLayerIds = {};
  std::string firstOnnxOp = {}, lastOnnxOp = {};
  std::vector<std::string> applied = {}, hints = {};
  std::optional<int64_t> tiles = {};
  std::vector<int64_t> parts = {};
  // sizes of the parts along each axis of the result; empty if they are equal
  std::vector<std::vector<int64_t>> sizes = {};
  std::optional<int64_t> fusionBlock = {}; // number of the layer's fusion block, counted from 1
  bool operator==(const StrategyLayer &) const = default;
};

// The content of a strategy file: an entry for each layer.
struct StrategyFile {
  std::vector<StrategyLayer> layers;
  bool operator==(const StrategyFile &) const = default;
};

// Parses the text of a strategy file. Returns an error if it is malformed.
Result<StrategyFile> parseStrategy(std::string_view text);
// Reads a strategy file; errors name its path.
Result<StrategyFile> readStrategy(const std::string &path);
// The strategy as the text of a strategy file; parseStrategy() reads it back.
std::string printStrategy(const StrategyFile &file);

} // namespace tilerig::compiler
