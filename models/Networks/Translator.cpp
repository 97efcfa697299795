// A transformer with an encoder and a decoder, one layer of width 64 each: the decoder attends to its own
// tokens so far and to the encoded source. A. Vaswani et al.: Attention is all you need, 2017.
#include "models/Builder/Attention.h"
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

#include <numeric>

namespace tilerig::models {

namespace {

constexpr int64_t vocabulary = 1000, steps = 24, features = 64, heads = 4;
constexpr float masked = -10000;

Value normalised(GraphBuilder &g, const Value &x, std::string_view name) {
  return layerNorm(g, x, name, LayerNormForm::op, 1e-5f);
}
Value sumOf(GraphBuilder &g, const Value &x, const Value &y, std::string_view name) {
  return g.node("Add", name, {x, y}, x.shape);
}

Value embedded(GraphBuilder &g, const Value &tokens) {
  Value words = embed(g, tokens, "words", vocabulary, features, 0.7);
  std::vector<int64_t> numbers(steps);
  std::iota(numbers.begin(), numbers.end(), 0);
  Value places = embed(g, g.integers("position_ids", {1, steps}, numbers), "positions", steps, features, 0.3);
  return sumOf(g, words, places, "placed");
}

// The additive mask that hides later tokens.
Value causalMask(GraphBuilder &g) {
  std::vector<float> mask(steps * steps);
  for (int64_t row = 0; row < steps; ++row)
    for (int64_t column = row + 1; column < steps; ++column)
      mask[static_cast<size_t>(row * steps + column)] = masked;
  return g.floats("causal_mask", {1, 1, steps, steps}, mask);
}

Value feedForward(GraphBuilder &g, const Value &x) {
  Value inner = relu(g, project(g, x, "inner", 4 * features, 1.5), "inner_relu");
  return normalised(g, sumOf(g, x, project(g, inner, "outer", features), "transformed"), "output_norm");
}

Value encoder(GraphBuilder &g, const Value &tokens) {
  Scope scope(g, "encoder");
  Value x = embedded(g, tokens);
  x = normalised(g, sumOf(g, x, attend(g, x, "attention", {heads}), "attended"), "attention_norm");
  return feedForward(g, x);
}

Value decoder(GraphBuilder &g, const Value &tokens, const Value &source) {
  Scope scope(g, "decoder");
  Value x = embedded(g, tokens);
  const Value mask = causalMask(g);
  x = normalised(g, sumOf(g, x, attend(g, x, "attention", {heads, &mask}), "attended"), "attention_norm");
  Value read = attend(g, x, "source_attention", {heads, nullptr, &source});
  return feedForward(g, normalised(g, sumOf(g, x, read, "read"), "source_norm"));
}

} // namespace

Network translator(const Variant &variant) {
  GraphBuilder g("translator", variant.opset);
  Value source = g.input("source_ids", DType::i64, {variant.batch, steps});
  Value target = g.input("target_ids", DType::i64, {variant.batch, steps});
  g.output(project(g, decoder(g, target, encoder(g, source)), "vocabulary", vocabulary, 2));
  return std::move(g).finish();
}

} // namespace tilerig::models
