// Observes the values of a model for quantisation: types, shapes, and value ranges.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "reference/Run/Threads.h"

#include <map>
#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig::models {

struct Observed {
  DType type = DType::f32;
  Shape shape;
  // range of the values of a float tensor; it always includes zero, because padding is zero
  float low = 0, high = 0;
};
using Observations = std::map<std::string, Observed>;

// Runs the model on `samples` sets of random inputs (floats uniform in [-1, 1), integers and bools 0 or 1),
// and observes the inputs and all values that the main graph computes. Returns an error for values that are
// not finite.
Result<Observations> observe(const onnx::ModelProto &model, unsigned samples, reference::Threads &threads);

} // namespace tilerig::models
