// The shapes of an operator's results if sizes of its operands are known only at run time.
#pragma once

#include "compiler/Graph/Import/OpenTensors.h"

namespace tilerig::compiler {

struct OpenShapes {
  llvm::SmallVector<Sizes> results;
  // Whether the operator can be computed at the bound: its results then begin with those of the model.
  bool isAtBound = false;
  // Whether the first operand must then be filled up with copies of its elements, as for the maximum of all rows.
  bool needsCopies = false;
};

// Nullopt if nothing is known of the operator.
std::optional<OpenShapes> openShapesOf(const NodeReader &node, OpenTensors &open);

// The same for operators that compute along some axes while others are open. `typesAtBound`: the types of their results
// at the bound.
std::optional<OpenShapes> openShapesAtBound(const NodeReader &node, OpenTensors &open,
                                            llvm::ArrayRef<mlir::Type> typesAtBound);

// The elements of the first result if it is made of sizes, such as that of Shape. Nullopt if it is not.
std::optional<Sizes> openElementsOf(const NodeReader &node, OpenTensors &open);
// The results of a comparison of sizes, if all sizes that are possible give the same.
std::optional<llvm::SmallVector<bool>> decided(const NodeReader &node, OpenTensors &open);

} // namespace tilerig::compiler
