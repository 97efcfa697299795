// Networks without an architecture: single layers of any kind, chains, and graphs with joins.
#include "classifier/Samples/FamilyList.h"
#include "classifier/Samples/Finish.h"
#include "classifier/Samples/Layers.h"
#include "models/Builder/Attention.h"
#include "models/Builder/Layers.h"

#include <array>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// A graph under construction: the current image `x`, and earlier images to which it may be joined.
struct Garden {
  Draw draw;
  GraphBuilder g;
  Value x;
  std::vector<Value> earlier;
  int64_t count = 0;

  Garden(const char *name, uint64_t seed) : draw(seedOf(seed, 1)), g(name, 17) {
    const int64_t channels = draw.pick({1, 3, 8, 12, 16, 17, 24, 32, 48});
    const int64_t height = draw.pick({4, 6, 8, 9, 12, 16, 20, 28}),
                  width = draw.pick({4, 6, 8, 9, 12, 16, 20, 28});
    x = g.input("x", DType::f32, {draw.chance(80) ? 1 : 2, channels, height, width});
  }
  std::string fresh(const char *kind) { return fmt::format("{}{}", kind, count++); }
  int64_t channels() const { return x.shape[1]; }
  int64_t shortest() const { return std::min(x.shape[2], x.shape[3]); }
  int64_t width() { return draw.pick({4, 8, 12, 16, 16, 20, 24, 32, 32, 40, 64}); }
  std::string act() { return fresh("act"); }
};

void addConv(Garden &it) {
  ConvForm form{
      .outputs = it.width(), .kernel = it.draw.pick({1, 2, 3, 3, 3, 4, 5, 7}), .hasBias = it.draw.chance(85)};
  if (it.shortest() < form.kernel)
    form.kernel = 1;
  form.pad = it.draw.chance(70) ? form.kernel / 2 : it.draw.between(0, form.kernel - 1);
  form.stride = it.shortest() >= 8 ? it.draw.pick({1, 1, 1, 2, 3}) : 1;
  if (form.kernel == 3 && it.shortest() >= 10 && it.draw.chance(25))
    form.dilation = form.pad = 2;
  const uint64_t kind = it.draw.below(10);
  if (kind < 2)
    form.groups = form.outputs = it.channels();
  else if (kind == 2 && it.channels() % 2 == 0)
    form.groups = 2, form.outputs += form.outputs % 2;
  it.x = convolution(it.g, it.x, it.fresh("conv"), form);
  if (it.draw.chance(65))
    it.x = activated(it.g, it.x, it.act(), drawActivation(it.draw));
}

void addPooling(Garden &it) {
  const int64_t kernel = it.draw.pick({2, 3, 3, 5}), pad = it.draw.chance(50) ? kernel / 2 : 0;
  const int64_t stride = it.draw.pick({1, 2, 2, 3});
  if (it.shortest() < std::max<int64_t>(kernel, 4))
    return addConv(it);
  it.x = it.draw.chance(50)
             ? models::maxPool(it.g, it.x, {kernel, stride, pad}, models::Rounding::down, it.fresh("pool"))
             : averagePool(it.g, it.x, it.fresh("pool"), kernel, stride, pad);
}

void addJoint(Garden &it) {
  const Value before = it.x;
  addConv(it);
  const std::string name = it.fresh("joint");
  for (const Value &other : it.earlier)
    if (other.shape == it.x.shape && it.draw.chance(60)) {
      it.x = it.g.node(it.draw.pick({"Add", "Add", "Mul", "Sub", "Max"}), name, {it.x, other}, other.shape);
      return;
    }
  if (before.shape[2] == it.x.shape[2] && before.shape[3] == it.x.shape[3] &&
      before.shape[0] == it.x.shape[0] && before.shape[1] + it.channels() <= 96) {
    it.x = models::concat(it.g, std::array{before, it.x}, name);
    return;
  }
  // A random factor, or a random summand, for each channel.
  const Value factors =
      it.g.weight(name + ".factors", {1, it.channels(), 1, 1}, models::Filling::uniform(0.5, 1));
  it.x = it.g.node(it.draw.pick({"Mul", "Add"}), name, {it.x, factors}, it.x.shape);
}

void addFunction(Garden &it) { it.x = activated(it.g, it.x, it.act(), drawActivation(it.draw)); }

void addNormalisation(Garden &it) {
  const std::string name = it.fresh("norm");
  if (it.draw.chance(40)) {
    it.x = it.g.node("Softmax", name, {it.x}, it.x.shape, {attribute("axis", it.draw.pick<int64_t>({1, 3}))});
    return;
  }
  const Value scale = it.g.weight(name + ".scale", {it.channels()}, models::Filling::uniform(0.3, 1)),
              shift = it.g.weight(name + ".shift", {it.channels()}, models::Filling::bell(0.3));
  it.x = it.g.node("InstanceNormalization", name, {it.x, scale, shift}, it.x.shape);
}

void addMovement(Garden &it) {
  switch (it.draw.below(3)) {
  case 0:
    if (it.x.shape[2] * it.x.shape[3] <= 200) {
      it.x = resize(it.g, it.x, it.fresh("resize"), 2, it.draw.chance(50));
      return;
    }
    break;
  case 1:
    it.x = transpose(it.g, it.x, it.fresh("turned"), {0, 1, 3, 2});
    return;
  default: {
    const int64_t by = it.draw.between(1, 2);
    const std::string name = it.fresh("padded");
    const Value pads = it.g.integers(name + ".pads", {0, 0, by, 0, 0, 0, by, by});
    it.x = it.g.node("Pad", name, {it.x, pads},
                     {it.x.shape[0], it.x.shape[1], it.x.shape[2] + 2 * by, it.x.shape[3] + by});
    return;
  }
  }
  addConv(it);
}

void addAny(Garden &it) {
  using Add = void (*)(Garden &);
  const Add add = it.draw.pick<Add>({addConv, addConv, addConv, addConv, addPooling, addPooling, addJoint,
                                     addJoint, addJoint, addFunction, addNormalisation, addMovement});
  it.earlier.push_back(it.x);
  add(it);
}

void endDense(Garden &it) {
  const int64_t features = it.x.shape[1] * it.x.shape[2] * it.x.shape[3];
  if (features > 4096)
    it.x = models::globalAveragePool(it.g, it.x, it.fresh("mean"));
  it.x = dense(it.g, models::flatten(it.g, it.x, it.fresh("flat")), it.fresh("fc"), it.draw.between(8, 80));
  if (it.draw.chance(50))
    it.x = activated(it.g, it.x, it.act(), drawActivation(it.draw));
}

Result<DrawnNetwork> finished(Garden &&it, const char *name, uint64_t seed, reference::Threads &threads) {
  it.g.output(it.x);
  return finishNetwork(std::move(it.g), fmt::format("{} of {}", name, it.count), seed, threads);
}

// A network that is one product: of two matrices that are both inputs, or a dense layer on the rows of one
// input.
Result<DrawnNetwork> drawProduct(uint64_t seed, reference::Threads &threads) {
  Draw draw(seedOf(seed, 1));
  GraphBuilder g("product", 17);
  const int64_t m = draw.pick({1, 8, 16, 31, 64, 96}), k = draw.pick({16, 40, 64, 128, 256, 512}),
                n = draw.pick({16, 24, 40, 64, 100, 128});
  const Value a = g.input("a", DType::f32, {m, k});
  Value x;
  if (draw.chance(40)) {
    const Value b = g.input("b", DType::f32, {k, n});
    x = g.node("MatMul", "product", {a, b}, {m, n});
  } else {
    x = dense(g, a, "product", n);
  }
  if (draw.chance(60))
    x = activated(g, x, "act", drawActivation(draw));
  if (draw.chance(30))
    x = models::softmax(g, x);
  g.output(x);
  return finishNetwork(std::move(g), fmt::format("product {}x{}x{}", m, k, n), seed, threads);
}

Result<DrawnNetwork> drawLayer(uint64_t seed, reference::Threads &threads) {
  if (seedOf(seed, 2) % 5 == 0)
    return drawProduct(seed, threads);
  Garden it("random-layer", seed);
  addConv(it); // so that the random layer reads the result of another layer
  addAny(it);
  return finished(std::move(it), "layers", seed, threads);
}

Result<DrawnNetwork> drawGraph(uint64_t seed, reference::Threads &threads) {
  Garden it("random-graph", seed);
  const int64_t layers = it.draw.between(3, 7);
  for (int64_t i = 0; i < layers; ++i)
    addAny(it);
  if (it.draw.chance(50))
    endDense(it);
  return finished(std::move(it), "graph", seed, threads);
}

} // namespace

std::vector<Family> randomFamilies() {
  return {{"random-layer", 14, drawLayer}, {"random-graph", 12, drawGraph}};
}

} // namespace tilerig::verify
