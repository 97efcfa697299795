#include "compiler/Inject/Program/LayerOps.h"

#include <algorithm>
#include <cassert>

namespace tilerig::compiler {

Result<size_t> LayerOps::product() const {
  const auto step = find(isProduct);
  if (!step)
    return hasNot("the layer is neither a convolution nor a matrix product");
  return *step;
}

Result<size_t> LayerOps::last() const {
  for (size_t i = network.steps.size(); i-- > 0;)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]);
        deviceOp && deviceOp->layer == layer)
      return i;
  return hasNot("the layer does nothing on the accelerator");
}

const DeviceOp *LayerOps::before(size_t step, const std::function<bool(const DeviceOp &)> &which) const {
  for (size_t i = step; i-- > 0;)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]);
        deviceOp && deviceOp->layer != layer && which(*deviceOp))
      return deviceOp;
  return nullptr;
}

TensorIndex LayerOps::addTensor(DeviceTensor tensor) const {
  network.tensors.push_back(std::move(tensor));
  return static_cast<TensorIndex>(network.tensors.size() - 1);
}

void LayerOps::replaceConstant(size_t step, size_t operand, ByteRow bytes) const {
  DeviceTensor changed = tensor(at(step).operands[operand].tensor);
  assert(changed.constant() && changed.bytes->size() == bytes.size());
  changed.bytes = constantBytes(std::move(bytes));
  at(step).operands[operand].tensor = addTensor(std::move(changed));
}

Finish *finishOf(Instruction &action) {
  return std::visit(
      [](auto &instruction) -> Finish * {
        if constexpr (requires { instruction.epilogue.finish; })
          return &instruction.epilogue.finish;
        else if constexpr (requires { instruction.finish; })
          return &instruction.finish;
        else
          return nullptr;
      },
      action);
}

Epilogue &epilogueOf(DeviceOp &deviceOp) {
  return deviceOp.kind == DeviceOpKind::conv ? std::get<Conv>(deviceOp.action).epilogue
                                             : std::get<Matmul>(deviceOp.action).epilogue;
}

bool isEightBits(ElementType type) { return type == ElementType::i8 || type == ElementType::u8; }

TypeBounds boundsOf(ElementType type) {
  switch (type) {
  case ElementType::i8:
    return {-128, 127};
  case ElementType::u8:
    return {0, 255};
  case ElementType::i9:
    return {-256, 255};
  default:
    return {};
  }
}

ByteRow permutedBytes(std::span<const std::byte> bytes, const std::vector<int64_t> &shape,
                      size_t elementBytes, const std::vector<size_t> &perm) {
  const size_t rank = shape.size();
  std::vector<size_t> strides(rank, elementBytes), index(rank);
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * static_cast<size_t>(shape[i]);
  ByteRow moved;
  moved.reserve(bytes.size());
  while (moved.size() < bytes.size()) {
    size_t from = 0;
    for (size_t i = 0; i < rank; ++i)
      from += index[i] * strides[perm[i]];
    moved.insert(moved.end(), bytes.begin() + static_cast<ptrdiff_t>(from),
                 bytes.begin() + static_cast<ptrdiff_t>(from + elementBytes));
    for (size_t i = rank; i-- > 0 && ++index[i] == static_cast<size_t>(shape[perm[i]]);)
      index[i] = 0;
  }
  return moved;
}

} // namespace tilerig::compiler
