// SSD, a single-shot object detector: a ResNet-50 up to its third stage, feature maps of decreasing
// resolution, and on each map convolutions that predict the class scores and offsets of every anchor box. The
// graph ends with the boxes that survive non-maximum suppression. W. Liu et al.: SSD, 2015; the version with
// ResNet-50 is the SSD300 of MLPerf and NVIDIA.
#include "models/Networks/Families.h"
#include "models/Networks/ResNetBlocks.h"

#include <array>
#include <cmath>

namespace tilerig::models {

namespace {

constexpr int64_t classes = 81; // number of classes, of which the first is the background
constexpr float scoreThreshold = 0.5f, overlapThreshold = 0.5f;
constexpr int64_t mostBoxesPerClass = 20;

// The anchor boxes of a feature map: two squares, and two rectangles for each aspect ratio. Sizes are
// relative to the image.
struct Anchors {
  double size, nextSize;
  std::vector<double> ratios;
  int64_t perPosition() const { return 2 + 2 * static_cast<int64_t>(ratios.size()); }
};

const std::array<Anchors, 6> &anchorsOfMaps() {
  static const std::array<Anchors, 6> anchors = {{{21 / 300., 45 / 300., {2}},
                                                  {45 / 300., 99 / 300., {2, 3}},
                                                  {99 / 300., 153 / 300., {2, 3}},
                                                  {153 / 300., 207 / 300., {2, 3}},
                                                  {207 / 300., 261 / 300., {2}},
                                                  {261 / 300., 315 / 300., {2}}}};
  return anchors;
}

Value convNorm(GraphBuilder &g, const Value &x, const std::string &index, const ConvSpec &spec) {
  Value y = batchNorm(g, conv(g, x, "conv" + index, spec), "bn" + index);
  return relu(g, y, "relu" + index);
}

std::array<Value, 6> featureMaps(GraphBuilder &g, const Value &image) {
  Value x = residualStem(g, image);
  x = bottleneckStage(g, x, {"layer1", 3, 64, 1});
  x = bottleneckStage(g, x, {"layer2", 4, 128, 2});
  x = bottleneckStage(g, x, {"layer3", 6, 256, 1});
  struct Extra {
    int64_t reduced, outputs;
    Kernel kernel;
  };
  constexpr Extra extras[] = {{256, 512, {3, 2, 1}},
                              {256, 512, {3, 2, 1}},
                              {128, 256, {3, 2, 1}},
                              {128, 256, {3, 1, 0}},
                              {128, 256, {3, 1, 0}}};
  std::array<Value, 6> maps = {x};
  for (size_t i = 0; i < std::size(extras); ++i) {
    Scope scope(g, "extra" + std::to_string(i + 1));
    x = convNorm(g, x, "1", {extras[i].reduced});
    x = convNorm(g, x, "2", {extras[i].outputs, extras[i].kernel});
    maps[i + 1] = x;
  }
  return maps;
}

// The predictions of one convolution, of shape [batch, boxes, numbers]. Boxes are ordered by row, column,
// anchor.
Value headOf(GraphBuilder &g, const Value &map, std::string_view name, int64_t perPosition, int64_t numbers,
             const NormSpec &norm) {
  Scope scope(g, name);
  Value all = biasedConv(g, map, "conv", {perPosition * numbers, {3, 1, 1}}, norm);
  const Shape &s = all.shape;
  Value last = g.node("Transpose", "channels_last", {all}, {s[0], s[2], s[3], s[1]},
                      {attribute("perm", std::vector<int64_t>{0, 2, 3, 1})});
  return g.node("Reshape", "boxes", {last, g.integers("boxes.shape", {0, -1, numbers})},
                {s[0], s[2] * s[3] * perPosition, numbers});
}

// Centre and size of all anchor boxes of all maps, [1, boxes, 2] each.
struct Priors {
  std::vector<float> centres, sizes;
};

void addBox(Priors &priors, double x, double y, double width, double height) {
  priors.centres.insert(priors.centres.end(), {static_cast<float>(x), static_cast<float>(y)});
  priors.sizes.insert(priors.sizes.end(), {static_cast<float>(width), static_cast<float>(height)});
}

Priors priorsOf(std::span<const Value> maps) {
  Priors priors;
  for (size_t map = 0; map < maps.size(); ++map) {
    const Anchors &anchors = anchorsOfMaps()[map];
    int64_t rows = maps[map].shape[2], columns = maps[map].shape[3];
    double between = std::sqrt(anchors.size * anchors.nextSize);
    for (int64_t i = 0; i < rows * columns; ++i) {
      double x = (static_cast<double>(i % columns) + 0.5) / static_cast<double>(columns);
      double y = (static_cast<double>(i / columns) + 0.5) / static_cast<double>(rows);
      addBox(priors, x, y, anchors.size, anchors.size);
      addBox(priors, x, y, between, between);
      for (double ratio : anchors.ratios) {
        double root = std::sqrt(ratio);
        addBox(priors, x, y, anchors.size * root, anchors.size / root);
        addBox(priors, x, y, anchors.size / root, anchors.size * root);
      }
    }
  }
  return priors;
}

Value slice(GraphBuilder &g, const Value &x, std::string_view name, int64_t begin, int64_t end,
            int64_t axis) {
  Scope scope(g, name);
  Shape shape = x.shape;
  shape[axis] = end - begin;
  return g.node("Slice", "part",
                {x, g.integers("begin", {begin}), g.integers("end", {end}), g.integers("axis", {axis})},
                shape);
}

// Converts predicted offsets [batch, boxes, 4] to boxes with centre, width and height. Centres move by a
// tenth of the anchor's size times the offset; sizes are scaled by exp(offset / 5).
Value decode(GraphBuilder &g, const Value &deviations, const Priors &priors) {
  Scope scope(g, "decode");
  int64_t boxes = deviations.shape[1];
  Shape half{deviations.shape[0], boxes, 2};
  Value centres = g.floats("centres", {1, boxes, 2}, priors.centres);
  Value sizes = g.floats("sizes", {1, boxes, 2}, priors.sizes);
  Value moved =
      g.node("Mul", "move", {slice(g, deviations, "first", 0, 2, 2), g.scalar("tenth", 0.1f)}, half);
  moved = g.node("Mul", "move_scaled", {moved, sizes}, half);
  moved = g.node("Add", "centre", {moved, centres}, half);
  Value grown =
      g.node("Mul", "growth", {slice(g, deviations, "last", 2, 4, 2), g.scalar("fifth", 0.2f)}, half);
  grown = g.node("Exp", "factor", {grown}, half);
  grown = g.node("Mul", "size", {grown, sizes}, half);
  return g.node("Concat", "boxes", {moved, grown}, {half[0], boxes, 4}, {attribute("axis", int64_t{2})});
}

} // namespace

Network ssdResNet50(const Variant &variant) {
  GraphBuilder g("ssd_resnet50", variant.opset);
  auto maps = featureMaps(g, imageInput(g, variant));
  std::vector<Value> deviations, logits;
  for (size_t i = 0; i < maps.size(); ++i) {
    Scope scope(g, "head" + std::to_string(i));
    int64_t perPosition = anchorsOfMaps()[i].perPosition();
    deviations.push_back(headOf(g, maps[i], "location", perPosition, 4, {.scale = 1.5}));
    logits.push_back(headOf(g, maps[i], "class", perPosition, classes, {.scale = 1.5}));
  }
  // concat() joins dimension 1, which numbers the anchor boxes in the tensors of predictions, not channels.
  Value boxes = decode(g, concat(g, deviations, "deviations"), priorsOf(maps));
  Value shares = softmax(g, concat(g, logits, "logits"), "shares");
  int64_t count = shares.shape[1];
  Value byClass = g.node("Transpose", "by_class", {shares}, {variant.batch, classes, count},
                         {attribute("perm", std::vector<int64_t>{0, 2, 1})});
  Value scores = slice(g, byClass, "scores", 1, classes, 1);
  Value selected = g.node("NonMaxSuppression", "selected",
                          {boxes, scores, g.integers("most", {mostBoxesPerClass}),
                           g.floats("overlap", {1}, std::array{overlapThreshold}),
                           g.floats("threshold", {1}, std::array{scoreThreshold})},
                          {-1, 3}, {attribute("center_point_box", int64_t{1})});
  g.output(boxes);
  g.output(scores);
  g.output(selected, DType::i64, std::array<std::string_view, 1>{"selected_boxes"});
  return std::move(g).finish();
}

} // namespace tilerig::models
