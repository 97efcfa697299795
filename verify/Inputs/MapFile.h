// Which tensor of the one file is which of the other, where names do not say it:
//
//   {"file_type": "TensorMap",
//    "pairs": [{"reference": "conv1", "target": "layer_3_out", "transpose": [0, 3, 1, 2]}],
//    "left_out": ["debug_counter"]}
//
// `transpose` names the target's axes in the order that the reference has them. What is left out is left out
// by this decision, and the report says so.
#pragma once

#include "verify/Inputs/StrictJson.h"

#include <set>
#include <vector>

namespace tilerig::verify {

struct MappedPair {
  std::string reference, target;
  std::vector<size_t> transpose; // empty where axes are the same
};

struct TensorNameMap {
  std::vector<MappedPair> pairs;
  std::set<std::string> leftOut;
  std::string place;
};

Result<TensorNameMap> readMap(const std::string &path);
Result<TensorNameMap> parseMap(const std::string &text, const std::string &place);

} // namespace tilerig::verify
