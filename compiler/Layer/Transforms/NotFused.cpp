#include "compiler/Layer/Transforms/NotFused.h"

#include "compiler/Layer/IR/DecisionAttributes.h"
#include "compiler/Layer/IR/LayerKind.h"
#include "compiler/Passes/Remarks.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

void recordNotFused(mlir::Operation *layer, llvm::StringRef pass, const std::vector<std::string> &reasons) {
  std::vector<std::string> known;
  llvm::SmallVector<mlir::Attribute> texts;
  for (const std::string &reason : reasons)
    if (!reason.empty()) {
      known.push_back(reason);
      texts.push_back(mlir::StringAttr::get(layer->getContext(), reason));
    }
  if (known.empty())
    return;
  layer->setDiscardableAttr(notFusedAttribute, mlir::ArrayAttr::get(layer->getContext(), texts));
  mlir::remark::missed(layer->getLoc(), remarkOf(pass, "NotFused"))
      << fmt::format("{} stays a layer of its own: {}", kindOf(layer), fmt::join(known, "; "));
}

std::string otherReadersOf(mlir::Operation *producer) {
  if (producer->hasOneUse())
    return "";
  return fmt::format("the result of {} has {} other readers", kindOf(producer),
                     llvm::range_size(producer->getUses()) - 1);
}

std::string otherType(mlir::Operation *producer) {
  return fmt::format("the result of {} has another type or shape", kindOf(producer));
}

std::string usedByFunction(mlir::Operation *producer, layer::FunctionAttr function) {
  return fmt::format("the epilogue of {} already applies {}", kindOf(producer),
                     nameOfKind(function.getKind()).str());
}

} // namespace tilerig::compiler
