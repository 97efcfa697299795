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

// A graph under construction: the current value `x`, and earlier values with which it may be joined.
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

void addConv(Garden &garden) {
  ConvForm form{.outputs = garden.width(),
                .kernel = garden.draw.pick({1, 2, 3, 3, 3, 4, 5, 7}),
                .hasBias = garden.draw.chance(85)};
  if (garden.shortest() < form.kernel)
    form.kernel = 1;
  form.pad = garden.draw.chance(70) ? form.kernel / 2 : garden.draw.between(0, form.kernel - 1);
  form.stride = garden.shortest() >= 8 ? garden.draw.pick({1, 1, 1, 2, 3}) : 1;
  if (form.kernel == 3 && garden.shortest() >= 10 && garden.draw.chance(25))
    form.dilation = form.pad = 2;
  const uint64_t kind = garden.draw.below(10);
  if (kind < 2)
    form.groups = form.outputs = garden.channels();
  else if (kind == 2 && garden.channels() % 2 == 0)
    form.groups = 2, form.outputs += form.outputs % 2;
  garden.x = convolution(garden.g, garden.x, garden.fresh("conv"), form);
  if (garden.draw.chance(65))
    garden.x = activated(garden.g, garden.x, garden.act(), drawActivation(garden.draw));
}

void addPooling(Garden &garden) {
  const int64_t kernel = garden.draw.pick({2, 3, 3, 5}), pad = garden.draw.chance(50) ? kernel / 2 : 0;
  const int64_t stride = garden.draw.pick({1, 2, 2, 3});
  if (garden.shortest() < std::max<int64_t>(kernel, 4))
    return addConv(garden);
  garden.x = garden.draw.chance(50)
                 ? models::maxPool(garden.g, garden.x, {kernel, stride, pad}, models::Rounding::down,
                                   garden.fresh("pool"))
                 : averagePool(garden.g, garden.x, garden.fresh("pool"), kernel, stride, pad);
}

void addJoint(Garden &garden) {
  const Value before = garden.x;
  addConv(garden);
  const std::string name = garden.fresh("joint");
  for (const Value &other : garden.earlier)
    if (other.shape == garden.x.shape && garden.draw.chance(60)) {
      garden.x = garden.g.node(garden.draw.pick({"Add", "Add", "Mul", "Sub", "Max"}), name, {garden.x, other},
                               other.shape);
      return;
    }
  if (before.shape[2] == garden.x.shape[2] && before.shape[3] == garden.x.shape[3] &&
      before.shape[0] == garden.x.shape[0] && before.shape[1] + garden.channels() <= 96) {
    garden.x = models::concat(garden.g, std::array{before, garden.x}, name);
    return;
  }
  // Multiplies each channel by a random number, or adds such a number.
  const Value factors =
      garden.g.weight(name + ".factors", {1, garden.channels(), 1, 1}, models::Filling::uniform(0.5, 1));
  garden.x = garden.g.node(garden.draw.pick({"Mul", "Add"}), name, {garden.x, factors}, garden.x.shape);
}

void addFunction(Garden &garden) {
  garden.x = activated(garden.g, garden.x, garden.act(), drawActivation(garden.draw));
}

void addNormalisation(Garden &garden) {
  const std::string name = garden.fresh("norm");
  if (garden.draw.chance(40)) {
    garden.x = garden.g.node("Softmax", name, {garden.x}, garden.x.shape,
                             {attribute("axis", garden.draw.pick<int64_t>({1, 3}))});
    return;
  }
  const Value scale = garden.g.weight(name + ".scale", {garden.channels()}, models::Filling::uniform(0.3, 1)),
              shift = garden.g.weight(name + ".shift", {garden.channels()}, models::Filling::bell(0.3));
  garden.x = garden.g.node("InstanceNormalization", name, {garden.x, scale, shift}, garden.x.shape);
}

void addMovement(Garden &garden) {
  switch (garden.draw.below(3)) {
  case 0:
    if (garden.x.shape[2] * garden.x.shape[3] <= 200) {
      garden.x = resize(garden.g, garden.x, garden.fresh("resize"), 2, garden.draw.chance(50));
      return;
    }
    break;
  case 1:
    garden.x = transpose(garden.g, garden.x, garden.fresh("turned"), {0, 1, 3, 2});
    return;
  default: {
    const int64_t by = garden.draw.between(1, 2);
    const std::string name = garden.fresh("padded");
    const Value pads = garden.g.integers(name + ".pads", {0, 0, by, 0, 0, 0, by, by});
    garden.x = garden.g.node(
        "Pad", name, {garden.x, pads},
        {garden.x.shape[0], garden.x.shape[1], garden.x.shape[2] + 2 * by, garden.x.shape[3] + by});
    return;
  }
  }
  addConv(garden);
}

void addAny(Garden &garden) {
  using Add = void (*)(Garden &);
  const Add add = garden.draw.pick<Add>({addConv, addConv, addConv, addConv, addPooling, addPooling, addJoint,
                                         addJoint, addJoint, addFunction, addNormalisation, addMovement});
  garden.earlier.push_back(garden.x);
  add(garden);
}

void endDense(Garden &garden) {
  const int64_t features = garden.x.shape[1] * garden.x.shape[2] * garden.x.shape[3];
  if (features > 4096)
    garden.x = models::globalAveragePool(garden.g, garden.x, garden.fresh("mean"));
  garden.x = dense(garden.g, models::flatten(garden.g, garden.x, garden.fresh("flat")), garden.fresh("fc"),
                   garden.draw.between(8, 80));
  if (garden.draw.chance(50))
    garden.x = activated(garden.g, garden.x, garden.act(), drawActivation(garden.draw));
}

Result<DrawnNetwork> finished(Garden &&garden, const char *name, uint64_t seed, reference::Threads &threads) {
  garden.g.output(garden.x);
  return finishNetwork(std::move(garden.g), fmt::format("{} of {}", name, garden.count), seed, threads);
}

// A network with a single matrix product, either of two inputs or of an input and constant weights.
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
  Garden garden("random-layer", seed);
  addConv(garden); // The random layer then reads the result of a layer, not the input of the network.
  addAny(garden);
  return finished(std::move(garden), "layers", seed, threads);
}

Result<DrawnNetwork> drawGraph(uint64_t seed, reference::Threads &threads) {
  Garden garden("random-graph", seed);
  const int64_t layers = garden.draw.between(3, 7);
  for (int64_t i = 0; i < layers; ++i)
    addAny(garden);
  if (garden.draw.chance(50))
    endDense(garden);
  return finished(std::move(garden), "graph", seed, threads);
}

} // namespace

std::vector<Family> randomFamilies() {
  return {{"random-layer", 14, drawLayer}, {"random-graph", 12, drawGraph}};
}

} // namespace tilerig::verify
