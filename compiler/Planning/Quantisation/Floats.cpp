#include "compiler/Planning/Quantisation/Floats.h"

#include "isa/Numerics/Convert.h"

#include <algorithm>

namespace tilerig::compiler {

// Converts a tensor to fp32. `Kept` is its element type, which only stores bits. `Computed` is the type of
// isa/Numerics with the same bits, which can be converted to fp32.
template <class Computed, class Kept>
static void widen(const Tensor &tensor, std::span<float> out) {
  static_assert(sizeof(Computed) == sizeof(Kept));
  const std::span<const Kept> in = tensor.as<Kept>();
  toFloat(std::span(reinterpret_cast<const Computed *>(in.data()), in.size()), out);
}

Result<Tensor> asFloats(const Tensor &tensor) {
  if (tensor.dtype() == DType::f32)
    return tensor;
  TILERIG_TRY(Tensor floats, Tensor::makeUninitialised(DType::f32, tensor.shape()));
  const std::span<float> out = floats.mutableAs<float>();
  switch (tensor.dtype()) {
  case DType::f16:
    widen<Fp16, Float16>(tensor, out);
    return floats;
  case DType::bf16:
    widen<Bf16, BFloat16>(tensor, out);
    return floats;
  case DType::f64:
    std::ranges::transform(tensor.as<double>(), out.begin(), [](double x) { return static_cast<float>(x); });
    return floats;
  default:
    return unsupported("", "has element type " + std::string(nameOf(tensor.dtype())),
                       "only floating-point tensors can be quantised");
  }
}

} // namespace tilerig::compiler
