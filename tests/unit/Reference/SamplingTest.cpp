// Tests of operators that sample at computed positions (grids, regions, patches) against naive loops.
#include "tests/unit/Reference/Elements.h"
#include "tests/unit/Reference/SingleOp.h"

#include "reference/Run/Floats.h"

#include <limits>

namespace tilerig::reference {
namespace {

// An image of any number of dimensions, extended beyond its borders by the padding mode.
struct Image {
  const float *elements;
  Shape shape;
  std::string padding;
  bool align;

  // An image coordinate, mirrored at the borders of the image until it lies inside.
  double reflect(double x, size_t d) const {
    double least = align ? 0 : -0.5, greatest = static_cast<double>(shape[d]) - (align ? 1 : 0.5);
    if (greatest == least)
      return 0;
    while (x < least || x > greatest)
      x = x < least ? 2 * least - x : 2 * greatest - x;
    return x;
  }
  double border(double x, size_t d) const {
    double least = align ? 0 : -0.5, greatest = static_cast<double>(shape[d]) - (align ? 1 : 0.5);
    if (padding == "reflection")
      return reflect(x, d);
    if (padding == "border" && (x < least || x > greatest))
      return std::clamp(x, 0.0, static_cast<double>(shape[d] - 1));
    return x;
  }
  double at(Ints index) const {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (index[d] >= 0 && index[d] < shape[d])
        continue;
      if (padding == "zeros")
        return 0;
      if (padding == "reflection")
        index[d] = static_cast<int64_t>(reflect(static_cast<double>(index[d]), d));
      index[d] = std::clamp<int64_t>(index[d], 0, shape[d] - 1);
    }
    return static_cast<double>(elements[offsetOf(shape, index)]);
  }
  double coordinate(double n, size_t d) const {
    auto size = static_cast<double>(shape[d]);
    return align ? (n + 1) / 2 * (size - 1) : ((n + 1) * size - 1) / 2;
  }
};

double keys(double distance) {
  double x = std::abs(distance), a = -0.75;
  if (x <= 1)
    return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

// The image, interpolated at the coordinates `place`, given in the order of the axes.
double sampled(const Image &image, const std::string &mode, std::vector<double> place) {
  size_t rank = image.shape.size();
  if (mode == "nearest") {
    Ints index;
    for (size_t d = 0; d < rank; ++d)
      index.push_back(static_cast<int64_t>(image.border(std::round(place[d]), d)));
    return image.at(index);
  }
  double sum = 0;
  for (size_t d = 0; d < rank; ++d)
    if (mode == "linear" || image.padding == "reflection")
      place[d] = image.border(place[d], d);
  forEachIndex(Shape(rank, 4), [&](const Ints &tap) {
    double weight = 1;
    Ints index;
    for (size_t d = 0; d < rank; ++d) {
      index.push_back(static_cast<int64_t>(std::floor(place[d])) - 1 + tap[d]);
      double distance = place[d] - static_cast<double>(index[d]);
      weight *= mode == "cubic" ? keys(distance) : std::max(0.0, 1 - std::abs(distance));
    }
    if (weight != 0)
      sum += weight * image.at(index);
  });
  return sum;
}

TEST(GridSample, IsTheWeightedSumThatDefinesIt) {
  Draw draw(1);
  for (int round = 0; round < 200; ++round) {
    auto rank = static_cast<size_t>(draw.from(1, 3));
    std::string mode =
        std::vector<std::string>{"nearest", "linear", "cubic"}[static_cast<size_t>(draw.from(0, 2))];
    std::string padding =
        std::vector<std::string>{"zeros", "border", "reflection"}[static_cast<size_t>(draw.from(0, 2))];
    bool align = draw.from(0, 1);
    Shape image = draw.list(rank, 1, 5), places = draw.list(rank, 1, 3);
    auto axes = static_cast<int64_t>(rank);
    Tensor x = draw.normals<float>(joined({2, 3}, image));
    Tensor grid = draw.normals<float>(joined(joined({2}, places), {axes}));
    for (float &n : grid.mutableAs<float>())
      n *= 1.5f;
    int64_t plane = static_cast<int64_t>(x.elementCount()) / 6,
            count = static_cast<int64_t>(grid.elementCount()) / 2 / axes;
    std::vector<double> expected;
    for (int64_t i = 0; i < 6 * count; ++i) {
      Image of{x.as<float>().data() + i / count * plane, image, padding, align};
      std::vector<double> place(rank);
      const float *at = grid.as<float>().data() + (i / count / 3 * count + i % count) * axes;
      for (size_t d = 0; d < rank; ++d)
        place[d] = of.coordinate(static_cast<double>(at[rank - 1 - d]), d);
      expected.push_back(sampled(of, mode, place));
    }
    SingleOp node{"GridSample",
                  {{"mode", mode}, {"padding_mode", padding}, {"align_corners", int64_t{align}}}};
    node.threads = 1 + round % 3;
    auto result = node.run({x, grid});
    ASSERT_TRUE(result) << result.error().message();
    SCOPED_TRACE(mode + " " + padding + (align ? " align" : ""));
    expectClose<float>((*result)[0], joined({2, 3}, places), expected, 1e-4);
  }
}

TEST(GridSample, FarAwayAndNowhereAreOutside) {
  Tensor x = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  Tensor grid = Tensor::of<float>({1, 1, 4, 2}, {inf, -inf, nan, nan, 1e30f, 1e30f, -1e30f, 0});
  for (const char *mode : {"bilinear", "nearest", "bicubic"}) {
    SingleOp node{"GridSample", {{"mode", std::string(mode)}}, 16};
    auto zeros = node.run({x, grid});
    ASSERT_TRUE(zeros);
    EXPECT_TRUE(identical((*zeros)[0], Tensor(DType::f32, {1, 1, 1, 4}))) << mode;
    node.attributes["padding_mode"] = std::string("border");
    auto border = node.run({x, grid});
    ASSERT_TRUE(border);
    EXPECT_EQ((*border)[0].as<float>()[0], 2) << mode;
    EXPECT_EQ((*border)[0].as<float>()[2], 4) << mode;
    node.attributes["padding_mode"] = std::string("reflection");
    EXPECT_TRUE(node.run({x, grid}));
  }
}

TEST(GridSample, HalvesAndTheirGridsMayDiffer) {
  Tensor x = narrowed(Tensor::of<float>({1, 1, 1, 2}, {1, 2}), DType::f16);
  Tensor grid = Tensor::of<float>({1, 1, 1, 2}, {0, 0});
  auto result = SingleOp{"GridSample"}.run({x, grid});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(identical((*result)[0], narrowed(Tensor::of<float>({1, 1, 1, 1}, {1.5f}), DType::f16)));
}

TEST(GridSample, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {1, 1, 2, 2}), grid(DType::f32, {1, 1, 1, 2});
  SingleOp node{"GridSample"};
  EXPECT_TRUE(node.run({x, grid}));
  EXPECT_FALSE(node.run({x, Tensor(DType::f32, {2, 1, 1, 2})}));
  EXPECT_FALSE(node.run({x, Tensor(DType::f32, {1, 1, 1, 3})}));
  EXPECT_FALSE(node.run({x, Tensor(DType::f32, {1, 1, 2})}));
  EXPECT_FALSE(node.run({x, Tensor(DType::i64, {1, 1, 1, 2})}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {1}), Tensor(DType::f32, {1})}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {1, 1, 0, 2}), grid}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {1, 1, 2, 2, 2, 2}), Tensor(DType::f32, {1, 1, 1, 1, 1, 4})}));
  EXPECT_FALSE((SingleOp{"GridSample", {{"mode", std::string("area")}}}.run({x, grid})));
  EXPECT_FALSE((SingleOp{"GridSample", {{"padding_mode", std::string("wrap")}}}.run({x, grid})));
}

TEST(AffineGrid, TransformsCentresOrCorners) {
  // An affine transformation that scales x by 2 and shifts y by 1.
  Tensor theta = Tensor::of<float>({1, 2, 3}, {2, 0, 0, 0, 1, 1});
  SingleOp node{"AffineGrid"};
  auto centres = node.run({theta, Tensor::of<int64_t>({4}, {1, 1, 1, 2})});
  node.attributes["align_corners"] = int64_t{1};
  auto corners = node.run({theta, Tensor::of<int64_t>({4}, {1, 1, 1, 2})});
  ASSERT_TRUE(centres && corners);
  EXPECT_TRUE(identical((*centres)[0], Tensor::of<float>({1, 1, 2, 2}, {-1, 1, 1, 1})));
  EXPECT_TRUE(identical((*corners)[0], Tensor::of<float>({1, 1, 2, 2}, {-2, 1, 2, 1})));
  Tensor solid = Tensor::of<float>({1, 3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
  auto grid = node.run({solid, Tensor::of<int64_t>({5}, {1, 7, 2, 2, 3})});
  ASSERT_TRUE(grid);
  ASSERT_EQ((*grid)[0].shape(), (Shape{1, 2, 2, 3, 3}));
  // The element (1, 0, 2) of the sampling grid has the coordinates x = 1, y = -1, z = 1.
  auto last = (*grid)[0].as<float>().subspan(3 * 8, 3);
  EXPECT_TRUE(last[0] == 1 && last[1] == -1 && last[2] == 1);
}

TEST(AffineGrid, RefusesWhatDoesNotFit) {
  Tensor theta(DType::f32, {1, 2, 3});
  auto runs = [&](const Tensor &size) {
    return static_cast<bool>(SingleOp{"AffineGrid"}.run({theta, size}));
  };
  EXPECT_TRUE(runs(Tensor::of<int64_t>({4}, {1, 1, 2, 2})));
  EXPECT_FALSE(runs(Tensor::of<int64_t>({4}, {2, 1, 2, 2})));
  EXPECT_FALSE(runs(Tensor::of<int64_t>({5}, {1, 1, 2, 2, 2})));
  EXPECT_FALSE(runs(Tensor::of<int64_t>({4}, {1, 1, -2, 2})));
  EXPECT_FALSE(runs(Tensor::of<int64_t>({4}, {1, 1, int64_t{1} << 40, int64_t{1} << 40})));
  EXPECT_FALSE(runs(Tensor::of<int64_t>({0}, {})));
}

// Each bin of a region is the mean, or the maximum, of samples on a regular grid in it.
TEST(RoiAlign, AveragesOrMaximisesSamples) {
  Draw draw(2);
  for (int round = 0; round < 60; ++round) {
    int64_t high = 6, wide = 7, bins = draw.from(1, 3), ratio = draw.from(0, 3);
    bool half = draw.from(0, 1), maximum = draw.from(0, 1);
    double scale = draw.from(0, 1) ? 1 : 0.5;
    Tensor x = draw.normals<float>({2, 2, high, wide}), rois(DType::f32, {3, 4}), batch(DType::i64, {3});
    for (int64_t r = 0; r < 3; ++r) {
      auto roi = rois.mutableAs<float>().subspan(4 * r, 4);
      roi[0] = static_cast<float>(draw.normal()), roi[1] = static_cast<float>(draw.normal());
      roi[2] = roi[0] + static_cast<float>(std::abs(draw.normal()) * 8),
      roi[3] = roi[1] + static_cast<float>(std::abs(draw.normal()) * 8);
      batch.mutableAs<int64_t>()[r] = draw.from(0, 1);
    }
    std::vector<double> expected;
    forEachIndex({3, 2, bins, bins}, [&](const Ints &index) {
      auto roi = rois.as<float>().subspan(4 * index[0], 4);
      const float *plane =
          x.as<float>().data() + (batch.as<int64_t>()[index[0]] * 2 + index[1]) * high * wide;
      double offset = half ? 0.5 : 0;
      double x0 = static_cast<double>(roi[0]) * scale - offset,
             y0 = static_cast<double>(roi[1]) * scale - offset;
      double w = static_cast<double>(roi[2]) * scale - offset - x0,
             h = static_cast<double>(roi[3]) * scale - offset - y0;
      if (!half)
        w = std::max(w, 1.0), h = std::max(h, 1.0);
      auto n = static_cast<double>(bins);
      int64_t columns = ratio ? ratio : static_cast<int64_t>(std::ceil(w / n)),
              rows = ratio ? ratio : static_cast<int64_t>(std::ceil(h / n));
      double sum = 0, most = -1e30;
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          double py = y0 + h / n *
                               (static_cast<double>(index[2]) +
                                (static_cast<double>(i) + 0.5) / static_cast<double>(rows));
          double px = x0 + w / n *
                               (static_cast<double>(index[3]) +
                                (static_cast<double>(j) + 0.5) / static_cast<double>(columns));
          if (py < -1 || py > static_cast<double>(high) || px < -1 || px > static_cast<double>(wide)) {
            most = std::max(most, 0.0);
            continue;
          }
          py = std::clamp(py, 0.0, static_cast<double>(high - 1));
          px = std::clamp(px, 0.0, static_cast<double>(wide - 1));
          auto iy = static_cast<int64_t>(py), ix = static_cast<int64_t>(px);
          for (int64_t dy = 0; dy < 2; ++dy)
            for (int64_t dx = 0; dx < 2; ++dx) {
              double weight = (1 - std::abs(py - static_cast<double>(iy + dy))) *
                              (1 - std::abs(px - static_cast<double>(ix + dx)));
              int64_t cy = std::min(iy + dy, high - 1), cx = std::min(ix + dx, wide - 1);
              double part = weight * static_cast<double>(plane[cy * wide + cx]);
              sum += part, most = std::max(most, part);
            }
        }
      int64_t count = std::max<int64_t>(1, rows * columns);
      expected.push_back(maximum ? (rows && columns ? most : 0) : sum / static_cast<double>(count));
    });
    SingleOp node{
        "RoiAlign",
        {{"mode", std::string(maximum ? "max" : "avg")},
         {"output_height", bins},
         {"output_width", bins},
         {"sampling_ratio", ratio},
         {"spatial_scale", static_cast<float>(scale)},
         {"coordinate_transformation_mode", std::string(half ? "half_pixel" : "output_half_pixel")}}};
    node.threads = 2;
    auto result = node.run({x, rois, batch});
    ASSERT_TRUE(result) << result.error().message();
    expectClose<float>((*result)[0], {3, 2, bins, bins}, expected, 1e-4);
  }
}

TEST(RoiAlign, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {1, 1, 4, 4}), roi = Tensor::of<float>({1, 4}, {0, 0, 3, 3}),
                                      first = Tensor::of<int64_t>({1}, {0});
  SingleOp node{"RoiAlign"};
  EXPECT_TRUE(node.run({x, roi, first}));
  EXPECT_FALSE(node.run({x, roi, Tensor::of<int64_t>({1}, {1})}));
  EXPECT_FALSE(node.run({x, roi, Tensor::of<int64_t>({2}, {0, 0})}));
  EXPECT_FALSE(node.run({x, Tensor(DType::f32, {1, 5}), first}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {1, 4, 4}), roi, first}));
  EXPECT_FALSE(node.run({Tensor(DType::f32, {1, 1, 0, 4}), roi, first}));
  EXPECT_FALSE(node.run({x, Tensor::of<float>({1, 4}, {0, 0, 1e30f, 1e30f}), first}));
  EXPECT_FALSE(node.run({x, Tensor::of<float>({1, 4}, {0, 0, NAN, 1}), first}));
  auto refused = [&](const char *name, Attribute value) {
    return !SingleOp{"RoiAlign", {{name, std::move(value)}}}.run({x, roi, first});
  };
  EXPECT_TRUE(refused("mode", std::string("sum")));
  EXPECT_TRUE(refused("coordinate_transformation_mode", std::string("pixel")));
  EXPECT_TRUE(refused("output_height", int64_t{0}));
  EXPECT_TRUE(refused("sampling_ratio", int64_t{-1}));
  EXPECT_TRUE(refused("sampling_ratio", int64_t{1} << 40));
  SingleOp many{"RoiAlign", {{"sampling_ratio", int64_t{4096}}, {"output_width", int64_t{1} << 20}}};
  EXPECT_FALSE(many.run({x, roi, first}));
  SingleOp square{
      "RoiAlign",
      {{"sampling_ratio", int64_t{4096}}, {"output_width", int64_t{4}}, {"output_height", int64_t{4}}}};
  auto result = square.run({x, roi, first});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::unsupported);
}

TEST(Col2Im, AddsPatchesWhereTheyWereTaken) {
  Draw draw(3);
  for (int round = 0; round < 60; ++round) {
    auto rank = static_cast<size_t>(draw.from(1, 3));
    Ints image = draw.list(rank, 5, 6), block = draw.list(rank, 1, 3), stride = draw.list(rank, 1, 2),
         dilation = draw.list(rank, 1, 2), begin = draw.list(rank, 0, 2), end = draw.list(rank, 0, 2);
    Shape positions;
    int64_t taps = 1, count = 1;
    for (size_t d = 0; d < rank; ++d) {
      positions.push_back((image[d] + begin[d] + end[d] - dilation[d] * (block[d] - 1) - 1) / stride[d] + 1);
      taps *= block[d], count *= positions[d];
    }
    Tensor x = draw.integers<float>({2, 2 * taps, count});
    Tensor expected(DType::f32, joined({2, 2}, image));
    int64_t plane = static_cast<int64_t>(expected.elementCount()) / 4;
    for (int64_t p = 0; p < 4; ++p)
      forEachIndex(block, [&](const Ints &tap) {
        forEachIndex(positions, [&](const Ints &position) {
          Ints at(rank);
          bool inside = true;
          for (size_t d = 0; d < rank; ++d) {
            at[d] = position[d] * stride[d] - begin[d] + tap[d] * dilation[d];
            inside = inside && at[d] >= 0 && at[d] < image[d];
          }
          if (inside)
            expected.mutableAs<float>()[p * plane + offsetOf(image, at)] +=
                x.as<float>()[(p * taps + offsetOf(block, tap)) * count + offsetOf(positions, position)];
        });
      });
    Tensor imageInput(DType::i64, {static_cast<int64_t>(rank)}), blockInput = imageInput;
    std::copy(image.begin(), image.end(), imageInput.mutableAs<int64_t>().begin());
    std::copy(block.begin(), block.end(), blockInput.mutableAs<int64_t>().begin());
    SingleOp node{"Col2Im", {{"strides", stride}, {"dilations", dilation}, {"pads", joined(begin, end)}}};
    node.threads = 2;
    auto result = node.run({x, imageInput, blockInput});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(identical((*result)[0], expected));
  }
}

TEST(Col2Im, RefusesWhatDoesNotFit) {
  Tensor x(DType::f32, {1, 4, 4});
  auto runs = [&](std::initializer_list<int64_t> image, std::initializer_list<int64_t> block) {
    auto list = [](std::initializer_list<int64_t> values) {
      return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
    };
    return static_cast<bool>(SingleOp{"Col2Im"}.run({x, list(image), list(block)}));
  };
  EXPECT_TRUE(runs({3, 3}, {2, 2}));
  EXPECT_FALSE(runs({4, 3}, {2, 2}));
  EXPECT_FALSE(runs({3, 3}, {2, 3}));
  EXPECT_FALSE(runs({3, 3}, {2}));
  EXPECT_FALSE(runs({}, {}));
  EXPECT_FALSE(runs({3, -3}, {2, 2}));
  EXPECT_FALSE(runs({3, 3}, {0, 2}));
  EXPECT_FALSE(runs({int64_t{1} << 40, int64_t{1} << 40}, {2, 2}));
  EXPECT_FALSE(SingleOp{"Col2Im"}.run(
      {Tensor(DType::f32, {4, 4}), Tensor::of<int64_t>({2}, {3, 3}), Tensor::of<int64_t>({2}, {2, 2})}));
}

} // namespace
} // namespace tilerig::reference
