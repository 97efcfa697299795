#include "compiler/Layer/Facts/Decisions.h"

#include "compiler/Layer/Facts/Attributes.h"
#include "compiler/Layer/IR/DecisionAttributes.h"

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

} // namespace

std::vector<Decision> decisionsOf(const Card &card) {
  std::vector<Decision> all = {{std::string(tierOf(card.layer)), reasonOfPlace(card.layer)}};
  if (const auto precision = card.layer->getAttrOfType<mlir::StringAttr>(precisionAttribute)) {
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
  if (const auto reasons = card.layer->getAttrOfType<mlir::ArrayAttr>(notFusedAttribute))
    for (const auto reason : reasons.getAsRange<mlir::StringAttr>())
      all.push_back({"not fused", reason.str()});
  return all;
}

} // namespace tilerig::compiler
