// Evaluates mathematical functions over spans; compiled once for each instruction set of the host and
// selected at run time.
#include "isa/Numerics/Functions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/Numerics/Functions.cpp"
#include "isa/Numerics/Targets.h"

#include <hwy/foreach_target.h>

#include "isa/Numerics/Formulas/Power-inl.h"
#include "isa/Numerics/Formulas/Unary-inl.h"

#include <cassert>

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

HWY_INLINE float powerLanes(float x, float y) { return withOneNan(static_cast<float>(power<double>(x, y))); }

HWY_INLINE float expDifferenceLanes(float x, double maximum) {
  return withOneNan(static_cast<float>(exponential(static_cast<double>(x) - maximum)));
}

#if TILERIG_VECTORS

void evaluateBulk(MathFunction function, const float *x, float *out, size_t count, float alpha, float beta) {
  withFunction(function, [=](auto known) HWY_ATTR {
    forEachVector(x, out, count, [=](auto lanes) HWY_ATTR {
      return evaluateLanes<decltype(known)::value>(lanes, alpha, beta);
    });
  });
}

// Computes pow(x[i], y[i * stride]) for all i. The stride is 1, or 0 if all elements have the same exponent.
void powerBulk(const float *x, const float *y, size_t stride, float *out, size_t count) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> d32;
  using V = hn::Vec<decltype(d)>;
  const auto vector = [=](const float *a, const float *b) HWY_ATTR {
    const V exponent = stride ? hn::PromoteTo(d, hn::LoadU(d32, b)) : hn::Set(d, *b);
    return withOneNan(hn::DemoteTo(d32, power(hn::PromoteTo(d, hn::LoadU(d32, a)), exponent)));
  };
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(vector(x + i, y + i * stride), d32, out + i);
  for (; i < count; ++i)
    out[i] = powerLanes(x[i], y[i * stride]);
}

void expDifferenceBulk(const float *x, float maximum, float *out, size_t count) {
  forEachVector(x, out, count, [=](auto lanes) HWY_ATTR {
    return withOneNan(throughDoubles(
        lanes, [=](auto wide) HWY_ATTR { return exponential(wide - splat<decltype(wide)>(maximum)); }));
  });
}

#else

void evaluateBulk(MathFunction function, const float *x, float *out, size_t count, float alpha, float beta) {
  withFunction(function, [=](auto known) HWY_ATTR {
    for (size_t i = 0; i < count; ++i)
      out[i] = evaluateLanes<decltype(known)::value>(x[i], alpha, beta);
  });
}

void powerBulk(const float *x, const float *y, size_t stride, float *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = powerLanes(x[i], y[i * stride]);
}

void expDifferenceBulk(const float *x, float maximum, float *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = expDifferenceLanes(x[i], maximum);
}

#endif

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilerig {

HWY_EXPORT(evaluateBulk);
HWY_EXPORT(powerBulk);
HWY_EXPORT(expDifferenceBulk);

float evaluate(MathFunction function, float x, float alpha, float beta) {
  float result = 0;
  HWY_NAMESPACE::withFunction(function, [&](auto known) {
    result = HWY_NAMESPACE::evaluateLanes<decltype(known)::value>(x, alpha, beta);
  });
  return result;
}

void evaluate(MathFunction function, std::span<const float> x, std::span<float> out, float alpha,
              float beta) {
  assert(x.size() == out.size());
  HWY_DYNAMIC_DISPATCH(evaluateBulk)(function, x.data(), out.data(), x.size(), alpha, beta);
}

float power(float x, float y) { return HWY_NAMESPACE::powerLanes(x, y); }

void power(std::span<const float> x, std::span<const float> y, std::span<float> out) {
  assert(x.size() == out.size() && y.size() == out.size());
  HWY_DYNAMIC_DISPATCH(powerBulk)(x.data(), y.data(), 1, out.data(), x.size());
}

void power(std::span<const float> x, float y, std::span<float> out) {
  assert(x.size() == out.size());
  HWY_DYNAMIC_DISPATCH(powerBulk)(x.data(), &y, 0, out.data(), x.size());
}

float expDifference(float x, float maximum) { return HWY_NAMESPACE::expDifferenceLanes(x, maximum); }

void expDifference(std::span<const float> x, float maximum, std::span<float> out) {
  assert(x.size() == out.size());
  HWY_DYNAMIC_DISPATCH(expDifferenceBulk)(x.data(), maximum, out.data(), x.size());
}

} // namespace tilerig
#endif // HWY_ONCE
