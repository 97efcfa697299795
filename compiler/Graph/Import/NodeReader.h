// Reads the operands and attributes of one ONNX node, with ONNX's defaults, and builds the operations for it.
#pragma once

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Import/OnnxFile.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/Diagnostics.h>

namespace tilerig::compiler {

using Values = llvm::SmallVector<mlir::Value>;
using Ints = llvm::SmallVector<int64_t>;

// Whether the sizes of all axes of the tensor `value` are known.
inline bool isStatic(mlir::Value value) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

// Collects MLIR's diagnostics during its lifetime instead of printing them.
class Complaints {
public:
  explicit Complaints(mlir::MLIRContext &context);
  std::string text() const { return said.empty() ? "the operation is invalid" : said; }

private:
  std::string said;
  mlir::ScopedDiagnosticHandler handler;
};

class NodeReader {
public:
  NodeReader(const OnnxFile &file, const onnx::NodeProto &node, std::string name, int64_t opset,
             Values inputs, mlir::OpBuilder &builder, mlir::Location location)
      : file(file), node(node), called(std::move(name)),
        shown("node '" + called + "' (" + node.op_type() + ")"), version(opset), operands(std::move(inputs)),
        builder(builder), location(location) {}

  const onnx::NodeProto &proto() const { return node; }
  // The node's name, or a generated one if it has none.
  const std::string &name() const { return called; }
  mlir::Location place() const { return location; }
  int64_t opset() const { return version; }
  // The same node, but the operations that it builds have the node name `NAME#PART`: a node that becomes several
  // operations gives each a name of its own.
  NodeReader part(const std::string &partName) const;
  // Whether an operation of this node name was built by a part of the node `node`.
  static bool isPartOf(llvm::StringRef name, llvm::StringRef node) {
    return name.consume_front(node) && name.starts_with("#");
  }
  // The same node with other operands.
  NodeReader with(Values inputs) const;
  size_t numOutputs() const { return static_cast<size_t>(node.output_size()); }

  // --- Operands ---

  // The operand at this index; null if the node does not have it.
  mlir::Value input(size_t index) const { return index < operands.size() ? operands[index] : nullptr; }
  const Values &inputs() const { return operands; }
  bool has(size_t index) const { return static_cast<bool>(input(index)); }
  llvm::ArrayRef<int64_t> shape(size_t index) const {
    return llvm::cast<mlir::RankedTensorType>(input(index).getType()).getShape();
  }
  int64_t rank(size_t index) const { return static_cast<int64_t>(shape(index).size()); }
  // Refuses a node that lacks one of the first `least` operands or has more than `most`.
  Status needs(size_t least, size_t most) const;
  Status needs(size_t count) const { return needs(count, count); }
  // An optional operand that must be a single element of the first operand's element type. If its rank
  // exceeds that of the first operand, it is reshaped to a scalar. Null if absent. `operandName` names the
  // operand in the error.
  Result<mlir::Value> number(size_t index, std::string_view operandName) const;
  // The integers of an operand that must be known at compile time: a shape, axes or sizes.
  Result<Ints> constantInts(size_t index, std::string_view operandName) const;
  Result<Tensor> constant(size_t index, std::string_view operandName) const;

  // The following functions read attributes. For an attribute of the wrong type they return the default and
  // record an error in misread(), which the importer checks at the end.

  int64_t integer(std::string_view name, int64_t otherwise) const;
  float real(std::string_view name, float otherwise) const;
  std::string text(std::string_view name, std::string otherwise) const;
  std::optional<Ints> integers(std::string_view name) const;
  std::optional<llvm::SmallVector<float>> reals(std::string_view name) const;
  // Reads an integer attribute that the node must have; returns an error if the node lacks it.
  Result<int64_t> neededInteger(std::string_view name) const;
  // The enumerator whose name is the value of the text attribute `name`.
  template <class Enum>
  Result<Enum> symbol(std::string_view name, std::string otherwise,
                      std::optional<Enum> (*symbolize)(llvm::StringRef)) const {
    const std::string value = text(name, std::move(otherwise));
    if (const auto enumerator = symbolize(value))
      return *enumerator;
    return refuse("attribute '" + std::string(name) + "' has the unknown value '" + value + "'");
  }
  const onnx::AttributeProto *attribute(std::string_view name) const;
  const std::optional<Error> &misread() const { return misreadAttribute; }
  // Integers that old operator sets give as an attribute, and newer ones as operand `index`; nullopt if the
  // node has neither.
  Result<std::optional<Ints>> integersOrInput(std::string_view name, size_t index) const;
  Result<Tensor> tensor(const onnx::AttributeProto &attribute) const {
    return file.tensor(attribute.t(), shown + ": attribute '" + attribute.name() + "'");
  }

  // Normalises an axis that may be negative. Refused outside [-rank, rank).
  Result<int64_t> axis(int64_t axis, int64_t rank) const;

  // --- Results ---

  // Builds an operation with inferred result types. Returns all results, or the constants that they fold to.
  template <class Op, class... Parts>
  Result<Values> makeAll(Parts &&...parts) const {
    Complaints complaints(*builder.getContext());
    mlir::OperationState state(location, Op::getOperationName());
    // Builds the operation with placeholder result types, then infers the real ones: a builder that infers
    // types itself would abort if inference fails.
    const llvm::SmallVector<mlir::Type> some(numResultsOf<Op>, builder.getNoneType());
    Op::build(builder, state, mlir::TypeRange(some), std::forward<Parts>(parts)...);
    state.types.clear();
    if (llvm::failed(Op::inferReturnTypes(builder.getContext(), location, state.operands,
                                          state.attributes.getDictionary(builder.getContext()),
                                          state.getRawProperties(), state.regions, state.types)))
      return refuse(complaints.text());
    return finish(state, complaints);
  }
  template <class Op, class... Parts>
  Result<mlir::Value> make(Parts &&...parts) const {
    TILERIG_TRY(const Values all, makeAll<Op>(std::forward<Parts>(parts)...));
    return all.front();
  }
  // Builds an operation with one result of the given type.
  template <class Op, class... Parts>
  Result<mlir::Value> makeAs(llvm::ArrayRef<int64_t> shape, mlir::Type element, Parts &&...parts) const {
    Complaints complaints(*builder.getContext());
    mlir::OperationState state(location, Op::getOperationName());
    Op::build(builder, state, mlir::TypeRange(mlir::RankedTensorType::get(shape, element)),
              std::forward<Parts>(parts)...);
    TILERIG_TRY(const Values all, finish(state, complaints));
    return all.front();
  }
  mlir::Value constantValue(const Tensor &tensor) const;
  Complaints listen() const { return Complaints(*builder.getContext()); }
  mlir::Type typeOf(DType type) const;
  mlir::Type elementType(size_t index) const {
    return llvm::cast<mlir::RankedTensorType>(input(index).getType()).getElementType();
  }
  Error refuse(const std::string &problem, std::string remedy = {}) const {
    return invalidInput(file.path(), shown + ": " + problem, std::move(remedy));
  }
  Error unsupportedHere(const std::string &problem, std::string remedy = {}) const {
    return unsupported(file.path(), shown + ": " + problem, std::move(remedy));
  }

private:
  template <class Op>
  static constexpr unsigned numResultsOf = Op::template hasTrait<mlir::OpTrait::OneResult>()           ? 1
                                           : Op::template hasTrait<mlir::OpTrait::NResults<2>::Impl>() ? 2
                                                                                                       : 3;
  Result<Values> finish(mlir::OperationState &state, const Complaints &complaints) const;
  // The attribute if it exists and has this type; null if it is absent or of another type.
  const onnx::AttributeProto *typedAttribute(std::string_view name, onnx::AttributeProto::AttributeType type,
                                             std::string_view kind) const;

  const OnnxFile &file;
  const onnx::NodeProto &node;
  std::string called, shown; // `called`: name of the node; `shown`: text that stands for the node in messages
  mutable std::optional<Error> misreadAttribute;
  int64_t version;
  Values operands;
  mlir::OpBuilder &builder;
  mlir::Location location;
};

} // namespace tilerig::compiler
