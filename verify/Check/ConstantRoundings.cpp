#include "verify/Check/ConstantRoundings.h"

#include "verify/Check/Rounding.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

namespace {

// The constant that a chain of Cast nodes converts to `tensor`; null if there is none.
const Tensor *constantBehind(const FloatForms &forms, std::string tensor) {
  for (const onnx::NodeProto *node = forms.maker(tensor); node; node = forms.maker(tensor)) {
    if (node->op_type() != "Cast")
      return nullptr;
    tensor = node->input(0);
  }
  return forms.constant(tensor);
}

// Half a step of the constant's type at each element of the constant: the largest error by rounding to that
// type. Zeros for types other than float16 and bfloat16.
Tensor halfStepsOf(const Tensor &constant) {
  const compiler::LayerElement element{constant.dtype() == DType::f16    ? "float16"
                                       : constant.dtype() == DType::bf16 ? "bfloat16"
                                                                         : "",
                                       {},
                                       {}};
  const HalfStep step(element);
  Tensor steps = asDoubles(constant);
  for (double &x : steps.mutableAs<double>())
    x = step(x);
  return steps;
}

Result<Tensor> magnitudesOf(const FloatForms &forms, const std::string &tensor, const Operands &operands) {
  TILERIG_TRY(const Tensor value, forms.compute(tensor, operands));
  Tensor magnitudes = asDoubles(value);
  for (double &x : magnitudes.mutableAs<double>())
    x = std::fabs(x);
  return magnitudes;
}

} // namespace

Result<std::optional<Tensor>> constantRoundings(const FloatForms &forms, const std::string &tensor,
                                                const Operands &operands) {
  const std::optional<Tensor> none;
  const std::string sum = forms.sumOn(tensor, operands);
  const onnx::NodeProto *product = sum.empty() ? nullptr : forms.maker(sum);
  if (!product || product->input_size() < 2 || !constantBehind(forms, product->input(1)) ||
      !forms.keepsErrors(sum, tensor, operands))
    return none;
  Operands errorOperands;
  TILERIG_TRY(errorOperands[product->input(0)], magnitudesOf(forms, product->input(0), operands));
  for (int i = 1; i < product->input_size(); ++i) {
    const Tensor *constant = constantBehind(forms, product->input(i));
    if (!constant)
      return none;
    errorOperands[product->input(i)] = halfStepsOf(*constant);
  }
  TILERIG_TRY(const Tensor errors, forms.compute(sum, errorOperands));
  TILERIG_TRY(Tensor moved, forms.moved(errors, sum, tensor, operands));
  return std::optional(std::move(moved));
}

} // namespace tilerig::verify
