#include "reference/Ops/CellActivation.h"

#include "reference/Functions/Functions.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

struct CellFunction {
  std::string_view name;
  float (*floats)(float x, float alpha, float beta);
  double (*doubles)(double x, double alpha, double beta);
  // Default values of the parameters alpha and beta, if the activation function has them.
  std::optional<float> alpha = {}, beta = {};
};

namespace {

template <class T>
T affine(T x, T alpha, T beta) {
  return alpha * x + beta;
}
template <class T>
T elu(T x, T alpha, T) {
  return x < 0 ? alpha * std::expm1(x) : x;
}
template <class T>
T hardSigmoid(T x, T alpha, T beta) {
  return std::max(T(0), std::min(T(1), alpha * x + beta));
}
template <class T>
T leakyRelu(T x, T alpha, T) {
  return x < 0 ? alpha * x : x;
}
template <class T>
T relu(T x, T, T) {
  return x > 0 || x != x ? x : T(0);
}
template <class T>
T scaledTanh(T x, T alpha, T beta) {
  return alpha * std::tanh(beta * x);
}
template <class T>
T sigmoid(T x, T, T) {
  return T(1) / (T(1) + std::exp(-x));
}
// log(1 + e^x), computed without overflow.
template <class T>
T softplus(T x, T, T) {
  return std::max(x, T(0)) + std::log1p(std::exp(-std::abs(x)));
}
template <class T>
T softsign(T x, T, T) {
  return x / (T(1) + std::abs(x));
}
template <class T>
T hyperbolicTangent(T x, T, T) {
  return std::tanh(x);
}
template <class T>
T thresholdedRelu(T x, T alpha, T) {
  return x > alpha ? x : T(0);
}

// Computes, for float32, an activation function that the machine supports, by the machine's formula.
template <Function function>
float ofMachine(float x, float, float) {
  tilerig::reference::apply({function}, &x, &x, 1);
  return x;
}

constexpr CellFunction functions[] = {
    {"Affine", affine, affine, 1.0f, 0.0f},
    {"Elu", elu, elu, 1.0f},
    {"HardSigmoid", hardSigmoid, hardSigmoid, 0.2f, 0.5f},
    {"LeakyRelu", leakyRelu, leakyRelu, 0.01f},
    {"Relu", relu, relu},
    {"ScaledTanh", scaledTanh, scaledTanh, 1.0f, 1.0f},
    {"Sigmoid", ofMachine<Function::sigmoid>, sigmoid},
    {"Softplus", softplus, softplus},
    {"Softsign", softsign, softsign},
    {"Tanh", ofMachine<Function::tanh>, hyperbolicTangent},
    {"ThresholdedRelu", thresholdedRelu, thresholdedRelu, 1.0f},
};

// The numbers of a list attribute (activation_alpha or activation_beta). Each function that has a parameter
// takes the next number.
class Parameters {
public:
  explicit Parameters(std::vector<float> values) : values(std::move(values)) {}

  float next(std::optional<float> fallback) {
    if (!fallback)
      return 0;
    return taken < values.size() ? values[taken++] : *fallback;
  }
  size_t left() const { return values.size() - taken; }

private:
  std::vector<float> values;
  size_t taken = 0;
};

} // namespace

template <class T>
void CellActivation::apply(std::span<T> x) const {
  for (T &element : x)
    if constexpr (std::is_same_v<T, float>)
      element = function->floats(element, alpha, beta);
    else
      element = function->doubles(element, alpha, beta);
}
template void CellActivation::apply(std::span<float>) const;
template void CellActivation::apply(std::span<double>) const;

Result<std::vector<CellActivation>> cellActivations(const OpContext &context, int64_t directions,
                                                    std::span<const std::string_view> defaults) {
  TILERIG_TRY(std::vector<std::string> names, context.textsAttribute("activations"));
  TILERIG_TRY(std::vector<float> alphas, context.floatsAttribute("activation_alpha", std::vector<float>{}));
  TILERIG_TRY(std::vector<float> betas, context.floatsAttribute("activation_beta", std::vector<float>{}));
  if (names.empty())
    for (int64_t direction = 0; direction < directions; ++direction)
      names.insert(names.end(), defaults.begin(), defaults.end());
  size_t wanted = defaults.size() * static_cast<size_t>(directions);
  if (names.size() != wanted)
    return context.invalid(
        fmt::format("attribute activations has {} names, expected {}", names.size(), wanted));
  Parameters alpha(std::move(alphas)), beta(std::move(betas));
  std::vector<CellActivation> activations;
  for (const std::string &name : names) {
    auto function = std::find_if(std::begin(functions), std::end(functions),
                                 [&](const CellFunction &known) { return known.name == name; });
    if (function == std::end(functions))
      return context.invalid(fmt::format("unknown activation '{}'", name));
    float a = alpha.next(function->alpha), b = beta.next(function->beta);
    activations.emplace_back(*function, a, b);
  }
  if (alpha.left() || beta.left())
    return context.invalid("activation_alpha or activation_beta has more numbers than the activations need");
  return activations;
}

} // namespace tilerig::reference
