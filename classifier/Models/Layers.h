// Interface of layers from which networks are built. A network is a function that calls this interface; one
// implementation trains it (TorchLayers.h), another writes its ONNX file (OnnxLayers.h), so both have the
// same structure.
//
// Shapes do not include the batch. Parameters are named after their layer.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <span>
#include <string>

namespace tilerig::classifier {

enum class Input : uint8_t { channels, picture, features };
inline constexpr size_t numInputs = 3;
std::string_view nameOf(Input input); // name of this input of a classifier in its ONNX file
Shape shapeOf(Input input);

struct Value {
  size_t index = 0; // number of the value: values are numbered in the order in which they are computed
  Shape shape;
};

// Parameters of a convolution. The image is padded for odd kernels, so that its size stays the same at stride
// 1, but not for even kernels, which are used for non-overlapping patches.
struct Conv {
  int64_t outputs = 0, kernel = 3, stride = 1, groups = 1;
  bool normalised = true; // whether the convolution has batch normalisation instead of a bias

  int64_t pad() const { return kernel % 2 ? kernel / 2 : 0; }
};

class Layers {
public:
  virtual ~Layers() = default;

  virtual Value input(Input which) = 0;
  // A tensor of learned parameters, which is the same for all rows.
  virtual Value learned(const std::string &name, Shape shape) = 0;
  // Subtracts from each number its mean over the training rows, and divides by its standard deviation over
  // them.
  virtual Value standardise(const Value &x, const std::string &name) = 0;
  virtual Value conv(const Value &x, const std::string &name, const Conv &conv) = 0;
  // Fully connected layer along the last axis.
  virtual Value linear(const Value &x, const std::string &name, int64_t outputs) = 0;
  virtual Value layerNorm(const Value &x, const std::string &name) = 0;
  // Bidirectional LSTM: [steps, features] to [steps, 2 · hidden].
  virtual Value lstm(const Value &x, const std::string &name, int64_t hidden) = 0;

  virtual Value relu(const Value &x) = 0;
  // x + y, where y is broadcast like in numpy and `x` must have the result's shape.
  virtual Value add(const Value &x, const Value &y) = 0;
  virtual Value scale(const Value &x, float factor) = 0;
  virtual Value softmax(const Value &x) = 0; // softmax along the last axis
  virtual Value matmul(const Value &x, const Value &y) = 0;
  // Averages over non-overlapping rectangles of height × width.
  virtual Value averagePool(const Value &x, int64_t height, int64_t width) = 0;
  virtual Value meanOfRows(const Value &x) = 0; // mean over the rows: [rows, features] to [features]
  virtual Value reshape(const Value &x, Shape shape) = 0;
  virtual Value transpose(const Value &x, std::span<const int64_t> axes) = 0;
  virtual Value concat(std::span<const Value> parts) = 0; // concatenates along the last axis
  // During training sets the given share of the numbers, chosen at random, to zero; otherwise returns x.
  virtual Value dropout(const Value &x, double share) = 0;
};

Value flatten(Layers &layers, const Value &x);

} // namespace tilerig::classifier
