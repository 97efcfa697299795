#include "classifier/Training/Export.h"

#include "classifier/Models/OnnxLayers.h"
#include "verify/Verdict/Classifier.h"

namespace tilerig::classifier {

namespace {

using models::attribute;
using models::GraphBuilder;

constexpr int opset = 17;
const auto along = [] { return attribute("axes", std::vector<int64_t>{-1}); };

models::Value largest(GraphBuilder &graph, std::string_view name, const models::Value &x) {
  return graph.node("ReduceMax", name, {x}, {1, 1}, {along(), attribute("keepdims", int64_t{1})});
}

// To the nearest centre: |p|² - 2 p · c + |c|², of which the least.
models::Value distance(GraphBuilder &graph, const FeatureSpace &space, const models::Value &features) {
  const auto kept = static_cast<int64_t>(space.kept), width = static_cast<int64_t>(space.numFeatures);
  const auto count = static_cast<int64_t>(space.countCentres());
  const models::Value point = graph.node("Gemm", "point",
                                         {features, graph.floats("space.matrix", {kept, width}, space.matrix),
                                          graph.floats("space.offset", {kept}, space.offset)},
                                         {1, kept}, {attribute("transB", int64_t{1})});
  std::vector<float> minusTwice, squares(space.countCentres());
  for (size_t i = 0; i < space.centres.size(); ++i) {
    minusTwice.push_back(-2 * space.centres[i]);
    squares[i / space.kept] += space.centres[i] * space.centres[i];
  }
  const models::Value products = graph.node("Gemm", "products",
                                            {point, graph.floats("space.centres", {count, kept}, minusTwice),
                                             graph.floats("space.squares", {count}, squares)},
                                            {1, count}, {attribute("transB", int64_t{1})});
  const models::Value squared = graph.node("Mul", "point_squared", {point, point}, {1, kept});
  const models::Value length =
      graph.node("ReduceSum", "point_length", {squared, graph.integers("last_axis", {-1})}, {1, 1});
  const models::Value distances = graph.node("Add", "distances", {products, length}, {1, count});
  const models::Value nearest =
      graph.node("ReduceMin", "nearest", {distances}, {1, 1}, {along(), attribute("keepdims", int64_t{1})});
  return graph.node("Sqrt", "distance", {graph.node("Relu", "nearest_sound", {nearest}, {1, 1})}, {1, 1});
}

void addUnknown(GraphBuilder &graph, const Calibration &calibration, const models::Value &logits,
                const models::Value &features) {
  const models::Value parts[] = {largest(graph, "largest_logit", logits),
                                 distance(graph, calibration.space, features)};
  const onnx::AttributeProto axis[] = {attribute("axis", int64_t{-1})};
  const models::Value scores = graph.node("Concat", "scores", parts, {1, numUnknownScores}, axis);
  std::vector<float> weights(calibration.weights.begin(), calibration.weights.end());
  const auto bias = static_cast<float>(calibration.bias);
  const models::Value sum =
      graph.node("Gemm", "unknown_logit",
                 {scores, graph.floats("unknown.weight", {1, numUnknownScores}, weights),
                  graph.floats("unknown.bias", {1}, std::span(&bias, 1))},
                 {1, 1}, {attribute("transB", int64_t{1})});
  graph.output(graph.node("Sigmoid", "unknown", {sum}, {1, 1}));
}

} // namespace

Result<onnx::ModelProto> exportModel(const ModelKind &kind, const TensorMap &parameters,
                                     const Calibration &calibration) {
  GraphBuilder graph(verify::classifierGraphName(), opset);
  OnnxLayers layers(graph, parameters);
  const Heads heads = kind.build(layers);
  CHECK_OK(layers.status());
  constexpr auto classes = static_cast<int64_t>(numBugClasses);
  const models::Value factor = graph.scalar("sharpness", static_cast<float>(1 / calibration.temperature));
  const models::Value logits = graph.node("Mul", "logits", {layers[heads.logits], factor}, {1, classes});
  const models::Value probabilities =
      graph.node("Softmax", "probabilities", {logits}, {1, classes}, {attribute("axis", int64_t{-1})});
  graph.output(probabilities);
  addUnknown(graph, calibration, logits, layers[heads.features]);
  onnx::ModelProto model = std::move(graph).finish().model;
  model.set_producer_name("tilerig train");
  return model;
}

} // namespace tilerig::classifier
