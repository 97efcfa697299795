// Shape and type inference for the operations of Indexing.td.
#include "compiler/Graph/IR/Shapes.h"

namespace tilerig::compiler::graph {

namespace {

llvm::LogicalResult checkAxis(int64_t axis, llvm::ArrayRef<int64_t> shape, Complaint complain) {
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return complain("axis ", axis, " does not exist in shape ", text(shape));
  return llvm::success();
}

// Checks that the indices tensor is no larger than the data along every axis except `axis`.
llvm::LogicalResult checkInside(llvm::ArrayRef<int64_t> indices, llvm::ArrayRef<int64_t> data, int64_t axis,
                                Complaint complain) {
  if (llvm::failed(checkAxis(axis, data, complain)))
    return llvm::failure();
  bool fits = indices.size() == data.size();
  for (size_t i = 0; fits && i < data.size(); ++i)
    fits = static_cast<int64_t>(i) == axis || indices[i] <= data[i];
  if (!fits)
    return complain("indices of shape ", text(indices), " do not fit data of shape ", text(data));
  return llvm::success();
}

// Shape of the elements that index tuples select from `data` (GatherND, ScatterND); empty after reporting an
// error.
std::optional<Dims> pointedAt(llvm::ArrayRef<int64_t> data, llvm::ArrayRef<int64_t> indices, size_t batch,
                              Complaint complain) {
  if (indices.size() <= batch || data.size() <= batch || indices.back() < 1 ||
      indices.back() > static_cast<int64_t>(data.size() - batch) ||
      data.take_front(batch) != indices.take_front(batch)) {
    (void)complain("indices of shape ", text(indices), " with ", batch,
                   " batch axes do not fit data of shape ", text(data));
    return {};
  }
  Dims shape(indices.drop_back());
  llvm::append_range(shape, data.drop_front(batch + static_cast<size_t>(indices.back())));
  return shape;
}

llvm::LogicalResult checkUpdates(mlir::Value data, mlir::Value updates, llvm::ArrayRef<int64_t> wanted,
                                 Complaint complain) {
  if (shapeOf(updates) != wanted || tensorType(updates).getElementType() != tensorType(data).getElementType())
    return complain("updates have type ", updates.getType(), ", expected shape ", text(wanted), " of ",
                    tensorType(data).getElementType());
  return llvm::success();
}

} // namespace

llvm::LogicalResult GatherElementsOp::inferReturnTypes(mlir::MLIRContext *,
                                                       std::optional<mlir::Location> location,
                                                       Adaptor adaptor, Types &types) {
  const auto indices = shapeOf(adaptor.getIndices());
  if (llvm::failed(checkInside(indices, shapeOf(adaptor.getInput()), adaptor.getAxis(), {location})))
    return llvm::failure();
  return give(adaptor.getInput(), indices, types);
}

llvm::LogicalResult GatherNDOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                                 Adaptor adaptor, Types &types) {
  const auto shape = pointedAt(shapeOf(adaptor.getInput()), shapeOf(adaptor.getIndices()),
                               adaptor.getBatchDims(), {location});
  return shape ? give(adaptor.getInput(), *shape, types) : llvm::failure();
}

llvm::LogicalResult ScatterElementsOp::inferReturnTypes(mlir::MLIRContext *,
                                                        std::optional<mlir::Location> location,
                                                        Adaptor adaptor, Types &types) {
  const auto indices = shapeOf(adaptor.getIndices());
  if (llvm::failed(checkInside(indices, shapeOf(adaptor.getInput()), adaptor.getAxis(), {location})) ||
      llvm::failed(checkUpdates(adaptor.getInput(), adaptor.getUpdates(), indices, {location})))
    return llvm::failure();
  return give(adaptor.getInput(), shapeOf(adaptor.getInput()), types);
}

llvm::LogicalResult ScatterNDOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                                  Adaptor adaptor, Types &types) {
  const auto pointed = pointedAt(shapeOf(adaptor.getInput()), shapeOf(adaptor.getIndices()), 0, {location});
  if (!pointed || llvm::failed(checkUpdates(adaptor.getInput(), adaptor.getUpdates(), *pointed, {location})))
    return llvm::failure();
  return give(adaptor.getInput(), shapeOf(adaptor.getInput()), types);
}

llvm::LogicalResult OneHotOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const auto axis = static_cast<int64_t>(adaptor.getAxis()), depth = static_cast<int64_t>(adaptor.getDepth());
  Dims shape(shapeOf(adaptor.getIndices()));
  if (shapeOf(adaptor.getValues()) != llvm::ArrayRef<int64_t>{2} || depth < 0)
    return complain("operand 'values' has shape ", text(shapeOf(adaptor.getValues())),
                    ", expected 2 (values off and on), or the depth is negative: ", depth);
  if (axis < 0 || axis > static_cast<int64_t>(shape.size()))
    return complain("axis ", axis, " cannot be inserted into shape ", text(shape));
  shape.insert(shape.begin() + axis, depth);
  return give(adaptor.getValues(), shape, types);
}

llvm::LogicalResult CumSumOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor adaptor, Types &types) {
  if (llvm::failed(checkAxis(adaptor.getAxis(), shapeOf(adaptor.getInput()), {location})))
    return llvm::failure();
  return give(adaptor.getInput(), shapeOf(adaptor.getInput()), types);
}

llvm::LogicalResult TriluOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                              Adaptor adaptor, Types &types) {
  const auto shape = shapeOf(adaptor.getInput());
  if (shape.size() < 2)
    return Complaint{location}("the input must have at least two axes, not shape ", text(shape));
  return give(adaptor.getInput(), shape, types);
}

llvm::LogicalResult ReverseSequenceOp::inferReturnTypes(mlir::MLIRContext *,
                                                        std::optional<mlir::Location> location,
                                                        Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const auto shape = shapeOf(adaptor.getInput());
  const uint64_t time = adaptor.getTimeAxis(), batch = adaptor.getBatchAxis();
  if (shape.size() < 2 || time > 1 || batch != 1 - time)
    return complain("time axis ", time, " and batch axis ", batch, " are not the first two axes of shape ",
                    text(shape));
  if (shapeOf(adaptor.getLengths()) != llvm::ArrayRef<int64_t>{shape[batch]})
    return complain("lengths have shape ", text(shapeOf(adaptor.getLengths())), ", expected one for each of ",
                    shape[batch], " sequences");
  return give(adaptor.getInput(), shape, types);
}

llvm::LogicalResult TopKOp::inferReturnTypes(mlir::MLIRContext *context,
                                             std::optional<mlir::Location> location, Adaptor adaptor,
                                             Types &types) {
  const Complaint complain{location};
  const auto axis = static_cast<int64_t>(adaptor.getAxis()), k = static_cast<int64_t>(adaptor.getK());
  Dims shape(shapeOf(adaptor.getInput()));
  if (llvm::failed(checkAxis(axis, shape, complain)))
    return llvm::failure();
  if (k < 0 || k > shape[axis])
    return complain("k is ", k, ", out of range for axis ", axis, " of shape ", text(shape));
  shape[axis] = k;
  types.push_back(mlir::RankedTensorType::get(shape, tensorType(adaptor.getInput()).getElementType()));
  types.push_back(mlir::RankedTensorType::get(shape, mlir::IntegerType::get(context, 64)));
  return llvm::success();
}

} // namespace tilerig::compiler::graph
