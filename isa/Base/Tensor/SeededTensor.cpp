#include "isa/Base/Tensor/SeededTensor.h"

#include "isa/Base/Support/Hash.h"
#include "isa/Base/Support/SplitMix64.h"

#include <complex>
#include <type_traits>

namespace tilerig {

const char *const seededDistribution =
    "floats uniform in [-1, 1), 8-bit integers uniform over all values, other integers and bools 0 or 1";

namespace {

// A random multiple of 2^-23 in [-1, 1), which is exact in f32.
float drawFloat(SplitMix64 &random) {
  return static_cast<float>(static_cast<int64_t>(random.next() >> 40) - (1 << 23)) * 0x1p-23f;
}

template <class T>
T draw(SplitMix64 &random) {
  if constexpr (std::is_floating_point_v<T>) {
    return drawFloat(random);
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    const float real = drawFloat(random);
    return {real, drawFloat(random)};
  } else if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>) {
    return static_cast<T>(random.next() >> 56);
  } else {
    return static_cast<T>(random.next() >> 63);
  }
}

} // namespace

Result<Tensor> seededTensor(DType type, const Shape &shape, uint64_t seed, std::string_view name) {
  const bool isHalf = type == DType::f16 || type == DType::bf16;
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(isHalf ? DType::f32 : type, shape));
  SplitMix64 random(combineHashes(seed, hashText(name)));
  dispatch(tensor.dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, Float16> && !std::is_same_v<T, BFloat16>)
      for (T &element : tensor.mutableAs<T>())
        element = draw<T>(random);
  });
  return tensor;
}

} // namespace tilerig
