// Tests of the function that rounds the elements of a tensor differently but equally correctly, as another
// implementation may.
#include "classifier/Samples/OtherRounding.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace verify;

template <class Element, class Make>
Tensor many(DType type, const Make &make) {
  Tensor tensor(type, {2000});
  const auto elements = tensor.mutableAs<Element>();
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = make(i);
  return tensor;
}

Tensor floats() {
  return many<float>(DType::f32, [](size_t i) { return i % 3 ? static_cast<float>(i) - 900.5f : 0.0f; });
}

TEST(OtherRounding, FloatsHaveASmallRelativeError) {
  const Tensor tensor = floats();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto other = roundedOtherwise(tensor, Draw(seed));
    ASSERT_TRUE(other);
    for (size_t i = 0; i < 2000; ++i) {
      const float was = tensor.as<float>()[i], is = other->as<float>()[i];
      EXPECT_LE(std::fabs(was - is), 0x1p-18 * 600) << i;
      if (was == 0) {
        EXPECT_EQ(is, 0) << i;
      }
    }
  }
}

TEST(OtherRounding, HalvesMoveToANeighbour) {
  const Tensor tensor = many<Float16>(DType::f16, [](size_t i) {
    return Float16{static_cast<uint16_t>(i % 5 ? 0x3000 + i : i % 2 ? 0x7c00 : 0)};
  });
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto other = roundedOtherwise(tensor, Draw(seed));
    if (!other)
      continue; // in rare cases no element is rounded differently
    for (size_t i = 0; i < 2000; ++i) {
      const int off = std::abs(other->as<Float16>()[i].bits - tensor.as<Float16>()[i].bits);
      EXPECT_LE(off, i % 5 ? 1 : 0) << i; // zeros and infinities stay unchanged
    }
  }
}

TEST(OtherRounding, StepsKeepToTheRange) {
  const Tensor tensor =
      many<int8_t>(DType::i8, [](size_t i) { return static_cast<int8_t>(static_cast<int>(i % 256) - 128); });
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto other = roundedOtherwise(tensor, Draw(seed));
    if (!other)
      continue;
    for (size_t i = 0; i < 2000; ++i) {
      const int was = tensor.as<int8_t>()[i], off = std::abs(other->as<int8_t>()[i] - was);
      EXPECT_LE(off, was == -128 || was == 127 || was == 0 ? 0 : 1) << was;
    }
  }
}

TEST(OtherRounding, SameSeedSameBits) {
  const auto one = roundedOtherwise(floats(), Draw(5)), two = roundedOtherwise(floats(), Draw(5));
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(identical(*one, *two));
}

TEST(OtherRounding, NothingOfOtherTypesOrZeros) {
  EXPECT_FALSE(roundedOtherwise(Tensor(DType::i64, {8}), Draw(1)));
  EXPECT_FALSE(roundedOtherwise(Tensor(DType::f32, {8}), Draw(1)));
}

} // namespace
} // namespace tilerig::test
