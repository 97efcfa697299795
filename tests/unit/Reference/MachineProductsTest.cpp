// Tests of matrix products and convolutions in the machine's arithmetic: every bit equals the chain of fused
// multiply-adds of naive loops. The suite runs once for each SIMD level of processors.
#include "tests/support/Random.h"
#include "tests/unit/Reference/SingleOp.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::Random;
using Ints = std::vector<int64_t>;

// Random numbers whose sums round differently in every order, with some zeros of either sign.
Tensor randomFloats(Random &random, Shape shape) {
  Tensor tensor(DType::f32, std::move(shape));
  for (float &x : tensor.mutableAs<float>()) {
    x = std::ldexp(static_cast<float>(random.between(-(1 << 23), 1 << 23)),
                   static_cast<int>(random.between(-26, -20)));
    if (random.chance(5))
      x = random.chance(50) ? 0.0f : -0.0f;
  }
  return tensor;
}

void expectBits(const Result<std::vector<Tensor>> &result, const Tensor &expected, const std::string &label) {
  ASSERT_TRUE(result) << result.error().message();
  const Tensor &got = result->front();
  ASSERT_EQ(got.shape(), expected.shape()) << label;
  auto left = got.as<float>(), right = expected.as<float>();
  for (size_t i = 0; i < left.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(left[i]), std::bit_cast<uint32_t>(right[i]))
        << label << ": element " << i << " is " << left[i] << " and should be " << right[i];
}

struct Matrices {
  int64_t rows, columns, depth;
  bool transA = false, transB = false;

  static Matrices random(Random &random) {
    return {static_cast<int64_t>(random.ragged(70)), static_cast<int64_t>(random.ragged(90)),
            static_cast<int64_t>(random.ragged(900)), random.chance(50), random.chance(50)};
  }
  std::string show() const {
    return std::to_string(rows) + " x " + std::to_string(columns) + " over " + std::to_string(depth) +
           (transA ? " a transposed" : "") + (transB ? " b transposed" : "");
  }
  float chain(const Tensor &a, const Tensor &b, int64_t i, int64_t j, float start) const {
    for (int64_t k = 0; k < depth; ++k)
      start = std::fma(a.as<float>()[transA ? k * rows + i : i * depth + k],
                       b.as<float>()[transB ? j * depth + k : k * columns + j], start);
    return start;
  }
};

TEST(MachineProducts, MatMulIsOneChainForEachElement) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    Matrices m = Matrices::random(random);
    m.transA = m.transB = false;
    int64_t batches = random.between(1, 3);
    Tensor a = randomFloats(random, {batches, m.rows, m.depth}),
           b = randomFloats(random, {m.depth, m.columns});
    Tensor expected(DType::f32, {batches, m.rows, m.columns});
    auto to = expected.mutableAs<float>();
    Matrices tall = m;
    tall.rows *= batches;
    for (int64_t i = 0; i < tall.rows; ++i)
      for (int64_t j = 0; j < m.columns; ++j)
        to[i * m.columns + j] = tall.chain(a, b, i, j, 0);
    SingleOp node{"MatMul"};
    node.arithmetic = Arithmetic::machine;
    node.threads = 1 + round % 3;
    expectBits(node.run({a, b}), expected, m.show());
  }
}

TEST(MachineProducts, GemmBeginsWithItsBias) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    Matrices m = Matrices::random(random);
    Tensor a = randomFloats(random, m.transA ? Shape{m.depth, m.rows} : Shape{m.rows, m.depth});
    Tensor b = randomFloats(random, m.transB ? Shape{m.columns, m.depth} : Shape{m.depth, m.columns});
    Tensor c = randomFloats(random, {m.columns}), expected(DType::f32, {m.rows, m.columns});
    auto to = expected.mutableAs<float>();
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t j = 0; j < m.columns; ++j)
        to[i * m.columns + j] = m.chain(a, b, i, j, c.as<float>()[j]);
    SingleOp node{"Gemm", {{"transA", int64_t{m.transA}}, {"transB", int64_t{m.transB}}}};
    node.arithmetic = Arithmetic::machine;
    node.threads = 1 + round % 3;
    expectBits(node.run({a, b, c}), expected, m.show());
  }
}

TEST(MachineProducts, GemmScalesACompleteSum) {
  Random random(3);
  Matrices m{5, 20, 300};
  Tensor a = randomFloats(random, {5, 300}), b = randomFloats(random, {300, 20}),
         c = randomFloats(random, {5, 20});
  Tensor expected(DType::f32, {5, 20});
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 20; ++j) {
      float sum = 0.5f * m.chain(a, b, i, j, 0), addend = 3.0f * c.as<float>()[i * 20 + j];
      expected.mutableAs<float>()[i * 20 + j] = sum + addend;
    }
  SingleOp node{"Gemm", {{"alpha", 0.5f}, {"beta", 3.0f}}};
  node.arithmetic = Arithmetic::machine;
  expectBits(node.run({a, b, c}), expected, "alpha and beta");
}

struct Convolution {
  int64_t images, groups, in, out; // in, out: numbers of input and output channels per group
  int64_t size[2], kernel[2], stride[2], dilation[2], begin[2], end[2];

  static Convolution random(Random &random) {
    Convolution c{random.between(1, 2),
                  random.between(1, 3),
                  random.between(1, 40),
                  random.between(1, 33),
                  {},
                  {},
                  {},
                  {},
                  {},
                  {}};
    if (random.chance(30))
      c.groups = random.between(5, 20), c.in = 1, c.out = random.between(1, 2);
    for (int d = 0; d < 2; ++d) {
      c.kernel[d] = random.between(1, 3), c.stride[d] = random.between(1, 3);
      c.dilation[d] = random.between(1, 2), c.size[d] = random.between(5, 20);
      c.begin[d] = random.between(0, 3), c.end[d] = random.between(0, 3);
    }
    return c;
  }
  int64_t outputs(int d) const {
    return (size[d] + begin[d] + end[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1;
  }
  Shape inputShape() const { return {images, groups * in, size[0], size[1]}; }
  Shape weightShape() const { return {groups * out, in, kernel[0], kernel[1]}; }
  SingleOp node(int threads) const {
    SingleOp node{"Conv",
                  {{"strides", Ints{stride[0], stride[1]}},
                   {"dilations", Ints{dilation[0], dilation[1]}},
                   {"pads", Ints{begin[0], begin[1], end[0], end[1]}},
                   {"group", groups}}};
    node.arithmetic = Arithmetic::machine;
    node.threads = static_cast<unsigned>(threads);
    return node;
  }

  // The chain of fused multiply-adds over kernel row, kernel column and channel; taps in the padding are
  // skipped.
  float chain(const float *x, const float *w, float sum, int64_t image, int64_t m, int64_t oh,
              int64_t ow) const {
    for (int64_t i = 0; i < kernel[0]; ++i)
      for (int64_t j = 0; j < kernel[1]; ++j)
        for (int64_t c = 0; c < in; ++c) {
          int64_t row = oh * stride[0] - begin[0] + i * dilation[0];
          int64_t column = ow * stride[1] - begin[1] + j * dilation[1];
          if (row < 0 || row >= size[0] || column < 0 || column >= size[1])
            continue;
          int64_t channel = (image * groups + m / out) * in + c;
          sum = std::fma(x[(channel * size[0] + row) * size[1] + column],
                         w[((m * in + c) * kernel[0] + i) * kernel[1] + j], sum);
        }
    return sum;
  }
  Tensor expected(const Tensor &x, const Tensor &w, const Tensor &bias) const {
    Tensor y(DType::f32, {images, groups * out, outputs(0), outputs(1)});
    float *to = y.mutableAs<float>().data();
    for (int64_t image = 0; image < images; ++image)
      for (int64_t m = 0; m < groups * out; ++m)
        for (int64_t oh = 0; oh < outputs(0); ++oh)
          for (int64_t ow = 0; ow < outputs(1); ++ow)
            *to++ = chain(x.as<float>().data(), w.as<float>().data(), bias.as<float>()[m], image, m, oh, ow);
    return y;
  }
};

TEST(MachineConvolution, IsOneChainForEachElement) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    Convolution c = Convolution::random(random);
    Tensor x = randomFloats(random, c.inputShape()), w = randomFloats(random, c.weightShape());
    Tensor bias = randomFloats(random, {c.groups * c.out});
    expectBits(c.node(1 + round % 3).run({x, w, bias}), c.expected(x, w, bias),
               "round " + std::to_string(round));
  }
}

// A depthwise convolution over one to three axes, so large that the interpreter computes it in several parts.
// Spatial axes that are not used come first and have one element.
struct Depthwise {
  static constexpr size_t most = 3;
  size_t rank;
  int64_t images, channels, multiplier;
  int64_t size[most], kernel[most], stride[most], dilation[most], begin[most], end[most];

  static Depthwise random(Random &random) {
    Depthwise c{static_cast<size_t>(random.between(1, 3)),
                random.between(1, 2),
                random.between(1, 5),
                random.between(1, 4),
                {1, 1, 1},
                {1, 1, 1},
                {1, 1, 1},
                {1, 1, 1},
                {},
                {}};
    constexpr int64_t largest[] = {20'000, 130, 24};
    for (size_t d = most - c.rank; d < most; ++d) {
      c.kernel[d] = random.between(1, 5), c.stride[d] = random.between(1, 4);
      c.dilation[d] = random.between(1, 3), c.size[d] = random.between(13, largest[c.rank - 1]);
      c.begin[d] = random.between(0, 9), c.end[d] = random.between(0, 9);
    }
    return c;
  }
  int64_t outputs(size_t d) const {
    return (size[d] + begin[d] + end[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1;
  }
  template <class Of>
  Shape shape(Shape leading, Of of) const {
    for (size_t d = most - rank; d < most; ++d)
      leading.push_back(of(d));
    return leading;
  }
  SingleOp node(int threads) const {
    Ints pads = shape({}, [&](size_t d) { return begin[d]; });
    for (size_t d = most - rank; d < most; ++d)
      pads.push_back(end[d]);
    SingleOp node{"Conv",
                  {{"strides", shape({}, [&](size_t d) { return stride[d]; })},
                   {"dilations", shape({}, [&](size_t d) { return dilation[d]; })},
                   {"pads", pads},
                   {"group", channels}}};
    node.arithmetic = Arithmetic::machine;
    node.threads = static_cast<unsigned>(threads);
    return node;
  }
  // The input index of a tap along an axis, or -1 in the padding.
  int64_t seen(size_t d, int64_t output, int64_t tap) const {
    int64_t at = output * stride[d] - begin[d] + tap * dilation[d];
    return at < size[d] ? at : -1;
  }
  float chain(const float *image, const float *w, float sum, const int64_t (&at)[most]) const {
    for (int64_t i = 0; i < kernel[0]; ++i)
      for (int64_t j = 0; j < kernel[1]; ++j)
        for (int64_t k = 0; k < kernel[2]; ++k, ++w) {
          int64_t a = seen(0, at[0], i), b = seen(1, at[1], j), c = seen(2, at[2], k);
          if (a >= 0 && b >= 0 && c >= 0)
            sum = std::fma(image[(a * size[1] + b) * size[2] + c], *w, sum);
        }
    return sum;
  }
  Tensor expected(const Tensor &x, const Tensor &w, const Tensor &bias) const {
    Tensor y(DType::f32, shape({images, channels * multiplier}, [&](size_t d) { return outputs(d); }));
    float *to = y.mutableAs<float>().data();
    for (int64_t plane = 0; plane < images * channels * multiplier; ++plane) {
      const float *image = x.as<float>().data() + plane / multiplier * size[0] * size[1] * size[2];
      int64_t out = plane % (channels * multiplier);
      const float *weights = w.as<float>().data() + out * kernel[0] * kernel[1] * kernel[2];
      for (int64_t i = 0; i < outputs(0); ++i)
        for (int64_t j = 0; j < outputs(1); ++j)
          for (int64_t k = 0; k < outputs(2); ++k)
            *to++ = chain(image, weights, bias.as<float>()[out], {i, j, k});
    }
    return y;
  }
};

TEST(MachineConvolution, DepthwiseIsOneChainInAnyNumberOfAxes) {
  Random random(6);
  for (int round = 0; round < 40; ++round) {
    Depthwise c = Depthwise::random(random);
    Tensor x = randomFloats(random, c.shape({c.images, c.channels}, [&](size_t d) { return c.size[d]; }));
    Tensor w =
        randomFloats(random, c.shape({c.channels * c.multiplier, 1}, [&](size_t d) { return c.kernel[d]; }));
    Tensor bias = randomFloats(random, {c.channels * c.multiplier});
    expectBits(c.node(1 + round % 3).run({x, w, bias}), c.expected(x, w, bias),
               "round " + std::to_string(round));
  }
}

// Each output of a transposed convolution is one chain of fused multiply-adds over the input, with zeros
// inserted between its elements, and the reversed kernel.
TEST(MachineConvolution, TransposedIsOneChainOverTheSpreadInput) {
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    int64_t groups = random.between(1, 3), in = random.between(1, 20), out = random.between(1, 9);
    int64_t size = random.between(1, 9), kernel = random.between(1, 4), stride = random.between(1, 3);
    int64_t dilation = random.between(1, 2), extent = (kernel - 1) * dilation + 1;
    int64_t begin = random.between(0, extent), end = random.between(0, extent);
    int64_t outputs = (size - 1) * stride + extent - begin - end;
    if (outputs < 1)
      continue;
    Tensor x = randomFloats(random, {1, groups * in, size}),
           w = randomFloats(random, {groups * in, out, kernel});
    Tensor bias = randomFloats(random, {groups * out}), expected(DType::f32, {1, groups * out, outputs});
    for (int64_t m = 0; m < groups * out; ++m)
      for (int64_t o = 0; o < outputs; ++o) {
        float sum = bias.as<float>()[m];
        for (int64_t tap = 0; tap < kernel; ++tap)
          for (int64_t c = 0; c < in; ++c) {
            int64_t at = o + begin - (extent - 1) + tap * dilation, channel = m / out * in + c;
            if (at < 0 || at > (size - 1) * stride)
              continue;
            float element = at % stride ? 0.0f : x.as<float>()[channel * size + at / stride];
            sum =
                std::fma(element, w.as<float>()[(channel * out + m % out) * kernel + kernel - 1 - tap], sum);
          }
        expected.mutableAs<float>()[m * outputs + o] = sum;
      }
    SingleOp node{"ConvTranspose",
                  {{"strides", Ints{stride}},
                   {"dilations", Ints{dilation}},
                   {"pads", Ints{begin, end}},
                   {"group", groups}}};
    node.arithmetic = Arithmetic::machine;
    expectBits(node.run({x, w, bias}), expected, "round " + std::to_string(round));
  }
}

// Taps in the padding are skipped: a sum of -0 stays -0, and an infinite weight there gives no NaN.
TEST(MachineConvolution, PaddingTakesNoStep) {
  Random random(5);
  for (int round = 0; round < 40; ++round) {
    Convolution c = Convolution::random(random);
    Tensor x = randomFloats(random, c.inputShape()), w = randomFloats(random, c.weightShape());
    Tensor bias = randomFloats(random, {c.groups * c.out});
    for (float &value : x.mutableAs<float>())
      value = std::copysign(random.chance(30) ? 1e-30f : 0.0f, value);
    for (float &value : w.mutableAs<float>())
      value = random.chance(2) ? INFINITY : 1e-30f * value;
    for (float &value : bias.mutableAs<float>())
      value = -0.0f;
    Tensor expected = c.expected(x, w, bias);
    auto result = c.node(2).run({x, w, bias});
    ASSERT_TRUE(result) << result.error().message();
    auto got = result->front().as<float>(), wanted = expected.as<float>();
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(std::isnan(wanted[i])
                      ? std::isnan(got[i])
                      : got[i] == wanted[i] && std::signbit(got[i]) == std::signbit(wanted[i]))
          << "round " << round << ", element " << i << ": " << got[i] << " and should be " << wanted[i];
  }
}

} // namespace
} // namespace tilerig::reference
