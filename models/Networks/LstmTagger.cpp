// A sequence tagger: word embedding, a bidirectional LSTM, and a distribution over tags at every step.
#include "models/Builder/Attention.h"
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

#include <cmath>

namespace tilerig::models {

namespace {

constexpr int64_t vocabulary = 5000, steps = 32, features = 64, hidden = 64, tags = 17;

// A bidirectional LSTM layer from [steps, batch, features] to [steps, 2, batch, hidden]. Weights are drawn as
// training frameworks initialise them.
Value bidirectionalLstm(GraphBuilder &g, const Value &x) {
  Scope scope(g, "lstm");
  int64_t length = x.shape[0], batch = x.shape[1];
  Filling filling = Filling::uniform(1.5 / std::sqrt(static_cast<double>(hidden)));
  Value inputs = g.weight("weight_input", {2, 4 * hidden, features}, filling);
  Value recurrent = g.weight("weight_hidden", {2, 4 * hidden, hidden}, filling);
  Value bias = g.weight("bias", {2, 8 * hidden}, filling);
  g.countMacs(length * batch * 2 * 4 * hidden * (features + hidden));
  return g.node(
      "LSTM", "output", {x, inputs, recurrent, bias}, {length, 2, batch, hidden},
      {attribute("direction", std::string_view("bidirectional")), attribute("hidden_size", hidden)});
}

} // namespace

Network lstmTagger(const Variant &variant) {
  GraphBuilder g("lstm_tagger", variant.opset);
  int64_t batch = variant.batch;
  Value words = g.input("words", DType::i64, {batch, steps});
  Value rows = embed(g, words, "embedding", vocabulary, features, 1);
  Value x = g.node("Transpose", "time_first", {rows}, {steps, batch, features},
                   {attribute("perm", std::vector<int64_t>{1, 0, 2})});
  Value both = bidirectionalLstm(g, x);
  Value sides = g.node("Transpose", "batch_first", {both}, {batch, steps, 2, hidden},
                       {attribute("perm", std::vector<int64_t>{2, 0, 1, 3})});
  Value joined = g.node("Reshape", "joined", {sides, g.integers("joined.shape", {0, 0, 2 * hidden})},
                        {batch, steps, 2 * hidden});
  g.output(softmax(g, project(g, joined, "tag", tags, 4), "tags"));
  return std::move(g).finish();
}

} // namespace tilerig::models
