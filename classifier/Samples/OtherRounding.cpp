#include "classifier/Samples/OtherRounding.h"

#include <cmath>
#include <limits>

namespace tilerig::verify {

namespace {

bool happens(Draw &draw, uint64_t oneIn) { return draw.below(oneIn) == 0; }
int upOrDown(Draw &draw) { return draw.chance(50) ? 1 : -1; }

void nudgeFloats(std::span<float> elements, Draw &draw) {
  double squares = 0;
  for (const float element : elements)
    if (std::isfinite(element))
      squares += double{element} * element;
  const double size = std::sqrt(squares / static_cast<double>(elements.size()));
  const double most = std::ldexp(size, -static_cast<int>(draw.between(18, 24)));
  for (float &element : elements) {
    const double share = static_cast<double>(draw.between(-1000, 1000)) / 1000;
    if (element != 0 && std::isfinite(element))
      element = static_cast<float>(element + most * share);
  }
}

// Changes some 16-bit floats to the next larger or smaller float, by adding 1 to their bit pattern or
// subtracting 1.
template <class Float>
void nudgeBits(std::span<Float> elements, uint16_t infinity, Draw &draw) {
  const uint64_t oneIn = draw.pick({uint64_t{2}, uint64_t{10}, uint64_t{100}, uint64_t{1000}});
  for (Float &element : elements) {
    const auto magnitude = static_cast<uint16_t>(element.bits & 0x7fff);
    if (happens(draw, oneIn) && magnitude > 1 && magnitude < infinity - 1)
      element.bits = static_cast<uint16_t>(element.bits + upOrDown(draw));
  }
}

template <class Integer>
void nudgeSteps(std::span<Integer> elements, Draw &draw) {
  using Limits = std::numeric_limits<Integer>;
  const uint64_t oneIn = draw.pick({uint64_t{10}, uint64_t{100}, uint64_t{1000}});
  for (Integer &element : elements)
    if (happens(draw, oneIn) && element != 0 && element != Limits::min() && element != Limits::max())
      element = static_cast<Integer>(element + upOrDown(draw));
}

} // namespace

std::optional<Tensor> roundedOtherwise(const Tensor &tensor, Draw draw) {
  Tensor other = tensor;
  switch (tensor.dtype()) {
  case DType::f32:
    nudgeFloats(other.mutableAs<float>(), draw);
    break;
  case DType::f16:
    nudgeBits(other.mutableAs<Float16>(), 0x7c00, draw);
    break;
  case DType::bf16:
    nudgeBits(other.mutableAs<BFloat16>(), 0x7f80, draw);
    break;
  case DType::i8:
    nudgeSteps(other.mutableAs<int8_t>(), draw);
    break;
  case DType::u8:
    nudgeSteps(other.mutableAs<uint8_t>(), draw);
    break;
  default:
    return std::nullopt;
  }
  return identical(other, tensor) ? std::nullopt : std::optional(std::move(other));
}

} // namespace tilerig::verify
