// Operators of ONNX Runtime that fuse several of ONNX's own: FusedMatMul and FusedConv.
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"
#include "reference/Ops/Products.h"
#include "reference/Ops/StridedCopy.h"

#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// Runs an operator of ONNX on these inputs, with these attributes; the result is one tensor.
Result<Tensor> runOperator(OpContext &context, std::string_view op, std::vector<Tensor> inputs,
                           std::map<std::string, Attribute, std::less<>> attributes) {
  constexpr int opset = 21;
  const OpEntry *entry = findOp("", op, opset);
  Node node{context.node.name, "", std::string(op), opset, {}, {0}, std::move(attributes)};
  const std::vector<bool> present(inputs.size(), true);
  OpContext inner(node, asValues(std::move(inputs)), present, context.threads, context.arithmetic);
  TILERIG_CHECK_OK(entry->kernel(inner));
  return std::move(inner.output(0));
}

// The order of axes in which an operand of FusedMatMul is multiplied: `transposesBatch` moves the first axis
// behind the batch, `transposes` then exchanges the last two axes.
std::vector<size_t> operandOrder(size_t rank, bool transposesBatch, bool transposes) {
  std::vector<size_t> order(rank);
  for (size_t i = 0; i < rank; ++i)
    order[i] = i;
  if (transposesBatch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (transposes)
    std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

// Operand `index` of FusedMatMul in the order in which it is multiplied. A vector is never transposed.
Result<Tensor> orderedOperand(const OpContext &context, size_t index, const std::string &letter) {
  const Tensor &tensor = context.input(index);
  TILERIG_TRY(int64_t transposes, context.intAttribute("trans" + letter, 0));
  TILERIG_TRY(int64_t transposesBatch, context.intAttribute("transBatch" + letter, 0));
  const size_t rank = tensor.rank();
  if (transposesBatch != 0 && rank < 3)
    return context.invalid(
        fmt::format("attribute 'transBatch{}' needs an operand of at least three axes, not {}", letter,
                    showShape(tensor.shape())));
  if (rank < 2 || (transposes == 0 && transposesBatch == 0))
    return tensor;
  StridedView view = viewOf(tensor);
  const StridedView whole = view;
  const std::vector<size_t> order = operandOrder(rank, transposesBatch != 0, transposes != 0);
  for (size_t i = 0; i < rank; ++i) {
    view.shape[i] = whole.shape[order[i]];
    view.strides[i] = whole.strides[order[i]];
  }
  return stridedCopy(tensor, view, context.threads);
}

// The operator FusedMatMul: alpha times the product of two operands, which may be transposed first.
Status fusedMatMul(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 1.0f));
  TILERIG_TRY(Tensor a, orderedOperand(context, 0, "A"));
  TILERIG_TRY(Tensor b, orderedOperand(context, 1, "B"));
  if (a.dtype() != b.dtype())
    return context.invalid(fmt::format("the operands have the types {} and {}, expected one type",
                                       nameOf(a.dtype()), nameOf(b.dtype())));
  TILERIG_TRY(ProductShape shape, productShape(context, a.shape(), b.shape()));
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(a.dtype(), shape.result));
  TILERIG_CHECK_OK(withFloats(context, a, [&]<class T>() -> Status {
    TILERIG_CHECK_OK(multiplyBatches(context, shape, a, b, y));
    if (alpha != 1)
      for (T &element : y.mutableAs<T>())
        element *= T(alpha);
    return success();
  }));
  context.outputs[0] = std::move(y);
  return success();
}

// An activation of FusedConv: an operator of ONNX with the names of its parameters, in the order in which the
// attribute activation_params has their values.
struct FusedActivation {
  std::string_view name;
  std::vector<std::string_view> parameters;
};

Result<const FusedActivation *> activationOf(const OpContext &context) {
  static const FusedActivation activations[] = {{"Relu", {}},
                                                {"Sigmoid", {}},
                                                {"Tanh", {}},
                                                {"LeakyRelu", {"alpha"}},
                                                {"Clip", {"min", "max"}},
                                                {"HardSigmoid", {"alpha", "beta"}}};
  TILERIG_TRY(std::string name, context.textAttribute("activation", ""));
  if (name.empty())
    return nullptr;
  for (const FusedActivation &activation : activations)
    if (activation.name == name)
      return &activation;
  return context.notSupported(fmt::format("attribute 'activation' is '{}', which is not supported", name),
                              "use one of Relu, Sigmoid, Tanh, LeakyRelu, Clip and HardSigmoid");
}

// Applies the activation of FusedConv. The bounds of Clip are operands of ONNX's operator, not attributes.
Result<Tensor> activated(OpContext &context, const FusedActivation &activation, Tensor tensor) {
  TILERIG_TRY(std::vector<float> values, context.floatsAttribute("activation_params", std::vector<float>()));
  if (values.size() != activation.parameters.size())
    return context.invalid(
        fmt::format("attribute 'activation_params' has {} values, but {} has {} parameters", values.size(),
                    activation.name, activation.parameters.size()));
  std::vector<Tensor> inputs = {std::move(tensor)};
  std::map<std::string, Attribute, std::less<>> attributes;
  for (size_t i = 0; i < values.size(); ++i)
    if (activation.name != "Clip")
      attributes.emplace(activation.parameters[i], values[i]);
    else if (inputs[0].dtype() == DType::f64)
      inputs.push_back(Tensor::scalar<double>(values[i]));
    else
      inputs.push_back(Tensor::scalar(values[i]));
  return runOperator(context, activation.name, std::move(inputs), std::move(attributes));
}

// The operator FusedConv: a convolution, to which a tensor of the result's shape (input 3) may be added before
// an activation.
Status fusedConv(OpContext &context) {
  TILERIG_TRY(const FusedActivation *activation, activationOf(context));
  TILERIG_CHECK_OK(findOp("", "Conv", 21)->kernel(context));
  Tensor y = std::move(context.output(0));
  if (context.has(3)) {
    const Tensor &addend = context.input(3);
    if (addend.shape() != y.shape() || addend.dtype() != y.dtype())
      return context.invalid(fmt::format(
          "the addend has type {} and shape {}, but the convolution has type {} "
          "and shape {}",
          nameOf(addend.dtype()), showShape(addend.shape()), nameOf(y.dtype()), showShape(y.shape())));
    TILERIG_TRY(y, runOperator(context, "Add", {std::move(y), addend}, {}));
  }
  if (activation) {
    TILERIG_TRY(y, activated(context, *activation, std::move(y)));
  }
  context.outputs[0] = std::move(y);
  return success();
}

} // namespace

std::span<const OpEntry> fusedOps() {
  static constexpr OpEntry entries[] = {
      {"FusedMatMul", 1, 2, 2, fusedMatMul, HalfFloats::widened, "com.microsoft"},
      {"FusedConv", 1, 2, 4, fusedConv, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
