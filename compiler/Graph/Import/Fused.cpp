// Import of operators into which ONNX Runtime fuses several of ONNX's: FusedMatMul and FusedConv. They become the
// operations that were fused.
#include "compiler/Graph/Import/Composition.h"
#include "compiler/Graph/Import/WindowAttributes.h"

#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

// Operand `index` of FusedMatMul in the order in which it is multiplied: transBatch moves the first axis behind
// the batch, then trans exchanges the last two axes. A vector is never transposed.
Result<mlir::Value> ordered(const NodeReader &node, size_t index, const std::string &letter,
                            Composition &to) {
  const bool transposes = node.integer("trans" + letter, 0) != 0,
             transposesBatch = node.integer("transBatch" + letter, 0) != 0;
  const int64_t rank = node.rank(index);
  if (transposesBatch && rank < 3)
    return node.refuse(fmt::format("attribute 'transBatch{}' needs an operand of at least three axes, not {}",
                                   letter, text(node.shape(index))));
  Ints order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (transposesBatch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (transposes && rank >= 2)
    std::swap(order.end()[-1], order.end()[-2]);
  return to.transpose(node.input(index), order);
}

ImportedValues fusedMatMul(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  if (node.elementType(0) != node.elementType(1))
    return node.refuse("the operands have different types");
  Composition to(node);
  TILERIG_TRY(const mlir::Value a, ordered(node, 0, "A", to));
  TILERIG_TRY(const mlir::Value b, ordered(node, 1, "B", to));
  mlir::Value product = to.matmul(a, b);
  if (const float alpha = node.real("alpha", 1); alpha != 1)
    product = to.mul(product, to.number(alpha, node.elementType(0)));
  return to.results({product});
}

// Applies the activation of FusedConv.
Result<mlir::Value> activated(const NodeReader &node, mlir::Value x, Composition &to) {
  const std::string name = node.text("activation", "");
  const llvm::SmallVector<float> values =
      node.reals("activation_params").value_or(llvm::SmallVector<float>());
  const size_t expected = name == "LeakyRelu" ? 1 : name == "Clip" || name == "HardSigmoid" ? 2 : 0;
  if (name.empty() || !x)
    return x;
  if (values.size() != expected)
    return node.refuse(fmt::format("attribute 'activation_params' has {} values, but {} has {} parameters",
                                   values.size(), name, expected));
  if (name == "Relu")
    return to.unary<ReluOp>(x);
  if (name == "Sigmoid")
    return to.unary<SigmoidOp>(x);
  if (name == "Tanh")
    return to.unary<TanhOp>(x);
  if (name == "LeakyRelu")
    return to.make<LeakyReluOp>(x, llvm::APFloat(values[0]));
  if (name == "HardSigmoid")
    return to.make<HardSigmoidOp>(x, llvm::APFloat(values[0]), llvm::APFloat(values[1]));
  if (name == "Clip")
    return to.make<ClipOp>(x, to.number(values[0], node.elementType(0)),
                           to.number(values[1], node.elementType(0)));
  return node.unsupportedHere(fmt::format("attribute 'activation' is '{}', which is not supported", name),
                              "use one of Relu, Sigmoid, Tanh, LeakyRelu, Clip and HardSigmoid");
}

ImportedValues fusedConv(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 4));
  TILERIG_TRY(const WindowAttributes windows, convolutionWindows(node, 1));
  Composition to(node);
  mlir::Value y = to.make<ConvOp>(node.input(0), node.input(1), node.input(2),
                                  static_cast<uint64_t>(node.integer("group", 1)), windows.strides,
                                  windows.dilations, windows.pads);
  if (node.has(3) && y) {
    if (y.getType() != node.input(3).getType())
      return node.refuse(fmt::format("the addend has shape {}, but the convolution has shape {}",
                                     text(node.shape(3)), text(shapeOf(y))));
    y = to.add(y, node.input(3));
  }
  TILERIG_TRY(y, activated(node, y, to));
  return to.results({y});
}

} // namespace

void addFused(ImporterTable &table) {
  table.emplace("com.microsoft.FusedConv", fusedConv);
  table.emplace("com.microsoft.FusedMatMul", fusedMatMul);
}

} // namespace tilerig::compiler
