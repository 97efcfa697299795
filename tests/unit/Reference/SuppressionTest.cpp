// Tests of NonMaxSuppression against its definition: a box is kept unless a better kept box overlaps it too
// much.
#include "tests/support/Random.h"
#include "tests/unit/Reference/SingleOp.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::Random;

struct SuppressionCase {
  int64_t images, classes, count, most;
  float overlap;
  std::optional<float> score;
  bool byCentre;
  Tensor boxes, scores;
};

// Random boxes on a coarse grid, so that boxes coincide, touch or have no area; scores repeat.
SuppressionCase randomCase(Random &random) {
  SuppressionCase k{random.between(1, 2),
                    random.between(1, 3),
                    random.between(0, 12),
                    random.between(0, 5),
                    0,
                    {},
                    false,
                    {},
                    {}};
  k.overlap = static_cast<float>(random.between(0, 4)) / 4;
  k.byCentre = random.chance(50);
  if (random.chance(60))
    k.score = static_cast<float>(random.between(-1, 4)) / 8;
  k.boxes = Tensor(DType::f32, {k.images, k.count, 4});
  for (float &x : k.boxes.mutableAs<float>())
    x = static_cast<float>(random.between(k.byCentre ? 1 : 0, 6));
  k.scores = Tensor(DType::f32, {k.images, k.classes, k.count});
  for (float &x : k.scores.mutableAs<float>())
    x = static_cast<float>(random.between(-2, 6)) / 8;
  return k;
}

// Intersection over union of two boxes, from their corners.
double overlapOf(const SuppressionCase &k, int64_t image, int64_t a, int64_t b) {
  auto corners = [&](int64_t box) {
    const float *p = k.boxes.as<float>().data() + (image * k.count + box) * 4;
    if (k.byCentre)
      return std::array<double, 4>{p[1] - p[3] / 2.0, p[0] - p[2] / 2.0, p[1] + p[3] / 2.0,
                                   p[0] + p[2] / 2.0};
    return std::array<double, 4>{std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]),
                                 std::max(p[1], p[3])};
  };
  auto p = corners(a), q = corners(b);
  double high = std::max(0.0, std::min(p[2], q[2]) - std::max(p[0], q[0]));
  double wide = std::max(0.0, std::min(p[3], q[3]) - std::max(p[1], q[1]));
  double together = (p[2] - p[0]) * (p[3] - p[1]) + (q[2] - q[0]) * (q[3] - q[1]) - high * wide;
  return high * wide == 0 ? 0 : high * wide / together;
}

// Repeatedly selects the best remaining box and removes the boxes that it suppresses.
std::vector<int64_t> expectedOf(const SuppressionCase &k) {
  std::vector<int64_t> result;
  for (int64_t image = 0; image < k.images; ++image)
    for (int64_t group = 0; group < k.classes; ++group) {
      const float *scores = k.scores.as<float>().data() + (image * k.classes + group) * k.count;
      std::vector<bool> left(static_cast<size_t>(k.count));
      for (int64_t i = 0; i < k.count; ++i)
        left[i] = !k.score || scores[i] > *k.score;
      for (int64_t chosen = 0; chosen < k.most; ++chosen) {
        int64_t best = -1;
        for (int64_t i = 0; i < k.count; ++i)
          if (left[i] && (best < 0 || scores[i] > scores[best]))
            best = i;
        if (best < 0)
          break;
        result.insert(result.end(), {image, group, best});
        for (int64_t i = 0; i < k.count; ++i)
          if (i == best || overlapOf(k, image, i, best) > k.overlap)
            left[i] = false;
      }
    }
  return result;
}

SingleOp nodeOf(const SuppressionCase &k) {
  SingleOp node{"NonMaxSuppression", {{"center_point_box", int64_t{k.byCentre}}}};
  if (!k.score)
    node.missing = {4};
  return node;
}
std::vector<Tensor> inputsOf(const SuppressionCase &k) {
  return {k.boxes, k.scores, Tensor::scalar(k.most), Tensor::of<float>({1}, {k.overlap}),
          Tensor::scalar(k.score.value_or(0))};
}

TEST(NonMaxSuppression, KeepsTheBestOfWhatOverlaps) {
  size_t kept = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    SuppressionCase k = randomCase(random);
    SingleOp node = nodeOf(k);
    auto results = node.run(inputsOf(k));
    ASSERT_TRUE(results) << results.error().message();
    std::vector<int64_t> expected = expectedOf(k);
    kept += expected.size() / 3;
    ASSERT_EQ((*results)[0].shape(), (Shape{static_cast<int64_t>(expected.size() / 3), 3}));
    auto got = (*results)[0].as<int64_t>();
    EXPECT_EQ(std::vector<int64_t>(got.begin(), got.end()), expected);
  }
  EXPECT_GT(kept, 1000u);
}

TEST(NonMaxSuppression, WithoutALimitKeepsNothing) {
  Tensor boxes = Tensor::of<float>({1, 1, 4}, {0, 0, 1, 1}), scores = Tensor::of<float>({1, 1, 1}, {1});
  auto results = SingleOp{"NonMaxSuppression"}.run({boxes, scores});
  ASSERT_TRUE(results);
  EXPECT_EQ((*results)[0].shape(), (Shape{0, 3}));
}

TEST(NonMaxSuppression, ANumberThatIsNoneIsNoScore) {
  Tensor boxes = Tensor::of<float>({1, 2, 4}, {0, 0, 1, 1, 0, 2, 1, 3});
  Tensor scores = Tensor::of<float>({1, 1, 2}, {std::nanf(""), 0.5f});
  auto results = SingleOp{"NonMaxSuppression"}.run({boxes, scores, Tensor::scalar(int64_t{9})});
  ASSERT_TRUE(results);
  EXPECT_TRUE(identical((*results)[0], Tensor::of<int64_t>({1, 3}, {0, 0, 1})));
}

TEST(NonMaxSuppression, RefusesWhatDoesNotFit) {
  Tensor boxes(DType::f32, {1, 2, 4}), scores(DType::f32, {1, 1, 2}), most = Tensor::scalar(int64_t{1});
  SingleOp node{"NonMaxSuppression"};
  ASSERT_TRUE(node.run({boxes, scores, most}));
  EXPECT_FALSE(node.run({boxes, Tensor(DType::f32, {1, 1, 3}), most}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {1, 2, 3}), scores, most}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {2, 2, 4}), scores, most}));
  EXPECT_FALSE(node.run({Tensor(DType::f64, {1, 2, 4}), scores, most}));
  EXPECT_FALSE(node.run({Tensor(DType::i32, {1, 2, 4}), Tensor(DType::i32, {1, 1, 2}), most}));
  EXPECT_FALSE(node.run({boxes, scores, Tensor::of<int64_t>({2}, {1, 1})}));
  for (float overlap : {-0.5f, 1.5f, std::nanf("")})
    EXPECT_FALSE(node.run({boxes, scores, most, Tensor::scalar(overlap)}));
  node.attributes["center_point_box"] = int64_t{2};
  EXPECT_FALSE(node.run({boxes, scores, most}));
}

// A tensor without elements may declare any number of classes; this must cost neither time nor memory.
TEST(NonMaxSuppression, ManyClassesOfNothingCostNothing) {
  int64_t huge = int64_t{1} << 50;
  auto results = SingleOp{"NonMaxSuppression"}.run(
      {Tensor(DType::f32, {1, 0, 4}), Tensor(DType::f32, {1, huge, 0}), Tensor::scalar(int64_t{1})});
  ASSERT_TRUE(results) << results.error().message();
  EXPECT_EQ((*results)[0].shape(), (Shape{0, 3}));
}

} // namespace
} // namespace tilerig::reference
