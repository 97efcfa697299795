#include "compiler/Layer/Facts/Decisions.h"

#include "compiler/Layer/Facts/Attributes.h"
#include "compiler/Layer/IR/LayerKind.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

namespace {

template <class Product>
void addEpilogue(Product op, std::vector<Decision> &all) {
  if (op.getBias())
    all.push_back({"bias in the sum", "the accumulator starts with the bias, at no cost"});
  if (op.getAddend())
    all.push_back({op.getFunctionFirst() ? "addend after the function" : "addend in the epilogue",
                   "nothing else reads the sum, so it is not stored in between"});
}

// The reason why a sum or function is a layer of its own although the preceding product could have included
// the sum or function.
std::string whyAlone(mlir::Operation *layer, mlir::Value operand) {
  mlir::Operation *producer = operand.getDefiningOp();
  if (!producer || !llvm::isa<layer::ConvOp, layer::MatMulOp>(producer))
    return "";
  if (!producer->hasOneUse())
    return fmt::format("the result of {} has {} other readers", kindOf(producer),
                       llvm::range_size(producer->getUses()) - 1);
  if (operand.getType() != layer->getResult(0).getType())
    return fmt::format("the result of {} has another type or shape", kindOf(producer));
  return fmt::format("the epilogue of {} is already used, or does not support this", kindOf(producer));
}

bool canJoin(mlir::Operation *layer) {
  auto binary = llvm::dyn_cast<layer::BinaryOp>(layer);
  auto activate = llvm::dyn_cast<layer::ActivateOp>(layer);
  return (binary && binary.getKind().getValue() == BinaryFunction::add) ||
         (activate && activate.getFunction());
}

} // namespace

std::vector<Decision> decisionsOf(const Card &card) {
  std::vector<Decision> all = {
      {placeOf(card.layer) == LayerPlace::host ? "host" : "accelerator", reasonOfPlace(card.layer)}};
  if (const auto precision = card.layer->getAttrOfType<mlir::StringAttr>("layer.precision")) {
    const auto [name, reason] = precision.getValue().split(": ");
    all.push_back({"precision " + name.str(), reason.empty() ? "set by the precision plan" : reason.str()});
  }
  if (card.nodes.size() > 1)
    all.push_back({fmt::format("fused: {}", fmt::join(card.nodes, ", ")),
                   "one layer computes them without storing intermediate results"});
  if (auto conv = llvm::dyn_cast<layer::ConvOp>(card.layer))
    addEpilogue(conv, all);
  if (auto matmul = llvm::dyn_cast<layer::MatMulOp>(card.layer))
    addEpilogue(matmul, all);
  if (!card.activation.empty() && card.activation != "none" && !llvm::isa<layer::ActivateOp>(card.layer))
    all.push_back(
        {fmt::format("function {} in the layer", card.activation), "nothing else reads its argument"});
  if (canJoin(card.layer))
    for (const mlir::Value operand : card.layer->getOperands())
      if (std::string why = whyAlone(card.layer, operand); !why.empty())
        all.push_back({"not fused", std::move(why)});
  return all;
}

} // namespace tilerig::compiler
