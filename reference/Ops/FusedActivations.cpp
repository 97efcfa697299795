// ONNX Runtime's variants of GELU: Gelu, BiasGelu, FastGelu and QuickGelu. They are computed in double and rounded once.
#include "reference/Ops/Families.h"
#include "reference/Ops/Normalising.h"

#include <numbers>

namespace tilerig::reference {

namespace {

double gelu(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }

// x * sigmoid(x), whose limit at -Inf is 0.
double silu(double x, double alpha) {
  return x == -INFINITY && alpha > 0 ? 0 : x / (1 + std::exp(-alpha * x));
}

// The approximation 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), as a SiLU, which loses no digits for
// negative x.
double geluByTanh(double x) {
  if (x == -INFINITY)
    return 0;
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * inner));
}

// Computes f(x + bias); the bias, if any, has one element for each element of the last axis.
template <class F>
Status activate(OpContext &context, F f) {
  const bool hasBias = context.has(1);
  const Shape shape = context.input(0).shape();
  if (hasBias && (shape.empty() || context.input(1).shape() != Shape{shape.back()}))
    return context.invalid(
        fmt::format("the bias has shape {}, expected one element for each element of the last "
                    "axis of the input of shape {}",
                    showShape(context.input(1).shape()), showShape(shape)));
  if (hasBias && context.input(1).dtype() != context.input(0).dtype())
    return context.invalid("input and bias must have the same type");
  return withFloats(context, [&]<class T>() -> Status {
    Tensor y = context.take(0);
    const auto elements = y.template mutableAs<T>();
    const T *bias = hasBias ? context.input(1).as<T>().data() : nullptr;
    const int64_t size = shape.empty() ? 1 : std::max<int64_t>(1, shape.back());
    context.threads.forEach(static_cast<int64_t>(elements.size()), grainOf(1),
                            [&](int64_t begin, int64_t end) {
                              for (int64_t i = begin; i < end; ++i) {
                                const double addend = bias ? static_cast<double>(bias[i % size]) : 0.0;
                                T &element = elements[static_cast<size_t>(i)];
                                element = static_cast<T>(f(static_cast<double>(element) + addend));
                              }
                            });
    context.outputs[0] = std::move(y);
    return success();
  });
}

// The operators Gelu and BiasGelu.
Status exactGelu(OpContext &context) { return activate(context, gelu); }
Status fastGelu(OpContext &context) { return activate(context, geluByTanh); }
Status quickGelu(OpContext &context) {
  TILERIG_TRY(const float alpha, context.floatAttribute("alpha", 1.702f));
  return activate(context, [=](double x) { return silu(x, static_cast<double>(alpha)); });
}

} // namespace

std::span<const OpEntry> fusedActivationOps() {
  static constexpr OpEntry entries[] = {
      {"BiasGelu", 1, 2, 2, exactGelu, HalfFloats::widened, "com.microsoft"},
      {"FastGelu", 1, 1, 2, fastGelu, HalfFloats::widened, "com.microsoft"},
      {"Gelu", 1, 1, 1, exactGelu, HalfFloats::widened, "com.microsoft"},
      {"QuickGelu", 1, 1, 1, quickGelu, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
