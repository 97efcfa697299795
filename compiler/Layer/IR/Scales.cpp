#include "compiler/Layer/IR/Scales.h"

namespace tilerig::compiler::layer {

namespace {

float scaleOf(mlir::Type type) {
  return static_cast<float>(llvm::cast<mlir::quant::UniformQuantizedType>(type).getScale());
}

} // namespace

std::vector<float> productScales(mlir::Type a, mlir::Type b, mlir::Type result) {
  std::vector<float> scales;
  if (const auto perAxis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(b))
    for (const double scale : perAxis.getScales())
      scales.push_back(static_cast<float>(scale));
  else
    scales.push_back(scaleOf(b));
  for (float &scale : scales) {
    scale = scaleOf(a) * scale;
    if (result && quantisedOf(result))
      scale /= scaleOf(result);
  }
  return scales;
}

float averageFactor(mlir::Type from, mlir::Type to, int64_t count) {
  return scaleOf(from) / (scaleOf(to) * static_cast<float>(count));
}

} // namespace tilerig::compiler::layer
