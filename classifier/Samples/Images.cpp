// Small image networks, one generator for each family: the blocks of the published architecture with randomly
// drawn sizes.
#include "classifier/Samples/FamilyList.h"
#include "classifier/Samples/Finish.h"
#include "classifier/Samples/Layers.h"
#include "models/Builder/Attention.h"
#include "models/Builder/Layers.h"

#include <array>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

constexpr int opsetOfSamples = 17;

// The state of a generator of image networks: its random numbers, the graph so far, and the value to which
// the next layer is applied.
struct Sketch {
  uint64_t seed;
  Draw draw;
  GraphBuilder g;
  Value x;
  std::string words;
  Activation activation; // activation function, usually that of the published architecture

  Sketch(const char *family, uint64_t seed, int64_t channels = 3)
      : seed(seed), draw(seedOf(seed, 1)), g(family, opsetOfSamples),
        activation(draw.chance(60) ? Activation::relu : drawActivation(draw)) {
    const int64_t side = draw.pick({8, 12, 16, 16, 20, 24, 32});
    const int64_t width = draw.chance(70) ? side : side + draw.between(-3, 3);
    x = g.input("image", DType::f32, {draw.chance(85) ? 1 : 2, channels, side, width});
    words = fmt::format("{} {}x{}", family, side, width);
  }
  int64_t width() { return draw.pick({8, 12, 16, 16, 20, 24, 32, 32, 48, 64}); }
  int64_t shortest() const { return std::min(x.shape[2], x.shape[3]); }
  Value activated(const Value &value, const std::string &name) {
    return verify::activated(g, value, name, activation);
  }
  Value activatedConvolution(const Value &from, const std::string &name, const ConvForm &form) {
    return activated(convolution(g, from, name, form), name + "_act");
  }
  void poolOver(const char *name) {
    if (shortest() >= 6)
      x = models::maxPool(g, x, {draw.pick({2, 3}), 2, 0}, models::Rounding::down, name);
  }
  void classify() {
    x = dense(g, models::flatten(g, models::globalAveragePool(g, x)), "fc", draw.between(5, 40));
    g.output(x);
  }
  Result<DrawnNetwork> finish(reference::Threads &threads) {
    return finishNetwork(std::move(g), words, seed, threads);
  }
};

void stem(Sketch &s) {
  const int64_t kernel = s.draw.pick({3, 3, 5, 7});
  const int64_t stride = s.shortest() >= 16 ? s.draw.pick({1, 2}) : 1;
  s.x = s.activatedConvolution(s.x, "stem",
                               {.outputs = s.width(), .kernel = kernel, .stride = stride, .pad = kernel / 2});
}

// --- resnet ---

void residualBlock(Sketch &s, int64_t outputs, int64_t stride, bool isBottleneck) {
  GraphBuilder &g = s.g;
  Value y;
  if (isBottleneck) {
    const int64_t inner = std::max<int64_t>(outputs / 4, 4);
    y = s.activatedConvolution(s.x, "conv1", {.outputs = inner, .kernel = 1, .pad = 0});
    y = s.activatedConvolution(y, "conv2", {.outputs = inner, .stride = stride});
    y = convolution(g, y, "conv3", {.outputs = outputs, .kernel = 1, .pad = 0});
  } else {
    y = s.activatedConvolution(s.x, "conv1", {.outputs = outputs, .stride = stride});
    y = convolution(g, y, "conv2", {.outputs = outputs});
  }
  Value way = s.x;
  if (way.shape != y.shape)
    way = convolution(g, s.x, "downsample", {.outputs = outputs, .kernel = 1, .stride = stride, .pad = 0});
  s.x = s.activated(models::add(g, y, way), "relu");
}

Result<DrawnNetwork> drawResNet(uint64_t seed, reference::Threads &threads) {
  Sketch s("resnet", seed);
  stem(s);
  if (s.draw.chance(50))
    s.poolOver("pool");
  const bool isBottleneck = s.draw.chance(40);
  const int64_t blocks = s.draw.between(1, 3);
  for (int64_t i = 0; i < blocks; ++i) {
    Scope scope(s.g, i);
    residualBlock(s, s.draw.chance(50) ? s.x.shape[1] : s.width(),
                  s.shortest() >= 8 ? s.draw.pick({1, 2}) : 1, isBottleneck);
  }
  s.classify();
  return s.finish(threads);
}

// --- vgg ---

Result<DrawnNetwork> drawVgg(uint64_t seed, reference::Threads &threads) {
  Sketch s("vgg", seed);
  const int64_t stages = s.draw.between(1, 3);
  for (int64_t i = 0; i < stages; ++i) {
    Scope scope(s.g, i);
    const int64_t outputs = s.width(), layers = s.draw.between(1, 2);
    for (int64_t k = 0; k < layers; ++k)
      s.x = s.activatedConvolution(s.x, "conv" + std::to_string(k), {.outputs = outputs});
    s.poolOver("pool");
  }
  s.x = models::flatten(s.g, s.x);
  s.x = s.activated(dense(s.g, s.x, "fc1", s.draw.between(24, 96)), "fc1_relu");
  s.x = dense(s.g, s.x, "fc2", s.draw.between(5, 40));
  s.g.output(s.x);
  return s.finish(threads);
}

// --- mobilenet ---

void separable(Sketch &s, int64_t stride) {
  const int64_t kernel = s.draw.pick({3, 3, 5});
  s.x = s.activatedConvolution(s.x, "depthwise",
                               {.outputs = s.x.shape[1],
                                .kernel = kernel,
                                .stride = stride,
                                .pad = kernel / 2,
                                .groups = s.x.shape[1]});
  s.x = s.activatedConvolution(s.x, "pointwise", {.outputs = s.width(), .kernel = 1, .pad = 0});
}

void invertedResidual(Sketch &s, int64_t stride) {
  GraphBuilder &g = s.g;
  const int64_t channels = s.x.shape[1], inner = channels * s.draw.between(2, 4);
  const int64_t outputs = s.draw.chance(60) ? channels : s.width();
  Value y =
      models::relu6(g, convolution(g, s.x, "expand", {.outputs = inner, .kernel = 1, .pad = 0}), "relu1");
  y = models::relu6(g, convolution(g, y, "depthwise", {.outputs = inner, .stride = stride, .groups = inner}),
                    "relu2");
  y = convolution(g, y, "project", {.outputs = outputs, .kernel = 1, .pad = 0});
  s.x = y.shape == s.x.shape ? models::add(g, s.x, y) : y;
}

Result<DrawnNetwork> drawMobileNet(uint64_t seed, reference::Threads &threads) {
  Sketch s("mobilenet", seed);
  stem(s);
  const bool isInverted = s.draw.chance(50);
  const int64_t blocks = s.draw.between(1, 3);
  for (int64_t i = 0; i < blocks; ++i) {
    Scope scope(s.g, i);
    const int64_t stride = s.shortest() >= 8 ? s.draw.pick({1, 1, 2}) : 1;
    isInverted ? invertedResidual(s, stride) : separable(s, stride);
  }
  s.classify();
  return s.finish(threads);
}

// --- squeezenet ---

Result<DrawnNetwork> drawSqueezeNet(uint64_t seed, reference::Threads &threads) {
  Sketch s("squeezenet", seed);
  stem(s);
  s.poolOver("pool");
  const int64_t fires = s.draw.between(1, 2);
  for (int64_t i = 0; i < fires; ++i) {
    Scope scope(s.g, i);
    const int64_t wide = s.width();
    const Value squeezed =
        s.activatedConvolution(s.x, "squeeze", {.outputs = s.draw.pick({4, 8, 16}), .kernel = 1, .pad = 0});
    const Value narrow =
        s.activatedConvolution(squeezed, "expand1x1", {.outputs = wide, .kernel = 1, .pad = 0});
    const Value broad = s.activatedConvolution(squeezed, "expand3x3", {.outputs = wide});
    s.x = models::concat(s.g, std::array{narrow, broad});
  }
  s.x = s.activatedConvolution(s.x, "last", {.outputs = s.draw.between(5, 40), .kernel = 1, .pad = 0});
  s.g.output(models::flatten(s.g, models::globalAveragePool(s.g, s.x)));
  return s.finish(threads);
}

// --- inception ---

Result<DrawnNetwork> drawInception(uint64_t seed, reference::Threads &threads) {
  Sketch s("inception", seed);
  stem(s);
  const int64_t modules = s.draw.between(1, 2);
  for (int64_t i = 0; i < modules; ++i) {
    Scope scope(s.g, i);
    auto few = [&] { return s.draw.pick({4, 8, 12, 16, 24}); };
    const Value direct = s.activatedConvolution(s.x, "1x1", {.outputs = few(), .kernel = 1, .pad = 0});
    const Value reduced =
        s.activatedConvolution(s.x, "3x3_reduce", {.outputs = few(), .kernel = 1, .pad = 0});
    const Value three = s.activatedConvolution(reduced, "3x3", {.outputs = few()});
    const Value narrow = s.activatedConvolution(s.x, "5x5_reduce", {.outputs = few(), .kernel = 1, .pad = 0});
    const Value five = s.activatedConvolution(narrow, "5x5", {.outputs = few(), .kernel = 5, .pad = 2});
    const Value pooled = s.activatedConvolution(models::maxPool(s.g, s.x, {3, 1, 1}), "pool_proj",
                                                {.outputs = few(), .kernel = 1, .pad = 0});
    s.x = models::concat(s.g, std::array{direct, three, five, pooled});
    s.poolOver("halved");
  }
  s.classify();
  return s.finish(threads);
}

// --- alexnet ---

Result<DrawnNetwork> drawAlexNet(uint64_t seed, reference::Threads &threads) {
  Sketch s("alexnet", seed);
  const int64_t kernel = s.draw.pick({5, 7});
  s.x = s.activatedConvolution(s.x, "conv1",
                               {.outputs = 2 * s.draw.between(6, 24),
                                .kernel = kernel,
                                .stride = s.shortest() >= 16 ? 2 : 1,
                                .pad = kernel / 2});
  s.x = models::localResponseNorm(s.g, s.x, 5, 1e-4F, 0.75F, 2.0F);
  s.poolOver("pool1");
  s.x = s.activatedConvolution(s.x, "conv2",
                               {.outputs = 2 * s.draw.between(8, 24), .kernel = 5, .pad = 2, .groups = 2});
  s.x = s.activatedConvolution(s.x, "conv3", {.outputs = 2 * s.draw.between(8, 24)});
  s.poolOver("pool2");
  s.x = models::flatten(s.g, s.x);
  s.x = s.activated(dense(s.g, s.x, "fc1", s.draw.between(24, 96)), "fc1_relu");
  s.x = dense(s.g, s.x, "fc2", s.draw.between(5, 40));
  s.g.output(models::softmax(s.g, s.x));
  return s.finish(threads);
}

// --- digits ---

Result<DrawnNetwork> drawDigits(uint64_t seed, reference::Threads &threads) {
  Sketch s("digits", seed, 1);
  const int64_t kernel = s.draw.pick({3, 5});
  s.x = s.activatedConvolution(s.x, "conv1",
                               {.outputs = s.draw.pick({6, 8, 16}), .kernel = kernel, .pad = kernel / 2});
  s.poolOver("pool1");
  s.x = s.activatedConvolution(s.x, "conv2",
                               {.outputs = s.draw.pick({12, 16, 32}), .kernel = kernel, .pad = kernel / 2});
  s.poolOver("pool2");
  s.x = models::flatten(s.g, s.x);
  s.x = s.activated(dense(s.g, s.x, "fc1", s.draw.between(24, 128)), "fc1_relu");
  s.x = dense(s.g, s.x, "fc2", 10);
  s.g.output(s.x);
  return s.finish(threads);
}

// --- ssd ---

Value headOf(Sketch &s, const std::string &name, int64_t numbers) {
  const int64_t boxes = s.draw.between(2, 4);
  const Value all = convolution(s.g, s.x, name, {.outputs = boxes * numbers});
  const Value last = transpose(s.g, all, name + "_last", {0, 2, 3, 1});
  return reshape(s.g, last, name + "_boxes", {all.shape[0], all.shape[2] * all.shape[3] * boxes, numbers});
}

Result<DrawnNetwork> drawSsd(uint64_t seed, reference::Threads &threads) {
  Sketch s("ssd", seed);
  stem(s);
  const int64_t numbers = s.draw.between(3, 6);
  std::vector<Value> heads;
  for (int64_t i = 0; i < 2; ++i) {
    Scope scope(s.g, i);
    const int64_t dilation = s.shortest() >= 8 ? s.draw.pick({1, 2}) : 1;
    s.x = s.activatedConvolution(s.x, "conv", {.outputs = s.width(), .pad = dilation, .dilation = dilation});
    heads.push_back(headOf(s, "head", numbers));
    s.poolOver("halved");
  }
  const Value all = models::concat(s.g, heads);
  s.g.output(models::softmax(s.g, all));
  return s.finish(threads);
}

// --- unet ---

Result<DrawnNetwork> drawUNet(uint64_t seed, reference::Threads &threads) {
  Sketch s("unet", seed);
  s.x = s.activatedConvolution(s.x, "down", {.outputs = s.width()});
  const Value skip = s.x;
  // If the size of an image is odd, halving and doubling it gives another size, so the result cannot be
  // concatenated with the skip connection.
  const bool fits = skip.shape[2] % 2 == 0 && skip.shape[3] % 2 == 0;
  if (fits)
    s.x = models::maxPool(s.g, s.x, {2, 2, 0});
  s.x = s.activatedConvolution(s.x, "bottom", {.outputs = s.width()});
  if (fits)
    s.x = resize(s.g, s.x, "up", 2, s.draw.chance(50));
  s.x = models::concat(s.g, std::array{skip, s.x});
  s.x = s.activatedConvolution(s.x, "joined", {.outputs = s.width()});
  s.g.output(convolution(s.g, s.x, "classes", {.outputs = s.draw.between(2, 8), .kernel = 1, .pad = 0}));
  return s.finish(threads);
}

} // namespace

std::vector<Family> imageFamilies() {
  return {{"resnet", 6, drawResNet},
          {"vgg", 5, drawVgg},
          {"mobilenet", 6, drawMobileNet},
          {"squeezenet", 5, drawSqueezeNet},
          {"inception", 4, drawInception},
          {"alexnet", 4, drawAlexNet},
          {"digits", 4, drawDigits},
          {"ssd", 3, drawSsd},
          {"unet", 4, drawUNet}};
}

} // namespace tilerig::verify
