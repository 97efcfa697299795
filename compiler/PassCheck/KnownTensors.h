// The tensors of the original model whose elements are known, because the model was run. The pass check
// computes values that a pass changed from these tensors.
#pragma once

#include "compiler/PassCheck/PassCheck.h"
#include "compiler/PassCheck/StoredTensors.h"

#include <map>

namespace tilerig::compiler {

class KnownTensors {
public:
  // `elements` has the model's tensors by name, in the model's order of axes, and must outlive this object.
  explicit KnownTensors(const TensorMap &elements) : elements(elements) {}

  bool contains(llvm::StringRef name) const { return elements.find(std::string_view(name)) != nullptr; }
  DType typeOf(llvm::StringRef name) const { return elements.find(std::string_view(name))->dtype(); }
  // Returns the model's tensor `origin.name`, converted to the element type and the order of axes of an MLIR
  // value that holds the tensor.
  Result<Tensor> get(const graph::TensorOrigin &origin, mlir::Type element, bool keepsDoubles) const;

  // Runs a module after the pass decide-precision in the device's arithmetic, and keeps the tensor that each
  // value holds. From then on, get() returns these tensors for values of the same name and type.
  Status computeStored(mlir::ModuleOp module, ModelRunner &runner);
  bool hasStored() const { return !stored.empty(); }

private:
  const TensorMap &elements;
  // The tensors that computeStored() has kept, by name and by address of the element type. The map is never
  // iterated, because the order of addresses varies from run to run.
  std::map<std::pair<std::string, const void *>, Tensor> stored;
};

} // namespace tilerig::compiler
