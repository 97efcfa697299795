#include "verify/Check/InnerRoundings.h"

#include "verify/Check/Rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tilerig::verify {

namespace {

template <class T>
Tensor shifted(const Tensor &tensor, int by) {
  Tensor result(tensor.dtype(), tensor.shape());
  std::ranges::transform(tensor.as<T>(), result.mutableAs<T>().begin(), [&](T x) {
    return static_cast<T>(
        std::clamp<int>(x + by, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  });
  return result;
}

} // namespace

Result<std::optional<Tensor>> innerRoundings(const FloatForms &forms, const std::string &tensor,
                                             const Operands &operands) {
  static const std::set<std::string> rounding = {"QuantizeLinear", "QLinearConv", "QLinearMatMul"};
  const std::string inner = forms.firstOn(tensor, operands, [&](const onnx::NodeProto &node) {
    return rounding.contains(node.op_type()) && node.output(0) != tensor;
  });
  if (inner.empty())
    return std::optional<Tensor>();
  TILERIG_TRY(const Tensor rounded, forms.computeAsStated(inner, operands));
  if (rounded.dtype() != DType::i8 && rounded.dtype() != DType::u8)
    return std::optional<Tensor>();
  TILERIG_TRY(const Tensor result, forms.computeAsStated(tensor, operands));
  const Tensor usual = asDoubles(result);
  Tensor errors(DType::f64, usual.shape());
  for (const int by : {-1, 1}) {
    Operands changed = operands;
    changed[inner] =
        rounded.dtype() == DType::i8 ? shifted<int8_t>(rounded, by) : shifted<uint8_t>(rounded, by);
    TILERIG_TRY(const Tensor other, forms.computeAsStated(tensor, changed));
    const Tensor unusual = asDoubles(other);
    if (unusual.shape() != usual.shape())
      return std::optional<Tensor>();
    const auto error = errors.mutableAs<double>();
    for (size_t i = 0; i < error.size(); ++i)
      error[i] = std::max(error[i], std::fabs(unusual.as<double>()[i] - usual.as<double>()[i]));
  }
  return std::optional(std::move(errors));
}

} // namespace tilerig::verify
