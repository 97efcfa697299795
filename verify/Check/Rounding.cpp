#include "verify/Check/Rounding.h"

#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "verify/Inputs/Transpose.h"

#include <limits>
#include <numeric>

namespace tilerig::verify {

namespace {

struct FloatFormat {
  std::string_view type;
  double halfUlp;   // half the distance from 1 to the next number
  double halfLeast; // half of the least positive number of the type
  double overflow;  // magnitude from which numbers are stored as infinity
};
constexpr FloatFormat formats[] = {{"float16", 0x1p-11, 0x1p-25, 65520},
                                   {"bfloat16", 0x1p-8, 0x1p-134, 0x1.ffp127},
                                   {"float", halfUlpOfFloat, 0x1p-150, overflowOfFloat}};

const FloatFormat *formatOf(const compiler::LayerElement &element) {
  const auto *format = std::ranges::find(formats, element.type, &FloatFormat::type);
  return format == std::end(formats) ? nullptr : format;
}

double scaleOf(const compiler::LayerElement &element, size_t channel) {
  return element.scales[element.scales.size() == 1 ? 0 : channel];
}

bool isIdentity(const std::vector<size_t> &order) {
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != i)
      return false;
  return true;
}

} // namespace

HalfStep::HalfStep(const compiler::LayerElement &element) : scales(element.scales) {
  if (const FloatFormat *format = formatOf(element)) {
    share = format->halfUlp;
    least = format->halfLeast;
  }
}

std::optional<Range> integerRange(const compiler::LayerElement &element) {
  if (element.scales.size() != 1)
    return {};
  const auto [low, high] = element.type == "int8"    ? std::pair(-128.0, 127.0)
                           : element.type == "uint8" ? std::pair(0.0, 255.0)
                                                     : std::pair(-256.0, 255.0); // i9, nine bits
  const auto zero = static_cast<double>(element.zeroPoints[0]);
  return Range{(low - zero) * element.scales[0], (high - zero) * element.scales[0]};
}

double overflowOf(const compiler::LayerElement &element) {
  const FloatFormat *format = formatOf(element);
  return format ? format->overflow : std::numeric_limits<double>::infinity();
}

Tensor asDoubles(const Tensor &tensor) {
  Tensor doubles(DType::f64, tensor.shape());
  const auto out = doubles.mutableAs<double>();
  dispatch(tensor.dtype(), [&]<class T>() {
    const auto in = tensor.as<T>();
    for (size_t i = 0; i < in.size(); ++i)
      if constexpr (std::is_same_v<T, Float16>)
        out[i] = toFloat(Fp16{in[i].bits});
      else if constexpr (std::is_same_v<T, BFloat16>)
        out[i] = toFloat(Bf16{in[i].bits});
      else if constexpr (std::is_arithmetic_v<T>)
        out[i] = static_cast<double>(in[i]);
  });
  return doubles;
}

Tensor realsOf(const Tensor &stored, const compiler::LayerElement &element) {
  Tensor reals = asDoubles(stored);
  if (element.scales.empty())
    return reals;
  const auto out = reals.mutableAs<double>();
  // Dequantises like the operator DequantizeLinear: computes the exact difference of integers, and one product in
  // float.
  forEachChannel(element, reals.shape(), [&](size_t begin, size_t end, size_t channel) {
    const auto zero = static_cast<double>(element.zeroPoints[element.zeroPoints.size() == 1 ? 0 : channel]);
    const auto scale = static_cast<float>(scaleOf(element, channel));
    for (size_t i = begin; i < end; ++i)
      out[i] = static_cast<float>(out[i] - zero) * scale;
  });
  return reals;
}

Result<Tensor> inModelOrder(const Tensor &tensor, const std::vector<size_t> &order) {
  return isIdentity(order) ? Result<Tensor>(tensor) : transpose(tensor, order);
}

Result<Tensor> inLayerOrder(const Tensor &tensor, const std::vector<size_t> &order) {
  std::vector<size_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[order[i]] = i;
  return inModelOrder(tensor, back);
}

} // namespace tilerig::verify
