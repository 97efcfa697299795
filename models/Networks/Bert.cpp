// BERT in its smallest published size: two layers, width 128, two heads. Layer normalisation and GELU are
// spelled out in elementary operators, as exporters write them. J. Devlin et al.: BERT, 2018; I. Turc et al.:
// Well-read students learn better, 2019.
#include "models/Builder/Attention.h"
#include "models/Networks/Families.h"

namespace tilerig::models {

namespace {

constexpr int64_t vocabulary = 30522, segments = 2, positions = 512;
constexpr int64_t steps = 128, features = 128, layers = 2, heads = 2;

Value normalised(GraphBuilder &g, const Value &x, std::string_view name) {
  return layerNorm(g, x, name, LayerNormForm::spelledOut, 1e-12f);
}

// The input embedding: the sum of a token, a segment and a position embedding.
Value embeddings(GraphBuilder &g, const Value &tokens, const Value &segmentIds) {
  Scope scope(g, "embeddings");
  Value words = embed(g, tokens, "words", vocabulary, features, 0.5);
  Value kinds = embed(g, segmentIds, "segments", segments, features, 0.2);
  std::vector<int64_t> numbers(steps);
  for (int64_t i = 0; i < steps; ++i)
    numbers[i] = i;
  Value places =
      embed(g, g.integers("position_ids", {1, steps}, numbers), "positions", positions, features, 0.2);
  Value sum = g.node("Add", "with_segments", {words, kinds}, words.shape);
  sum = g.node("Add", "with_positions", {sum, places}, words.shape);
  return normalised(g, sum, "norm");
}

// The additive attention mask: 0 for a valid token, a large negative number for padding.
Value additiveMask(GraphBuilder &g, const Value &mask) {
  Scope scope(g, "mask");
  Shape shape{mask.shape[0], 1, 1, mask.shape[1]};
  Value raised = g.node("Unsqueeze", "raised", {mask, g.integers("axes", {1, 2})}, shape);
  Value present =
      g.node("Cast", "present", {raised}, shape, {attribute("to", int64_t{onnx::TensorProto::FLOAT})});
  Value missing = g.node("Sub", "missing", {g.scalar("one", 1), present}, shape);
  return g.node("Mul", "additive", {missing, g.scalar("large", -10000)}, shape);
}

Value encoderLayer(GraphBuilder &g, const Value &x, const Value &mask) {
  Value attended = attend(g, x, "attention", {heads, &mask});
  Value y = normalised(g, g.node("Add", "attended", {x, attended}, x.shape), "attention_norm");
  Value inner = gelu(g, project(g, y, "intermediate", 4 * features));
  Value outer = project(g, inner, "output", features);
  return normalised(g, g.node("Add", "transformed", {y, outer}, x.shape), "output_norm");
}

} // namespace

Network bertTiny(const Variant &variant) {
  GraphBuilder g("bert_tiny", variant.opset);
  Shape shape{variant.batch, steps};
  Value tokens = g.input("input_ids", DType::i64, shape);
  Value present = g.input("attention_mask", DType::i64, shape);
  Value segmentIds = g.input("token_type_ids", DType::i64, shape);
  Value x = embeddings(g, tokens, segmentIds);
  Value mask = additiveMask(g, present);
  for (int64_t i = 0; i < layers; ++i) {
    Scope scope(g, "layer" + std::to_string(i));
    x = encoderLayer(g, x, mask);
  }
  g.output(x);
  Scope scope(g, "pooler");
  Value first = g.node("Gather", "first", {x, g.integers("zero", {}, std::array<int64_t, 1>{0})},
                       {variant.batch, features}, {attribute("axis", int64_t{1})});
  g.output(g.node("Tanh", "tanh", {project(g, first, "dense", features)}, first.shape));
  return std::move(g).finish();
}

} // namespace tilerig::models
