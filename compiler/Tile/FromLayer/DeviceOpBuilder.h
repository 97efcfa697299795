// Builder of device operations. The code that lowers a family of layers (products, images, rows, ...) uses
// it.
#pragma once

#include "compiler/Tile/FromLayer/Stored.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <unordered_map>

namespace tilerig::compiler {

class DeviceOpBuilder {
public:
  explicit DeviceOpBuilder(DeviceNetwork &network) : network(network) {}

  // Sets the layer to which the next device operations belong.
  void begin(mlir::Operation *operation, uint32_t layer) {
    current = operation;
    index = layer;
  }

  // The device tensor for an MLIR value. The first call for a value creates the tensor.
  Result<TensorIndex> tensor(mlir::Value value);
  // A copy of a constant with its last two axes exchanged.
  Result<TensorIndex> transposed(mlir::Value constant);
  const std::vector<int64_t> &shapeOf(TensorIndex tensor) const { return network.tensors[tensor].shape; }
  ElementType typeOf(TensorIndex tensor) const { return network.tensors[tensor].type; }

  // Creates a device operation that computes the given result. All axes of the result may be split among
  // tiles, unless the caller forbids it.
  DeviceOp deviceOp(DeviceOpKind kind, Instruction action, TensorIndex result) const;
  // An operand that is broadcast to the shape of the result, by the rules of numpy.
  Operand broadcast(TensorIndex operand, TensorIndex result) const;
  void add(DeviceOp deviceOp) { network.steps.emplace_back(std::move(deviceOp)); }
  void add(HostStep step) {
    step.layer = index;
    network.steps.emplace_back(std::move(step));
  }
  uint32_t layer() const { return index; }

  // An error which states that the machine cannot run the layer, and the reason.
  Error refuse(std::string why) const;

private:
  // The bytes of a constant, or those of an earlier constant if these are equal.
  ConstantBytes withoutCopy(ConstantBytes bytes);

  DeviceNetwork &network;
  std::unordered_multimap<uint64_t, ConstantBytes> constants; // by the hash of their bytes
  llvm::DenseMap<mlir::Value, TensorIndex> tensors;
  mlir::Operation *current = nullptr;
  uint32_t index = 0;
};

// Whether all numbers fit the 16-bit fields in which an instruction states sizes of a convolution or pooling
// window.
inline bool fitsIn16(llvm::ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t x) { return x >= 0 && x <= UINT16_MAX; });
}
// What a function such as formProducts() returns if it is responsible for an operation: true if the lowering
// succeeded, else the error in `status`.
inline Result<bool> formed(Status status) {
  TILERIG_CHECK_OK(status);
  return true;
}

// Functions that lower layers; each is responsible for one family of layers and has a file of its own. They
// return true if they have lowered the operation, and false if the operation belongs to another family.
Result<bool> formProducts(mlir::Operation *operation, DeviceOpBuilder &to);
Result<bool> formElementwise(mlir::Operation *operation, DeviceOpBuilder &to);
Result<bool> formImages(mlir::Operation *operation, DeviceOpBuilder &to);
Result<bool> formRows(mlir::Operation *operation, DeviceOpBuilder &to);
Result<bool> formMovement(mlir::Operation *operation, DeviceOpBuilder &to);

} // namespace tilerig::compiler
