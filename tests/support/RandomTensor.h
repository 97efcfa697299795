// Random tensors of any type, shape and bits, for tests of tensor files.
#pragma once

#include "isa/Base/Support/SplitMix64.h"
#include "isa/Base/Tensor/Tensor.h"

#include <gtest/gtest.h>

namespace tilerig {

class Random : public SplitMix64 {
public:
  using SplitMix64::SplitMix64;
  size_t below(size_t bound) { return next() % bound; }
};

inline std::vector<DType> allDTypes() {
  std::vector<DType> types;
  for (size_t index = 0; index < numDTypes; ++index)
    types.push_back(static_cast<DType>(index));
  return types;
}

// A tensor of random bits: floats include NaNs, infinities and denormals; bools are 0 or 1.
inline Tensor randomTensor(DType type, Shape shape, Random &random) {
  Tensor tensor(type, std::move(shape));
  for (std::byte &byte : tensor.mutableBytes())
    byte = static_cast<std::byte>(random.next() & (type == DType::boolean ? 1 : 255));
  return tensor;
}

// A tensor of a random type, with rank 0 to 5 and dimensions 0 to 6.
inline Tensor randomTensor(Random &random) {
  Shape shape(random.below(6));
  for (int64_t &dim : shape)
    dim = static_cast<int64_t>(random.below(7));
  return randomTensor(static_cast<DType>(random.below(numDTypes)), std::move(shape), random);
}

// The tensor as an npy file returns it: bfloat16 is unknown there and comes back as its 16 bits.
inline Tensor asInNpy(const Tensor &tensor) {
  return tensor.dtype() == DType::bf16 ? *tensor.reinterpreted(DType::u16) : tensor;
}

inline std::string describe(const Tensor &tensor) {
  return std::string(nameOf(tensor.dtype())) + " " + showShape(tensor.shape());
}

template <class T>
std::string messageOf(const Result<T> &result) {
  return result ? "no error" : result.error().message();
}

#define EXPECT_REFUSED(expression, words)                                                                    \
  do {                                                                                                       \
    auto outcome_ = (expression);                                                                            \
    EXPECT_FALSE(outcome_);                                                                                  \
    EXPECT_NE(::tilerig::messageOf(outcome_).find(words), std::string::npos)                                 \
        << ::tilerig::messageOf(outcome_);                                                                   \
  } while (false)

} // namespace tilerig
