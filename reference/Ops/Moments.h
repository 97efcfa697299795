// Mean and variance for the normalisation operators. Sums are accumulated in double in several interleaved
// chains, so that the results are accurate to the last bit of a float for any size.
#pragma once

#include <cmath>
#include <cstdint>

namespace tilerig::reference {

// Elements of a tensor: `pieces` runs of `size` consecutive elements each; the runs begin `step` elements
// apart.
template <class T>
struct Pieces {
  const T *first;
  int64_t pieces, step, size;
};

// The sum of f(x) over all elements x; f returns a double.
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
  double mean, variance; // population variance: divided by the number of elements

  double inverseDeviation(float epsilon) const {
    return 1 / std::sqrt(variance + static_cast<double>(epsilon));
  }
};

// The mean square of the elements, as the variance around a mean of zero.
template <class T>
Moments squareMomentsOf(const Pieces<T> &elements) {
  const double squares =
      sumOver(elements, [](T x) { return static_cast<double>(x) * static_cast<double>(x); });
  return {0, squares / static_cast<double>(elements.pieces * elements.size)};
}

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
