// Tests of Resize against its definition: every output element as one weighted sum over the whole input.
#include "tests/unit/Reference/Elements.h"
#include "tests/unit/Reference/SingleOp.h"

#include "reference/Run/Floats.h"

#include <limits>
#include <numeric>

namespace tilerig::reference {
namespace {

const Tensor none(DType::f32, {0});

Tensor floats(const std::vector<float> &values) {
  Tensor tensor(DType::f32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutableAs<float>().begin());
  return tensor;
}
Tensor ints(const Ints &values) {
  Tensor tensor(DType::i64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutableAs<int64_t>().begin());
  return tensor;
}

struct Axis {
  int64_t in, out;
  double scale, begin = 0, end = 1;
  double length() const { return scale * static_cast<double>(in); }
};

// The input coordinate of the output element x of a Resize, by the specification's formulas in double.
double coordinate(const std::string &mode, const Axis &a, double x) {
  auto in = static_cast<double>(a.in);
  if (mode == "half_pixel")
    return (x + 0.5) / a.scale - 0.5;
  if (mode == "half_pixel_symmetric")
    return in / 2 * (1 - static_cast<double>(a.out) / a.length()) + (x + 0.5) / a.scale - 0.5;
  if (mode == "pytorch_half_pixel")
    return a.out > 1 ? (x + 0.5) / a.scale - 0.5 : 0;
  if (mode == "align_corners")
    return a.length() == 1 ? 0 : x * (in - 1) / (a.length() - 1);
  if (mode == "asymmetric")
    return x / a.scale;
  if (mode == "tf_half_pixel_for_nn")
    return (x + 0.5) / a.scale;
  return a.out > 1 ? a.begin * (in - 1) + x * (a.end - a.begin) * (in - 1) / static_cast<double>(a.out - 1)
                   : 0.5 * (a.begin + a.end) * (in - 1);
}

struct Rule {
  std::string mode, coordinates = "half_pixel", nearest = "round_prefer_floor";
  double a = -0.75;
  bool exclude = false, antialias = false;

  double filter(double distance) const {
    double x = std::abs(distance);
    if (mode == "linear")
      return x < 1 ? 1 - x : 0;
    if (x <= 1)
      return (a + 2) * x * x * x - (a + 3) * x * x + 1;
    return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
  }

  // For output x of a line along the axis: the weight of each input element of this line.
  std::vector<double> weights(const Axis &axis, int64_t x) const {
    std::vector<double> result(static_cast<size_t>(axis.in));
    double at = coordinate(coordinates, axis, static_cast<double>(x));
    auto clamped = [&](double place) {
      return static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(axis.in - 1)));
    };
    if (mode == "nearest") {
      double below = std::floor(at), rest = at - below;
      bool up = nearest == "ceil"                ? rest > 0
                : nearest == "floor"             ? false
                : nearest == "round_prefer_ceil" ? rest >= 0.5
                                                 : rest > 0.5;
      result[clamped(up ? below + 1 : below)] = 1;
      return result;
    }
    double density = antialias ? std::min(1.0, axis.scale) : 1, sum = 0, inside = 0;
    for (int64_t i = -100; i < 100; ++i)
      sum += filter((static_cast<double>(i) - at) * density);
    for (int64_t i = -100; i < 100; ++i) {
      double weight = filter((static_cast<double>(i) - at) * density) / sum;
      bool isInside = i >= 0 && i < axis.in;
      if (isInside || !exclude)
        result[clamped(static_cast<double>(i))] += weight, inside += weight;
    }
    for (double &weight : result)
      weight /= inside;
    return result;
  }

  SingleOp node() const {
    return {"Resize",
            {{"mode", mode},
             {"coordinate_transformation_mode", coordinates},
             {"nearest_mode", nearest},
             {"cubic_coeff_a", static_cast<float>(a)},
             {"exclude_outside", int64_t{exclude}},
             {"antialias", int64_t{antialias}}}};
  }
};

std::vector<double> resized(const Rule &rule, const Tensor &x, const std::vector<Axis> &axes) {
  Shape shape;
  for (const Axis &axis : axes)
    shape.push_back(axis.out);
  std::vector<double> result;
  forEachIndex(shape, [&](const Ints &index) {
    std::vector<std::vector<double>> weights;
    for (size_t d = 0; d < axes.size(); ++d)
      weights.push_back(axes[d].in == axes[d].out && axes[d].scale == 1
                            ? std::vector<double>(static_cast<size_t>(axes[d].in))
                            : rule.weights(axes[d], index[d]));
    for (size_t d = 0; d < axes.size(); ++d)
      if (axes[d].in == axes[d].out && axes[d].scale == 1)
        weights[d][static_cast<size_t>(index[d])] = 1;
    double sum = 0;
    forEachIndex(x.shape(), [&](const Ints &from) {
      double weight = 1;
      for (size_t d = 0; d < axes.size(); ++d)
        weight *= weights[d][static_cast<size_t>(from[d])];
      if (weight != 0)
        sum += weight * static_cast<double>(x.as<float>()[offsetOf(x.shape(), from)]);
    });
    result.push_back(sum);
  });
  return result;
}

const std::vector<std::string> modes = {"nearest", "linear", "cubic"};
const std::vector<std::string> coordinateModes = {"half_pixel",         "half_pixel_symmetric",
                                                  "pytorch_half_pixel", "align_corners",
                                                  "asymmetric",         "tf_half_pixel_for_nn"};
const std::vector<std::string> nearestModes = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

Rule randomRule(Draw &draw) {
  auto one = [&](const std::vector<std::string> &names) {
    return names[static_cast<size_t>(draw.from(0, static_cast<int64_t>(names.size()) - 1))];
  };
  Rule rule{one(modes), one(coordinateModes), one(nearestModes)};
  // In the mode half_pixel_symmetric, the centre lies exactly between two nearest elements, so rounding
  // errors would decide which one is taken.
  if (rule.mode == "nearest" && rule.coordinates == "half_pixel_symmetric")
    rule.coordinates = "half_pixel";
  rule.a = draw.from(0, 1) ? -0.75 : -0.5;
  rule.exclude = draw.from(0, 1);
  rule.antialias = draw.from(0, 1);
  return rule;
}

TEST(Resize, IsTheWeightedSumThatDefinesIt) {
  Draw draw(1);
  for (int round = 0; round < 300; ++round) {
    Rule rule = randomRule(draw);
    // Scales that are exact in floats, so that ties are ties in any precision.
    const std::vector<float> scales = {0.25f, 0.5f, 0.75f, 1, 1.5f, 2, 2.75f};
    std::vector<Axis> axes;
    std::vector<float> axisScales;
    Shape shape, wanted;
    for (int64_t d = draw.from(1, 3); d > 0; --d) {
      float scale = scales[static_cast<size_t>(draw.from(0, 6))];
      int64_t in = draw.from(4, 7);
      axes.push_back({in, static_cast<int64_t>(scale * static_cast<float>(in)), static_cast<double>(scale)});
      axisScales.push_back(scale);
      shape.push_back(in);
      wanted.push_back(axes.back().out);
    }
    Tensor x = draw.normals<float>(shape);
    SingleOp node = rule.node();
    node.threads = 1 + round % 3;
    auto result = node.run({x, none, floats(axisScales)});
    ASSERT_TRUE(result) << result.error().message();
    SCOPED_TRACE(rule.mode + " " + rule.coordinates + " " + rule.nearest);
    expectClose<float>((*result)[0], wanted, resized(rule, x, axes));
  }
}

TEST(Resize, TakesSizesOfSomeAxes) {
  Draw draw(2);
  for (int round = 0; round < 100; ++round) {
    Rule rule = randomRule(draw);
    if (rule.mode == "nearest")
      rule.mode = "linear";
    Tensor x = draw.normals<float>({2, 5, 3, 4});
    int64_t high = draw.from(1, 9), wide = draw.from(1, 9);
    std::vector<Axis> axes = {{2, 2, 1},
                              {5, high, static_cast<double>(high) / 5},
                              {3, 3, 1},
                              {4, wide, static_cast<double>(wide) / 4}};
    SingleOp node = rule.node();
    node.attributes["axes"] = Ints{-1, 1};
    auto result = node.run({x, none, none, ints({wide, high})});
    ASSERT_TRUE(result) << result.error().message();
    SCOPED_TRACE(rule.mode + " " + rule.coordinates);
    expectClose<float>((*result)[0], {2, high, 3, wide}, resized(rule, x, axes));
  }
}

TEST(Resize, KeepsTheAspectRatioIfAsked) {
  Draw draw(3);
  Tensor x = draw.normals<float>({4, 6});
  Rule rule{"linear"};
  SingleOp node = rule.node();
  node.attributes["keep_aspect_ratio_policy"] = std::string("not_larger");
  auto smaller = node.run({x, none, none, ints({8, 9})});
  node.attributes["keep_aspect_ratio_policy"] = std::string("not_smaller");
  auto larger = node.run({x, none, none, ints({7, 12})});
  ASSERT_TRUE(smaller && larger);
  expectClose<float>((*smaller)[0], {6, 9}, resized(rule, x, {{4, 6, 1.5}, {6, 9, 1.5}}));
  expectClose<float>((*larger)[0], {8, 12}, resized(rule, x, {{4, 8, 2}, {6, 12, 2}}));
}

// If the region to resize (mode tf_crop_and_resize) extends beyond the image on one side, outputs there get
// the extrapolation value.
TEST(Resize, CropsAndExtrapolates) {
  Draw draw(4);
  for (const std::string &mode : modes) {
    Tensor x = draw.normals<float>({5, 5});
    Rule rule{mode, "tf_crop_and_resize"};
    SingleOp node = rule.node();
    node.attributes["extrapolation_value"] = 10.0f;
    auto result = node.run({x, floats({0.25f, -0.5f, 0.75f, 0.5f}), none, ints({3, 5})});
    ASSERT_TRUE(result) << result.error().message();
    auto expected = resized(rule, x, {{5, 3, 0.6, 0.25, 0.75}, {5, 5, 1 + 1e-9, -0.5, 0.5}});
    for (size_t i = 0; i < expected.size(); ++i)
      if (i % 5 < 2)
        expected[i] = 10;
    expectClose<float>((*result)[0], {3, 5}, expected);
    EXPECT_FALSE(node.run({x, none, none, ints({3, 5})}));
    auto nan = std::numeric_limits<float>::quiet_NaN();
    auto nowhere = node.run({x, floats({nan, nan, nan, nan}), none, ints({1, 1})});
    ASSERT_TRUE(nowhere);
    EXPECT_TRUE(identical((*nowhere)[0], Tensor::of<float>({1, 1}, {10})));
  }
}

TEST(Resize, MovesElementsOfEveryType) {
  SingleOp node{"Resize", {{"mode", std::string("nearest")}}};
  auto flags = node.run({Tensor::of<bool>({2}, {true, false}), none, floats({2})});
  ASSERT_TRUE(flags);
  EXPECT_TRUE(identical((*flags)[0], Tensor::of<bool>({4}, {true, true, false, false})));
  Tensor halves = narrowed(Tensor::of<float>({2}, {1, 2}), DType::bf16);
  auto result = node.run({halves, none, floats({2})});
  ASSERT_TRUE(result);
  EXPECT_TRUE(identical((*result)[0], narrowed(Tensor::of<float>({4}, {1, 1, 2, 2}), DType::bf16)));
}

TEST(Resize, IntegersAreCutOffAndStayInside) {
  SingleOp node{"Resize", {{"mode", std::string("linear")}}};
  auto result = node.run({Tensor::of<int8_t>({2}, {-3, 4}), none, floats({2})});
  ASSERT_TRUE(result) << result.error().message();
  // Linear interpolation gives the values -3, -1.25, 2.25 and 4.
  EXPECT_TRUE(identical((*result)[0], Tensor::of<int8_t>({4}, {-3, -1, 2, 4})));
  node.attributes["mode"] = std::string("cubic");
  auto over = node.run({Tensor::of<uint8_t>({4}, {0, 255, 255, 0}), none, floats({2})});
  ASSERT_TRUE(over);
  EXPECT_EQ((*over)[0].as<uint8_t>()[0], 0);
  EXPECT_EQ((*over)[0].as<uint8_t>()[3], 255);
  EXPECT_FALSE(node.run({Tensor::of<bool>({2}, {true, false}), none, floats({2})}));
}

TEST(Resize, DoubleAndHalfAgreeWithFloat) {
  Draw draw(5);
  Tensor x = draw.integers<float>({3, 4});
  Tensor wide(DType::f64, {3, 4});
  std::copy(x.as<float>().begin(), x.as<float>().end(), wide.mutableAs<double>().begin());
  SingleOp node{"Resize", {{"mode", std::string("cubic")}}};
  auto single = node.run({x, none, floats({2, 1.5f})}), twice = node.run({wide, none, floats({2, 1.5f})}),
       half = node.run({narrowed(x, DType::f16), none, floats({2, 1.5f})});
  ASSERT_TRUE(single && twice && half);
  auto elements = (*single)[0].as<float>();
  expectClose<double>((*twice)[0], {6, 6}, {elements.begin(), elements.end()}, 1e-6);
  EXPECT_TRUE(identical((*half)[0], narrowed((*single)[0], DType::f16)));
}

TEST(Upsample, RepeatsOrInterpolates) {
  Tensor x = Tensor::of<float>({1, 2}, {1, 3});
  SingleOp attribute{"Upsample", {{"scales", std::vector<float>{1, 2}}}, 7};
  SingleOp input{"Upsample", {{"mode", std::string("linear")}}, 9};
  auto repeated = attribute.run({x}), interpolated = input.run({x, floats({1, 2})});
  ASSERT_TRUE(repeated && interpolated);
  EXPECT_TRUE(identical((*repeated)[0], Tensor::of<float>({1, 4}, {1, 1, 3, 3})));
  EXPECT_TRUE(identical((*interpolated)[0], Tensor::of<float>({1, 4}, {1, 2, 3, 3})));
}

TEST(Resize, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {2, 4});
  SingleOp node{"Resize"};
  auto refused = [&](const char *name, Attribute value) {
    SingleOp changed{"Resize", {{name, std::move(value)}}};
    return !changed.run({x, none, floats({1, 2})});
  };
  EXPECT_TRUE(node.run({x, none, floats({1, 2})}));
  EXPECT_FALSE(node.run({x}));
  EXPECT_FALSE(node.run({x, none, none}));
  EXPECT_FALSE(node.run({x, none, floats({2})}));
  EXPECT_FALSE(node.run({x, none, floats({1, 2}), ints({2, 8})}));
  EXPECT_FALSE(node.run({x, none, floats({1, 0})}));
  EXPECT_FALSE(node.run({x, none, floats({1, -2})}));
  EXPECT_FALSE(node.run({x, none, floats({1, std::numeric_limits<float>::quiet_NaN()})}));
  EXPECT_FALSE(node.run({x, none, floats({1e7f, 1e7f})}));
  EXPECT_FALSE(node.run({x, none, none, ints({2, -8})}));
  EXPECT_FALSE(node.run({x, none, none, ints({2, int64_t{1} << 62})}));
  EXPECT_FALSE(node.run({x, none, none, floats({2, 8})}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {0, 4}), none, none, ints({2, 4})}));
  EXPECT_TRUE(node.run({Tensor(DType::f32, {0, 4}), none, none, ints({0, 8})}));
  EXPECT_TRUE(refused("mode", std::string("bilinear")));
  EXPECT_TRUE(refused("nearest_mode", std::string("round")));
  EXPECT_TRUE(refused("coordinate_transformation_mode", std::string("corners")));
  EXPECT_TRUE(refused("axes", Ints{0, 0}));
  EXPECT_TRUE(refused("axes", Ints{2, 0}));
  EXPECT_TRUE(refused("axes", Ints{1}));
  SingleOp policy{"Resize", {{"keep_aspect_ratio_policy", std::string("larger")}}};
  EXPECT_FALSE(policy.run({x, none, none, ints({4, 8})}));
  EXPECT_FALSE((SingleOp{"Upsample", {{"mode", std::string("cubic")}}, 9}.run({x, floats({1, 2})})));
}

} // namespace
} // namespace tilerig::reference
