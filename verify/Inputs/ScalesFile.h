// Reads the file that says how a system stored numbers as integers: number = scale * (integer - zero point).
//
//   {"file_type": "TensorScales",
//    "tensors": {"conv1": {"scale": 0.0235, "zero_point": -128}, "relu1": {"scale": 0.01}}}
//
// The names are those of the target's tensors; a missing zero point is 0.
#pragma once

#include "isa/Base/Support/Error.h"

#include <map>
#include <string>

namespace tilerig::verify {

struct TensorScale {
  double scale = 1;
  int64_t zero = 0;
};
using TensorScales = std::map<std::string, TensorScale>;

Result<TensorScales> readScales(const std::string &path);
Result<TensorScales> parseScales(const std::string &text, const std::string &place);

} // namespace tilerig::verify
