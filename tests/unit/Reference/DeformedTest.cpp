// Tests of DeformConv and MaxRoiPool against naive loops and ONNX Runtime.
#include "tests/support/Random.h"
#include "tests/unit/Reference/SingleOp.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::Random;
using Ints = std::vector<int64_t>;

template <class F>
Tensor filled(Shape shape, F f) {
  Tensor tensor(DType::f32, std::move(shape));
  auto to = tensor.mutableAs<float>();
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(f(static_cast<int>(i)));
  return tensor;
}

Tensor quarters(Random &random, Shape shape, int64_t most) {
  return filled(std::move(shape), [&](int) { return static_cast<double>(random.between(-most, most)) / 4; });
}

void expectElements(const Result<std::vector<Tensor>> &results, const std::vector<double> &wanted) {
  ASSERT_TRUE(results) << results.error().message();
  auto got = (*results)[0].as<float>();
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(got[i], wanted[i], 1e-5 * std::max(1.0, std::abs(wanted[i]))) << "element " << i;
}

struct Deformed {
  int64_t images, groups, offsetGroups, in, out; // in, out: numbers of input and output channels per group
  int64_t size[2], kernel[2], stride[2], dilation[2], begin[2], end[2], outputs[2];
  Tensor x, w, offset, bias, mask;
};

Deformed randomDeformed(Random &random) {
  Deformed k;
  k.images = random.between(1, 2), k.groups = random.between(1, 2), k.offsetGroups = random.between(1, 2);
  k.in = 2 * random.between(1, 2), k.out = random.between(1, 3);
  for (int d = 0; d < 2; ++d) {
    k.size[d] = random.between(5, 7), k.kernel[d] = random.between(1, 3), k.stride[d] = random.between(1, 2);
    k.dilation[d] = random.between(1, 2), k.begin[d] = random.between(0, 2), k.end[d] = random.between(0, 2);
    k.outputs[d] =
        (k.size[d] + k.begin[d] + k.end[d] - k.dilation[d] * (k.kernel[d] - 1) - 1) / k.stride[d] + 1;
    k.outputs[d] = std::max<int64_t>(k.outputs[d], 0);
  }
  int64_t taps = k.kernel[0] * k.kernel[1];
  k.x = quarters(random, {k.images, k.groups * k.in, k.size[0], k.size[1]}, 8);
  k.w = quarters(random, {k.groups * k.out, k.in, k.kernel[0], k.kernel[1]}, 8);
  k.offset = quarters(random, {k.images, k.offsetGroups * taps * 2, k.outputs[0], k.outputs[1]}, 12);
  k.bias = quarters(random, {k.groups * k.out}, 8);
  k.mask = quarters(random, {k.images, k.offsetGroups * taps, k.outputs[0], k.outputs[1]}, 4);
  return k;
}

SingleOp nodeOf(const Deformed &k) {
  return {"DeformConv",
          {{"group", k.groups},
           {"offset_group", k.offsetGroups},
           {"strides", Ints{k.stride[0], k.stride[1]}},
           {"dilations", Ints{k.dilation[0], k.dilation[1]}},
           {"pads", Ints{k.begin[0], k.begin[1], k.end[0], k.end[1]}}}};
}

// Bilinear interpolation of an image at (y, x): each pixel has the weight max(0, 1 - distance) in both
// directions.
double lookedUp(const Deformed &k, int64_t image, int64_t channel, double y, double x) {
  double sum = 0;
  for (int64_t i = 0; i < k.size[0]; ++i)
    for (int64_t j = 0; j < k.size[1]; ++j)
      sum += std::max(0.0, 1 - std::abs(y - static_cast<double>(i))) *
             std::max(0.0, 1 - std::abs(x - static_cast<double>(j))) *
             k.x.as<float>()[((image * k.groups * k.in + channel) * k.size[0] + i) * k.size[1] + j];
  return sum;
}

std::vector<double> expectedOf(const Deformed &k) {
  std::vector<double> result;
  int64_t taps = k.kernel[0] * k.kernel[1], positions = k.outputs[0] * k.outputs[1];
  auto offset = k.offset.as<float>(), mask = k.mask.as<float>(), w = k.w.as<float>();
  for (int64_t n = 0; n < k.images; ++n)
    for (int64_t m = 0; m < k.groups * k.out; ++m)
      for (int64_t p = 0; p < positions; ++p) {
        double sum = k.bias.as<float>()[m];
        for (int64_t c = 0; c < k.in; ++c)
          for (int64_t tap = 0; tap < taps; ++tap) {
            int64_t channel = m / k.out * k.in + c;
            int64_t set = (n * k.offsetGroups + channel / (k.groups * k.in / k.offsetGroups)) * taps + tap;
            double y = static_cast<double>(p / k.outputs[1] * k.stride[0] - k.begin[0] +
                                           tap / k.kernel[1] * k.dilation[0]) +
                       offset[2 * set * positions + p];
            double x = static_cast<double>(p % k.outputs[1] * k.stride[1] - k.begin[1] +
                                           tap % k.kernel[1] * k.dilation[1]) +
                       offset[(2 * set + 1) * positions + p];
            sum += w[(m * k.in + c) * taps + tap] * mask[set * positions + p] * lookedUp(k, n, channel, y, x);
          }
        result.push_back(sum);
      }
  return result;
}

TEST(DeformConv, LooksWhereTheOffsetsPoint) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Deformed k = randomDeformed(random);
    expectElements(nodeOf(k).run({k.x, k.w, k.offset, k.bias, k.mask}), expectedOf(k));
  }
}

TEST(DeformConv, WithoutOffsetsIsAConvolution) {
  Random random(1);
  Deformed k = randomDeformed(random);
  SingleOp node = nodeOf(k), plain = node;
  plain.op = "Conv";
  plain.attributes.erase("offset_group");
  auto wanted = plain.run({k.x, k.w, k.bias});
  ASSERT_TRUE(wanted);
  auto elements = (*wanted)[0].as<float>();
  expectElements(node.run({k.x, k.w, Tensor(DType::f32, k.offset.shape()), k.bias}),
                 std::vector<double>(elements.begin(), elements.end()));
}

// Expected values were computed with ONNX Runtime 1.30.
TEST(DeformConv, AgreesWithOnnxRuntime) {
  SingleOp node{"DeformConv", {{"offset_group", int64_t{1}}, {"pads", Ints{1, 0, 0, 1}}}};
  expectElements(
      node.run({filled({1, 2, 5, 5}, [](int i) { return i * 37 % 11 - 5; }),
                filled({2, 2, 2, 2}, [](int i) { return i * 7 % 5 - 2; }),
                filled({1, 8, 5, 5}, [](int i) { return i * 13 % 17 / 4.0 - 2; }),
                Tensor::of<float>({2}, {1, -1}), filled({1, 4, 5, 5}, [](int i) { return i % 7 / 4.0; })}),
      {-8,      3.15625, 1.03125, -0.25,    0.6875,     -2.8125, 6,         2.5,      -3.25,     0.25,
       3.875,   3.15625, 14.25,   1.375,    1.34375,    5.75,    -9.25,     2.625,    -3.4375,   9.25,
       3.5625,  1.40625, 2.25,    -5.96875, -3.453125,  3.75,    -3.203125, -1.40625, -0.125,    -0.53125,
       4.96875, -0.75,   -5.125,  0.375,    1.25,       -0.625,  0.765625,  -6.09375, 4.8125,    -0.96875,
       -7.375,  1.75,    -0.75,   -1.25,    -11.640625, -0.8125, -1.203125, -7,       -1.390625, -6.5});
}

TEST(DeformConv, RefusesWhatDoesNotFit) {
  auto zeros = [](Shape shape) { return Tensor(DType::f32, std::move(shape)); };
  std::vector<Tensor> sound{zeros({1, 2, 5, 5}), zeros({2, 2, 2, 2}), zeros({1, 8, 4, 4}), zeros({2}),
                            zeros({1, 4, 4, 4})};
  SingleOp node{"DeformConv"};
  ASSERT_TRUE(node.run(sound));
  for (size_t i = 0; i < sound.size(); ++i) {
    SCOPED_TRACE(i);
    std::vector<Tensor> inputs = sound;
    Shape shape = sound[i].shape();
    inputs[i] = Tensor(DType::f64, shape);
    EXPECT_FALSE(node.run(inputs));
    shape.back() += 2;
    inputs[i] = zeros(shape);
    EXPECT_FALSE(node.run(inputs));
    shape.push_back(1);
    inputs[i] = zeros(shape);
    EXPECT_FALSE(node.run(inputs));
  }
  for (const char *name : {"group", "offset_group"})
    for (int64_t groups : {int64_t{-1}, int64_t{0}, int64_t{3}, INT64_MAX}) {
      SingleOp wrong = node;
      wrong.attributes[name] = groups;
      EXPECT_FALSE(wrong.run(sound)) << name << " " << groups;
    }
  auto nowhere = SingleOp{"DeformConv"}.run(
      {filled({1, 1, 1, 1}, [](int) { return 1; }), filled({1, 1, 1, 1}, [](int) { return 1; }),
       filled({1, 2, 1, 1}, [](int i) { return i ? 0 : std::nan(""); })});
  expectElements(nowhere, {0});
}

// Expected values were computed with ONNX Runtime 1.30.
TEST(MaxRoiPool, AgreesWithOnnxRuntime) {
  SingleOp node{"MaxRoiPool", {{"pooled_shape", Ints{2, 3}}, {"spatial_scale", 0.5f}}};
  expectElements(node.run({filled({2, 2, 6, 7}, [](int i) { return i * 37 % 101 - 50; }),
                           Tensor::of<float>({3, 5}, {0, 0, 0, 13, 11, 1, 3, 2, 8, 9, 0, -5, 7, 5, 30})}),
                 {44, 47, 47, 50, 50, 40, 46, 49, 42, 45, 45, 42, 14, 7,  44, 27, 20, 44,
                  9,  46, 26, 22, 46, 39, 0,  33, 50, 0,  0,  0,  0,  15, 45, 0,  0,  0});
}

TEST(MaxRoiPool, RefusesWhatDoesNotFit) {
  Tensor images(DType::f32, {2, 1, 4, 4}), rois = Tensor::of<float>({1, 5}, {1, 0, 0, 3, 3});
  SingleOp node{"MaxRoiPool", {{"pooled_shape", Ints{2, 2}}}};
  ASSERT_TRUE(node.run({images, rois}));
  for (float image : {-1.0f, 2.0f, 0.5f, std::nanf("")})
    EXPECT_FALSE(node.run({images, Tensor::of<float>({1, 5}, {image, 0, 0, 3, 3})}));
  for (float corner : {1e30f, -1e30f, std::nanf("")})
    EXPECT_FALSE(node.run({images, Tensor::of<float>({1, 5}, {0, 0, 0, corner, 3})}));
  EXPECT_FALSE(node.run({images, Tensor(DType::f32, {1, 4})}));
  EXPECT_FALSE(node.run({images, Tensor(DType::f64, {1, 5})}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {2, 1, 4}), rois}));
  EXPECT_FALSE(node.run({Tensor(DType::i32, {2, 1, 4, 4}), Tensor(DType::i32, {1, 5})}));
  for (Ints bins : {Ints{2}, Ints{0, 2}, Ints{2, -1}, Ints{int64_t{1} << 40, 2}}) {
    node.attributes["pooled_shape"] = bins;
    EXPECT_FALSE(node.run({images, rois}));
  }
}

} // namespace
} // namespace tilerig::reference
