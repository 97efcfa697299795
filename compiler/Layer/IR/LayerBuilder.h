// Creates the layers to which one operation of level `graph` is lowered.
//
// The lowerings have to state correct shapes, since shapes are not checked here. Operations that only move the
// elements of a constant are folded at once: the result is a new constant.
#pragma once

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/Layer.h"
#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"

#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

using Ints = llvm::SmallVector<int64_t>;
using Sizes = llvm::ArrayRef<int64_t>;
using Lowered = Result<llvm::SmallVector<mlir::Value>>;

class LayerBuilder {
public:
  LayerBuilder(mlir::OpBuilder &builder, mlir::Location location) : builder(builder), location(location) {}

  mlir::Value constant(const Tensor &tensor, llvm::StringRef name);
  // Creates a constant of one element, which has the element type of the value `like`.
  mlir::Value number(double value, mlir::Value like);
  mlir::Value reshape(mlir::Value value, Sizes shape);
  mlir::Value transpose(mlir::Value value, Sizes perm);
  mlir::Value expand(mlir::Value value, Sizes shape);
  mlir::Value slice(mlir::Value value, Sizes starts, Sizes steps, Sizes shape);
  // Slices one axis of the value: takes `count` elements from index `start` on, in steps of `step`.
  mlir::Value sliceAxis(mlir::Value value, int64_t axis, int64_t start, int64_t count, int64_t step = 1);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  mlir::Value pad(mlir::Value value, Sizes pads, double with);
  // Multiplies each element of a float value by a number.
  mlir::Value scale(mlir::Value value, double factor);

  mlir::Value activate(UnaryFunction function, mlir::Value value, float alpha = 0, float beta = 0);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  mlir::Value binary(BinaryFunction kind, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  // Reduces the value along the given axes, which stay in the result with size 1.
  mlir::Value reduce(ReduceFunction kind, mlir::Value value, Sizes axes);

  layer::FunctionAttr function(UnaryFunction kind, float alpha = 0, float beta = 0);
  // Creates an operation with one result, which has the given shape and the element type of the first
  // operand.
  template <class Op, class... Parts>
  mlir::Value make(Sizes shape, Parts &&...parts) {
    return makeAs<Op>(shape, mlir::Type(), std::forward<Parts>(parts)...);
  }
  template <class Op, class... Parts>
  mlir::Value makeAs(Sizes shape, mlir::Type element, mlir::Value first, Parts &&...parts) {
    const mlir::Type type = element ? element : graph::tensorType(first).getElementType();
    return Op::create(builder, location, mlir::RankedTensorType::get(shape, type), first,
                      std::forward<Parts>(parts)...);
  }
  mlir::OpBuilder &ops() { return builder; }
  mlir::Location place() const { return location; }
  mlir::MLIRContext *context() const { return builder.getContext(); }

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
};

// The elements of a constant of level `graph` or `layer`; empty for other values.
std::optional<Tensor> elementsOf(mlir::Value value);
// The value of a float constant whose elements are all equal; empty for other values.
std::optional<double> numberOf(mlir::Value value);

} // namespace tilerig::compiler
