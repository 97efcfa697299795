// What the values of a model are like: types, shapes, and the ranges in which they lie.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "reference/Run/Threads.h"

#include <map>
#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig::models {

struct Observed {
  DType type = DType::f32;
  Shape shape;
  float low = 0, high = 0; // of floats; zero is always among them, as padding needs it
};
using Observations = std::map<std::string, Observed>;

// Of the inputs and of everything that the main graph computes, over runs on `samples` sets of inputs: floats
// uniform in
// [-1, 1), integers and bools 0 or 1. Refuses values that are not finite.
Result<Observations> observe(const onnx::ModelProto &model, unsigned samples, reference::Threads &threads);

} // namespace tilerig::models
