// Vector conversion between stored 16-bit floats and fp32, for loops that load, convert and store in one
// pass.
//
// `floatsOf<Fp16>(bits)` converts uint16 lanes, as loaded, to floats; `storedAs<Fp16>(floats)` converts
// floats to the uint16 lanes to be stored.
#if defined(TILERIG_NUMERICS_FORMULAS_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_CONVERT_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_CONVERT_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_CONVERT_INL_H_
#endif

#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Formulas/Lanes-inl.h"
#include "isa/Numerics/Fp16.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

#if TILERIG_VECTORS

template <class Stored, Wide B>
HWY_INLINE auto floatsOf(B bits) {
  const hn::Rebind<float, hn::DFromV<B>> d;
  if constexpr (std::is_same_v<Stored, Fp16>) { // the host's instruction for fp16 treats NaN as Fp16.h does
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, hn::DFromV<B>>(), bits));
  } else {
    const hn::RebindToUnsigned<decltype(d)> dBits;
    const auto value = hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(dBits, bits)));
    const auto quiet = hn::Or(hn::BitCast(dBits, value), hn::Set(dBits, 0x00400000));
    return select(isNan(value), hn::BitCast(d, quiet), value);
  }
}

template <class Stored, Wide V>
HWY_INLINE auto storedAs(V floats) {
  const hn::DFromV<V> d;
  const hn::Rebind<uint16_t, decltype(d)> dStored;
  if constexpr (std::is_same_v<Stored, Fp16>) {
    return hn::BitCast(dStored, hn::DemoteTo(hn::Rebind<hwy::float16_t, decltype(d)>(), floats));
  } else {
    const hn::RebindToUnsigned<decltype(d)> dBits;
    const auto bits = hn::BitCast(dBits, floats);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(dBits, 1));
    const auto rounded = hn::ShiftRight<16>(bits + hn::Set(dBits, 0x7fff) + odd);
    const auto quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(dBits, 0x0040));
    const auto chosen = hn::IfThenElse(hn::RebindMask(dBits, isNan(floats)), quiet, rounded);
    return hn::BitCast(dStored,
                       hn::DemoteTo(dStored, hn::BitCast(hn::RebindToSigned<decltype(d)>(), chosen)));
  }
}

#endif

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_CONVERT_INL_H_
