// Transformer layers for the graph builder: linear projection, layer normalisation, GELU, embedding,
// self-attention. Values have the shape [batch, steps, features].
#pragma once

#include "models/Builder/GraphBuilder.h"

namespace tilerig::models {

// Adds a linear projection of the features, x · weight + bias. If x is normalised, the outputs have `gain`
// times the magnitude of x.
Value project(GraphBuilder &g, const Value &x, std::string_view name, int64_t outputs, double gain = 1);

enum class LayerNormForm { op, spelledOut };
// Layer normalisation, either as the operator of opset 17 or spelled out in elementary operators, as
// exporters write it for older opsets.
Value layerNorm(GraphBuilder &g, const Value &x, std::string_view name, LayerNormForm form, float epsilon);
// Normalisation by the root mean square of the features, spelled out in elementary operators.
Value rmsNorm(GraphBuilder &g, const Value &x, std::string_view name, float epsilon);
// GELU spelled out in elementary operators: x/2 · (1 + erf(x/√2)).
Value gelu(GraphBuilder &g, const Value &x, std::string_view name = "gelu");
// Looks up rows of a table [entries, features]; `numbers` are the indices of the rows, `spread` is the
// standard deviation of the table's elements.
Value embed(GraphBuilder &g, const Value &numbers, std::string_view name, int64_t entries, int64_t features,
            double spread);

struct Attention {
  int64_t heads;
  const Value *mask = nullptr; // optional attention mask, added to the scores with broadcasting
  // The sequence that x attends to, such as the result of an encoder; null: x itself.
  const Value *memory = nullptr;
};
Value attend(GraphBuilder &g, const Value &x, std::string_view name, const Attention &attention);

// The matrix product of a [..., m, k] and b [..., k, n].
Value matMul(GraphBuilder &g, const Value &a, const Value &b, std::string_view name);
Value reshape(GraphBuilder &g, const Value &x, std::string_view name, std::initializer_list<int64_t> target,
              Shape shape);
Value transpose(GraphBuilder &g, const Value &x, std::string_view name, const std::vector<int64_t> &order);

} // namespace tilerig::models
