// Rotary position embedding: rotates pairs of elements of a vector by the angles of its position.
#pragma once

#include <cstdint>

namespace tilerig::reference {

// Rotates the first 2 * pairs elements of x and copies the others, up to `size`. Pair i consists of the elements 2i
// and 2i + 1 if interleaved, else of i and i + pairs. Computed in double and rounded once; y may be x.
template <class T>
void rotatePairs(const T *x, const T *cosines, const T *sines, int64_t pairs, int64_t size, bool interleaved,
                 T *y) {
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t first = interleaved ? 2 * i : i, second = interleaved ? 2 * i + 1 : i + pairs;
    const double a = x[first], b = x[second], cosine = cosines[i], sine = sines[i];
    y[first] = static_cast<T>(a * cosine - b * sine);
    y[second] = static_cast<T>(a * sine + b * cosine);
  }
  for (int64_t i = 2 * pairs; i < size; ++i)
    y[i] = x[i];
}

} // namespace tilerig::reference
