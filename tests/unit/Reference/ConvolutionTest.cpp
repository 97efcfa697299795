// Tests of convolutions against the sum that defines them, over random shapes and attributes.
#include "tests/unit/Reference/SingleOp.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tilerig::reference {
namespace {

using Ints = std::vector<int64_t>;

// Small random integers, whose sums are exact in a float, so that the order of summation does not matter.
Tensor randomIntegers(std::mt19937 &random, const Shape &shape) {
  Tensor tensor(DType::f32, shape);
  for (float &x : tensor.mutableAs<float>())
    x = static_cast<float>(static_cast<int>(random() % 9) - 4);
  return tensor;
}

struct ConvolutionCase {
  int64_t images, groups, in, out; // in, out: numbers of input and output channels per group
  std::array<int64_t, 2> size, kernel, stride, dilation, begin, end;

  static ConvolutionCase random(std::mt19937 &random) {
    auto from = [&](int64_t least, int64_t most) {
      return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
    };
    ConvolutionCase c{from(1, 2), from(1, 3), from(1, 3), from(1, 5), {}, {}, {}, {}, {}, {}};
    for (size_t d = 0; d < 2; ++d) {
      c.kernel[d] = from(1, 3), c.stride[d] = from(1, 3), c.dilation[d] = from(1, 2);
      c.begin[d] = from(0, 3), c.end[d] = from(0, 3), c.size[d] = from(5, 11);
    }
    return c;
  }
  int64_t outputs(size_t d) const {
    return (size[d] + begin[d] + end[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1;
  }
  SingleOp node(const char *op) const {
    return {op,
            {{"strides", Ints{stride[0], stride[1]}},
             {"dilations", Ints{dilation[0], dilation[1]}},
             {"pads", Ints{begin[0], begin[1], end[0], end[1]}},
             {"group", groups}}};
  }
};

// Calls each(input element, weight, output element), given as offsets, for every product of the convolution.
template <class Each>
void forEachProduct(const ConvolutionCase &c, Each each) {
  int64_t high = c.outputs(0), wide = c.outputs(1);
  for (int64_t n = 0; n < c.images; ++n)
    for (int64_t m = 0; m < c.groups * c.out; ++m)
      for (int64_t y = 0; y < high; ++y)
        for (int64_t x = 0; x < wide; ++x)
          for (int64_t ky = 0; ky < c.kernel[0]; ++ky)
            for (int64_t kx = 0; kx < c.kernel[1]; ++kx)
              for (int64_t k = 0; k < c.in; ++k) {
                int64_t iy = y * c.stride[0] - c.begin[0] + ky * c.dilation[0];
                int64_t ix = x * c.stride[1] - c.begin[1] + kx * c.dilation[1];
                if (iy < 0 || iy >= c.size[0] || ix < 0 || ix >= c.size[1])
                  continue;
                int64_t channel = n * c.groups * c.in + m / c.out * c.in + k;
                each((channel * c.size[0] + iy) * c.size[1] + ix,
                     ((m * c.in + k) * c.kernel[0] + ky) * c.kernel[1] + kx,
                     ((n * c.groups * c.out + m) * high + y) * wide + x);
              }
}

TEST(Conv, IsTheSumThatDefinesIt) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    ConvolutionCase c = ConvolutionCase::random(random);
    Tensor x = randomIntegers(random, {c.images, c.groups * c.in, c.size[0], c.size[1]});
    Tensor w = randomIntegers(random, {c.groups * c.out, c.in, c.kernel[0], c.kernel[1]});
    Tensor bias = randomIntegers(random, {c.groups * c.out});
    Tensor expected(DType::f32, {c.images, c.groups * c.out, c.outputs(0), c.outputs(1)});
    auto to = expected.mutableAs<float>();
    int64_t plane = c.outputs(0) * c.outputs(1);
    for (int64_t i = 0; i < static_cast<int64_t>(to.size()); ++i)
      to[i] = bias.as<float>()[i / plane % (c.groups * c.out)];
    forEachProduct(c, [&](int64_t from, int64_t weight, int64_t at) {
      to[at] += x.as<float>()[from] * w.as<float>()[weight];
    });
    SingleOp node = c.node("Conv");
    node.threads = 1 + round % 3;
    auto result = node.run({x, w, bias});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(identical((*result)[0], expected)) << "round " << round;
  }
}

// ConvTranspose is the transpose of Conv: on the same random cases, it writes the elements that the
// convolution reads.
TEST(ConvTranspose, IsTheTransposeOfConv) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    ConvolutionCase c = ConvolutionCase::random(random);
    Tensor x = randomIntegers(random, {c.images, c.groups * c.out, c.outputs(0), c.outputs(1)});
    Tensor w = randomIntegers(random, {c.groups * c.out, c.in, c.kernel[0], c.kernel[1]});
    Tensor expected(DType::f32, {c.images, c.groups * c.in, c.size[0], c.size[1]});
    auto to = expected.mutableAs<float>();
    forEachProduct(c, [&](int64_t at, int64_t weight, int64_t from) {
      to[at] += x.as<float>()[from] * w.as<float>()[weight];
    });
    // Rows and columns at the end that no window reaches are the output padding.
    SingleOp node = c.node("ConvTranspose");
    Ints missing;
    bool allowed = true;
    for (size_t d = 0; d < 2; ++d) {
      int64_t reached = (c.outputs(d) - 1) * c.stride[d] + c.dilation[d] * (c.kernel[d] - 1) + 1;
      missing.push_back(c.size[d] + c.begin[d] + c.end[d] - reached);
      allowed = allowed && missing[d] < std::max(c.stride[d], c.dilation[d]);
    }
    ASSERT_TRUE(allowed);
    node.attributes["output_padding"] = missing;
    auto result = node.run({x, w});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(identical((*result)[0], expected)) << "round " << round;
  }
}

// With inexact values, the bits show that each sum is one chain of fused multiply-adds, for any number of
// threads.
TEST(Conv, MachineOrderIsOneChainOfFusedMultiplyAdds) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 50; ++round) {
    ConvolutionCase c = ConvolutionCase::random(random);
    Tensor x(DType::f32, {c.images, c.groups * c.in, c.size[0], c.size[1]});
    Tensor w(DType::f32, {c.groups * c.out, c.in, c.kernel[0], c.kernel[1]});
    for (float &value : x.mutableAs<float>())
      value = normal(random);
    for (float &value : w.mutableAs<float>())
      value = normal(random);
    Tensor expected(DType::f32, {c.images, c.groups * c.out, c.outputs(0), c.outputs(1)});
    auto to = expected.mutableAs<float>();
    forEachProduct(c, [&](int64_t from, int64_t weight, int64_t at) {
      to[at] = std::fma(x.as<float>()[from], w.as<float>()[weight], to[at]);
    });
    SingleOp node = c.node("Conv");
    node.arithmetic = Arithmetic::machine;
    auto result = node.run({x, w});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(identical((*result)[0], expected)) << "round " << round;
  }
}

TEST(Conv, BitsDoNotDependOnThreads) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  Tensor x(DType::f32, {1, 40, 30, 30}), w(DType::f32, {130, 40, 3, 3});
  for (float &value : x.mutableAs<float>())
    value = normal(random);
  for (float &value : w.mutableAs<float>())
    value = normal(random);
  SingleOp node{"Conv"};
  auto alone = node.run({x, w});
  node.threads = 3;
  auto shared = node.run({x, w});
  ASSERT_TRUE(alone && shared);
  EXPECT_TRUE(identical((*alone)[0], (*shared)[0]));
}

TEST(Conv, SameUpperPadsTheEndMore) {
  SingleOp node{"Conv", {{"auto_pad", std::string("SAME_UPPER")}}};
  Tensor x = Tensor::of<float>({1, 1, 3}, {1, 2, 3}), w = Tensor::of<float>({1, 1, 2}, {1, 10});
  auto upper = node.run({x, w});
  node.attributes["auto_pad"] = std::string("SAME_LOWER");
  auto lower = node.run({x, w});
  ASSERT_TRUE(upper && lower);
  EXPECT_TRUE(identical((*upper)[0], Tensor::of<float>({1, 1, 3}, {21, 32, 3})));
  EXPECT_TRUE(identical((*lower)[0], Tensor::of<float>({1, 1, 3}, {10, 21, 32})));
}

TEST(Conv, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {1, 2, 5, 5}), w(DType::f32, {4, 2, 3, 3});
  auto refused = [&](const char *name, Attribute value) {
    return !SingleOp{"Conv", {{name, std::move(value)}}}.run({x, w});
  };
  constexpr int64_t huge = int64_t{1} << 62;
  EXPECT_TRUE(SingleOp{"Conv"}.run({x, w}));
  EXPECT_TRUE(refused("strides", Ints{0, 1}));
  EXPECT_TRUE(refused("strides", Ints{1}));
  EXPECT_TRUE(refused("strides", Ints{huge, 1}));
  EXPECT_TRUE(refused("dilations", Ints{3, 1}));
  EXPECT_TRUE(refused("dilations", Ints{huge, huge}));
  EXPECT_TRUE(refused("pads", Ints{-1, 0, 0, 0}));
  EXPECT_TRUE(refused("pads", Ints{huge, 0, huge, 0}));
  EXPECT_TRUE(refused("group", int64_t{0}));
  EXPECT_TRUE(refused("group", int64_t{2}));
  EXPECT_TRUE(refused("auto_pad", std::string("SAME")));
  EXPECT_TRUE(refused("kernel_shape", Ints{3, 2}));
  EXPECT_FALSE(SingleOp{"Conv"}.run({x, w, Tensor(DType::f32, {3})}));
  EXPECT_FALSE(SingleOp{"Conv"}.run({x, Tensor(DType::f64, {4, 2, 3, 3})}));
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {1, 2, 5}), w(DType::f32, {2, 3, 3});
  auto refused = [&](const char *name, Attribute value) {
    return !SingleOp{"ConvTranspose", {{name, std::move(value)}}}.run({x, w});
  };
  EXPECT_TRUE(SingleOp{"ConvTranspose"}.run({x, w}));
  EXPECT_TRUE(refused("output_padding", Ints{1}));
  EXPECT_TRUE(refused("output_shape", Ints{-4}));
  EXPECT_TRUE(refused("output_shape", Ints{int64_t{1} << 60}));
  EXPECT_TRUE(refused("pads", Ints{8, 8}));
}

} // namespace
} // namespace tilerig::reference
