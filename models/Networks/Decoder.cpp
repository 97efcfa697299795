// One step of a small language model: RMS normalisations, rotary positions, two query heads for each head of keys
// and values, a cache of fixed length, and a gated feed-forward layer, in the operators that PyTorch exports.
// H. Touvron et al.: Llama 2, 2023.
//
// The step takes a token, its position, and the cache, and returns the scores of the next token, that token,
// its position, and the cache with one more row. So it can run in a loop:
// --loop 10 --state next_token=token,next_position=position,present_key0=past_key0,...
#include "models/Builder/Attention.h"
#include "models/Networks/Families.h"

#include <array>
#include <cmath>
#include <numeric>

namespace tilerig::models {

namespace {

constexpr int64_t vocabulary = 1000, features = 64, inner = 160, layers = 2, length = 32;
constexpr int64_t heads = 4, cacheHeads = 2, perHead = features / heads;
constexpr float epsilon = 1e-5f, lowest = -3.40282347e38f;

class Step {
public:
  Step(GraphBuilder &g, int64_t batch) : g(g), batch(batch) {}

  void build() {
    Value token = g.input("token", DType::i64, {batch, 1});
    position = g.input("position", DType::i64, {1});
    addPositions();
    Value x = embed(g, token, "words", vocabulary, features, 1);
    for (int64_t i = 0; i < layers; ++i)
      x = layer(x, std::to_string(i));
    Value logits = product(rmsNorm(g, x, "norm", epsilon), "vocabulary", vocabulary, 2);
    g.output(logits);
    g.output(g.node("ArgMax", "next_token",
                    {reshape(g, logits, "scores", {batch, vocabulary}, {batch, vocabulary})}, {batch, 1},
                    {attribute("axis", int64_t{1}), attribute("keepdims", int64_t{1})}),
             DType::i64);
    g.output(g.node("Add", "next_position", {position, g.integers("one", {1})}, {1}), DType::i64);
    for (const Value &cache : caches)
      g.output(cache);
  }

private:
  Value product(const Value &x, const std::string &name, int64_t outputs, double gain = 1) {
    Value weight = g.weight(name + ".weight", {x.shape.back(), outputs},
                            Filling::bell(gain / std::sqrt(static_cast<double>(x.shape.back()))));
    return matMul(g, x, weight, name);
  }

  // Adds what depends on the position alone: its row of the rotary tables, and which rows of the cache are the
  // present one and later ones.
  void addPositions() {
    std::vector<float> cosines, sines;
    for (int64_t row = 0; row < length; ++row)
      for (int64_t i = 0; i < perHead; ++i) {
        const double angle = static_cast<double>(row) *
                             std::pow(10000.0, -static_cast<double>(2 * (i % (perHead / 2))) / perHead);
        cosines.push_back(static_cast<float>(std::cos(angle)));
        sines.push_back(static_cast<float>(std::sin(angle)));
      }
    const auto rowOf = [&](const char *name, const std::vector<float> &table) {
      return g.node("Gather", name,
                    {g.floats(std::string(name) + ".table", {length, perHead}, table), position},
                    {1, perHead});
    };
    cosine = rowOf("cosine", cosines);
    sine = rowOf("sine", sines);
    std::vector<int64_t> numbers(length);
    std::iota(numbers.begin(), numbers.end(), 0);
    isPresent =
        g.node("Equal", "is_present", {g.integers("rows", {length, 1}, numbers), position}, {length, 1});
    isLater = g.node("Greater", "is_later", {g.integers("columns", {length}, numbers), position}, {length});
  }

  Value headsOf(const Value &x, const std::string &name, int64_t count) {
    Value parts = reshape(g, product(x, name, count * perHead), name + ".split", {batch, 1, count, perHead},
                          {batch, 1, count, perHead});
    return transpose(g, parts, name + ".heads", {0, 2, 1, 3});
  }

  Value half(const Value &x, const char *name, int64_t begin) {
    Shape shape = x.shape;
    shape.back() = perHead / 2;
    Scope scope(g, name);
    return g.node(
        "Slice", "half",
        {x, g.integers("begin", {begin}), g.integers("end", {begin + perHead / 2}), g.integers("axis", {3})},
        shape);
  }
  Value rotated(const Value &x, const char *name) {
    Scope scope(g, name);
    Value low = half(x, "low", 0), high = half(x, "high", perHead / 2);
    Value negated = g.node("Neg", "negated", {high}, high.shape);
    Value turned = g.node("Concat", "turned", {negated, low}, x.shape, {attribute("axis", int64_t{3})});
    Value along = g.node("Mul", "along", {x, cosine}, x.shape);
    Value across = g.node("Mul", "across", {turned, sine}, x.shape);
    return g.node("Add", "rotated", {along, across}, x.shape);
  }

  // The cache with the new row; it is an input and an output of the network.
  Value cached(const Value &row, const std::string &name) {
    const Shape shape = {batch, cacheHeads, length, perHead};
    Value past = g.input("past_" + name, DType::f32, shape);
    Value present = g.node("Where", "present_" + name, {isPresent, row, past}, shape);
    caches.push_back(present);
    return present;
  }
  // Repeats each head of the cache for all query heads that read it.
  Value repeated(const Value &cache, const std::string &name) {
    constexpr int64_t times = heads / cacheHeads;
    Scope scope(g, name);
    Value single = g.node("Unsqueeze", "single", {cache, g.integers("axis", {2})},
                          {batch, cacheHeads, 1, length, perHead});
    Value many =
        g.node("Expand", "many", {single, g.integers("shape", {batch, cacheHeads, times, length, perHead})},
               {batch, cacheHeads, times, length, perHead});
    return reshape(g, many, "joined", {batch, heads, length, perHead}, {batch, heads, length, perHead});
  }

  Value attention(const Value &x, const Value &keys, const Value &values, const Value &query) {
    Value scores =
        matMul(g, query, transpose(g, repeated(keys, "keys"), "keys_last", {0, 1, 3, 2}), "scores");
    scores = g.node("Div", "scaled", {scores, g.scalar("root", std::sqrt(static_cast<float>(perHead)))},
                    scores.shape);
    scores = g.node("Where", "masked", {isLater, g.scalar("lowest", lowest), scores}, scores.shape);
    Value shares = g.node("Softmax", "shares", {scores}, scores.shape, {attribute("axis", int64_t{-1})});
    Value mixed = transpose(g, matMul(g, shares, repeated(values, "values"), "mixed"), "steps", {0, 2, 1, 3});
    return product(reshape(g, mixed, "joined", {batch, 1, features}, x.shape), "output", features);
  }

  Value layer(const Value &x, const std::string &number) {
    Value query, key, value;
    {
      Scope scope(g, "layer" + number);
      Value normalised = rmsNorm(g, x, "attention_norm", epsilon);
      query = rotated(headsOf(normalised, "query", heads), "query_turn");
      key = rotated(headsOf(normalised, "key", cacheHeads), "key_turn");
      value = headsOf(normalised, "value", cacheHeads);
    }
    Value keys = cached(key, "key" + number), values = cached(value, "value" + number);
    Scope scope(g, "layer" + number);
    Value y = g.node("Add", "attended", {x, attention(x, keys, values, query)}, x.shape);
    Value normalised = rmsNorm(g, y, "output_norm", epsilon);
    Value gate = product(normalised, "gate", inner, 1.5), up = product(normalised, "up", inner, 1.5);
    Value opened = g.node("Mul", "silu", {gate, g.node("Sigmoid", "open", {gate}, gate.shape)}, gate.shape);
    Value down = product(g.node("Mul", "gated", {opened, up}, up.shape), "down", features, 1.5);
    return g.node("Add", "transformed", {y, down}, x.shape);
  }

  GraphBuilder &g;
  int64_t batch;
  Value position, cosine, sine, isPresent, isLater;
  std::vector<Value> caches;
};

} // namespace

Network decoderTiny(const Variant &variant) {
  GraphBuilder g("decoder_tiny", variant.opset);
  Step(g, variant.batch).build();
  return std::move(g).finish();
}

} // namespace tilerig::models
