// The versions of quantisation and requantisation for spans (Quantise.h, Requantise.h), compiled once for
// each instruction set and selected at run time.
#include "isa/Numerics/Quantise.h"
#include "isa/Numerics/Requantise.h"

#include <tuple>

#ifndef TILERIG_NUMERICS_QUANTISE_LOOPS
#define TILERIG_NUMERICS_QUANTISE_LOOPS
namespace tilerig {

// The loops that quantise, compiled for one instruction set and one stored type. Highway's dispatch table
// cannot hold templates, so it holds a function that returns pointers to these loops.
template <QuantisedStorage T>
struct QuantiseLoops {
  void (*quantise)(const float *, float, const Landing &, T *, size_t);
  void (*dequantise)(const T *, float, int32_t, float *, size_t);
  void (*requantise)(const int32_t *, float, const Landing &, T *, size_t);
  void (*requantiseRows)(const int32_t *, const float *, size_t, size_t, const Landing &, T *);
  void (*narrow)(const I9 *, Narrowing, T *, size_t);
};
using AllQuantiseLoops = std::tuple<QuantiseLoops<int8_t>, QuantiseLoops<uint8_t>, QuantiseLoops<I9>>;

} // namespace tilerig
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/Numerics/Quantise.cpp"
#include "isa/Numerics/Targets.h"

#include <hwy/foreach_target.h>

#include "isa/Numerics/Formulas/Landing-inl.h"

#include <cassert>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

#if TILERIG_VECTORS

template <class T>
HWY_INLINE auto *lanesOf(T *stored) {
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const LaneOf<std::remove_const_t<T>>,
                                             LaneOf<std::remove_const_t<T>>> *>(stored);
}

template <QuantisedStorage T>
void quantiseLoop(const float *x, float scale, const Landing &landing, T *out, size_t count) {
  withLanding(landing, [=](auto to) HWY_ATTR {
    forEachVector(x, lanesOf(out), count, [=](auto reals) HWY_ATTR {
      return to.template stored<T>(to.land(reals / splat<decltype(reals)>(scale)));
    });
  });
}

template <QuantisedStorage T>
void dequantiseLoop(const T *q, float scale, int32_t zeroPoint, float *out, size_t count) {
  forEachVector(lanesOf(q), out, count, [=](auto stored) HWY_ATTR {
    const hn::Rebind<int32_t, hn::DFromV<decltype(stored)>> d;
    const auto difference = hn::PromoteTo(d, stored) - hn::Set(d, zeroPoint);
    const hn::RebindToFloat<decltype(d)> dFloat;
    return hn::ConvertTo(dFloat, difference) * hn::Set(dFloat, scale);
  });
}

template <QuantisedStorage T>
void requantiseLoop(const int32_t *acc, float scale, const Landing &landing, T *out, size_t count) {
  // The vector loop does not test for NaN. A NaN can arise only if the scale is infinite or NaN, so such a
  // scale takes the scalar loop.
  if (!std::isfinite(scale)) {
    for (size_t i = 0; i < count; ++i)
      out[i] = tilerig::requantise<T>(acc[i], scale, landing);
    return;
  }
  withLanding(landing, [=](auto to) HWY_ATTR {
    forEachVector(acc, lanesOf(out), count, [=](auto sums) HWY_ATTR {
      const hn::RebindToFloat<hn::DFromV<decltype(sums)>> d;
      return to.template stored<T>(to.template land<false>(hn::ConvertTo(d, sums) * hn::Set(d, scale)));
    });
  });
}

template <QuantisedStorage T>
void requantiseRows(const int32_t *acc, const float *scales, size_t channels, size_t rows,
                    const Landing &landing, T *out) {
  const hn::ScalableTag<int32_t> d;
  const hn::RebindToFloat<decltype(d)> dFloat;
  const hn::Rebind<LaneOf<T>, decltype(d)> dStored;
  const size_t lanes = hn::Lanes(d);
  withLanding(landing, [=](auto to) HWY_ATTR {
    for (size_t row = 0; row < rows; ++row) {
      const int32_t *from = acc + row * channels;
      T *into = out + row * channels;
      size_t c = 0;
      for (; c + lanes <= channels; c += lanes) {
        const auto reals = hn::ConvertTo(dFloat, hn::LoadU(d, from + c)) * hn::LoadU(dFloat, scales + c);
        hn::StoreU(to.template stored<T>(to.land(reals)), dStored, lanesOf(into) + c);
      }
      for (; c < channels; ++c)
        into[c] = tilerig::requantise<T>(from[c], scales[c], landing);
    }
  });
}

template <QuantisedStorage To>
void narrowLoop(const I9 *in, Narrowing narrowing, To *out, size_t count) {
  Landing landing;
  landing.narrowing = narrowing;
  withLanding(landing, [=](auto to) HWY_ATTR {
    forEachVector(lanesOf(in), lanesOf(out), count, [=](auto stored) HWY_ATTR {
      const hn::Rebind<int32_t, hn::DFromV<decltype(stored)>> d;
      return to.template stored<To>(hn::PromoteTo(d, stored));
    });
  });
}

#else

template <QuantisedStorage T>
void quantiseLoop(const float *x, float scale, const Landing &landing, T *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = tilerig::quantise<T>(x[i], scale, landing);
}
template <QuantisedStorage T>
void dequantiseLoop(const T *q, float scale, int32_t zeroPoint, float *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = tilerig::dequantise(q[i], scale, zeroPoint);
}
template <QuantisedStorage T>
void requantiseLoop(const int32_t *acc, float scale, const Landing &landing, T *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = tilerig::requantise<T>(acc[i], scale, landing);
}
template <QuantisedStorage T>
void requantiseRows(const int32_t *acc, const float *scales, size_t channels, size_t rows,
                    const Landing &landing, T *out) {
  for (size_t i = 0; i < rows * channels; ++i)
    out[i] = tilerig::requantise<T>(acc[i], scales[i % channels], landing);
}
template <QuantisedStorage To>
void narrowLoop(const I9 *in, Narrowing narrowing, To *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = tilerig::storedAs<To>(in[i].value, narrowing);
}

#endif

template <QuantisedStorage T>
constexpr QuantiseLoops<T> loopsOf() {
  return {quantiseLoop<T>, dequantiseLoop<T>, requantiseLoop<T>, requantiseRows<T>, narrowLoop<T>};
}
AllQuantiseLoops allLoops() { return {loopsOf<int8_t>(), loopsOf<uint8_t>(), loopsOf<I9>()}; }

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilerig {

HWY_EXPORT(allLoops);

template <QuantisedStorage T>
static QuantiseLoops<T> loops() {
  return std::get<QuantiseLoops<T>>(HWY_DYNAMIC_DISPATCH(allLoops)());
}

template <QuantisedStorage T>
void quantise(std::span<const float> x, float scale, const Landing &landing, std::span<T> out) {
  assert(x.size() == out.size() && landing.isValid());
  loops<T>().quantise(x.data(), scale, landing, out.data(), x.size());
}

template <QuantisedStorage T>
void dequantise(std::span<const T> q, float scale, int32_t zeroPoint, std::span<float> out) {
  assert(q.size() == out.size());
  loops<T>().dequantise(q.data(), scale, zeroPoint, out.data(), q.size());
}

template <QuantisedStorage T>
void requantise(std::span<const int32_t> acc, float scale, const Landing &landing, std::span<T> out) {
  assert(acc.size() == out.size() && landing.isValid());
  loops<T>().requantise(acc.data(), scale, landing, out.data(), acc.size());
}

template <QuantisedStorage T>
void requantise(std::span<const int32_t> acc, std::span<const float> scales, const Landing &landing,
                std::span<T> out) {
  assert(acc.size() == out.size() && landing.isValid());
  if (acc.empty())
    return;
  assert(!scales.empty() && acc.size() % scales.size() == 0);

  // The loop processes one row of accumulators (one for each channel) after another. If there are few
  // channels, such rows are too short to be efficient: `pattern` then repeats the scales, so that several rows
  // are processed as one.
  float pattern[512];
  const float *row = scales.data();
  size_t channels = scales.size();
  const size_t repeats = std::min(std::size(pattern), acc.size()) / channels;
  if (repeats > 1) {
    for (size_t i = 0; i < repeats * channels; ++i)
      pattern[i] = scales[i % channels];
    row = pattern;
    channels *= repeats;
  }
  const size_t rows = acc.size() / channels, done = rows * channels;
  const auto rowLoop = loops<T>().requantiseRows;
  rowLoop(acc.data(), row, channels, rows, landing, out.data());
  rowLoop(acc.data() + done, row, acc.size() - done, 1, landing, out.data() + done);
}

template <QuantisedStorage To>
void narrow(std::span<const I9> in, Narrowing narrowing, std::span<To> out) {
  assert(in.size() == out.size());
  loops<To>().narrow(in.data(), narrowing, out.data(), in.size());
}

template void quantise(std::span<const float>, float, const Landing &, std::span<int8_t>);
template void quantise(std::span<const float>, float, const Landing &, std::span<uint8_t>);
template void quantise(std::span<const float>, float, const Landing &, std::span<I9>);
template void dequantise(std::span<const int8_t>, float, int32_t, std::span<float>);
template void dequantise(std::span<const uint8_t>, float, int32_t, std::span<float>);
template void dequantise(std::span<const I9>, float, int32_t, std::span<float>);
template void requantise(std::span<const int32_t>, float, const Landing &, std::span<int8_t>);
template void requantise(std::span<const int32_t>, float, const Landing &, std::span<uint8_t>);
template void requantise(std::span<const int32_t>, float, const Landing &, std::span<I9>);
template void requantise(std::span<const int32_t>, std::span<const float>, const Landing &,
                         std::span<int8_t>);
template void requantise(std::span<const int32_t>, std::span<const float>, const Landing &,
                         std::span<uint8_t>);
template void requantise(std::span<const int32_t>, std::span<const float>, const Landing &, std::span<I9>);
template void narrow(std::span<const I9>, Narrowing, std::span<int8_t>);
template void narrow(std::span<const I9>, Narrowing, std::span<uint8_t>);

} // namespace tilerig
#endif // HWY_ONCE
