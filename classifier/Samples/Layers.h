// Builders of layers of small networks: like models/Builder/Layers.h, but with weights and biases that need
// no calibration.
#pragma once

#include "classifier/Samples/Draw.h"
#include "models/Builder/GraphBuilder.h"

namespace tilerig::verify {

using models::attribute;
using models::GraphBuilder;
using models::Scope;
using models::Value;

struct ConvForm {
  int64_t outputs = 16, kernel = 3, stride = 1, pad = 1, dilation = 1, groups = 1;
  bool hasBias = true;
};
// Convolution with random weights, which roughly preserve the magnitude of rectified inputs.
Value convolution(GraphBuilder &g, const Value &x, std::string_view name, const ConvForm &form);
// Fully connected layer on [batch, features].
Value dense(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs);

// Functions that are applied to each element; relu6 is a clip.
enum class Activation { relu, relu6, leakyRelu, sigmoid, tanh, hardSwish, elu };
Activation drawActivation(Draw &draw);
Value activated(GraphBuilder &g, const Value &x, std::string_view name, Activation activation);
Value averagePool(GraphBuilder &g, const Value &x, std::string_view name, int64_t kernel, int64_t stride,
                  int64_t pad);
// Enlarges an image by `factor`, which is 2 or 3.
Value resize(GraphBuilder &g, const Value &x, std::string_view name, int64_t factor, bool isNearest);
Value reshape(GraphBuilder &g, const Value &x, std::string_view name, const Shape &shape);

} // namespace tilerig::verify
