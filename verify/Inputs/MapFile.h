// Reads the file that pairs tensors of reference and target whose names differ:
//
//   {"file_type": "TensorMap",
//    "pairs": [{"reference": "conv1", "target": "layer_3_out", "transpose": [0, 3, 1, 2]}],
//    "left_out": ["debug_counter"]}
//
// `transpose` lists the target's axes in the reference's order. `left_out` names tensors that are
// deliberately not compared; the report lists them.
#pragma once

#include "isa/Base/Support/Error.h"

#include <set>
#include <vector>

namespace tilerig::verify {

struct MappedPair {
  std::string reference, target;
  std::vector<size_t> transpose; // axes of the target in the order of the reference; empty: the same order
};

struct TensorNameMap {
  std::vector<MappedPair> pairs;
  std::set<std::string> leftOut;
  std::string place;
};

Result<TensorNameMap> readMap(const std::string &path);
Result<TensorNameMap> parseMap(const std::string &text, const std::string &place);

} // namespace tilerig::verify
