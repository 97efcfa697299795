#include "compiler/Graph/IR/Origins.h"
#include "compiler/Inject/Passes/Edit.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

namespace {

using graph::shapeOf;
using Sizes = llvm::ArrayRef<int64_t>;

bool isOrdered(mlir::Operation *operation) {
  if (auto binary = llvm::dyn_cast<layer::BinaryOp>(operation)) {
    const BinaryFunction kind = binary.getKind().getValue();
    return kind == BinaryFunction::sub || kind == BinaryFunction::div || kind == BinaryFunction::pow;
  }
  return llvm::isa<graph::SubOp, graph::DivOp, graph::PowOp>(operation);
}

mlir::Operation *findOrdered(const RewriteView &rewrite) {
  return findChanged<layer::BinaryOp, graph::SubOp, graph::DivOp, graph::PowOp>(
      rewrite, [](mlir::Operation *operation) {
        return isOrdered(operation) && operation->getOperand(0) != operation->getOperand(1);
      });
}

Status injectExchanged(const RewriteView &, mlir::Operation *found, BugDraw &) {
  const mlir::Value first = found->getOperand(0);
  found->setOperand(0, found->getOperand(1));
  found->setOperand(1, first);
  return success();
}

std::optional<Sizes> permOf(mlir::Operation *operation) {
  if (auto transpose = llvm::dyn_cast<graph::TransposeOp>(operation))
    return transpose.getPerm();
  if (auto transpose = llvm::dyn_cast<layer::TransposeOp>(operation))
    return transpose.getPerm();
  return {};
}

// Whether a transpose would give another result if it permuted by the inverse of its permutation.
bool isMisplaced(mlir::Operation *operation) {
  const Sizes perm = *permOf(operation), shape = shapeOf(operation->getOperand(0));
  if (graph::inverse(perm) == graph::Order(perm))
    return false;
  const auto moved = [&](Sizes order) {
    llvm::SmallVector<int64_t> axes; // axes of the transposed tensor that have more than one element
    for (const int64_t axis : order)
      if (shape[static_cast<size_t>(axis)] > 1)
        axes.push_back(axis);
    return axes;
  };
  return moved(perm) != moved(graph::inverse(perm));
}

mlir::Operation *findPermuted(const RewriteView &rewrite) {
  return findChanged<graph::TransposeOp, layer::TransposeOp>(rewrite, isMisplaced);
}

// Makes a transpose permute by the inverse of its permutation, then reshapes its result to the type that it
// had before.
Status injectInverse(const RewriteView &, mlir::Operation *found, BugDraw &) {
  const graph::Order perm = graph::inverse(*permOf(found));
  const auto wrong = graph::permutedType(found->getOperand(0), perm);
  const auto right = llvm::cast<mlir::RankedTensorType>(found->getResult(0).getType());
  found->setAttr("perm", mlir::DenseI64ArrayAttr::get(found->getContext(), perm));
  found->getResult(0).setType(wrong);
  if (wrong == right)
    return success();
  mlir::OpBuilder builder(found->getContext());
  builder.setInsertionPointAfter(found);
  const mlir::Location location = found->getLoc();
  found->setLoc(graph::withTensor(location, {}));
  mlir::Operation *reshape = nullptr;
  if (llvm::isa<graph::TransposeOp>(found))
    reshape = graph::ReshapeOp::create(builder, location, right, found->getResult(0));
  else
    reshape = layer::ReshapeOp::create(builder, location, right, found->getResult(0));
  found->getResult(0).replaceAllUsesExcept(reshape->getResult(0), reshape);
  return success();
}

bool hasAlike(mlir::Operation *concat) {
  return concat->getNumOperands() > 1 && concat->getOperand(0) != concat->getOperand(1) &&
         concat->getOperand(0).getType() == concat->getOperand(1).getType();
}
mlir::Operation *findConcat(const RewriteView &rewrite) {
  return findChanged<graph::ConcatOp, layer::ConcatOp>(rewrite, hasAlike);
}

mlir::Operation *findSoftmax(const RewriteView &rewrite) {
  return findChanged<graph::SoftmaxOp, layer::SoftmaxOp>(rewrite, [](mlir::Operation *operation) {
    const auto shape = shapeOf(operation->getOperand(0));
    const int64_t axis = operation->getAttrOfType<mlir::IntegerAttr>("axis").getInt();
    return axis > 0 && shape[static_cast<size_t>(axis - 1)] > 1;
  });
}

// Computes a softmax along the axis in front of the correct one. A compiler might do so because the attribute
// `axis` of ONNX's Softmax changed its meaning in operator set 13.
Status injectSoftmaxAxis(const RewriteView &, mlir::Operation *found, BugDraw &) {
  const auto axis = found->getAttrOfType<mlir::IntegerAttr>("axis");
  found->setAttr("axis", mlir::IntegerAttr::get(axis.getType(), axis.getInt() - 1));
  return success();
}

mlir::Operation *findNorm(const RewriteView &rewrite) {
  return findChanged<layer::NormalizeOp>(rewrite, [](mlir::Operation *operation) {
    auto norm = llvm::cast<layer::NormalizeOp>(operation);
    const auto shape = shapeOf(norm.getInput());
    return norm.getAxes().size() == 1 && norm.getAxes()[0] > 0 &&
           shape[static_cast<size_t>(norm.getAxes()[0] - 1)] > 1;
  });
}
Status injectNormAxis(const RewriteView &, mlir::Operation *found, BugDraw &) {
  auto norm = llvm::cast<layer::NormalizeOp>(found);
  const int64_t axis = norm.getAxes()[0] - 1;
  norm.setAxes({axis});
  return success();
}

// Whether a slice with positive steps begins behind the first element of the axis.
bool isShifted(mlir::Operation *slice, size_t axis) {
  return slice->getAttrOfType<mlir::DenseI64ArrayAttr>("starts")[axis] > 0 &&
         slice->getAttrOfType<mlir::DenseI64ArrayAttr>("steps")[axis] > 0 &&
         shapeOf(slice->getOperand(0))[axis] > shapeOf(slice->getResult(0))[axis];
}

mlir::Operation *findShiftedSlice(const RewriteView &rewrite) {
  return findChanged<layer::SliceOp, graph::SliceOp>(rewrite, [](mlir::Operation *operation) {
    for (size_t axis = 0; axis < shapeOf(operation->getOperand(0)).size(); ++axis)
      if (isShifted(operation, axis))
        return true;
    return false;
  });
}
// Lets the slice begin at the first element of the axis, as a pass would that applied the start to a wrong
// axis.
Status injectSliceAxis(const RewriteView &, mlir::Operation *found, BugDraw &) {
  const auto starts = found->getAttrOfType<mlir::DenseI64ArrayAttr>("starts");
  llvm::SmallVector<int64_t> wrong(starts.asArrayRef()), ends;
  if (const auto attribute = found->getAttrOfType<mlir::DenseI64ArrayAttr>("ends"))
    ends.assign(attribute.asArrayRef().begin(), attribute.asArrayRef().end());
  for (size_t axis = 0; axis < wrong.size(); ++axis)
    if (isShifted(found, axis)) {
      if (!ends.empty())
        ends[axis] -= wrong[axis];
      wrong[axis] = 0;
    }
  found->setAttr("starts", mlir::DenseI64ArrayAttr::get(found->getContext(), wrong));
  if (!ends.empty())
    found->setAttr("ends", mlir::DenseI64ArrayAttr::get(found->getContext(), ends));
  return success();
}

mlir::Operation *findGrouped(const RewriteView &rewrite) {
  return findChanged<layer::ConvOp>(rewrite, [](mlir::Operation *operation) {
    auto conv = llvm::cast<layer::ConvOp>(operation);
    return conv.getGroups() > 1 && floatsOf(conv.getWeights());
  });
}
// Gives each group of a grouped convolution the weights of the next group.
Status injectGroups(const RewriteView &, mlir::Operation *found, BugDraw &) {
  Doubles weights = *floatsOf(found->getOperand(1));
  const auto groups = static_cast<std::ptrdiff_t>(llvm::cast<layer::ConvOp>(found).getGroups());
  std::ranges::rotate(weights, weights.begin() + static_cast<std::ptrdiff_t>(weights.size()) / groups);
  setConstant(found->getOpOperand(1), weights);
  return success();
}

mlir::Operation *findMatrix(const RewriteView &rewrite) {
  return findChanged<layer::MatMulOp, graph::GemmOp>(rewrite, [](mlir::Operation *operation) {
    const auto shape = shapeOf(operation->getOperand(1));
    return floatsOf(operation->getOperand(1)) && shape.size() == 2 && shape[0] > 1 && shape[1] > 1;
  });
}
// Leaves the elements of the weight matrix in the order of the model file, although they should be
// transposed.
Status injectTransposition(const RewriteView &, mlir::Operation *found, BugDraw &) {
  setConstant(found->getOpOperand(1), [](const Tensor &tensor) {
    constexpr int64_t exchanged[] = {1, 0};
    return *transposed(tensor, exchanged).reshaped(tensor.shape());
  });
  return success();
}

constexpr std::string_view formLayers[] = {"form-layers"};
constexpr std::string_view transposing[] = {"use-channels-last", "sink-transposes", "form-layers"};
constexpr std::string_view sinking[] = {"sink-transposes", "form-layers"};

constexpr PassBug orderTable[] = {
    {"operands-exchanged", sinking, findOrdered, injectExchanged},
    {"permutation-inverse", transposing, findPermuted, injectInverse},
    {"concat-order", sinking, findConcat, injectExchanged},
    {"softmax-axis", formLayers, findSoftmax, injectSoftmaxAxis},
    {"norm-axis", formLayers, findNorm, injectNormAxis},
    {"axis-not-adjusted", sinking, findShiftedSlice, injectSliceAxis},
    {"group-weights", formLayers, findGrouped, injectGroups},
    {"transposition-lost", formLayers, findMatrix, injectTransposition},
};

} // namespace

std::span<const PassBug> orderBugs() { return orderTable; }

} // namespace tilerig::compiler
