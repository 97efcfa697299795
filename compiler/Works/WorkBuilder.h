// What the families of layers build works with.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"
#include "compiler/Works/Stored.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>

namespace tilerig {

class WorkBuilder {
public:
  explicit WorkBuilder(DeviceNetwork &network) : network(network) {}

  // The layer that is being turned into works.
  void begin(mlir::Operation *operation, uint32_t layer) {
    current = operation;
    index = layer;
  }

  // Makes a tensor for a value, or finds it.
  Result<TensorIndex> tensor(mlir::Value value);
  // A constant with its axes in another order.
  Result<TensorIndex> permuted(mlir::Value constant, llvm::ArrayRef<int64_t> perm);
  const std::vector<int64_t> &shapeOf(TensorIndex tensor) const { return network.tensors[tensor].shape; }
  ElementType typeOf(TensorIndex tensor) const { return network.tensors[tensor].type; }

  // A work that gives `result`, all of whose axes may be cut.
  Work work(WorkKind kind, Instruction action, TensorIndex result) const;
  // An operand that broadcasts to the result as numpy's do.
  Operand broadcast(TensorIndex operand, TensorIndex result) const;
  void add(Work work) { network.steps.emplace_back(std::move(work)); }
  void add(HostStep step) {
    step.layer = index;
    network.steps.emplace_back(std::move(step));
  }
  uint32_t layer() const { return index; }

  // That the machine has nothing for the layer, and why.
  Error refuse(std::string why) const;

private:
  DeviceNetwork &network;
  llvm::DenseMap<mlir::Value, TensorIndex> tensors;
  mlir::Operation *current = nullptr;
  uint32_t index = 0;
};

// Whether the fields of a window hold the numbers.
inline bool fitsIn16(llvm::ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t x) { return x >= 0 && x <= UINT16_MAX; });
}
// A layer of the family was found; what became of it.
inline Result<bool> formed(Status status) {
  CHECK_OK(status);
  return true;
}

// A file for each family. False: not one of its layers.
Result<bool> formProducts(mlir::Operation *operation, WorkBuilder &to);
Result<bool> formElementwise(mlir::Operation *operation, WorkBuilder &to);
Result<bool> formImages(mlir::Operation *operation, WorkBuilder &to);
Result<bool> formRows(mlir::Operation *operation, WorkBuilder &to);
Result<bool> formMovement(mlir::Operation *operation, WorkBuilder &to);

} // namespace tilerig
