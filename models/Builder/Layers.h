// Layers of convolutional networks, named as in the papers. Each function adds its nodes and weights to the
// graph.
#pragma once

#include "models/Builder/GraphBuilder.h"

namespace tilerig::models {

struct Kernel {
  int64_t size = 1, stride = 1, pad = 0;
};

struct ConvSpec {
  int64_t outputs;
  Kernel kernel = {};
  int64_t groups = 1;
};

// Random distributions of a normalisation's scale and shift: the scale is uniform around `scale`, the shift
// nearly normal around `shift`.
struct NormSpec {
  double scale = 1, scaleSpread = 0.25;
  double shift = 0, shiftSpread = 0.2;
};

// A convolution without a bias, to be followed by batchNorm. All layers accept images, and volumes with windows
// that are cubes.
Value conv(GraphBuilder &g, const Value &x, std::string_view name, const ConvSpec &spec);
// A batch normalisation that stays in the network.
Value batchNorm(GraphBuilder &g, const Value &x, std::string_view name, const NormSpec &norm = {});
// A convolution, or a fully connected layer (linear), with a bias. The layer is calibrated with a batch
// normalisation behind it, and this normalisation is then folded into the layer.
Value biasedConv(GraphBuilder &g, const Value &x, std::string_view name, const ConvSpec &spec,
                 const NormSpec &norm = {});
Value linear(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs,
             const NormSpec &norm = {});

// A transposed convolution with a bias that doubles height and width.
Value upsample(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs);

Value relu(GraphBuilder &g, const Value &x, std::string_view name = "relu");
Value relu6(GraphBuilder &g, const Value &x, std::string_view name = "relu6");
Value add(GraphBuilder &g, const Value &x, const Value &y, std::string_view name = "add");
// Concatenates values along the axis of channels.
Value concat(GraphBuilder &g, std::span<const Value> parts, std::string_view name = "concat");

enum class Rounding { down, up }; // how a pooling rounds the number of output positions
Value maxPool(GraphBuilder &g, const Value &x, Kernel kernel, Rounding rounding = Rounding::down,
              std::string_view name = "pool");
Value globalAveragePool(GraphBuilder &g, const Value &x, std::string_view name = "average_pool");
Value flatten(GraphBuilder &g, const Value &x, std::string_view name = "flatten");
Value localResponseNorm(GraphBuilder &g, const Value &x, int64_t size, float alpha, float beta, float bias,
                        std::string_view name = "norm");
Value softmax(GraphBuilder &g, const Value &x, std::string_view name = "softmax");

} // namespace tilerig::models
