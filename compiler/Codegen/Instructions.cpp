#include "compiler/Codegen/Families.h"

namespace tilerig::compiler {

namespace {

// Whether the axes over which the operation works (softmax, normalisation) are the innermost axes of the
// result, in order, as its instruction requires.
bool areInnermost(const Work &work, const Box &result) {
  for (size_t i = 0; i < work.axes.size(); ++i)
    if (work.axes[i] != static_cast<int64_t>(result.rank() - work.axes.size() + i))
      return false;
  return true;
}

// Replaces the clamping bounds of an 8-bit type by those of 9 bits (i9). Narrower bounds, which come from a
// function such as relu or clip, stay.
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
      [&](auto &it) {
        if constexpr (requires { it.epilogue.finish; })
          widenBounds(it.epilogue.finish, eight);
        else if constexpr (requires { it.finish; })
          widenBounds(it.finish, eight);
      },
      instruction);
}

} // namespace

uint64_t scratchBytes(const Work &work, const std::vector<DeviceTensor> &tensors,
                      const EngineMapping &engineMapping, const Box &result) {
  if (engineMapping.flattening != Flattening::none)
    return flattenedBytes(work, tensors, engineMapping, result);
  const bool wantsRows = work.kind == WorkKind::softmax || work.kind == WorkKind::normalize;
  if (!wantsRows || areInnermost(work, result))
    return 0;
  const ElementType largest = canGiveNineBits(work, tensors) ? ElementType::i9 : tensors[work.result].type;
  return result.elements() * sizeBytes(largest);
}

std::vector<Instruction> instructionsOf(const Work &work, const std::vector<DeviceTensor> &tensors,
                                        const StepPlaces &places) {
  StepWriting step{work, tensors, places, {}};
  switch (work.kind) {
  case WorkKind::pointwise:
    writePointwise(step);
    break;
  case WorkKind::conv:
    writeConv(step);
    break;
  case WorkKind::matmul:
    writeMatmul(step);
    break;
  case WorkKind::pool:
    writePool(step);
    break;
  case WorkKind::resize:
    writeResize(step);
    break;
  case WorkKind::reduce:
    writeReduce(step);
    break;
  case WorkKind::softmax:
    writeSoftmax(step);
    break;
  case WorkKind::normalize:
    writeNormalize(step);
    break;
  case WorkKind::gather:
    writeGather(step);
    break;
  case WorkKind::reshape:
    writeReshape(step);
    break;
  case WorkKind::concat:
    writeConcat(step);
    break;
  case WorkKind::pad:
    writePad(step);
    break;
  case WorkKind::dilate:
    writeDilate(step);
    break;
  }
  if (places.to.type == ElementType::i9)
    for (Instruction &instruction : step.instructions)
      widenBounds(instruction, tensors[work.result].type);
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
