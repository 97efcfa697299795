// The tensors of the model whose elements are known, from which changed values are computed.
#pragma once

#include "compiler/PassCheck/PassCheck.h"
#include "compiler/PassCheck/StoredTensors.h"

#include <map>

namespace tilerig::compiler {

class KnownTensors {
public:
  // `elements` by name, in the model's order of axes; it must outlive this object.
  explicit KnownTensors(const TensorMap &elements) : elements(elements) {}

  bool contains(llvm::StringRef name) const { return elements.find(std::string_view(name)) != nullptr; }
  DType typeOf(llvm::StringRef name) const { return elements.find(std::string_view(name))->dtype(); }
  // The tensor as a value of this element type stores it, with its axes in the order of the value.
  Result<Tensor> get(const graph::TensorOrigin &origin, mlir::Type element, bool keepsDoubles) const;

  // Runs a module whose precisions are decided in the arithmetic of the device, and keeps what each value
  // stores. From then on, get() returns these tensors for values of their types.
  Status computeStored(mlir::ModuleOp module, ModelRunner &runner);
  bool hasStored() const { return !stored.empty(); }

private:
  const TensorMap &elements;
  // By name and element type, in the model's order of axes. Never iterated, since types are compared by their
  // addresses.
  std::map<std::pair<std::string, const void *>, Tensor> stored;
};

} // namespace tilerig::compiler
