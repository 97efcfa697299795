#include "compiler/Graph/Import/Operators.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;
using Floats = llvm::SmallVector<float>;

// The attributes of graph.resize, with ONNX's defaults.
struct Rule {
  Floats scales;
  Ints sizes;
  ResizeMode mode = ResizeMode::nearest;
  Coordinates coordinates = Coordinates::half_pixel;
  NearestMode nearest = NearestMode::round_prefer_floor;
  AspectPolicy policy = AspectPolicy::stretch;
  Floats region;
  float cubicCoefficient = -0.75f, extrapolation = 0;
  bool excludesOutside = false, antialiases = false;

  Value make(const NodeReader &node, mlir::Value input) const {
    return node.make<ResizeOp>(input, scales, sizes, mode, coordinates, nearest, policy, region,
                               llvm::APFloat(cubicCoefficient), llvm::APFloat(extrapolation), excludesOutside,
                               antialiases);
  }
};

Result<Floats> floatsFrom(const NodeReader &node, size_t index, const char *operandName) {
  TILERIG_TRY(const Tensor tensor, node.constant(index, operandName));
  return dispatch(tensor.dtype(), [&]<class T>() -> Result<Floats> {
    if constexpr (std::is_floating_point_v<T>) {
      Floats values;
      for (T value : tensor.as<T>())
        values.push_back(static_cast<float>(value));
      return values;
    } else {
      return node.refuse(fmt::format("{} must be floats, not {}", operandName, nameOf(tensor.dtype())));
    }
  });
}

// The axes to which scales, sizes and region of a Resize node apply.
Result<Ints> chosenAxes(const NodeReader &node) {
  Ints axes;
  for (int64_t i = 0; i < node.rank(0) && !node.attribute("axes"); ++i)
    axes.push_back(i);
  for (int64_t signedAxis : node.integers("axes").value_or(Ints())) {
    TILERIG_TRY(const int64_t axis, node.axis(signedAxis, node.rank(0)));
    if (llvm::is_contained(axes, axis))
      return node.refuse(fmt::format("axis {} is given twice", signedAxis));
    axes.push_back(axis);
  }
  return axes;
}

Status readScales(const NodeReader &node, llvm::ArrayRef<int64_t> axes, Rule &rule) {
  rule.scales.assign(node.shape(0).size(), 1);
  if (axes.empty())
    return success();
  TILERIG_TRY(const Floats scales, floatsFrom(node, 2, "the scales"));
  if (scales.size() != axes.size())
    return node.refuse(fmt::format("{} scales are given for {} axes", scales.size(), axes.size()));
  for (size_t i = 0; i < axes.size(); ++i)
    rule.scales[axes[i]] = scales[i];
  return success();
}

Status readSizes(const NodeReader &node, llvm::ArrayRef<int64_t> axes, Rule &rule) {
  TILERIG_TRY(const Ints sizes, node.constantInts(3, "the sizes"));
  if (sizes.size() != axes.size())
    return node.refuse(fmt::format("{} sizes are given for {} axes", sizes.size(), axes.size()));
  TILERIG_TRY(rule.policy, node.symbol("keep_aspect_ratio_policy", "stretch", symbolizeAspectPolicy));
  rule.sizes.assign(node.shape(0).size(), -1);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (sizes[i] < 0)
      return node.refuse(fmt::format("size {} is negative", sizes[i]));
    rule.sizes[axes[i]] = sizes[i];
  }
  return success();
}

Status readRegion(const NodeReader &node, llvm::ArrayRef<int64_t> axes, Rule &rule) {
  if (!node.has(1))
    return node.refuse("coordinate mode 'tf_crop_and_resize' needs the input 'roi'");
  TILERIG_TRY(const Floats region, floatsFrom(node, 1, "the roi"));
  if (region.size() != 2 * axes.size())
    return node.refuse(
        fmt::format("the roi has {} numbers for {} axes, expected two for each", region.size(), axes.size()));
  const size_t rank = node.shape(0).size();
  rule.region.assign(2 * rank, 0);
  std::fill(rule.region.begin() + rank, rule.region.end(), 1.0f);
  for (size_t i = 0; i < axes.size(); ++i) {
    rule.region[axes[i]] = region[i];
    rule.region[rank + axes[i]] = region[axes.size() + i];
  }
  return success();
}

bool hasElements(const NodeReader &node, size_t index) {
  return node.has(index) && tensorType(node.input(index)).getNumElements() != 0;
}

Value resize(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, 4));
  Rule rule;
  TILERIG_TRY(rule.mode, node.symbol("mode", "nearest", symbolizeResizeMode));
  TILERIG_TRY(rule.coordinates,
              node.symbol("coordinate_transformation_mode", "half_pixel", symbolizeCoordinates));
  TILERIG_TRY(rule.nearest, node.symbol("nearest_mode", "round_prefer_floor", symbolizeNearestMode));
  rule.cubicCoefficient = node.real("cubic_coeff_a", -0.75f);
  rule.extrapolation = node.real("extrapolation_value", 0);
  rule.excludesOutside = node.integer("exclude_outside", 0) != 0;
  rule.antialiases = node.integer("antialias", 0) != 0;
  TILERIG_TRY(const Ints axes, chosenAxes(node));
  const bool hasScales = hasElements(node, 2), hasSizes = node.has(3) && (hasElements(node, 3) || !hasScales);
  if (hasSizes == hasScales && !axes.empty())
    return node.refuse(hasSizes ? "both scales and sizes are given" : "neither scales nor sizes are given");
  TILERIG_CHECK_OK(hasSizes ? readSizes(node, axes, rule) : readScales(node, axes, rule));
  if (rule.coordinates == Coordinates::tf_crop_and_resize)
    TILERIG_CHECK_OK(readRegion(node, axes, rule));
  return rule.make(node, node.input(0));
}

// Imports Upsample, and Resize before operator set 11: coordinates are asymmetric, and "nearest" rounds down
// along axes that grow and up along axes that shrink. The newest operator set has one rounding mode for all
// axes, so two resizes are made: first of the growing axes, then of the shrinking ones.
Value resizeByScales(const NodeReader &node, const Floats &scales) {
  Rule grow;
  TILERIG_TRY(grow.mode, node.symbol("mode", "nearest", symbolizeResizeMode));
  if (grow.mode == ResizeMode::cubic)
    return node.refuse("mode 'cubic' needs operator set 11 or newer");
  if (static_cast<int64_t>(scales.size()) != node.rank(0))
    return node.refuse(fmt::format("{} scales are given for {} axes", scales.size(), node.rank(0)));
  grow.coordinates = Coordinates::asymmetric;
  grow.nearest = NearestMode::floor;
  grow.scales = scales;
  if (grow.mode != ResizeMode::nearest || llvm::none_of(scales, [](float scale) { return scale < 1; }))
    return grow.make(node, node.input(0));
  Rule shrink = grow;
  shrink.nearest = NearestMode::ceil;
  for (size_t i = 0; i < scales.size(); ++i)
    (scales[i] < 1 ? grow : shrink).scales[i] = 1;
  TILERIG_TRY(const mlir::Value grown, grow.make(node, node.input(0)));
  return shrink.make(node, grown);
}

Value scaledByInput(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const Floats scales, floatsFrom(node, 1, "the scales"));
  return resizeByScales(node, scales);
}

Value upsample(const NodeReader &node) {
  if (node.opset() >= 9)
    return scaledByInput(node);
  TILERIG_CHECK_OK(node.needs(1));
  if (!node.attribute("scales"))
    return node.refuse("attribute 'scales' is missing");
  return resizeByScales(node, node.reals("scales").value_or(Floats()));
}

} // namespace

void addSampling(ImporterTable &table) {
  table.emplace("Resize", one([](const NodeReader &node) {
                  return node.opset() < 11 ? scaledByInput(node) : resize(node);
                }));
  table.emplace("Upsample", one(upsample));
}

} // namespace tilerig::compiler
