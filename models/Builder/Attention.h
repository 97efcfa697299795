// Layers of networks over sequences: values are [batch, steps, features].
#pragma once

#include "models/Builder/GraphBuilder.h"

namespace tilerig::models {

// x · weight + bias along the features. Keeps the size of normalised features, times `gain`.
Value project(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs, double gain = 1);

enum class LayerNormForm { op, spelledOut };
// As the operator of opset 17, or by the elementary operators that exporters write below that opset.
Value layerNorm(GraphBuilder &g, const Value &x, std::string_view name, LayerNormForm form, float epsilon);
// x/2 · (1 + erf(x/√2)), spelled out.
Value gelu(GraphBuilder &g, const Value &x, std::string_view name = "gelu");
// Rows of a table [entries, features], by number.
Value embed(GraphBuilder &g, const Value &numbers, std::string_view name, int64_t entries, int64_t features,
            double spread);

struct Attention {
  int64_t heads;
  const Value *mask = nullptr; // added to the scores [batch, heads, steps, steps], broadcast
};
Value selfAttention(GraphBuilder &g, const Value &x, std::string_view name, const Attention &attention);

} // namespace tilerig::models
