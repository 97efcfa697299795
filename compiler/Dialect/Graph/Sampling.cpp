// Shape inference for the operations of Sampling.td.
#include "compiler/Dialect/Graph/Shapes.h"

#include <cmath>

namespace tilerig::graph {

namespace {

// Longest axis whose positions are exact in float, the type of coordinates.
constexpr int64_t longestAxis = int64_t{1} << 24;

std::optional<Dims> byScales(llvm::ArrayRef<int64_t> input, llvm::ArrayRef<float> scales,
                             Complaint complain) {
  Dims shape;
  for (size_t i = 0; i < input.size(); ++i) {
    if (!(scales[i] > 0) || !(scales[i] <= static_cast<float>(longestAxis))) {
      (void)complain("scale ", scales[i], " is not a positive number up to ", longestAxis);
      return {};
    }
    shape.push_back(scales[i] == 1
                        ? input[i]
                        : static_cast<int64_t>(std::floor(scales[i] * static_cast<float>(input[i]))));
  }
  return shape;
}

// Sizes of a Resize. Unless the policy is `stretch`, one scale applies to all axes that change: the smallest
// or the largest of the scales that the sizes imply.
Dims bySizes(llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> sizes, AspectPolicy policy) {
  Dims shape(sizes);
  for (size_t i = 0; i < input.size(); ++i)
    if (shape[i] == -1)
      shape[i] = input[i];
  if (policy == AspectPolicy::stretch)
    return shape;
  std::optional<double> scale;
  for (size_t i = 0; i < input.size(); ++i)
    if (sizes[i] >= 0 && input[i] > 0) {
      const double own = static_cast<double>(sizes[i]) / static_cast<double>(input[i]);
      scale = !scale                               ? own
              : policy == AspectPolicy::not_larger ? std::min(*scale, own)
                                                   : std::max(*scale, own);
    }
  for (size_t i = 0; i < input.size(); ++i)
    if (sizes[i] >= 0 && input[i] > 0)
      shape[i] =
          static_cast<int64_t>(std::floor(static_cast<float>(*scale * static_cast<double>(input[i])) + 0.5f));
  return shape;
}

} // namespace

llvm::LogicalResult ResizeOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor it, Types &types) {
  const Complaint complain{location};
  const auto input = shapeOf(it.getInput());
  const auto scales = it.getScales();
  const auto sizes = it.getSizes();
  if (scales.size() != (sizes.empty() ? input.size() : 0) || (!sizes.empty() && sizes.size() != input.size()))
    return complain(scales.size(), " scales and ", sizes.size(), " sizes for the axes of ", text(input));
  const bool crops = it.getCoordinates() == Coordinates::tf_crop_and_resize;
  if (it.getRegion().size() != (crops ? 2 * input.size() : 0))
    return complain("a region of ", it.getRegion().size(), " numbers for the axes of ", text(input));
  const auto shape = sizes.empty() ? byScales(input, scales, complain)
                                   : std::optional(bySizes(input, sizes, it.getPolicy()));
  if (!shape)
    return llvm::failure();
  for (size_t i = 0; i < input.size(); ++i)
    if ((*shape)[i] < 0 || (*shape)[i] > longestAxis || (input[i] == 0 && (*shape)[i] != 0))
      return complain("axis ", i, " of ", text(input), " cannot become ", (*shape)[i], " long");
  types.push_back(mlir::RankedTensorType::get(*shape, tensorType(it.getInput()).getElementType()));
  return llvm::success();
}

} // namespace tilerig::graph
