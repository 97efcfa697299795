// Loops that convert spans between fp32 and the 16-bit floats, compiled once for each instruction set of the
// host and selected at run time.
#include "isa/Numerics/Convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/Numerics/Convert.cpp"
#include "isa/Numerics/Targets.h"

#include <hwy/foreach_target.h>

#include "isa/Numerics/Formulas/Convert-inl.h"

#include <cassert>

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

template <class Stored>
HWY_INLINE void widen(const Stored *in, float *out, size_t count) {
#if TILERIG_VECTORS
  forEachVector(&in->bits, out, count, [](auto bits) HWY_ATTR { return floatsOf<Stored>(bits); });
#else
  for (size_t i = 0; i < count; ++i)
    out[i] = toFloat(in[i]);
#endif
}

HWY_INLINE Fp16 rounded(float value, Fp16 *) { return fp16FromFloat(value); }
HWY_INLINE Bf16 rounded(float value, Bf16 *) { return bf16FromFloat(value); }

template <class Stored>
HWY_INLINE void shorten(const float *in, Stored *out, size_t count) {
#if TILERIG_VECTORS
  forEachVector(in, &out->bits, count, [](auto floats) HWY_ATTR { return storedAs<Stored>(floats); });
#else
  for (size_t i = 0; i < count; ++i)
    out[i] = rounded(in[i], out);
#endif
}

void widenFp16(const Fp16 *in, float *out, size_t count) { widen(in, out, count); }
void widenBf16(const Bf16 *in, float *out, size_t count) { widen(in, out, count); }
void shortenFp16(const float *in, Fp16 *out, size_t count) { shorten(in, out, count); }
void shortenBf16(const float *in, Bf16 *out, size_t count) { shorten(in, out, count); }

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilerig {

HWY_EXPORT(widenFp16);
HWY_EXPORT(widenBf16);
HWY_EXPORT(shortenFp16);
HWY_EXPORT(shortenBf16);

void toFloat(std::span<const Fp16> in, std::span<float> out) {
  assert(in.size() == out.size());
  HWY_DYNAMIC_DISPATCH(widenFp16)(in.data(), out.data(), in.size());
}
void toFloat(std::span<const Bf16> in, std::span<float> out) {
  assert(in.size() == out.size());
  HWY_DYNAMIC_DISPATCH(widenBf16)(in.data(), out.data(), in.size());
}
void fromFloat(std::span<const float> in, std::span<Fp16> out) {
  assert(in.size() == out.size());
  HWY_DYNAMIC_DISPATCH(shortenFp16)(in.data(), out.data(), in.size());
}
void fromFloat(std::span<const float> in, std::span<Bf16> out) {
  assert(in.size() == out.size());
  HWY_DYNAMIC_DISPATCH(shortenBf16)(in.data(), out.data(), in.size());
}

} // namespace tilerig
#endif // HWY_ONCE
