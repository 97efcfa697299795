// Composes the operations for one node whose operator `graph` does not have. An error ends the composition: all
// operations after it are null, and results() returns the error.
//
// Each operation gets a node name of its own, by which reports and checks can tell it from the others: the name of the
// node with the kind of operation, such as `node#matmul`, `node#matmul2`.
#pragma once

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/Operators.h"

#include <llvm/ADT/StringMap.h>

namespace tilerig::compiler {

class Composition {
public:
  explicit Composition(const NodeReader &node) : node(node) {}

  // Builds an operation with one result, whose type is inferred. Null after an error.
  template <class Op, class... Parts>
  mlir::Value make(Parts &&...parts) {
    return keep(Op::getOperationName(),
                [&](const NodeReader &part) { return part.make<Op>(std::forward<Parts>(parts)...); });
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return binary<graph::AddOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return binary<graph::SubOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return binary<graph::MulOp>(a, b); }
  mlir::Value matmul(mlir::Value a, mlir::Value b) { return binary<graph::MatMulOp>(a, b); }
  template <class Op>
  mlir::Value unary(mlir::Value x) {
    return x ? make<Op>(x) : nullptr;
  }

  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value expand(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value cast(mlir::Value x, mlir::Type element);
  mlir::Value transpose(mlir::Value x, const Ints &perm);
  // The elements [begin, end) along an axis, or every `step`-th of them.
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);
  mlir::Value concat(const Values &parts, int64_t axis);
  mlir::Value gather(mlir::Value x, mlir::Value indices, int64_t axis);
  mlir::Value meanOverLast(mlir::Value x);
  mlir::Value isNaN(mlir::Value x);
  mlir::Value where(mlir::Value condition, mlir::Value a, mlir::Value b);

  // A constant of float type `element` with these numbers, and one with a single number.
  mlir::Value constant(llvm::ArrayRef<double> numbers, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value number(double value, mlir::Type element) { return constant({value}, {}, element); }
  mlir::Value booleans(llvm::ArrayRef<bool> values, llvm::ArrayRef<int64_t> shape);
  mlir::Value integers(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape);

  // These results, or the first error.
  ImportedValues results(Values values) const {
    if (error)
      return *error;
    return values;
  }

private:
  template <class Op>
  mlir::Value binary(mlir::Value a, mlir::Value b) {
    return a && b ? make<Op>(a, b) : nullptr;
  }
  // The value that `build` makes with a part of the node that is named after the operation.
  template <class Make>
  mlir::Value keep(llvm::StringRef operation, Make build) {
    if (error)
      return nullptr;
    const Result<mlir::Value> value = build(node.part(nameOfNext(operation)));
    if (value)
      return *value;
    error = value.error();
    return nullptr;
  }

  std::string nameOfNext(llvm::StringRef operation);

  const NodeReader &node;
  llvm::StringMap<unsigned> counts; // how many operations of each name there are
  std::optional<Error> error;
};

// The element type of a value.
inline mlir::Type elementOf(mlir::Value value) { return graph::tensorType(value).getElementType(); }

} // namespace tilerig::compiler
