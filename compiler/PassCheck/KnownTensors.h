// The model's tensors whose elements are known from a run. The pass check computes changed values from them.
#pragma once

#include "compiler/PassCheck/PassCheck.h"
#include "compiler/PassCheck/StoredTensors.h"

#include <map>

namespace tilerig::compiler {

class KnownTensors {
public:
  // `elements` has the known tensors by name, in the model's order of axes, and must outlive this object.
  explicit KnownTensors(const TensorMap &elements) : elements(elements) {}

  bool contains(llvm::StringRef name) const { return elements.find(std::string_view(name)) != nullptr; }
  DType typeOf(llvm::StringRef name) const { return elements.find(std::string_view(name))->dtype(); }
  // Returns the known tensor `origin.name` with the element type and the order of axes of a value that holds
  // it.
  Result<Tensor> get(const graph::TensorOrigin &origin, mlir::Type element, bool keepsDoubles) const;

  // Runs a module after decide-precision in the device's arithmetic, and keeps the tensor that each value
  // stores. From then on, get() returns these tensors for values of the same name and type.
  Status computeStored(mlir::ModuleOp module, ModelRunner &runner);
  bool hasStored() const { return !stored.empty(); }

private:
  const TensorMap &elements;
  // The tensors of computeStored(), by name and by address of the element type, in the model's order of axes.
  // The map is never iterated, because the order of addresses varies from run to run.
  std::map<std::pair<std::string, const void *>, Tensor> stored;
};

} // namespace tilerig::compiler
