#include "compiler/Tile/Ops/Families.h"

namespace tilerig::compiler {

namespace {

// Whether the axes of a softmax or normalisation are the innermost axes of the result, in order, as the
// instruction requires.
bool areInnermost(const DeviceOp &deviceOp, const Box &result) {
  for (size_t i = 0; i < deviceOp.axes.size(); ++i)
    if (deviceOp.axes[i] != static_cast<int64_t>(result.rank() - deviceOp.axes.size() + i))
      return false;
  return true;
}

// Widens clamping bounds: the limits of an 8-bit type are replaced by the limits of 9 bits (i9). Narrower
// bounds, which come from a function such as relu or clip, stay.
void widenBounds(Finish &finish, ElementType eight) {
  const auto [least, most] =
      eight == ElementType::i8 ? std::pair<int16_t, int16_t>(-128, 127) : std::pair<int16_t, int16_t>(0, 255);
  if (finish.clampLow == least)
    finish.clampLow = -256;
  if (finish.clampHigh == most)
    finish.clampHigh = 255;
}
void widenBounds(Instruction &instruction, ElementType eight) {
  std::visit(
      [&](auto &typed) {
        if constexpr (requires { typed.epilogue.finish; })
          widenBounds(typed.epilogue.finish, eight);
        else if constexpr (requires { typed.finish; })
          widenBounds(typed.finish, eight);
      },
      instruction);
}

} // namespace

uint64_t scratchBytes(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                      const EngineMapping &engineMapping, const Box &result) {
  if (engineMapping.flattening != Flattening::none)
    return flattenedBytes(deviceOp, tensors, engineMapping, result);
  const bool wantsRows = deviceOp.kind == DeviceOpKind::softmax || deviceOp.kind == DeviceOpKind::normalize;
  if (!wantsRows || areInnermost(deviceOp, result))
    return 0;
  const ElementType largest =
      canGiveNineBits(deviceOp, tensors) ? ElementType::i9 : tensors[deviceOp.result].type;
  return result.elements() * sizeBytes(largest);
}

std::vector<Instruction> instructionsOf(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                                        const StepPlaces &places) {
  StepWriting step{deviceOp, tensors, places, {}};
  switch (deviceOp.kind) {
  case DeviceOpKind::pointwise:
    writePointwise(step);
    break;
  case DeviceOpKind::conv:
    writeConv(step);
    break;
  case DeviceOpKind::matmul:
    writeMatmul(step);
    break;
  case DeviceOpKind::pool:
    writePool(step);
    break;
  case DeviceOpKind::resize:
    writeResize(step);
    break;
  case DeviceOpKind::reduce:
    writeReduce(step);
    break;
  case DeviceOpKind::softmax:
    writeSoftmax(step);
    break;
  case DeviceOpKind::normalize:
    writeNormalize(step);
    break;
  case DeviceOpKind::gather:
    writeGather(step);
    break;
  case DeviceOpKind::reshape:
    writeReshape(step);
    break;
  case DeviceOpKind::concat:
    writeConcat(step);
    break;
  case DeviceOpKind::pad:
    writePad(step);
    break;
  case DeviceOpKind::dilate:
    writeDilate(step);
    break;
  }
  if (places.to.type == ElementType::i9)
    for (Instruction &instruction : step.instructions)
      widenBounds(instruction, tensors[deviceOp.result].type);
  return std::move(step.instructions);
}

std::vector<size_t> axesWithInner(size_t rank, std::span<const int64_t> inner) {
  std::vector<size_t> order;
  for (size_t i = 0; i < rank; ++i)
    if (std::ranges::find(inner, static_cast<int64_t>(i)) == inner.end())
      order.push_back(i);
  for (const int64_t axis : inner)
    order.push_back(static_cast<size_t>(axis));
  return order;
}

} // namespace tilerig::compiler
