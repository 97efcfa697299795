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

// Adds the nodes that compute EmbeddingSpace::distance: 1 minus the largest cosine of the angle between a
// direction of `space` and the embedding's difference from the mean embedding of the training rows.
models::Value distance(GraphBuilder &graph, const EmbeddingSpace &space, const models::Value &embedding) {
  const auto width = static_cast<int64_t>(space.embeddingWidth);
  const auto count = static_cast<int64_t>(space.countDirections());
  const models::Value from = graph.node(
      "Sub", "from_middle", {embedding, graph.floats("space.middle", {1, width}, space.middle)}, {1, width});
  const models::Value along =
      graph.node("Gemm", "along", {from, graph.floats("space.directions", {count, width}, space.directions)},
                 {1, count}, {attribute("transB", int64_t{1})});
  const models::Value squared = graph.node("Mul", "from_middle_squared", {from, from}, {1, width});
  const models::Value squares =
      graph.node("ReduceSum", "squares", {squared, graph.integers("last_axis", {-1})}, {1, 1});
  const models::Value length = graph.node("Add", "length",
                                          {graph.node("Sqrt", "exact_length", {squares}, {1, 1}),
                                           graph.scalar("least_length", EmbeddingSpace::leastLength)},
                                          {1, 1});
  const models::Value cosine =
      graph.node("Div", "cosine", {largest(graph, "most_along", along), length}, {1, 1});
  return graph.node("Sub", "distance", {graph.scalar("one", 1), cosine}, {1, 1});
}

// Adds the nodes that compute the unknown score, the weighted sum of three scores, in the order of
// Calibration::scores().
void addUnknown(GraphBuilder &graph, const Calibration &calibration, const models::Value &logits,
                const std::optional<models::Value> &mixed, const models::Value &embedding) {
  const models::Value most = largest(graph, "largest_logit", logits);
  const models::Value none = graph.scalar("none", 0);
  const models::Value less = graph.node("Sub", "less_certain", {none, most}, {1, 1});
  const models::Value parts[] = {less,
                                 mixed ? graph.node("Sub", "rather_mixed", {*mixed, most}, {1, 1}) : less,
                                 distance(graph, calibration.space, embedding)};
  const onnx::AttributeProto axis[] = {attribute("axis", int64_t{-1})};
  const models::Value scores = graph.node("Concat", "scores", parts, {1, numUnknownScores}, axis);
  std::vector<float> weights(calibration.weights.begin(), calibration.weights.end());
  if (!mixed)
    weights[1] = 0;
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
                                     const Calibration &calibration, Labels labels) {
  GraphBuilder graph(verify::classifierGraphName(labels.alone()), opset);
  OnnxLayers layers(graph, parameters);
  const auto classes = static_cast<int64_t>(labels.count());
  const Heads heads = kind.build(layers, classes);
  TILERIG_CHECK_OK(layers.status());
  const models::Value factor = graph.scalar("sharpness", static_cast<float>(1 / calibration.temperature));
  const models::Value logits = graph.node("Mul", "logits", {layers[heads.logits], factor}, {1, classes});
  const models::Value probabilities =
      graph.node("Softmax", "probabilities", {logits}, {1, classes}, {attribute("axis", int64_t{-1})});
  graph.output(probabilities);
  addUnknown(graph, calibration, logits, heads.mixed ? std::optional(layers[*heads.mixed]) : std::nullopt,
             layers[heads.embedding]);
  onnx::ModelProto model = std::move(graph).finish().model;
  model.set_producer_name("tilerig train");
  return model;
}

} // namespace tilerig::classifier
