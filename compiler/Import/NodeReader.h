// One node on its way into the graph: what it says, with ONNX's defaults, and where its operation goes.
#pragma once

#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Import/OnnxFile.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/Diagnostics.h>

namespace tilerig {

using Values = llvm::SmallVector<mlir::Value>;
using Ints = llvm::SmallVector<int64_t>;

class NodeReader {
public:
  NodeReader(const OnnxFile &file, const onnx::NodeProto &node, std::string shown, int64_t opset,
             Values inputs, mlir::OpBuilder &builder, mlir::Location location)
      : file(file), node(node), shown(std::move(shown)), version(opset), operands(std::move(inputs)),
        builder(builder), location(location) {}

  const onnx::NodeProto &proto() const { return node; }
  mlir::Location place() const { return location; }
  int64_t opset() const { return version; }
  size_t numOutputs() const { return static_cast<size_t>(node.output_size()); }

  // --- Operands ---

  // Null where the node has none.
  mlir::Value input(size_t index) const { return index < operands.size() ? operands[index] : nullptr; }
  const Values &inputs() const { return operands; }
  bool has(size_t index) const { return static_cast<bool>(input(index)); }
  llvm::ArrayRef<int64_t> shape(size_t index) const {
    return llvm::cast<mlir::RankedTensorType>(input(index).getType()).getShape();
  }
  int64_t rank(size_t index) const { return static_cast<int64_t>(shape(index).size()); }
  // Refuses a node with fewer operands, or without one of the first `count`.
  Status needs(size_t count) const;
  // The integers of an operand that has to be known when compiling: a shape, axes, sizes.
  Result<Ints> constantInts(size_t index, std::string_view what) const;
  Result<Tensor> constant(size_t index, std::string_view what) const;

  // --- Attributes ---

  int64_t integer(std::string_view name, int64_t otherwise) const;
  float real(std::string_view name, float otherwise) const;
  std::string text(std::string_view name, std::string otherwise) const;
  std::optional<Ints> integers(std::string_view name) const;
  const onnx::AttributeProto *attribute(std::string_view name) const;
  // An attribute in old operator sets, operand `index` in new ones.
  Result<std::optional<Ints>> integersOrInput(std::string_view name, size_t index) const;
  Result<Tensor> tensor(const onnx::TensorProto &proto) const { return file.tensor(proto, shown); }

  // An axis that may count from the end. Refused outside [-rank, rank).
  Result<int64_t> axis(int64_t axis, int64_t rank) const;

  // --- Results ---

  // Builds an operation whose type follows, or the constant that it comes to.
  template <class Op, class... Parts>
  Result<mlir::Value> make(Parts &&...parts) const {
    Complaints complaints(*builder.getContext());
    mlir::OperationState state(location, Op::getOperationName());
    Op::build(builder, state, mlir::TypeRange(builder.getNoneType()), std::forward<Parts>(parts)...);
    state.types.clear();
    if (llvm::failed(Op::inferReturnTypes(builder.getContext(), location, state.operands,
                                          state.attributes.getDictionary(builder.getContext()),
                                          state.getRawProperties(), state.regions, state.types)))
      return refuse(complaints.text());
    return finish(state, complaints);
  }
  // The same with the type given.
  template <class Op, class... Parts>
  Result<mlir::Value> makeAs(llvm::ArrayRef<int64_t> shape, mlir::Type element, Parts &&...parts) const {
    Complaints complaints(*builder.getContext());
    mlir::OperationState state(location, Op::getOperationName());
    Op::build(builder, state, mlir::TypeRange(mlir::RankedTensorType::get(shape, element)),
              std::forward<Parts>(parts)...);
    return finish(state, complaints);
  }
  mlir::Value constantValue(const Tensor &tensor) const;
  mlir::Type typeOf(DType type) const;
  mlir::Type elementType(size_t index) const {
    return llvm::cast<mlir::RankedTensorType>(input(index).getType()).getElementType();
  }
  Error refuse(const std::string &what, std::string remedy = {}) const {
    return invalidInput(file.path(), shown + ": " + what, std::move(remedy));
  }
  Error unsupportedHere(const std::string &what) const {
    return unsupported(file.path(), shown + ": " + what);
  }

private:
  // Collects what MLIR says instead of printing it.
  class Complaints {
  public:
    explicit Complaints(mlir::MLIRContext &context);
    std::string text() const { return said.empty() ? "cannot be" : said; }

  private:
    std::string said;
    mlir::ScopedDiagnosticHandler handler;
  };
  Result<mlir::Value> finish(mlir::OperationState &state, const Complaints &complaints) const;

  const OnnxFile &file;
  const onnx::NodeProto &node;
  std::string shown; // for messages
  int64_t version;
  Values operands;
  mlir::OpBuilder &builder;
  mlir::Location location;
};

} // namespace tilerig
