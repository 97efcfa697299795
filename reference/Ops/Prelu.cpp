// PRelu: leaky ReLU with slopes from an input.
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Wrapping.h"

namespace tilerig::reference {

// The operator PRelu. Its slopes are broadcast to the input; before opset 7 there is one slope for all
// elements, or one for each channel (the second axis).
static Status prelu(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  TILERIG_TRY(Shape common, broadcastShape(context, std::array{shape, context.input(1).shape()}));
  if (common != shape)
    return context.invalid(fmt::format("slopes of shape {} cannot be broadcast to {}",
                                       showShape(context.input(1).shape()), showShape(shape)));
  if (context.input(1).dtype() != context.input(0).dtype())
    return context.invalid(fmt::format("the input has type {}, but the slopes have type {}",
                                       nameOf(context.input(0).dtype()), nameOf(context.input(1).dtype())));
  return dispatch(context.input(0).dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
      return mapBroadcast<T, T>(context, context.input(0), context.input(1),
                                [](T x, T slope) { return x < 0 ? wrappingProduct(x, slope) : x; });
    else
      return context.invalid(
          fmt::format("the input has type {}, expected a numeric type", nameOf(context.input(0).dtype())));
  });
}

static Status legacyPrelu(OpContext &context) {
  const Tensor &x = context.input(0), &slope = context.input(1);
  if (slope.elementCount() == 1) {
    TILERIG_TRY(Tensor one, slope.reshaped({}));
    return withSecondInput(context, std::move(one), prelu);
  }
  if (x.rank() < 2 || slope.shape() != Shape{x.shape()[1]})
    return context.invalid(fmt::format("slopes of shape {} do not match the channels of input shape {}",
                                       showShape(slope.shape()), showShape(x.shape())));
  Shape shape(x.rank() - 1, 1);
  shape[0] = x.shape()[1];
  TILERIG_TRY(Tensor perChannel, slope.reshaped(shape));
  return withSecondInput(context, std::move(perChannel), prelu);
}

std::span<const OpEntry> preluOps() {
  static constexpr OpEntry entries[] = {
      {"PRelu", 1, 2, 2, legacyPrelu},
      {"PRelu", 7, 2, 2, prelu},
  };
  return entries;
}

} // namespace tilerig::reference
