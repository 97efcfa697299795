// Tests of pools against their definitions, over random windows in one to three dimensions.
#include "tests/unit/Reference/Elements.h"
#include "tests/unit/Reference/SingleOp.h"

#include <limits>

namespace tilerig::reference {
namespace {

struct PoolingCase {
  Ints size, kernel, stride, dilation, begin, end;
  bool ceil;

  static PoolingCase random(Draw &draw) {
    auto rank = static_cast<size_t>(draw.from(1, 3));
    PoolingCase c{draw.list(rank, 7, 9), draw.list(rank, 1, 4), draw.list(rank, 1, 3), draw.list(rank, 1, 2),
                  draw.list(rank, 0, 3), draw.list(rank, 0, 3), draw.from(0, 1) == 1};
    for (size_t d = 0; d < rank; ++d) {
      // Padding of at most half a window, so that every window contains an element.
      c.begin[d] = std::min(c.begin[d], c.extent(d) / 2);
      c.end[d] = std::min(c.end[d], c.extent(d) / 2);
    }
    return c;
  }
  int64_t extent(size_t d) const { return (kernel[d] - 1) * dilation[d] + 1; }
  // Number of outputs as specified: with ceil mode, a last window may extend beyond the end if it begins
  // before the end padding.
  int64_t outputs(size_t d) const {
    double slack =
        static_cast<double>(size[d] + begin[d] + end[d] - extent(d)) / static_cast<double>(stride[d]);
    auto count = static_cast<int64_t>(ceil ? std::ceil(slack) : std::floor(slack)) + 1;
    return ceil && (count - 1) * stride[d] >= size[d] + begin[d] ? count - 1 : count;
  }
  Shape outputShape() const {
    Shape shape;
    for (size_t d = 0; d < size.size(); ++d)
      shape.push_back(outputs(d));
    return shape;
  }
  SingleOp node(const char *op) const {
    return {op,
            {{"kernel_shape", kernel},
             {"strides", stride},
             {"dilations", dilation},
             {"pads", joined(begin, end)},
             {"ceil_mode", int64_t{ceil}}}};
  }

  // Calls see(position, element of the image or -1 in the padding) for every tap inside the padded image.
  template <class See>
  void forEachTap(See see) const {
    Shape outputs = outputShape();
    forEachIndex(outputs, [&](const Ints &position) {
      forEachIndex(kernel, [&](const Ints &tap) {
        Ints at(size.size());
        bool inside = true, padded = true;
        for (size_t d = 0; d < size.size(); ++d) {
          at[d] = position[d] * stride[d] - begin[d] + tap[d] * dilation[d];
          inside = inside && at[d] >= 0 && at[d] < size[d];
          padded = padded && at[d] < size[d] + end[d];
        }
        if (padded)
          see(offsetOf(outputs, position), inside ? offsetOf(size, at) : -1);
      });
    });
  }
};

template <class T>
void checkMaxPool(unsigned seed) {
  Draw draw(seed);
  for (int round = 0; round < 60; ++round) {
    PoolingCase c = PoolingCase::random(draw);
    Tensor x = draw.integers<T>(joined({2, 3}, c.size));
    Tensor expected(x.dtype(), joined({2, 3}, c.outputShape())), places(DType::i64, expected.shape());
    int64_t image = static_cast<int64_t>(x.elementCount()) / 6,
            positions = static_cast<int64_t>(expected.elementCount()) / 6;
    for (int64_t plane = 0; plane < 6; ++plane) {
      auto best = places.mutableAs<int64_t>().subspan(plane * positions, positions);
      std::fill(best.begin(), best.end(), -1);
      c.forEachTap([&](int64_t position, int64_t at) {
        if (at >= 0 && (best[position] < 0 || x.as<T>()[plane * image + at] > x.as<T>()[best[position]]))
          best[position] = plane * image + at;
      });
      for (int64_t i = 0; i < positions; ++i)
        expected.mutableAs<T>()[plane * positions + i] = x.as<T>()[best[i]];
    }
    SingleOp node = c.node("MaxPool");
    node.threads = 1 + round % 3;
    auto alone = node.run({x});
    node.outputs = 2;
    auto both = node.run({x});
    ASSERT_TRUE(alone && both) << "round " << round;
    EXPECT_TRUE(identical((*alone)[0], expected)) << "round " << round;
    EXPECT_TRUE(identical((*both)[0], expected)) << "round " << round;
    EXPECT_TRUE(identical((*both)[1], places)) << "round " << round;
  }
}

TEST(MaxPool, IsTheGreatestElementOfEachWindowAndItsFirstPlace) {
  checkMaxPool<float>(1);
  checkMaxPool<double>(2);
  checkMaxPool<int8_t>(3);
  checkMaxPool<uint8_t>(4);
}

TEST(MaxPool, CountsPlacesByColumnsIfAsked) {
  SingleOp node{"MaxPool", {{"kernel_shape", Ints{2, 2}}, {"storage_order", int64_t{1}}}};
  node.outputs = 2;
  auto result = node.run({Tensor::of<float>({1, 2, 2, 3}, {0, 9, 1, 2, 3, 8, 5, 0, 0, 0, 0, 7})});
  ASSERT_TRUE(result);
  EXPECT_TRUE(identical((*result)[1], Tensor::of<int64_t>({1, 2, 1, 2}, {2, 2, 6, 11})));
}

TEST(MaxPool, NanWins) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  SingleOp node{"MaxPool", {{"kernel_shape", Ints{2}}}};
  node.outputs = 2;
  auto result = node.run({Tensor::of<float>({1, 1, 4}, {1, nan, 2, 3})});
  ASSERT_TRUE(result);
  auto y = (*result)[0].as<float>();
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && y[2] == 3);
  EXPECT_TRUE(identical((*result)[1], Tensor::of<int64_t>({1, 1, 3}, {1, 1, 3})));
}

// Wide rows and long kernels, for which the interpreter uses other code than for small ones.
TEST(MaxPool, WideRowsAgreeWithTheDefinition) {
  Draw draw(5);
  for (int64_t kernel : {2, 3, 70})
    for (int64_t stride : {1, 2, 3, 5}) {
      Tensor x = draw.integers<float>({1, 1, 2, 300});
      SingleOp node{"MaxPool", {{"kernel_shape", Ints{2, kernel}}, {"strides", Ints{1, stride}}}};
      auto result = node.run({x});
      ASSERT_TRUE(result);
      auto y = (*result)[0].as<float>();
      ASSERT_EQ(static_cast<int64_t>(y.size()), (300 - kernel) / stride + 1);
      for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
        float best = -100;
        for (int64_t tap = 0; tap < kernel; ++tap)
          for (int64_t row = 0; row < 2; ++row)
            best = std::max(best, x.as<float>()[row * 300 + i * stride + tap]);
        ASSERT_EQ(y[i], best);
      }
    }
}

template <class T>
void checkAveragePool(unsigned seed) {
  Draw draw(seed);
  for (int round = 0; round < 100; ++round) {
    PoolingCase c = PoolingCase::random(draw);
    bool countPadding = draw.from(0, 1) == 1;
    Tensor x = draw.integers<T>(joined({1, 2}, c.size));
    Tensor expected(x.dtype(), joined({1, 2}, c.outputShape()));
    size_t image = x.elementCount() / 2, positions = expected.elementCount() / 2;
    for (size_t plane = 0; plane < 2; ++plane) {
      std::vector<T> sums(positions), counts(positions);
      c.forEachTap([&](int64_t position, int64_t at) {
        sums[position] += at >= 0 ? x.as<T>()[plane * image + at] : T(0);
        counts[position] += at >= 0 || countPadding ? T(1) : T(0);
      });
      for (size_t i = 0; i < positions; ++i)
        expected.mutableAs<T>()[plane * positions + i] = sums[i] / counts[i];
    }
    SingleOp node = c.node("AveragePool");
    node.attributes["count_include_pad"] = int64_t{countPadding};
    auto result = node.run({x});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(identical((*result)[0], expected)) << "round " << round;
  }
}

TEST(AveragePool, IsTheMeanOfEachWindow) {
  checkAveragePool<float>(6);
  checkAveragePool<double>(7);
}

TEST(LpPool, IsTheNormOfEachWindow) {
  Draw draw(8);
  for (int round = 0; round < 60; ++round) {
    PoolingCase c = PoolingCase::random(draw);
    int64_t p = draw.from(1, 4);
    Tensor x = draw.normals<float>(joined({1, 1}, c.size));
    Shape shape = joined({1, 1}, c.outputShape());
    std::vector<double> expected(Tensor(DType::f32, shape).elementCount());
    c.forEachTap([&](int64_t position, int64_t at) {
      if (at >= 0)
        expected[position] += std::pow(std::abs(static_cast<double>(x.as<float>()[at])), p);
    });
    for (double &sum : expected)
      sum = std::pow(sum, 1.0 / static_cast<double>(p));
    SingleOp node = c.node("LpPool");
    node.attributes["p"] = p;
    auto result = node.run({x});
    ASSERT_TRUE(result) << result.error().message();
    expectClose<float>((*result)[0], shape, expected);
  }
}

TEST(GlobalPools, TakeTheWholeImage) {
  Draw draw(9);
  for (int64_t planes : {1, 7, 8, 21}) {
    Tensor x = draw.integers<float>({1, planes, 3, 5});
    std::vector<double> means, greatest, norms;
    for (int64_t p = 0; p < planes; ++p) {
      double sum = 0, most = -100, squares = 0;
      for (int64_t i = 0; i < 15; ++i) {
        auto element = static_cast<double>(x.as<float>()[p * 15 + i]);
        sum += element, most = std::max(most, element), squares += element * element;
      }
      means.push_back(sum / 15), greatest.push_back(most), norms.push_back(std::sqrt(squares));
    }
    auto check = [&](const char *op, const std::vector<double> &expected) {
      SingleOp node{op};
      node.threads = 2;
      auto result = node.run({x});
      ASSERT_TRUE(result) << result.error().message();
      expectClose<float>((*result)[0], {1, planes, 1, 1}, expected, 1e-6);
    };
    check("GlobalAveragePool", means);
    check("GlobalMaxPool", greatest);
    check("GlobalLpPool", norms);
  }
}

TEST(Pools, RefuseWhatDoesNotFit) {
  Tensor x(DType::f32, {1, 2, 5, 5});
  for (const char *op : {"MaxPool", "AveragePool", "LpPool"}) {
    auto refused = [&](const char *name, Attribute value, Tensor input) {
      SingleOp node{op, {{"kernel_shape", Ints{3, 3}}}};
      node.attributes[name] = std::move(value);
      return !node.run({std::move(input)});
    };
    constexpr int64_t huge = int64_t{1} << 62;
    EXPECT_FALSE(refused("kernel_shape", Ints{3, 3}, x)) << op;
    EXPECT_TRUE(refused("kernel_shape", Ints{3}, x)) << op;
    EXPECT_TRUE(refused("kernel_shape", Ints{0, 3}, x)) << op;
    EXPECT_TRUE(refused("kernel_shape", Ints{6, 3}, x)) << op;
    EXPECT_TRUE(refused("kernel_shape", Ints{huge, huge}, x)) << op;
    EXPECT_TRUE(refused("strides", Ints{0, 1}, x)) << op;
    EXPECT_TRUE(refused("dilations", Ints{3, 1}, x)) << op;
    EXPECT_TRUE(refused("dilations", Ints{huge, 1}, x)) << op;
    EXPECT_TRUE(refused("pads", Ints{3, 0, 0, 0}, x)) << op;
    EXPECT_TRUE(refused("pads", Ints{-1, 0, 0, 0}, x)) << op;
    EXPECT_TRUE(refused("auto_pad", std::string("SAME"), x)) << op;
    EXPECT_TRUE(refused("kernel_shape", Ints{3, 3}, Tensor(DType::i64, {1, 2, 5, 5}))) << op;
    EXPECT_TRUE(refused("kernel_shape", Ints{}, Tensor(DType::f32, {1, 2}))) << op;
    EXPECT_FALSE(SingleOp{op}.run({x})) << op;
  }
  EXPECT_FALSE((SingleOp{"LpPool", {{"kernel_shape", Ints{3, 3}}, {"p", int64_t{0}}}}.run({x})));
  EXPECT_FALSE((SingleOp{"MaxPool", {{"kernel_shape", Ints{3, 3}}, {"storage_order", int64_t{2}}}}.run({x})));
  EXPECT_FALSE(SingleOp{"GlobalAveragePool"}.run({Tensor(DType::f32, {1, 2, 0})}));
  EXPECT_FALSE(SingleOp{"GlobalMaxPool"}.run({Tensor(DType::f32, {2, 2})}));
}

// All taps of a dilated window may lie in the padding although the window spans the image. The mean of no
// elements is refused.
TEST(AveragePool, RefusesTheMeanOfNothing) {
  SingleOp node{"AveragePool", {{"kernel_shape", Ints{2}}, {"dilations", Ints{4}}, {"pads", Ints{2, 2}}}};
  Tensor x = Tensor::of<float>({1, 1, 1}, {3});
  EXPECT_FALSE(node.run({x}));
  node.attributes["count_include_pad"] = int64_t{1};
  auto result = node.run({x});
  ASSERT_TRUE(result);
  EXPECT_TRUE(identical((*result)[0], Tensor::of<float>({1, 1, 1}, {0})));
}

TEST(Pools, EmptyBatchesWithLongAxesTakeNoTime) {
  Tensor x(DType::f32, {0, 1, int64_t{1} << 38});
  for (const char *op : {"MaxPool", "AveragePool", "LpPool"})
    EXPECT_TRUE((SingleOp{op, {{"kernel_shape", Ints{1}}}}.run({x})));
}

TEST(MaxUnpool, PutsBackWhatMaxPoolTook) {
  Draw draw(10);
  for (int round = 0; round < 20; ++round) {
    Ints size = draw.list(2, 1, 4);
    Tensor x = draw.normals<float>({2, 2, 2 * size[0], 2 * size[1]});
    Attribute two = Ints{2, 2};
    SingleOp pool{"MaxPool", {{"kernel_shape", two}, {"strides", two}}};
    pool.outputs = 2;
    auto pooled = pool.run({x});
    ASSERT_TRUE(pooled);
    auto result = SingleOp{"MaxUnpool", {{"kernel_shape", two}, {"strides", two}}}.run(*pooled);
    ASSERT_TRUE(result) << result.error().message();
    Tensor expected(DType::f32, x.shape());
    for (size_t i = 0; i < (*pooled)[0].elementCount(); ++i)
      expected.mutableAs<float>()[(*pooled)[1].as<int64_t>()[i]] = (*pooled)[0].as<float>()[i];
    EXPECT_TRUE(identical((*result)[0], expected));
  }
}

TEST(MaxUnpool, RefusesWhatDoesNotFit) {
  SingleOp node{"MaxUnpool", {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}};
  Tensor x = Tensor::of<float>({1, 1, 2}, {5, 6});
  auto indices = [](int64_t a, int64_t b) { return Tensor::of<int64_t>({1, 1, 2}, {a, b}); };
  auto shape = [](int64_t n, int64_t l) { return Tensor::of<int64_t>({3}, {n, 1, l}); };
  auto larger = node.run({x, indices(1, 2), shape(1, 6)});
  ASSERT_TRUE(larger);
  EXPECT_TRUE(identical((*larger)[0], Tensor::of<float>({1, 1, 6}, {0, 5, 6, 0, 0, 0})));
  EXPECT_FALSE(node.run({x, indices(1, 4)}));
  EXPECT_FALSE(node.run({x, indices(-1, 2)}));
  EXPECT_FALSE(node.run({x, indices(1, 2), shape(1, 3)}));
  EXPECT_FALSE(node.run({x, indices(1, 2), shape(2, 4)}));
  EXPECT_FALSE(node.run({x, indices(1, 2), Tensor::of<int64_t>({1}, {4})}));
  EXPECT_FALSE(node.run({x, Tensor::of<int64_t>({2}, {1, 2})}));
  node.attributes["pads"] = Ints{9, 9};
  EXPECT_FALSE(node.run({x, indices(1, 2)}));
}

} // namespace
} // namespace tilerig::reference
