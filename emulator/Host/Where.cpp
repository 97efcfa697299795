// The host operator Where: elements of one of two tensors, as a condition says; all three are broadcast.
#include "emulator/Host/Elements.h"

#include <cstring>

namespace tilerig::emulator {

Result<HostResult> runWhere(const HostCall &call) {
  TILERIG_TRY(const Tensor *condition, call.input(0));
  TILERIG_TRY(const Tensor *a, call.input(1));
  TILERIG_TRY(const Tensor *b, call.input(2));
  TILERIG_TRY(const auto choices, condition->tryAs<bool>());
  if (a->dtype() != b->dtype())
    return call.refuse(fmt::format("the tensors to choose from have types {} and {}", nameOf(a->dtype()),
                                   nameOf(b->dtype())));
  TILERIG_TRY(const Shape shape, broadcastShape(call, {condition->shape(), a->shape(), b->shape()}));
  TILERIG_TRY(Tensor result, Tensor::make(a->dtype(), shape));
  const size_t bytes = sizeBytes(a->dtype());
  BroadcastOffsets<3> offsets(shape, {condition, a, b});
  auto *to = result.mutableBytes().data();
  for (size_t i = 0; i < result.elementCount(); ++i, to += bytes) {
    const auto [choice, left, right] = offsets.current();
    const bool takesA = choices[static_cast<size_t>(choice)];
    std::memcpy(to, (takesA ? a : b)->bytes().data() + static_cast<size_t>(takesA ? left : right) * bytes,
                bytes);
    offsets.advance();
  }
  return HostResult{std::vector{std::move(result)}};
}

} // namespace tilerig::emulator
