#include "compiler/Layer/Precision/LayerNames.h"

#include <algorithm>
#include <mlir/IR/BuiltinAttributes.h>

namespace tilerig::compiler {

namespace {

void add(std::vector<std::string> &names, const std::string &name) {
  if (std::ranges::find(names, name) == names.end())
    names.push_back(name);
}

// Collects names of nodes and tensors from a location. A NameLoc is a node whose child locations are its
// tensors; a FusedLoc lists several nodes, or several tensors of one node.
void collect(mlir::Location location, bool isTensor, LayerNames &names) {
  if (const auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    for (const mlir::Location part : fused.getLocations())
      collect(part, isTensor, names);
  } else if (const auto name = llvm::dyn_cast<mlir::NameLoc>(location)) {
    add(isTensor ? names.tensors : names.nodes, name.getName().str());
    collect(name.getChildLoc(), true, names);
  }
}

} // namespace

std::vector<std::string> LayerNames::all() const {
  std::vector<std::string> both = nodes;
  both.insert(both.end(), tensors.begin(), tensors.end());
  return both;
}

LayerNames namesOf(mlir::Location location) {
  LayerNames names;
  collect(location, false, names);
  return names;
}

} // namespace tilerig::compiler
