// What networks are made of. A network is written down once, as a function that asks for layers; whoever
// answers makes of it what is trained (TorchLayers.h) or the ONNX file that is used (OnnxLayers.h), so the
// two cannot differ.
//
// Shapes are without the batch. What is learnt has the name of its layer.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <span>
#include <string>

namespace tilerig::classifier {

enum class Input : uint8_t { channels, picture, facts };
inline constexpr size_t numInputs = 3;
std::string_view nameOf(Input input); // as in the ONNX file
Shape shapeOf(Input input);

struct Value {
  size_t index = 0; // of the layers' own
  Shape shape;
};

// Odd kernels are padded to keep the size, even ones are patches.
struct Conv {
  int64_t outputs = 0, kernel = 3, stride = 1, groups = 1;
  bool normalised = true; // over the batch, instead of a bias

  int64_t pad() const { return kernel % 2 ? kernel / 2 : 0; }
};

class Layers {
public:
  virtual ~Layers() = default;

  virtual Value input(Input which) = 0;
  // Learnt, and the same for all rows.
  virtual Value learned(const std::string &name, Shape shape) = 0;
  // Less the mean of the training rows, by their deviation, for each number.
  virtual Value standardise(const Value &x, const std::string &name) = 0;
  virtual Value conv(const Value &x, const std::string &name, const Conv &conv) = 0;
  // Along the last axis.
  virtual Value linear(const Value &x, const std::string &name, int64_t outputs) = 0;
  virtual Value layerNorm(const Value &x, const std::string &name) = 0;
  // Of [steps, features], both ways: [steps, 2 · hidden].
  virtual Value lstm(const Value &x, const std::string &name, int64_t hidden) = 0;

  virtual Value relu(const Value &x) = 0;
  // As numpy broadcasts; `x` has the result's shape.
  virtual Value add(const Value &x, const Value &y) = 0;
  virtual Value scale(const Value &x, float factor) = 0;
  virtual Value softmax(const Value &x) = 0; // along the last axis
  virtual Value matmul(const Value &x, const Value &y) = 0;
  // Rectangles that do not overlap.
  virtual Value averagePool(const Value &x, int64_t height, int64_t width) = 0;
  virtual Value meanOfRows(const Value &x) = 0; // [rows, features] to [features]
  virtual Value reshape(const Value &x, Shape shape) = 0;
  virtual Value transpose(const Value &x, std::span<const int64_t> axes) = 0;
  virtual Value concat(std::span<const Value> parts) = 0; // along the last axis
  // Of training alone: forgets numbers, this share of them.
  virtual Value dropout(const Value &x, double share) = 0;
};

Value flatten(Layers &layers, const Value &x);

} // namespace tilerig::classifier
