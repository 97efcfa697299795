// Shape inference for the operations of Sampling.td.
#include "compiler/Graph/IR/Shapes.h"

#include <cmath>

namespace tilerig::compiler::graph {

namespace {

// Size of the longest axis whose positions are all exact in float, the type of coordinates.
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
                                               Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const auto input = shapeOf(adaptor.getInput());
  const auto scales = adaptor.getScales();
  const auto sizes = adaptor.getSizes();
  if (scales.size() != (sizes.empty() ? input.size() : 0) || (!sizes.empty() && sizes.size() != input.size()))
    return complain("the resize has ", scales.size(), " scales and ", sizes.size(),
                    " sizes, expected one scale or one size for each axis of shape ", text(input));
  const bool crops = adaptor.getCoordinates() == Coordinates::tf_crop_and_resize;
  if (adaptor.getRegion().size() != (crops ? 2 * input.size() : 0))
    return complain("the region has ", adaptor.getRegion().size(), " numbers for shape ", text(input),
                    ", expected two for each axis with tf_crop_and_resize, and none otherwise");
  const auto shape = sizes.empty() ? byScales(input, scales, complain)
                                   : std::optional(bySizes(input, sizes, adaptor.getPolicy()));
  if (!shape)
    return llvm::failure();
  for (size_t i = 0; i < input.size(); ++i)
    if ((*shape)[i] < 0 || (*shape)[i] > longestAxis || (input[i] == 0 && (*shape)[i] != 0))
      return complain("axis ", i, " of shape ", text(input), " cannot be resized to ", (*shape)[i],
                      " elements");
  types.push_back(mlir::RankedTensorType::get(*shape, tensorType(adaptor.getInput()).getElementType()));
  return llvm::success();
}

} // namespace tilerig::compiler::graph
