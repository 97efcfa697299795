// Mean and variance, which the normalisations share. Sums are formed in double in a few interleaved chains,
// so that they are exact to the last place of a float whatever the size.
#pragma once

#include <cmath>
#include <cstdint>

namespace tilerig::reference {

// Elements in pieces: `pieces` of them, `step` apart, each of `size` consecutive elements.
template <class T>
struct Pieces {
  const T *first;
  int64_t pieces, step, size;
};

// The sum of f(x) over all elements, f giving a double.
template <class T, class F>
double sumOver(const Pieces<T> &elements, F f) {
  constexpr int64_t lanes = 8;
  double sums[lanes] = {};
  for (int64_t piece = 0; piece < elements.pieces; ++piece) {
    const T *x = elements.first + piece * elements.step;
    int64_t i = 0;
    for (; i + lanes <= elements.size; i += lanes)
      for (int64_t lane = 0; lane < lanes; ++lane)
        sums[lane] += f(x[i + lane]);
    for (; i < elements.size; ++i)
      sums[0] += f(x[i]);
  }
  double total = 0;
  for (double sum : sums)
    total += sum;
  return total;
}

struct Moments {
  double mean, variance; // of all elements: divided by their number, not by one less

  double inverseDeviation(float epsilon) const {
    return 1 / std::sqrt(variance + static_cast<double>(epsilon));
  }
};

template <class T>
Moments momentsOf(const Pieces<T> &elements) {
  auto count = static_cast<double>(elements.pieces * elements.size);
  double mean = sumOver(elements, [](T x) { return static_cast<double>(x); }) / count;
  double squares = sumOver(elements, [=](T x) {
    double away = static_cast<double>(x) - mean;
    return away * away;
  });
  return {mean, squares / count};
}

} // namespace tilerig::reference
