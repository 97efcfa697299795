#include "compiler/Graph/Transforms/CellFunctions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>

namespace tilerig::compiler {

namespace {

// ONNX's defaults for the parameters of an activation function; a function without a parameter has no default.
struct Defaults {
  std::optional<float> alpha = {}, beta = {};
};

Defaults defaultsOf(llvm::StringRef name) {
  return llvm::StringSwitch<Defaults>(name)
      .Case("Affine", {1.0f, 0.0f})
      .Cases({"Elu", "ThresholdedRelu"}, {1.0f})
      .Case("HardSigmoid", {0.2f, 0.5f})
      .Case("LeakyRelu", {0.01f})
      .Case("ScaledTanh", {1.0f, 1.0f})
      .Default({});
}

// Takes the next parameter from a list, if the function has this parameter.
double take(llvm::ArrayRef<float> &list, std::optional<float> fallback) {
  if (!fallback || list.empty())
    return fallback.value_or(0.0f);
  const float number = list.front();
  list = list.drop_front();
  return number;
}

} // namespace

std::vector<CellFunction> cellFunctions(mlir::ArrayAttr names, llvm::ArrayRef<float> alphas,
                                        llvm::ArrayRef<float> betas) {
  std::vector<CellFunction> functions;
  for (const mlir::StringAttr name : names.getAsRange<mlir::StringAttr>()) {
    const Defaults defaults = defaultsOf(name.getValue());
    functions.push_back({name.str(), take(alphas, defaults.alpha), take(betas, defaults.beta)});
  }
  return functions;
}

bool isKnown(const CellFunction &function) {
  return llvm::is_contained({"Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid",
                             "Softplus", "Softsign", "Tanh", "ThresholdedRelu"},
                            llvm::StringRef(function.name));
}

mlir::Value apply(const CellFunction &function, mlir::Value value, ElementBuilder &to) {
  const llvm::APFloat alpha(static_cast<float>(function.alpha)), beta(static_cast<float>(function.beta));
  const llvm::StringRef name = function.name;
  if (name == "Affine")
    return to.add(to.scale(value, function.alpha), to.number(function.beta, value));
  if (name == "Elu")
    return to.make<graph::EluOp>(value.getType(), value, alpha);
  if (name == "HardSigmoid")
    return to.make<graph::HardSigmoidOp>(value.getType(), value, alpha, beta);
  if (name == "LeakyRelu")
    return to.make<graph::LeakyReluOp>(value.getType(), value, alpha);
  if (name == "Relu")
    return to.make<graph::ReluOp>(value);
  if (name == "ScaledTanh")
    return to.scale(to.make<graph::TanhOp>(to.scale(value, function.beta)), function.alpha);
  if (name == "Sigmoid")
    return to.make<graph::SigmoidOp>(value);
  if (name == "Softplus")
    return to.make<graph::SoftplusOp>(value);
  if (name == "Softsign")
    return to.make<graph::SoftsignOp>(value);
  if (name == "Tanh")
    return to.make<graph::TanhOp>(value);
  assert(name == "ThresholdedRelu");
  return to.make<graph::ThresholdedReluOp>(value.getType(), value, alpha);
}

} // namespace tilerig::compiler
