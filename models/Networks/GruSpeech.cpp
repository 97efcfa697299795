// A streaming speech recogniser: each run takes a chunk of frames and the state of two GRU layers, and returns
// the distribution over letters for every frame, and the state for the next chunk. The layers have the form in
// which PyTorch exports them.
#include "models/Builder/Attention.h"
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

#include <cmath>

namespace tilerig::models {

namespace {

constexpr int64_t frames = 16, bands = 40, hidden = 64, layers = 2, letters = 29;

struct GruResult {
  Value sequence, state; // [frames, batch, hidden] and [1, batch, hidden]
};

GruResult gru(GraphBuilder &g, const Value &x, const Value &state) {
  const int64_t batch = x.shape[1];
  const Filling filling = Filling::uniform(1.5 / std::sqrt(static_cast<double>(hidden)));
  Value inputs = g.weight("weight_input", {1, 3 * hidden, x.shape[2]}, filling);
  Value recurrent = g.weight("weight_hidden", {1, 3 * hidden, hidden}, filling);
  Value bias = g.weight("bias", {1, 6 * hidden}, filling);
  g.countMacs(frames * batch * 3 * hidden * (x.shape[2] + hidden));
  const std::array operands = {x, inputs, recurrent, bias, Value{}, state};
  const std::vector<Value> results =
      g.nodeOf("GRU", "gru", operands, {{"output", {frames, 1, batch, hidden}}, {"last", {1, batch, hidden}}},
               std::array{attribute("hidden_size", hidden), attribute("linear_before_reset", int64_t{1})});
  Value sequence =
      g.node("Squeeze", "sequence", {results[0], g.integers("direction", {1})}, {frames, batch, hidden});
  return {sequence, results[1]};
}

} // namespace

Network gruSpeech(const Variant &variant) {
  GraphBuilder g("gru_speech", variant.opset);
  const int64_t batch = variant.batch;
  Value x = g.input("frames", DType::f32, {batch, frames, bands});
  Value state = g.input("state", DType::f32, {layers, batch, hidden});
  x = relu(g, project(g, x, "bands", hidden, 2), "bands_relu");
  x = transpose(g, x, "time_first", {1, 0, 2});
  std::vector<Value> states;
  for (int64_t i = 0; i < layers; ++i) {
    Scope scope(g, "layer" + std::to_string(i));
    Value own = g.node("Slice", "state",
                       {state, g.integers("begin", {i}), g.integers("end", {i + 1}), g.integers("axis", {0})},
                       {1, batch, hidden});
    GruResult result = gru(g, x, own);
    x = result.sequence;
    states.push_back(result.state);
  }
  Value rows = transpose(g, x, "batch_first", {1, 0, 2});
  Value logits = project(g, rows, "letters", letters, 4);
  g.output(
      g.node("LogSoftmax", "log_probabilities", {logits}, logits.shape, {attribute("axis", int64_t{-1})}));
  g.output(g.node("Concat", "next_state", states, {layers, batch, hidden},
                  std::array{attribute("axis", int64_t{0})}));
  return std::move(g).finish();
}

} // namespace tilerig::models
