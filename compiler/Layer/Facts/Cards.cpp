#include "compiler/Layer/Facts/Cards.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/Facts/Attributes.h"
#include "compiler/Layer/IR/LayerKind.h"
#include "compiler/Layer/IR/Types.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

namespace {

using graph::shapeOf;
using Sizes = llvm::ArrayRef<int64_t>;

bool isConstant(mlir::Value value) { return value && value.getDefiningOp<layer::ConstantOp>(); }

struct Axes {
  std::string legend;
  // for each axis of `legend`, in order, the number of that axis in the layer's tensor
  std::vector<int64_t> order;
};

const Axes imageAxes = {"[batch, inC, H, W]", {0, 3, 1, 2}}; // images, with the axes in ONNX's order
const Axes weightAxes = {"[outC, inC, H, W]", {0, 3, 1, 2}}; // weights, with the axes in ONNX's order
// Results, with the axes in the machine's order.
const Axes resultAxes = {"[batch, H, W, outC]", {0, 1, 2, 3}};

Axes matrixAxes(mlir::Value value, const char *rows, const char *columns) {
  const size_t rank = shapeOf(value).size();
  Axes axes;
  std::vector<std::string> names(rank - 2, "batch");
  names.insert(names.end(), {rows, columns});
  for (size_t i = 0; i < rank; ++i)
    axes.order.push_back(static_cast<int64_t>(i));
  axes.legend = fmt::format("[{}]", fmt::join(names, ", "));
  return axes;
}

bool isImageLayer(mlir::Operation *layer) {
  return llvm::isa<layer::ConvOp, layer::PoolOp, layer::ResizeOp, layer::DilateOp>(layer);
}

TensorCard tensorCard(std::string role, mlir::Value value, const Axes &axes = {}) {
  const Sizes own = shapeOf(value);
  TensorCard card{std::move(role), value, axes.legend};
  for (size_t i = 0; i < own.size(); ++i)
    card.shape.push_back(own[axes.order.empty() ? i : static_cast<size_t>(axes.order[i])]);
  return card;
}

template <class Product>
void addEpilogue(Product op, Card &card) {
  if (op.getBias())
    card.inputs.push_back(tensorCard("Bias", op.getBias()));
  if (op.getAddend())
    card.inputs.push_back(tensorCard("Addend", op.getAddend(),
                                     llvm::isa<layer::ConvOp>(op.getOperation()) ? resultAxes : Axes{}));
}

void addConv(layer::ConvOp op, Card &card) {
  card.inputs.push_back(tensorCard("Input", op.getInput(), imageAxes));
  card.inputs.push_back(tensorCard("Weight", op.getWeights(), weightAxes));
  addEpilogue(op, card);
}

void addMatMul(layer::MatMulOp op, Card &card) {
  card.inputs.push_back(tensorCard("Input", op.getA(), matrixAxes(op.getA(), "M", "K")));
  const bool isWeight = isConstant(op.getB());
  const char *outputs = isWeight ? "outC" : "N", *depth = isWeight ? "inC" : "K";
  card.inputs.push_back(tensorCard(isWeight ? "Weight" : "Input", op.getB(),
                                   op.getTransposedB() ? matrixAxes(op.getB(), depth, outputs)
                                                       : matrixAxes(op.getB(), outputs, depth)));
  addEpilogue(op, card);
}

void addNormalize(layer::NormalizeOp op, Card &card) {
  card.inputs.push_back(tensorCard("Input", op.getInput()));
  if (op.getGain())
    card.inputs.push_back(tensorCard("Gain", op.getGain()));
  if (op.getShift())
    card.inputs.push_back(tensorCard("Shift", op.getShift()));
}

void addInputs(Card &card) {
  if (auto conv = llvm::dyn_cast<layer::ConvOp>(card.layer))
    return addConv(conv, card);
  if (auto matmul = llvm::dyn_cast<layer::MatMulOp>(card.layer))
    return addMatMul(matmul, card);
  if (auto normalize = llvm::dyn_cast<layer::NormalizeOp>(card.layer))
    return addNormalize(normalize, card);
  for (const mlir::Value operand : card.layer->getOperands())
    card.inputs.push_back(tensorCard(isConstant(operand) ? "Constant" : "Input", operand,
                                     isImageLayer(card.layer) ? imageAxes : Axes{}));
}

void addOutputs(Card &card) {
  for (const mlir::Value result : card.layer->getResults())
    card.outputs.push_back(tensorCard("output", result,
                                      isImageLayer(card.layer) ? resultAxes
                                      : llvm::isa<layer::MatMulOp>(card.layer)
                                          ? matrixAxes(result, "M", "outC")
                                          : Axes{}));
}

// Number of learnt parameters of a layer: elements of its constants, without indices and booleans. If several
// layers read a constant, it counts for each of them.
uint64_t parametersOf(const Card &card) {
  uint64_t count = 0;
  for (const TensorCard &input : card.inputs) {
    const mlir::Type element = layer::elementOf(input.value);
    const bool isReal = llvm::isa<mlir::FloatType>(element) || layer::quantisedOf(element);
    if (isConstant(input.value) && (isReal || input.role == "Bias"))
      count += static_cast<uint64_t>(graph::tensorType(input.value).getNumElements());
  }
  return count;
}

} // namespace

std::vector<Card> cardsOf(mlir::func::FuncOp function, const Machine &machine) {
  std::vector<Card> cards;
  llvm::DenseMap<mlir::Operation *, size_t> ids;
  const std::vector<mlir::Operation *> layers = layersOf(function);
  const std::vector<LayerCost> costs = costsOf(layers, machine);
  for (mlir::Operation *layer : layers) {
    Card card{cards.size() + 1, layer, kindOf(layer)};
    addInputs(card);
    addOutputs(card);
    for (TensorCard &input : card.inputs) {
      if (const auto argument = llvm::dyn_cast<mlir::BlockArgument>(input.value)) {
        const auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), nameAttribute);
        input.from = "input " + (name ? name.str() : std::to_string(argument.getArgNumber()));
      } else if (const auto entry = ids.find(input.value.getDefiningOp()); entry != ids.end()) {
        input.producer = entry->second;
        input.from = fmt::format("layer {}", entry->second);
      }
    }
    card.attributes = attributesOf(layer);
    card.activation = activationOf(layer);
    const auto nodes = graph::nodeNames(layer->getLoc());
    card.nodes.assign(nodes.begin(), nodes.end());
    card.macs = macsOf(layer);
    card.parameters = parametersOf(card);
    card.cost = costs[cards.size()];
    ids[layer] = card.id;
    cards.push_back(std::move(card));
  }
  return cards;
}

} // namespace tilerig::compiler
