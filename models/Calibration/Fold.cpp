#include "models/Calibration/Fold.h"

#include "models/Calibration/Weights.h"

#include <cassert>
#include <cmath>

namespace tilerig::models {

namespace {

// Folds a normalisation into the layer before it: scales the rows of the layer's weights, and turns the
// normalisation's shift into the layer's bias.
void fold(onnx::NodeProto &layer, const onnx::NodeProto &norm, const Weights &weights) {
  auto rows = weights.floats(layer.input(1));
  auto scales = weights.floats(norm.input(1)), shifts = weights.floats(norm.input(2));
  auto means = weights.floats(norm.input(3)), variances = weights.floats(norm.input(4));
  double epsilon = norm.attribute(0).f();
  size_t perRow = rows.size() / scales.size();
  for (size_t row = 0; row < scales.size(); ++row) {
    double factor = scales[row] / std::sqrt(variances[row] + epsilon);
    for (float &weight : rows.subspan(row * perRow, perRow))
      weight = static_cast<float>(weight * factor);
    shifts[row] = static_cast<float>(shifts[row] - means[row] * factor);
  }
  std::string bias = layer.name() + ".bias";
  weights.proto(norm.input(2)).set_name(bias);
  layer.add_input(bias);
  layer.set_output(0, norm.output(0));
}

template <class List, class F>
void removeIf(List &list, F isObsolete) {
  int kept = 0;
  for (int i = 0; i < list.size(); ++i)
    if (!isObsolete(list.Get(i)))
      list.SwapElements(kept++, i);
  list.DeleteSubrange(kept, list.size() - kept);
}

} // namespace

void foldNorms(Network &network, Folding folding) {
  onnx::GraphProto &graph = *network.model.mutable_graph();
  Weights weights(graph);
  std::set<std::string> obsoleteNodes, obsoleteWeights;
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto norm = graph.node(i);
    if (norm.op_type() != "BatchNormalization" ||
        (folding == Folding::scaffolds && !network.scaffolds.contains(norm.name())))
      continue;
    // Folding the normalisation changes no other value: the builder puts the layer directly before its
    // normalisation, and only the normalisation reads the layer's output.
    onnx::NodeProto &layer = *graph.mutable_node(i - 1);
    assert(layer.output(0) == norm.input(0) && layer.input_size() == 2);
    fold(layer, norm, weights);
    obsoleteNodes.insert(norm.name());
    for (int input : {1, 3, 4})
      obsoleteWeights.insert(norm.input(input));
  }
  removeIf(*graph.mutable_node(), [&](const auto &node) { return obsoleteNodes.contains(node.name()); });
  removeIf(*graph.mutable_initializer(),
           [&](const auto &tensor) { return obsoleteWeights.contains(tensor.name()); });
}

} // namespace tilerig::models
