// Shape inference and folding for the operations of Movement.td.
#include "compiler/Graph/IR/Shapes.h"

#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler::graph {

namespace {

// Appends to `types` the type of a result image. `shape` has the channels second; in the type they are the
// second or the last axis, as in the input image.
template <class Op>
llvm::LogicalResult giveImage(Op operation, llvm::ArrayRef<int64_t> shape, Types &types) {
  return give(operation.getInput(), placedShape(shape, operation.getChannelsLast()), types);
}

} // namespace

llvm::LogicalResult ReshapeOp::verify() {
  if (tensorType(getInput()).getElementType() != tensorType(getOutput()).getElementType() ||
      tensorType(getInput()).getNumElements() != tensorType(getOutput()).getNumElements())
    return emitOpError() << "shape " << text(shapeOf(getInput())) << " cannot be reshaped to "
                         << text(shapeOf(getOutput())) << ": number or type of the elements differs";
  return llvm::success();
}

// Removes a reshape to the same shape, and merges two reshapes into one.
mlir::OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto before = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(before.getInput());
    return getResult();
  }
  return {};
}

// Removes a transpose with the identity permutation, and merges two transposes into one.
mlir::OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (llvm::equal(getPerm(), llvm::seq<int64_t>(getPerm().size())))
    return getInput();
  if (auto before = getInput().getDefiningOp<TransposeOp>()) {
    llvm::SmallVector<int64_t> both;
    for (int64_t axis : getPerm())
      both.push_back(before.getPerm()[axis]);
    setPerm(both);
    getInputMutable().assign(before.getInput());
    return getResult();
  }
  return {};
}

llvm::LogicalResult ExpandOp::verify() {
  const auto shape = broadcast(shapeOf(getInput()), shapeOf(getOutput()));
  if (tensorType(getInput()).getElementType() != tensorType(getOutput()).getElementType() || !shape ||
      llvm::ArrayRef(*shape) != shapeOf(getOutput()))
    return emitOpError() << "shape " << text(shapeOf(getInput())) << " cannot be broadcast to "
                         << text(shapeOf(getOutput()));
  return llvm::success();
}

llvm::LogicalResult TransposeOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                                  Adaptor adaptor, Types &types) {
  const auto shape = shapeOf(adaptor.getInput());
  Dims result;
  llvm::SmallVector<bool> isTaken(shape.size());
  for (int64_t axis : adaptor.getPerm()) {
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) || std::exchange(isTaken[axis], true))
      return Complaint{location}("perm ", text(adaptor.getPerm()),
                                 " is not a permutation of the axes of shape ", text(shape));
    result.push_back(shape[axis]);
  }
  if (result.size() != shape.size())
    return Complaint{location}("perm ", text(adaptor.getPerm()),
                               " is not a permutation of the axes of shape ", text(shape));
  return give(adaptor.getInput(), result, types);
}

llvm::LogicalResult ConcatOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  if (adaptor.getInputs().empty())
    return complain("the concatenation has no inputs to concatenate");
  Dims result(shapeOf(adaptor.getInputs()[0]));
  const size_t axis = adaptor.getAxis();
  if (axis >= result.size())
    return complain("axis ", axis, " does not exist in shape ", text(result));
  for (mlir::Value input : adaptor.getInputs().drop_front()) {
    const auto shape = shapeOf(input);
    bool fits = shape.size() == result.size() &&
                tensorType(input).getElementType() == tensorType(adaptor.getInputs()[0]).getElementType();
    for (size_t i = 0; fits && i < shape.size(); ++i)
      fits = i == axis || shape[i] == result[i];
    if (!fits)
      return complain("shape ", text(shape), " cannot be concatenated to ", text(result), " along axis ",
                      axis);
    result[axis] += shape[axis];
  }
  return give(adaptor.getInputs()[0], result, types);
}

llvm::LogicalResult SliceOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                              Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const auto shape = shapeOf(adaptor.getInput());
  if (adaptor.getStarts().size() != shape.size() || adaptor.getEnds().size() != shape.size() ||
      adaptor.getSteps().size() != shape.size())
    return complain("starts, ends and steps must be given for each axis of shape ", text(shape));
  Dims result;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t start = adaptor.getStarts()[i], end = adaptor.getEnds()[i], step = adaptor.getSteps()[i];
    const bool isInside = step > 0 ? 0 <= start && start <= shape[i] && 0 <= end && end <= shape[i]
                                   : -1 <= start && start < shape[i] && -1 <= end && end < shape[i];
    if (step == 0 || !isInside)
      return complain("slice from ", start, " to ", end, " by step ", step, " is out of range for axis ", i,
                      " of shape ", text(shape));
    const int64_t span = step > 0 ? end - start : start - end, stride = std::abs(step);
    result.push_back(std::max<int64_t>(0, (span + stride - 1) / stride));
  }
  return give(adaptor.getInput(), result, types);
}

llvm::LogicalResult TileOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                             Adaptor adaptor, Types &types) {
  const auto shape = shapeOf(adaptor.getInput());
  if (adaptor.getRepeats().size() != shape.size())
    return Complaint{location}("repeats must be given for each axis of shape ", text(shape));
  Dims result;
  for (size_t i = 0; i < shape.size(); ++i)
    result.push_back(shape[i] * adaptor.getRepeats()[i]);
  return give(adaptor.getInput(), result, types);
}

llvm::LogicalResult GatherOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor adaptor, Types &types) {
  const auto shape = shapeOf(adaptor.getInput()), indices = shapeOf(adaptor.getIndices());
  const size_t axis = adaptor.getAxis();
  if (axis >= shape.size())
    return Complaint{location}("axis ", axis, " does not exist in shape ", text(shape));
  const mlir::Type index = tensorType(adaptor.getIndices()).getElementType();
  if (!index.isSignlessInteger(32) && !index.isSignlessInteger(64))
    return Complaint{location}("indices have type ", index, ", expected 'i32' or 'i64'");
  Dims result(shape.take_front(axis));
  result.append(indices.begin(), indices.end());
  result.append(shape.begin() + axis + 1, shape.end());
  return give(adaptor.getInput(), result, types);
}

llvm::LogicalResult DepthToSpaceOp::inferReturnTypes(mlir::MLIRContext *,
                                                     std::optional<mlir::Location> location, Adaptor adaptor,
                                                     Types &types) {
  const Dims shape = imageShape(adaptor.getInput(), adaptor.getChannelsLast());
  const auto block = static_cast<int64_t>(adaptor.getBlockSize());
  if (shape.size() != 4 || block < 1 || shape[1] % block != 0 || shape[1] / block % block != 0)
    return Complaint{location}("the channels of shape ", text(shape), " cannot be divided by block size ",
                               block);
  return giveImage(adaptor, {shape[0], shape[1] / (block * block), shape[2] * block, shape[3] * block},
                   types);
}

llvm::LogicalResult SpaceToDepthOp::inferReturnTypes(mlir::MLIRContext *,
                                                     std::optional<mlir::Location> location, Adaptor adaptor,
                                                     Types &types) {
  const Dims shape = imageShape(adaptor.getInput(), adaptor.getChannelsLast());
  const auto block = static_cast<int64_t>(adaptor.getBlockSize());
  if (shape.size() != 4 || block < 1 || shape[2] % block != 0 || shape[3] % block != 0)
    return Complaint{location}("the image of shape ", text(shape), " cannot be divided by block size ",
                               block);
  return giveImage(adaptor, {shape[0], shape[1] * block * block, shape[2] / block, shape[3] / block}, types);
}

llvm::LogicalResult PadOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                            Adaptor adaptor, Types &types) {
  const auto shape = shapeOf(adaptor.getInput());
  if (adaptor.getPads().size() != 2 * shape.size())
    return Complaint{location}("two pads must be given for each axis of shape ", text(shape));
  Dims result;
  for (size_t i = 0; i < shape.size(); ++i) {
    result.push_back(shape[i] + adaptor.getPads()[i] + adaptor.getPads()[shape.size() + i]);
    if (result.back() < 0)
      return Complaint{location}("negative pads remove more elements from axis ", i, " of shape ",
                                 text(shape), " than there are");
  }
  return give(adaptor.getInput(), result, types);
}

} // namespace tilerig::compiler::graph
