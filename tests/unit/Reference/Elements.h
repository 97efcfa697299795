// Helpers for property tests of operators: random tensors, loops over shapes, and comparison.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tilerig::reference {

using Ints = std::vector<int64_t>;

// Random numbers and tensors from one seed.
class Draw {
public:
  explicit Draw(unsigned seed) : random(seed) {}

  int64_t from(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  }
  Ints list(size_t count, int64_t least, int64_t most) {
    Ints result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(from(least, most));
    return result;
  }
  double normal() { return std::normal_distribution<double>()(random); }

  // Integers from -9 to 9 (from 0 for unsigned types), whose sums are exact in every type.
  template <class T>
  Tensor integers(const Shape &shape) {
    Tensor tensor(dtypeOf<T>, shape);
    for (T &x : tensor.mutableAs<T>())
      x = static_cast<T>(from(std::is_signed_v<T> ? -9 : 0, 9));
    return tensor;
  }
  template <class T>
  Tensor normals(const Shape &shape) {
    Tensor tensor(dtypeOf<T>, shape);
    for (T &x : tensor.mutableAs<T>())
      x = static_cast<T>(normal());
    return tensor;
  }

private:
  std::mt19937 random;
};

// Calls use(index) for every index of a shape, in row-major order.
template <class Use>
void forEachIndex(const Shape &shape, Use use) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Ints index(shape.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      index[d] = rest % shape[d];
    use(index);
  }
}

inline int64_t offsetOf(const Shape &shape, const Ints &index) {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    offset = offset * shape[d] + index[d];
  return offset;
}

inline Ints joined(Ints left, const Ints &right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// Expects every element within tolerance * max(1, |wanted|) of the wanted value, and the shape and type.
template <class T>
void expectClose(const Tensor &got, const Shape &shape, const std::vector<double> &wanted,
                 double tolerance = 1e-5) {
  ASSERT_EQ(got.shape(), shape);
  ASSERT_EQ(got.dtype(), dtypeOf<T>);
  auto elements = got.as<T>();
  for (size_t i = 0; i < wanted.size(); ++i)
    ASSERT_NEAR(static_cast<double>(elements[i]), wanted[i], tolerance * std::max(1.0, std::abs(wanted[i])))
        << "element " << i << " of " << showShape(shape);
}

} // namespace tilerig::reference
