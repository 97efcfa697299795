#include "compiler/Graph/IR/Origins.h"
#include "compiler/Inject/Passes/Edit.h"
#include "compiler/Layer/IR/ResizePositions.h"

#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

namespace {

using Sizes = llvm::ArrayRef<int64_t>;

mlir::OpOperand *addendOf(mlir::Operation *operation) {
  if (auto conv = llvm::dyn_cast<layer::ConvOp>(operation); conv && conv.getAddend())
    return conv.getAddendMutable().begin();
  if (auto product = llvm::dyn_cast<layer::MatMulOp>(operation); product && product.getAddend())
    return product.getAddendMutable().begin();
  return nullptr;
}

mlir::Operation *findAddend(const RewriteView &rewrite) {
  return findChanged<layer::ConvOp, layer::MatMulOp>(
      rewrite, [](mlir::Operation *operation) { return addendOf(operation) != nullptr; });
}
Status injectDropped(const RewriteView &, mlir::Operation *found, BugDraw &) {
  if (auto conv = llvm::dyn_cast<layer::ConvOp>(found))
    conv.getAddendMutable().clear();
  else
    llvm::cast<layer::MatMulOp>(found).getAddendMutable().clear();
  found->removeAttr("functionFirst"); // 'functionFirst' is illegal on operations without an addend
  return success();
}

// An operand of the operation that computes the addend; it has the same type as the addend. Null if there is
// none.
mlir::Value earlierThan(mlir::Value addend) {
  if (mlir::Operation *const operation = addend.getDefiningOp())
    for (const mlir::Value operand : operation->getOperands())
      if (operand.getType() == addend.getType() && !floatsOf(operand))
        return operand;
  return {};
}
mlir::Operation *findStale(const RewriteView &rewrite) {
  return findChanged<layer::ConvOp, layer::MatMulOp>(rewrite, [](mlir::Operation *operation) {
    mlir::OpOperand *const addend = addendOf(operation);
    return addend && earlierThan(addend->get());
  });
}
Status injectStale(const RewriteView &, mlir::Operation *found, BugDraw &) {
  mlir::OpOperand *const addend = addendOf(found);
  addend->set(earlierThan(addend->get()));
  return success();
}

layer::FunctionAttr functionOf(mlir::Operation *operation) {
  return operation->getAttrOfType<layer::FunctionAttr>("function");
}

mlir::Operation *findMoved(const RewriteView &rewrite) {
  return findChanged<layer::ConvOp, layer::MatMulOp>(
      rewrite, [](mlir::Operation *operation) { return addendOf(operation) && functionOf(operation); });
}
// Applies the activation function before the addend is added instead of after, or the reverse.
Status injectMoved(const RewriteView &, mlir::Operation *found, BugDraw &) {
  if (found->hasAttr("functionFirst"))
    found->removeAttr("functionFirst");
  else
    found->setAttr("functionFirst", mlir::UnitAttr::get(found->getContext()));
  return success();
}

mlir::Operation *findClip(const RewriteView &rewrite) {
  for (mlir::Operation *operation : rewrite.changed)
    if (const auto function = functionOf(operation);
        function && function.getKind() == UnaryFunction::clip &&
        function.getAlpha().convertToDouble() != function.getBeta().convertToDouble())
      return operation;
  return nullptr;
}
Status injectBounds(const RewriteView &, mlir::Operation *found, BugDraw &) {
  const auto function = functionOf(found);
  found->setAttr("function", layer::FunctionAttr::get(found->getContext(), function.getKind(),
                                                      function.getBeta().convertToFloat(),
                                                      function.getAlpha().convertToFloat()));
  return success();
}

mlir::Operation *findPadded(const RewriteView &rewrite) {
  if (!llvm::isa_and_nonnull<graph::PadOp, graph::ConvOp, graph::AveragePoolOp>(rewrite.matched))
    return nullptr;
  return findChanged<graph::ConvOp, layer::ConvOp>(rewrite, [](mlir::Operation *operation) {
    const auto pads = operation->getAttrOfType<mlir::DenseI64ArrayAttr>("pads").asArrayRef();
    const size_t axes = pads.size() / 2;
    for (size_t axis = 0; axis < axes; ++axis)
      if (pads[axis] != pads[axes + axis])
        return true;
    return false;
  });
}
// Exchanges the padding at the start of each axis with the padding at its end.
Status injectPadSide(const RewriteView &, mlir::Operation *found, BugDraw &) {
  llvm::SmallVector<int64_t> pads(found->getAttrOfType<mlir::DenseI64ArrayAttr>("pads").asArrayRef());
  std::ranges::rotate(pads, pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2));
  found->setAttr("pads", mlir::DenseI64ArrayAttr::get(found->getContext(), pads));
  return success();
}

bool isPadded(layer::PoolOp pool) {
  return llvm::any_of(pool.getPads(), [](int64_t pad) { return pad > 0; });
}
bool isAverage(layer::PoolOp pool) {
  const PoolFunction kind = pool.getKind().getValue();
  return kind == PoolFunction::average || kind == PoolFunction::averageWithPadding;
}
mlir::Operation *findAverage(const RewriteView &rewrite) {
  return findChanged<layer::PoolOp>(rewrite, [](mlir::Operation *operation) {
    auto pool = llvm::cast<layer::PoolOp>(operation);
    return isAverage(pool) && isPadded(pool);
  });
}
Status injectCountPad(const RewriteView &, mlir::Operation *found, BugDraw &) {
  auto pool = llvm::cast<layer::PoolOp>(found);
  const bool counts = pool.getKind().getValue() == PoolFunction::averageWithPadding;
  pool.setKindAttr(layer::PoolKindAttr::get(found->getContext(), counts ? PoolFunction::average
                                                                        : PoolFunction::averageWithPadding));
  return success();
}

// For a nearest-neighbour resize along one axis: which input element each output element copies.
std::vector<int64_t> elementsRead(const layer::AxisPositions &positions, int64_t from, int64_t to) {
  std::vector<int64_t> elements;
  for (int64_t element = 0; element < to; ++element)
    elements.push_back(std::clamp<int64_t>(
        llvm::divideFloorSigned(element * positions.numerator + positions.offset, positions.denominator), 0,
        from - 1));
  return elements;
}

// The rows and columns that a nearest-neighbour resize would copy if it rounded positions in another mode.
// Empty if these are the same elements as now, or if the operation is no nearest-neighbour resize.
std::optional<std::array<layer::AxisPositions, 2>> otherPositions(layer::ResizeOp op) {
  if (op.getKind().getValue() != ResizeMode::nearest)
    return {};
  const auto positionsIn = [](Sizes numbers) {
    return layer::AxisPositions{numbers[0], numbers[1], numbers[2]};
  };
  const std::array right = {positionsIn(op.getRows()), positionsIn(op.getColumns())};
  const auto input = graph::shapeOf(op.getInput()), output = graph::shapeOf(op.getOutput());
  const std::array from = {input[1], input[2]}, to = {output[1], output[2]};
  const auto axes = layer::resizeOf(right, true, from, to);
  if (!axes)
    return {};
  for (const auto nearest : {graph::NearestMode::ceil, graph::NearestMode::floor}) {
    std::array<layer::AxisPositions, 2> wrong = right;
    bool differs = false;
    for (size_t axis = 0; axis < wrong.size(); ++axis) {
      layer::AxisResize resize = (*axes)[axis];
      resize.nearest = nearest;
      if (const auto positions = layer::positionsOf(resize); positions && from[axis] > 1)
        wrong[axis] = *positions;
      differs |=
          elementsRead(wrong[axis], from[axis], to[axis]) != elementsRead(right[axis], from[axis], to[axis]);
    }
    if (differs && layer::resizeOf(wrong, true, from, to))
      return wrong;
  }
  return {};
}

mlir::Operation *findNearest(const RewriteView &rewrite) {
  return findChanged<layer::ResizeOp>(rewrite, [](mlir::Operation *operation) {
    return otherPositions(llvm::cast<layer::ResizeOp>(operation)).has_value();
  });
}
Status injectRounding(const RewriteView &, mlir::Operation *found, BugDraw &) {
  auto resize = llvm::cast<layer::ResizeOp>(found);
  const auto [rows, columns] = *otherPositions(resize);
  resize.setRows({rows.numerator, rows.denominator, rows.offset});
  resize.setColumns({columns.numerator, columns.denominator, columns.offset});
  return success();
}

// Whether an operation's first operand could replace its result everywhere, because the two have equal types.
bool canVanish(mlir::Operation *operation) {
  return operation->getNumResults() == 1 && operation->getNumOperands() > 0 &&
         operation->getOperand(0).getType() == operation->getResult(0).getType() &&
         !operation->hasTrait<mlir::OpTrait::ConstantLike>() && !floatsOf(operation->getOperand(0));
}
// Finds an operation whose removal would be a bug, among the readers of the operations that the pass has
// changed.
mlir::Operation *readerOf(const RewriteView &rewrite) {
  for (mlir::Operation *operation : rewrite.changed)
    for (const mlir::Value result : operation->getResults())
      for (mlir::Operation *user : result.getUsers())
        if (llvm::isa<graph::ReluOp, graph::SoftmaxOp, graph::ClipOp, graph::SigmoidOp, graph::TanhOp,
                      graph::GeluOp, graph::SiluOp, graph::MaxPoolOp>(user) &&
            canVanish(user))
          return user;
  return nullptr;
}
Status injectVanished(const RewriteView &, mlir::Operation *found, BugDraw &) {
  found->getResult(0).replaceAllUsesWith(found->getOperand(0));
  return success();
}

// An earlier operation that has the same name, operands and result types as the given operation, but other
// attributes. Null if there is none.
mlir::Operation *partnerOf(mlir::Operation *operation) {
  if (operation->getNumOperands() == 0 || operation->getNumResults() != 1)
    return nullptr;
  for (mlir::Operation *other : operation->getOperand(0).getUsers())
    if (other != operation && other->isBeforeInBlock(operation) && other->getName() == operation->getName() &&
        other->getOperands() == operation->getOperands() &&
        other->getResultTypes() == operation->getResultTypes() &&
        other->getAttrDictionary() != operation->getAttrDictionary())
      return other;
  return nullptr;
}

mlir::Operation *findAlmostEqual(const RewriteView &rewrite) {
  mlir::func::FuncOp function = rewrite.function;
  for (mlir::Operation &operation : function.getBody().front())
    if (partnerOf(&operation))
      return &operation;
  return nullptr;
}
Status injectMerged(const RewriteView &, mlir::Operation *found, BugDraw &) {
  found->replaceAllUsesWith(partnerOf(found)->getResults());
  return success();
}

constexpr std::string_view merging[] = {"cse"};
constexpr std::string_view addends[] = {"fuse-addends"};
constexpr std::string_view functions[] = {"fuse-functions", "form-layers"};
constexpr std::string_view fusedFunctions[] = {"fuse-addends", "fuse-functions"};
constexpr std::string_view pads[] = {"fold-pads", "form-layers"};
constexpr std::string_view lowering[] = {"form-layers"};
constexpr std::string_view removing[] = {"remove-no-ops", "fold-batch-norm", "fold-shifts",
                                         "use-channels-last"};

constexpr PassBug fusionTable[] = {
    {"residual-dropped", addends, findAddend, injectDropped},
    {"residual-stale", addends, findStale, injectStale},
    {"activation-moved", fusedFunctions, findMoved, injectMoved},
    {"clip-exchanged", functions, findClip, injectBounds},
    {"pad-merged-wrong", pads, findPadded, injectPadSide},
    {"count-include-pad", lowering, findAverage, injectCountPad},
    {"resize-rounding", lowering, findNearest, injectRounding},
    {"merged-unequal", merging, findAlmostEqual, injectMerged},
    {"removed-alive", removing, readerOf, injectVanished},
};

} // namespace

std::span<const PassBug> fusionBugs() { return fusionTable; }

} // namespace tilerig::compiler
