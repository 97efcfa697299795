// Small sequence networks: encoders of language and of image patches, and a tagger with an LSTM.
#include "classifier/Samples/FamilyList.h"
#include "classifier/Samples/Finish.h"
#include "classifier/Samples/Layers.h"
#include "models/Builder/Attention.h"
#include "models/Builder/Layers.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

constexpr int opsetOfSequences = 17;
using models::Filling;

struct Encoder {
  int64_t features, heads, inner;
  models::LayerNormForm norm;
};

Encoder drawEncoder(Draw &draw, models::LayerNormForm norm) {
  const int64_t heads = draw.pick({1, 2, 4}), features = heads * draw.pick({8, 16, 16, 32});
  return {features, heads, features * draw.between(1, 3), norm};
}

Value encoded(GraphBuilder &g, const Value &x, const Encoder &encoder, const Value *mask) {
  const Value attended = models::attend(g, x, "attention", {encoder.heads, mask});
  const Value sum = g.node("Add", "attended", {x, attended}, x.shape);
  const Value y = models::layerNorm(g, sum, "attention_norm", encoder.norm, 1e-6F);
  const Value inner = models::gelu(g, models::project(g, y, "inner", encoder.inner));
  const Value outer = models::project(g, inner, "outer", encoder.features);
  return models::layerNorm(g, g.node("Add", "transformed", {y, outer}, x.shape), "norm", encoder.norm, 1e-6F);
}

Result<DrawnNetwork> drawVit(uint64_t seed, reference::Threads &threads) {
  Draw draw(seedOf(seed, 1));
  GraphBuilder g("vit", opsetOfSequences);
  const Encoder encoder = drawEncoder(draw, models::LayerNormForm::op);
  const int64_t patch = draw.pick({2, 4}), side = draw.between(2, 6);
  const Value image = g.input("image", DType::f32, {1, 3, side * patch, side * patch});
  const Value grid = convolution(g, image, "patch",
                                 {.outputs = encoder.features, .kernel = patch, .stride = patch, .pad = 0});
  const Value line = reshape(g, grid, "line", {1, encoder.features, side * side});
  const Value rows = transpose(g, line, "rows", {0, 2, 1});
  const Value places = g.weight("places", {1, side * side, encoder.features}, Filling::bell(0.5));
  Value x = g.node("Add", "placed", {rows, places}, rows.shape);
  const int64_t layers = draw.between(1, 2);
  for (int64_t i = 0; i < layers; ++i) {
    Scope scope(g, i);
    x = encoded(g, x, encoder, nullptr);
  }
  g.output(models::project(g, x, "head", draw.between(5, 40)));
  return finishNetwork(std::move(g), fmt::format("vit {}x{} of {}", side, side, encoder.features), seed,
                       threads);
}

Result<DrawnNetwork> drawBert(uint64_t seed, reference::Threads &threads) {
  Draw draw(seedOf(seed, 1));
  GraphBuilder g("bert", opsetOfSequences);
  const Encoder encoder = drawEncoder(draw, models::LayerNormForm::spelledOut);
  const int64_t steps = draw.between(6, 40), vocabulary = draw.between(20, 200);
  const Value tokens = g.input("input_ids", DType::i64, {1, steps});
  const Value words = models::embed(g, tokens, "words", vocabulary, encoder.features, 0.5);
  const Value places = g.weight("places", {1, steps, encoder.features}, Filling::bell(0.5));
  Value x = g.node("Add", "placed", {words, places}, words.shape);
  const int64_t layers = draw.between(1, 2);
  for (int64_t i = 0; i < layers; ++i) {
    Scope scope(g, i);
    x = encoded(g, x, encoder, nullptr);
  }
  g.output(g.node("Tanh", "tanh", {models::project(g, x, "dense", encoder.features)}, x.shape));
  return finishNetwork(std::move(g), fmt::format("bert {} of {}", steps, encoder.features), seed, threads);
}

Result<DrawnNetwork> drawLstm(uint64_t seed, reference::Threads &threads) {
  Draw draw(seedOf(seed, 1));
  GraphBuilder g("lstm", opsetOfSequences);
  const int64_t steps = draw.between(6, 24), features = draw.pick({16, 24, 32}),
                hidden = draw.pick({16, 24, 32});
  const Value words = g.input("words", DType::i64, {1, steps});
  const Value rows = models::embed(g, words, "embedding", 100, features, 1);
  const Value x = models::project(g, transpose(g, rows, "time_first", {1, 0, 2}), "front", features);
  const Filling filling = Filling::uniform(1.5 / std::sqrt(static_cast<double>(hidden)));
  const Value y = g.node("LSTM", "lstm",
                         {x, g.weight("weight_input", {1, 4 * hidden, features}, filling),
                          g.weight("weight_hidden", {1, 4 * hidden, hidden}, filling),
                          g.weight("bias", {1, 8 * hidden}, filling)},
                         {steps, 1, 1, hidden}, {attribute("hidden_size", hidden)});
  const Value flat = reshape(g, y, "flat", {1, steps, hidden});
  const Value inner = models::relu(g, models::project(g, flat, "inner", draw.between(16, 48)));
  g.output(models::softmax(g, models::project(g, inner, "tag", draw.between(5, 20), 4)));
  return finishNetwork(std::move(g), fmt::format("lstm {} of {}", steps, hidden), seed, threads);
}

} // namespace

std::vector<Family> sequenceFamilies() {
  return {{"vit", 4, drawVit}, {"bert", 4, drawBert}, {"lstm", 2, drawLstm}};
}

} // namespace tilerig::verify
