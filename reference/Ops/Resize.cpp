// Resize and Upsample: reads the parameters of each axis from a node, in the forms of all opset versions.
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"
#include "reference/Ops/Resampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tilerig::reference {

namespace {

// Coordinates are float32, so axes are limited to lengths that float32 counts exactly.
constexpr int64_t longestAxis = int64_t{1} << 24;

template <class Enum, size_t count>
Result<Enum> named(const OpContext &context, std::string_view attribute, std::string fallback,
                   const std::array<std::pair<std::string_view, Enum>, count> &names) {
  TILERIG_TRY(std::string text, context.textAttribute(attribute, std::move(fallback)));
  for (const auto &[name, value] : names)
    if (name == text)
      return value;
  return context.invalid(fmt::format("attribute {} has the unknown value '{}'", attribute, text));
}

constexpr std::array kinds{
    std::pair{std::string_view("nearest"), ResizeRule::Kind::nearest},
    std::pair{std::string_view("linear"), ResizeRule::Kind::linear},
    std::pair{std::string_view("cubic"), ResizeRule::Kind::cubic},
};
constexpr std::array coordinateModes{
    std::pair{std::string_view("half_pixel"), CoordinateMode::halfPixel},
    std::pair{std::string_view("half_pixel_symmetric"), CoordinateMode::halfPixelSymmetric},
    std::pair{std::string_view("pytorch_half_pixel"), CoordinateMode::pytorchHalfPixel},
    std::pair{std::string_view("align_corners"), CoordinateMode::alignCorners},
    std::pair{std::string_view("asymmetric"), CoordinateMode::asymmetric},
    std::pair{std::string_view("tf_half_pixel_for_nn"), CoordinateMode::tfHalfPixelForNearest},
    std::pair{std::string_view("tf_crop_and_resize"), CoordinateMode::tfCropAndResize},
};
constexpr std::array nearestModes{
    std::pair{std::string_view("round_prefer_floor"), NearestMode::roundPreferFloor},
    std::pair{std::string_view("round_prefer_ceil"), NearestMode::roundPreferCeil},
    std::pair{std::string_view("floor"), NearestMode::floor},
    std::pair{std::string_view("ceil"), NearestMode::ceil},
};

Result<ResizeRule> resizeRule(const OpContext &context) {
  ResizeRule rule;
  TILERIG_TRY(rule.kind, named(context, "mode", "nearest", kinds));
  TILERIG_TRY(rule.coordinates,
              named(context, "coordinate_transformation_mode", "half_pixel", coordinateModes));
  TILERIG_TRY(rule.nearest, named(context, "nearest_mode", "round_prefer_floor", nearestModes));
  TILERIG_TRY(rule.cubicCoefficient, context.floatAttribute("cubic_coeff_a", -0.75f));
  TILERIG_TRY(rule.extrapolation, context.floatAttribute("extrapolation_value", 0.0f));
  TILERIG_TRY(int64_t exclude, context.intAttribute("exclude_outside", 0));
  TILERIG_TRY(int64_t antialias, context.intAttribute("antialias", 0));
  rule.excludeOutside = exclude != 0;
  rule.antialias = antialias != 0;
  return rule;
}

// The rule of Upsample, and of Resize in opset 10: a node chooses only the mode, and the mapping and rounding
// of coordinates are fixed.
Result<ResizeRule> simpleRuleOf(const OpContext &context) {
  ResizeRule rule;
  TILERIG_TRY(rule.kind, named(context, "mode", "nearest", kinds));
  if (rule.kind == ResizeRule::Kind::cubic)
    return context.invalid("mode 'cubic' needs operator set 11 or later");
  rule.coordinates = CoordinateMode::asymmetric;
  rule.nearest = NearestMode::simple;
  return rule;
}

using Axes = std::vector<ResizeAxis>;

Axes unchanged(const Shape &shape) {
  Axes axes;
  for (int64_t size : shape)
    axes.push_back({size, size, 1, static_cast<float>(size)});
  return axes;
}

Status checkAxis(const OpContext &context, const ResizeAxis &axis) {
  if (axis.in == 0 && axis.out != 0)
    return context.invalid(fmt::format("an empty axis cannot be resized to {} elements", axis.out));
  if (axis.in > longestAxis || axis.out > longestAxis)
    return context.notSupported(
        fmt::format("resizing an axis of size {} to {} is not supported", axis.in, axis.out),
        fmt::format("split axes that are longer than {} elements", longestAxis));
  return success();
}

// Sets the output length of each resized axis (`chosen`) from its scale.
Status applyScales(const OpContext &context, Axes &axes, std::span<const size_t> chosen,
                   std::span<const float> scales) {
  if (scales.size() != chosen.size())
    return context.invalid(fmt::format("scales has {} numbers for {} axes", scales.size(), chosen.size()));
  for (size_t i = 0; i < chosen.size(); ++i) {
    ResizeAxis &axis = axes[chosen[i]];
    if (scales[i] == 1)
      continue;
    if (!(scales[i] > 0) || !(scales[i] <= static_cast<float>(longestAxis)))
      return context.invalid(
          fmt::format("scale {} must be a positive number up to {}", scales[i], longestAxis));
    axis.scale = static_cast<double>(scales[i]);
    axis.length = scales[i] * static_cast<float>(axis.in);
    axis.out = static_cast<int64_t>(std::floor(axis.length));
    TILERIG_CHECK_OK(checkAxis(context, axis));
  }
  return success();
}

// Sets the output length of each resized axis (`chosen`) from input `sizes`. With a policy other than
// "stretch", all axes get the same scale: the smallest or largest that the sizes require.
Status applySizes(const OpContext &context, Axes &axes, std::span<const size_t> chosen,
                  std::span<const int64_t> sizes) {
  TILERIG_TRY(std::string policy, context.textAttribute("keep_aspect_ratio_policy", "stretch"));
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return context.invalid(
        fmt::format("attribute keep_aspect_ratio_policy has the unknown value '{}'", policy));
  if (sizes.size() != chosen.size())
    return context.invalid(fmt::format("sizes has {} numbers for {} axes", sizes.size(), chosen.size()));
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (size_t i = 0; i < chosen.size(); ++i) {
    ResizeAxis &axis = axes[chosen[i]];
    if (sizes[i] < 0)
      return context.invalid(fmt::format("size {} is negative", sizes[i]));
    if (sizes[i] != axis.in)
      TILERIG_CHECK_OK(checkAxis(context, {axis.in, sizes[i], 1, 1}));
    axis.out = sizes[i];
    axis.length = static_cast<float>(sizes[i]);
    if (axis.in == 0)
      continue;
    axis.scale = static_cast<double>(axis.out) / static_cast<double>(axis.in);
    least = std::min(least, axis.scale);
    greatest = std::max(greatest, axis.scale);
  }
  if (policy == "stretch")
    return success();
  for (size_t d : chosen) {
    ResizeAxis &axis = axes[d];
    if (axis.in == 0)
      continue;
    axis.scale = policy == "not_larger" ? least : greatest;
    axis.length = static_cast<float>(axis.scale * static_cast<double>(axis.in));
    axis.out = static_cast<int64_t>(std::floor(axis.length + 0.5f));
    TILERIG_CHECK_OK(checkAxis(context, axis));
  }
  return success();
}

Status applyRegion(const OpContext &context, Axes &axes, std::span<const size_t> chosen) {
  if (!context.has(1))
    return context.invalid("coordinate_transformation_mode tf_crop_and_resize needs input roi");
  TILERIG_TRY(std::vector<float> region, floatsAs<float>(context, context.input(1)));
  if (region.size() != 2 * chosen.size())
    return context.invalid(
        fmt::format("roi has {} numbers, expected two for each of {} axes", region.size(), chosen.size()));
  for (size_t i = 0; i < chosen.size(); ++i) {
    axes[chosen[i]].begin = region[i];
    axes[chosen[i]].end = region[chosen.size() + i];
  }
  return success();
}

Result<std::vector<size_t>> chosenAxes(const OpContext &context) {
  size_t rank = context.input(0).rank();
  std::vector<size_t> chosen;
  if (!context.hasAttribute("axes")) {
    chosen.resize(rank);
    std::iota(chosen.begin(), chosen.end(), 0);
    return chosen;
  }
  TILERIG_TRY(std::vector<int64_t> raw, context.intsAttribute("axes"));
  for (int64_t axis : raw) {
    TILERIG_TRY(size_t d, context.axis(axis, rank));
    if (std::find(chosen.begin(), chosen.end(), d) != chosen.end())
      return context.invalid(fmt::format("axis {} is given twice", axis));
    chosen.push_back(d);
  }
  return chosen;
}

Status resize(OpContext &context) {
  TILERIG_TRY(ResizeRule rule, resizeRule(context));
  TILERIG_TRY(std::vector<size_t> chosen, chosenAxes(context));
  Axes axes = unchanged(context.input(0).shape());
  auto hasElements = [&](size_t index) {
    return context.has(index) && context.input(index).elementCount() != 0;
  };
  bool hasSizes = context.has(3) && (hasElements(3) || !hasElements(2));
  if (hasSizes == hasElements(2) && !chosen.empty())
    return context.invalid(hasSizes ? "both scales and sizes are given"
                                    : "neither scales nor sizes are given");
  if (hasSizes) {
    TILERIG_TRY(std::vector<int64_t> sizes, context.integers(3));
    TILERIG_CHECK_OK(applySizes(context, axes, chosen, sizes));
  } else if (!chosen.empty()) {
    TILERIG_TRY(std::vector<float> scales, floatsAs<float>(context, context.input(2)));
    TILERIG_CHECK_OK(applyScales(context, axes, chosen, scales));
  }
  if (rule.coordinates == CoordinateMode::tfCropAndResize)
    TILERIG_CHECK_OK(applyRegion(context, axes, chosen));
  return resample(context, rule, axes);
}

Status resizeByScales(OpContext &context, std::span<const float> scales) {
  TILERIG_TRY(ResizeRule rule, simpleRuleOf(context));
  Axes axes = unchanged(context.input(0).shape());
  std::vector<size_t> all(axes.size());
  std::iota(all.begin(), all.end(), 0);
  TILERIG_CHECK_OK(applyScales(context, axes, all, scales));
  return resample(context, rule, axes);
}

Status resizeScalesInput(OpContext &context) {
  TILERIG_TRY(std::vector<float> scales, floatsAs<float>(context, context.input(1)));
  return resizeByScales(context, scales);
}
Status upsampleScalesAttribute(OpContext &context) {
  TILERIG_TRY(std::vector<float> scales, context.floatsAttribute("scales"));
  return resizeByScales(context, scales);
}

} // namespace

std::span<const OpEntry> resizeOps() {
  static constexpr OpEntry entries[] = {
      {"Resize", 10, 2, 2, resizeScalesInput, HalfFloats::native},
      {"Resize", 11, 1, 4, resize, HalfFloats::native},
      {"Upsample", 7, 1, 1, upsampleScalesAttribute, HalfFloats::native},
      {"Upsample", 9, 2, 2, resizeScalesInput, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
