// The device operations of one layer, for the injection of bugs into the lowering of the layer. Changes
// affect this layer only: constants shared with other layers are copied first.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "isa/Bugs/Draw.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace tilerig::compiler {

using ByteRow = std::vector<std::byte>;

// The error which says that a bug cannot be injected into a layer; `missing` is the reason, such as "the
// layer has no bias".
inline Error hasNot(std::string missing) { return unsupported("", std::move(missing)); }

struct LayerOps {
  DeviceNetwork &network;
  uint32_t layer = 0;

  const DeviceTensor &tensor(TensorIndex index) const { return network.tensors[index]; }
  DeviceOp &at(size_t step) const { return std::get<DeviceOp>(network.steps[step]); }

  // Index in network.steps of the first device operation of the layer for which the predicate `which` returns
  // true.
  template <class Which>
  std::optional<size_t> find(Which which) const {
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]);
          deviceOp && deviceOp->layer == layer && which(*deviceOp))
        return i;
    return {};
  }
  // Index of the convolution or matrix product of the layer; an error if it has none.
  Result<size_t> product() const;
  // Index of the device operation that computes the layer's result.
  Result<size_t> last() const;
  // The last device operation before index `step` of network.steps that belongs to another layer and for
  // which the predicate `which` is true; null if there is none.
  const DeviceOp *before(size_t step, const std::function<bool(const DeviceOp &)> &which) const;

  TensorIndex addTensor(DeviceTensor tensor) const;
  void insert(size_t step, DeviceOp deviceOp) const {
    network.steps.insert(network.steps.begin() + static_cast<ptrdiff_t>(step), std::move(deviceOp));
  }
  void replaceConstant(size_t step, size_t operand, ByteRow bytes) const;
};

inline bool isProduct(const DeviceOp &deviceOp) {
  return deviceOp.kind == DeviceOpKind::conv || deviceOp.kind == DeviceOpKind::matmul;
}
// The part of an instruction that turns sums into stored results (function, clamping, conversion); null if
// the instruction has none.
Finish *finishOf(Instruction &action);
// The epilogue of a convolution or matrix product, that is, the steps from a sum to the stored result.
Epilogue &epilogueOf(DeviceOp &deviceOp);
bool isEightBits(ElementType type);
// The lowest and highest number of the element type: an epilogue with these bounds clamps nothing.
struct TypeBounds {
  int16_t low = 0, high = 0;
};
TypeBounds boundsOf(ElementType type);

// A bug, and the function that injects it into a layer. The function returns `unsupported`, and changes
// nothing, if the bug cannot be injected into the layer.
struct OpBug {
  std::string_view id;
  Status (*inject)(const LayerOps &layer, BugDraw &draw);
};
std::span<const OpBug> paddingBugs();
std::span<const OpBug> biasBugs();
std::span<const OpBug> weightBugs();
std::span<const OpBug> layoutBugs();
std::span<const OpBug> functionBugs();
std::span<const OpBug> scaleBugs();

// A copy of rows of `rowBytes` bytes each: row i of the copy is row from(i) of `bytes`.
template <class From>
ByteRow rowsFrom(std::span<const std::byte> bytes, size_t rowBytes, From from) {
  ByteRow moved(bytes.size());
  for (size_t row = 0; row * rowBytes < bytes.size(); ++row)
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(from(row) * rowBytes), rowBytes,
                moved.begin() + static_cast<ptrdiff_t>(row * rowBytes));
  return moved;
}
// Permutes the axes of a tensor of the given shape, and returns its elements in the new row-major order.
ByteRow permutedBytes(std::span<const std::byte> bytes, const std::vector<int64_t> &shape,
                      size_t elementBytes, const std::vector<size_t> &perm);
// Replaces each element of type T in `bytes` by change(element).
template <class T, class Change>
void changeEach(ByteRow &bytes, Change change) {
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    value = change(value);
    std::memcpy(bytes.data() + i, &value, sizeof value);
  }
}

} // namespace tilerig::compiler
