#include "compiler/Layer/Partition/HostForm.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/Types.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

mlir::NamedAttribute integers(mlir::Builder &builder, llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}

// Whether a host kernel would see the tensor in the form in which the accelerator's layer sees it. A kernel
// gets tensors in the axis order of the exported ONNX model, and quantised values as real numbers.
bool isPlain(mlir::Value value) {
  const auto origin = graph::tensorOrigin(value);
  const bool isInOrder =
      !origin || llvm::equal(origin->order, llvm::seq<int64_t>(static_cast<int64_t>(origin->order.size())));
  return isInOrder && !layer::quantisedOf(layer::elementOf(value));
}

} // namespace

std::optional<HostForm> hostFormOf(mlir::Operation *layer) {
  using Form = std::optional<HostForm>;
  mlir::Builder builder(layer->getContext());
  if (layer->getNumResults() != 1 || !llvm::all_of(layer->getOperands(), isPlain) ||
      !isPlain(layer->getResult(0)))
    return std::nullopt;
  const auto shape = integers(builder, "shape", graph::shapeOf(layer->getResult(0)));
  return llvm::TypeSwitch<mlir::Operation *, Form>(layer)
      .Case([&](layer::ReshapeOp) -> Form {
        return HostForm{"Reshape", {shape}};
      })
      .Case([&](layer::SliceOp op) -> Form {
        return HostForm{
            "Slice",
            {integers(builder, "starts", op.getStarts()), integers(builder, "steps", op.getSteps()), shape}};
      })
      .Case([&](layer::TransposeOp op) -> Form {
        return HostForm{"Transpose", {integers(builder, "perm", op.getPerm())}};
      })
      .Default([](mlir::Operation *) { return Form(); });
}

layer::HostOp moveToHost(mlir::Operation *layer, const HostForm &form) {
  mlir::OpBuilder builder(layer);
  const llvm::SmallVector<bool> present(layer->getNumOperands(), true);
  auto moved = layer::HostOp::create(builder, layer->getLoc(), layer->getResultTypes(), layer->getOperands(),
                                     form.kernel, builder.getDictionaryAttr(form.parameters), present);
  for (const mlir::NamedAttribute attribute : layer->getDiscardableAttrs())
    moved->setDiscardableAttr(attribute.getName(), attribute.getValue());
  layer->replaceAllUsesWith(moved);
  layer->erase();
  return moved;
}

} // namespace tilerig::compiler
