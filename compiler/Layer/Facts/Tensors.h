// Descriptions of tensors for listings and metadata: type names, scales, and where the tensors come from.
#pragma once

#include "compiler/Layer/IR/Layer.h"

#include <string>
#include <vector>

namespace tilerig::compiler {

// Name of an element type: "float", "float16", "uint8", "int32", ...; for a quantised type the name of its
// integer type, "int9" for the machine's i9.
std::string elementName(mlir::Type element);

struct Scaling {
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  int64_t axis = -1; // axis along which the scales vary; -1 for a single scale
};
// Scales and zero points of a quantised type; nullopt for other types.
std::optional<Scaling> scalingOf(mlir::Type element);
// Scales and zero points as text: "scale 0.5, zero point 128", "64 scales from 0.01 to 0.2 along axis 0, zero
// point 0".
std::string describe(const Scaling &scaling);

} // namespace tilerig::compiler
