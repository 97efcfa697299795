// The widest vector type of the SIMD level for which a kernel is compiled. Only kernel files may include this
// header: everything is in the level's namespace, and nothing from the standard library is used, since the
// linker might merge such functions across levels.
#pragma once

#include <cstdint>
#include <immintrin.h>

namespace tilerig::reference::TILERIG_SIMD {

#if defined(__AVX512F__)
inline constexpr int vectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int vectorBytes = 32;
#else
inline constexpr int vectorBytes = 16;
#endif

template <class T>
inline constexpr int lanes = vectorBytes / static_cast<int>(sizeof(T));

template <class T>
struct VectorOf;
#if defined(__AVX512F__)
template <>
struct VectorOf<float> {
  using type = __m512;
};
template <>
struct VectorOf<double> {
  using type = __m512d;
};
#elif defined(__AVX2__)
template <>
struct VectorOf<float> {
  using type = __m256;
};
template <>
struct VectorOf<double> {
  using type = __m256d;
};
#else
template <>
struct VectorOf<float> {
  using type = __m128;
};
template <>
struct VectorOf<double> {
  using type = __m128d;
};
#endif
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
inline Vector<T> load(const T *from) {
  Vector<T> result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}
template <class T>
inline void store(T *to, Vector<T> value) {
  __builtin_memcpy(to, &value, sizeof value);
}
// splat(): a vector with the value in every lane; fused(): a * b + c, rounded once.
#if defined(__AVX512F__)
inline __m512 splat(float value) { return _mm512_set1_ps(value); }
inline __m512d splat(double value) { return _mm512_set1_pd(value); }
inline __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
#elif defined(__AVX2__)
inline __m256 splat(float value) { return _mm256_set1_ps(value); }
inline __m256d splat(double value) { return _mm256_set1_pd(value); }
inline __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
#else
inline __m128 splat(float value) { return _mm_set1_ps(value); }
inline __m128d splat(double value) { return _mm_set1_pd(value); }
// Without an instruction for fused multiply-add, the C library computes lane by lane: slow, but exact.
inline __m128 fused(__m128 a, __m128 b, __m128 c) {
  for (int i = 0; i < 4; ++i)
    c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}
inline __m128d fused(__m128d a, __m128d b, __m128d c) {
  for (int i = 0; i < 2; ++i)
    c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
}
#endif

// a * b + c, rounded once; rounded twice if `once` is false and the SIMD level has no instruction for fused
// multiply-add.
template <bool once, class V>
inline V multiplyAdd(V a, V b, V c) {
#if defined(__AVX2__)
  return fused(a, b, c);
#else
  if constexpr (once)
    return fused(a, b, c);
  else
    return a * b + c;
#endif
}

} // namespace tilerig::reference::TILERIG_SIMD
