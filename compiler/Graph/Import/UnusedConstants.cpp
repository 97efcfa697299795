#include "compiler/Graph/Import/UnusedConstants.h"

#include <llvm/ADT/StringSet.h>
#include <mlir/IR/BuiltinDialect.h>
#include <mlir/IR/DialectResourceBlobManager.h>

namespace tilerig::compiler {

void releaseUnusedConstants(mlir::ModuleOp module) {
  llvm::StringSet<> used;
  module.walk([&](mlir::Operation *operation) {
    operation->getAttrDictionary().walk(
        [&](mlir::DenseResourceElementsAttr resource) { used.insert(resource.getRawHandle().getKey()); });
  });
  auto &blobs = mlir::DenseResourceElementsHandle::getManagerInterface(module.getContext()).getBlobManager();
  std::vector<std::string> unused;
  blobs.getBlobMap([&](const auto &all) {
    for (const auto &entry : all)
      if (!used.contains(entry.getKey()))
        unused.push_back(entry.getKey().str());
  });
  for (const std::string &name : unused)
    blobs.update(name, mlir::AsmResourceBlob());
}

} // namespace tilerig::compiler
