// Builder of device operations, with which each family of layers (products, images, rows, ...) is lowered.
#pragma once

#include "compiler/Tile/FromLayer/Stored.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>

namespace tilerig::compiler {

class DeviceOpBuilder {
public:
  explicit DeviceOpBuilder(DeviceNetwork &network) : network(network) {}

  // Sets the layer that is lowered next.
  void begin(mlir::Operation *operation, uint32_t layer) {
    current = operation;
    index = layer;
  }

  // The tensor of an MLIR value; created at first use.
  Result<TensorIndex> tensor(mlir::Value value);
  // A copy of a constant with its axes permuted.
  Result<TensorIndex> permuted(mlir::Value constant, llvm::ArrayRef<int64_t> perm);
  const std::vector<int64_t> &shapeOf(TensorIndex tensor) const { return network.tensors[tensor].shape; }
  ElementType typeOf(TensorIndex tensor) const { return network.tensors[tensor].type; }

  // Returns a new device operation with this result. All axes of the result may be split among tiles, unless
  // the caller forbids it.
  DeviceOp deviceOp(DeviceOpKind kind, Instruction action, TensorIndex result) const;
  // An operand that broadcasts to the result by the rules of numpy.
  Operand broadcast(TensorIndex operand, TensorIndex result) const;
  void add(DeviceOp deviceOp) { network.steps.emplace_back(std::move(deviceOp)); }
  void add(HostStep step) {
    step.layer = index;
    network.steps.emplace_back(std::move(step));
  }
  uint32_t layer() const { return index; }

  // An error stating that the machine cannot run the layer, and why.
  Error refuse(std::string why) const;

private:
  DeviceNetwork &network;
  llvm::DenseMap<mlir::Value, TensorIndex> tensors;
  mlir::Operation *current = nullptr;
  uint32_t index = 0;
};

// Whether all numbers fit the 16-bit fields that an instruction has for the sizes of a convolution or pooling
// window.
inline bool fitsIn16(llvm::ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t x) { return x >= 0 && x <= UINT16_MAX; });
}
// What a function form...() (formProducts() and others) returns for an operation of its family: true, or the
// error in `status`.
inline Result<bool> formed(Status status) {
  TILERIG_CHECK_OK(status);
  return true;
}

// Functions that lower layers, one for each family of layers, in a file of its own. They return true if they
// have lowered the operation, false if the operation is not of their family.
Result<bool> formProducts(mlir::Operation *operation, DeviceOpBuilder &to);
Result<bool> formElementwise(mlir::Operation *operation, DeviceOpBuilder &to);
Result<bool> formImages(mlir::Operation *operation, DeviceOpBuilder &to);
Result<bool> formRows(mlir::Operation *operation, DeviceOpBuilder &to);
Result<bool> formMovement(mlir::Operation *operation, DeviceOpBuilder &to);

} // namespace tilerig::compiler
