// LRN (local response normalisation): divides every element by a power of the sum of squares over
// neighbouring channels.
#include "reference/Functions/Functions.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

#include <algorithm>
#include <cmath>

namespace tilerig::reference {

namespace {

struct LocalResponse {
  int64_t size;
  float alpha, beta, bias;

  // The range of channels whose squares are summed: floor((size - 1) / 2) channels before the given channel
  // and ceil((size - 1) / 2) after it, as far as they exist.
  int64_t begin(int64_t channel) const { return std::max<int64_t>(0, channel - (size - 1) / 2); }
  int64_t end(int64_t channel, int64_t channels) const { return std::min(channels, channel + size / 2 + 1); }
};

// LRN in the machine's arithmetic, as isa/Numerics/README.md specifies: a sum of squares, one product and one
// sum, the power, one division.
void normaliseByPage(const LocalResponse &rule, const float *image, int64_t channel, int64_t channels,
                     int64_t plane, int64_t first, int64_t size, float *squares, float *y) {
  std::fill_n(squares, size, 0.0f);
  for (int64_t c = rule.begin(channel); c < rule.end(channel, channels); ++c) {
    const float *x = image + c * plane + first;
    for (int64_t i = 0; i < size; ++i)
      squares[i] = std::fma(x[i], x[i], squares[i]);
  }
  float factor = rule.alpha / static_cast<float>(rule.size);
  for (int64_t i = 0; i < size; ++i)
    squares[i] = rule.bias + factor * squares[i];
  raise(squares, 1, &rule.beta, 0, squares, size);
  int64_t at = channel * plane + first;
  for (int64_t i = 0; i < size; ++i)
    y[at + i] = image[at + i] / squares[i];
}

// Divides by a power: x[i] / base[i]^beta. For the usual beta of 3/4, two square roots suffice:
// b^(3/4) = sqrt(b) * sqrt(sqrt(b)).
template <class T>
void divideByPower(const T *x, T *base, int64_t size, float beta, T *y) {
  if (beta == 0.75f)
    for (int64_t i = 0; i < size; ++i) {
      T root = std::sqrt(base[i]);
      y[i] = x[i] / (root * std::sqrt(root));
    }
  else
    for (int64_t i = 0; i < size; ++i)
      y[i] = x[i] / std::pow(base[i], static_cast<T>(beta));
}

// Computes LRN for a run of positions of one channel; `squares` is a buffer of the same size.
template <class T>
void normaliseChannel(const LocalResponse &rule, const T *image, int64_t channel, int64_t channels,
                      int64_t plane, int64_t first, int64_t size, T *squares, T *y) {
  std::fill_n(squares, size, T(0));
  for (int64_t c = rule.begin(channel); c < rule.end(channel, channels); ++c) {
    const T *x = image + c * plane + first;
    for (int64_t i = 0; i < size; ++i)
      squares[i] += x[i] * x[i];
  }
  T factor = static_cast<T>(rule.alpha) / static_cast<T>(rule.size), bias = static_cast<T>(rule.bias);
  for (int64_t i = 0; i < size; ++i)
    squares[i] = bias + factor * squares[i];
  int64_t at = channel * plane + first;
  divideByPower(image + at, squares, size, rule.beta, y + at);
}

Result<LocalResponse> localRule(const OpContext &context) {
  LocalResponse rule;
  TILERIG_TRY(rule.size, context.intAttribute("size"));
  TILERIG_TRY(rule.alpha, context.floatAttribute("alpha", 1e-4f));
  TILERIG_TRY(rule.beta, context.floatAttribute("beta", 0.75f));
  TILERIG_TRY(rule.bias, context.floatAttribute("bias", 1.0f));
  if (rule.size < 1 || rule.size > (int64_t{1} << 31))
    return context.invalid(fmt::format("attribute size is {}, expected a number from 1 to 2^31", rule.size));
  return rule;
}

Status localResponseNormalisation(OpContext &context) {
  const Tensor &x = context.input(0);
  TILERIG_TRY(LocalResponse rule, localRule(context));
  if (x.rank() < 2)
    return context.invalid(
        fmt::format("the input has shape {}, which has no channel axis", showShape(x.shape())));
  int64_t channels = x.shape()[1], plane = product(std::span(x.shape()).subspan(2));
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), x.shape()));
    const T *from = x.as<T>().data();
    T *to = y.template mutableAs<T>().data();
    // Number of positions in a run, so small that the elements of all channels at these positions stay in the
    // cache.
    constexpr int64_t run = 256;
    int64_t runs = x.elementCount() ? (plane + run - 1) / run : 0;
    context.threads.forEach(runs * x.shape()[0], 1, [&](int64_t begin, int64_t end) {
      T squares[run];
      for (int64_t i = begin; i < end; ++i) {
        int64_t image = i / runs * channels * plane, first = i % runs * run;
        int64_t size = std::min(run, plane - first);
        auto normalise = normaliseChannel<T>;
        if constexpr (std::is_same_v<T, float>)
          normalise = context.arithmetic == Arithmetic::machine ? normaliseByPage : normaliseChannel<T>;
        for (int64_t channel = 0; channel < channels; ++channel)
          normalise(rule, from + image, channel, channels, plane, first, size, squares, to + image);
      }
    });
    context.outputs[0] = std::move(y);
    return success();
  });
}

} // namespace

std::span<const OpEntry> localNormalisationOps() {
  static constexpr OpEntry entries[] = {
      {"LRN", 1, 1, 1, localResponseNormalisation},
  };
  return entries;
}

} // namespace tilerig::reference
