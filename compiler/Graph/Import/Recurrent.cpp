#include "compiler/Graph/Import/Operators.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Names = llvm::SmallVector<llvm::StringRef>;

// Common parts of RNN, GRU and LSTM layers, converted to layout 0.
struct Layer {
  Values operands; // the node's operands up to the initial state (of an LSTM, up to the initial cell state)
  Direction direction = Direction::forward;
  int64_t hidden = 0;
  mlir::ArrayAttr activations;
  llvm::SmallVector<float> alphas, betas;
  float clip = 0;
  bool isBatchFirst = false;
};

Result<mlir::Value> transposed(const NodeReader &node, mlir::Value value, Ints order) {
  return node.make<TransposeOp>(value, order);
}

// Converts a node of layout 1, which has the batch axis first in the input, the states and the results:
// transposes the operands.
Status changeLayout(const NodeReader &node, Layer &layer) {
  layer.isBatchFirst = node.integer("layout", 0) == 1;
  for (size_t i : {0, 5, 6})
    if (layer.isBatchFirst && i < layer.operands.size() && layer.operands[i]) {
      TILERIG_TRY(layer.operands[i], transposed(node, layer.operands[i], {1, 0, 2}));
    }
  return success();
}

ImportedValues restoreLayout(const NodeReader &node, const Layer &layer, Values results) {
  for (size_t i = 0; layer.isBatchFirst && i < results.size(); ++i) {
    TILERIG_TRY(results[i], transposed(node, results[i], i == 0 ? Ints{2, 0, 1, 3} : Ints{1, 0, 2}));
  }
  return results;
}

// Activation names for each direction; the layer kind's defaults if none are given.
Result<mlir::ArrayAttr> activationsOf(const NodeReader &node, const Names &defaults, int64_t directions) {
  Names names;
  if (const auto *attribute = node.attribute("activations"))
    names.assign(attribute->strings().begin(), attribute->strings().end());
  for (int64_t i = 0; node.attribute("activations") == nullptr && i < directions; ++i)
    llvm::append_range(names, defaults);
  for (llvm::StringRef name : names)
    if (!llvm::is_contained({"Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid",
                             "Softplus", "Softsign", "Tanh", "ThresholdedRelu"},
                            name))
      return node.refuse(fmt::format("activation '{}' is not known", name.str()));
  return mlir::Builder(node.input(0).getContext()).getStrArrayAttr(names);
}

Result<Layer> layerOf(const NodeReader &node, size_t mostOperands, const Names &defaults) {
  TILERIG_CHECK_OK(node.needs(3, mostOperands));
  Layer layer;
  layer.operands = node.inputs();
  layer.operands.resize(8);
  if (node.rank(0) != 3 || node.rank(2) != 3)
    return node.refuse(fmt::format("input {} and recurrence weights {} must both have rank 3",
                                   text(node.shape(0)), text(node.shape(2))));
  TILERIG_TRY(layer.direction, node.symbol("direction", "forward", symbolizeDirection));
  TILERIG_TRY(layer.activations,
              activationsOf(node, defaults, layer.direction == Direction::bidirectional ? 2 : 1));
  layer.hidden = node.integer("hidden_size", node.shape(2)[2]);
  layer.alphas = node.reals("activation_alpha").value_or(llvm::SmallVector<float>());
  layer.betas = node.reals("activation_beta").value_or(llvm::SmallVector<float>());
  layer.clip = node.real("clip", 0);
  if (const auto *clip = node.attribute("clip"); clip && !(layer.clip > 0))
    return node.unsupportedHere(
        fmt::format("attribute 'clip' is {}; only positive values are supported", layer.clip));
  TILERIG_CHECK_OK(changeLayout(node, layer));
  return layer;
}

ImportedValues rnn(const NodeReader &node) {
  TILERIG_TRY(const Layer layer, layerOf(node, 6, {"Tanh"}));
  const Values &x = layer.operands;
  TILERIG_TRY(Values results, node.makeAll<RnnOp>(x[0], x[1], x[2], x[3], x[4], x[5], layer.direction,
                                                  static_cast<uint64_t>(layer.hidden), layer.activations,
                                                  layer.alphas, layer.betas, llvm::APFloat(layer.clip)));
  return restoreLayout(node, layer, results);
}

ImportedValues gru(const NodeReader &node) {
  TILERIG_TRY(const Layer layer, layerOf(node, 6, {"Sigmoid", "Tanh"}));
  const Values &x = layer.operands;
  TILERIG_TRY(Values results, node.makeAll<GruOp>(x[0], x[1], x[2], x[3], x[4], x[5], layer.direction,
                                                  static_cast<uint64_t>(layer.hidden), layer.activations,
                                                  layer.alphas, layer.betas, llvm::APFloat(layer.clip),
                                                  node.integer("linear_before_reset", 0) != 0));
  return restoreLayout(node, layer, results);
}

ImportedValues lstm(const NodeReader &node) {
  TILERIG_TRY(const Layer layer, layerOf(node, 8, {"Sigmoid", "Tanh", "Tanh"}));
  const Values &x = layer.operands;
  TILERIG_TRY(Values results,
              node.makeAll<LstmOp>(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], layer.direction,
                                   static_cast<uint64_t>(layer.hidden), layer.activations, layer.alphas,
                                   layer.betas, llvm::APFloat(layer.clip),
                                   node.integer("input_forget", 0) != 0));
  return restoreLayout(node, layer, results);
}

} // namespace

void addRecurrent(ImporterTable &table) {
  table.emplace("RNN", rnn);
  table.emplace("GRU", gru);
  table.emplace("LSTM", lstm);
}

} // namespace tilerig::compiler
