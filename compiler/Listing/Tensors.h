// Tensors of layers as readers are told about them: names of types, scales, where they come from.
#pragma once

#include "compiler/Dialect/Layer/Layer.h"

#include <string>
#include <vector>

namespace tilerig {

// "float", "float16", "uint8", "int32", …: of a quantised type that of its integers, "int9" for the machine's
// nine bits.
std::string elementName(mlir::Type element);

struct Scaling {
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  int64_t axis = -1; // that each scale is for; none where there is one scale
};
// None for what is not quantised.
std::optional<Scaling> scalingOf(mlir::Type element);
// "scale 0.5, zero point 128", "64 scales from 0.01 to 0.2 along axis 0, zero point 0".
std::string describe(const Scaling &scaling);

} // namespace tilerig
