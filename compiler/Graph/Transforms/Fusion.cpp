#include "compiler/Graph/Transforms/Fusion.h"

#include <llvm/ADT/SetVector.h>

namespace tilerig::compiler {

Operations between(mlir::ValueRange leaves, mlir::Operation *root) {
  llvm::SetVector<mlir::Operation *> collected;
  collected.insert(root);
  for (size_t i = 0; i < collected.size(); ++i)
    for (mlir::Value operand : collected[i]->getOperands()) {
      mlir::Operation *const defining = operand.getDefiningOp();
      if (defining && !llvm::isa<graph::ConstantOp>(defining) && !llvm::is_contained(leaves, operand))
        collected.insert(defining);
    }
  Operations operations = collected.takeVector();
  llvm::sort(operations, [](mlir::Operation *a, mlir::Operation *b) { return a->isBeforeInBlock(b); });
  return operations;
}

bool isPrivate(const Operations &operations) {
  return llvm::all_of(llvm::ArrayRef(operations).drop_back(), [&](mlir::Operation *operation) {
    return llvm::all_of(operation->getUsers(),
                        [&](mlir::Operation *user) { return llvm::is_contained(operations, user); });
  });
}

mlir::Location locationOf(const Operations &operations) {
  llvm::SmallVector<mlir::Location> locations;
  for (mlir::Operation *operation : operations)
    locations.push_back(operation->getLoc());
  return graph::fusedLocation(locations);
}

mlir::Location partLocation(mlir::Operation *operation, const std::string &part) {
  const std::string name = graph::nodeName(operation->getLoc()) + "." + part;
  return mlir::NameLoc::get(mlir::StringAttr::get(operation->getContext(), name));
}

} // namespace tilerig::compiler
