#include "compiler/Graph/Import/NodeReader.h"

#include "compiler/Graph/Folding/Evaluate.h"
#include "compiler/Graph/IR/TensorAttributes.h"

#include <fmt/ranges.h>
#include <mlir/IR/Verifier.h>

namespace tilerig::compiler {

namespace {

// Largest number of elements of a result that is folded during import. Folding here serves to compute shapes;
// larger results are left to the constant-folding pass.
constexpr int64_t mostFolded = 4096;

// Largest size of a tensor in bytes: that of the DDR address space (isa/Machine/Machine.h).
constexpr uint64_t mostTensorBytes = uint64_t{1} << 40;

graph::ConstantOp constantOf(mlir::Value value) {
  return value ? value.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
}

} // namespace

NodeReader NodeReader::part(const std::string &partName) const {
  NodeReader reader = *this;
  reader.location = mlir::NameLoc::get(builder.getStringAttr(called + "#" + partName));
  return reader;
}

NodeReader NodeReader::with(Values inputs) const {
  NodeReader reader = *this;
  reader.operands = std::move(inputs);
  return reader;
}

Status NodeReader::needs(size_t least, size_t most) const {
  if (operands.size() < least || operands.size() > most)
    return refuse(
        fmt::format("the node has {} inputs, a number that the operator does not accept", operands.size()));
  for (size_t i = 0; i < least; ++i)
    if (!has(i))
      return refuse(fmt::format("input {} is missing", i));
  return success();
}

Result<mlir::Value> NodeReader::number(size_t index, std::string_view operandName) const {
  const mlir::Value operand = input(index);
  if (!operand)
    return mlir::Value();
  if (elementType(index) != elementType(0) || graph::tensorType(operand).getNumElements() != 1) {
    const auto type = dtypeOfElement(elementType(index)), wanted = dtypeOfElement(elementType(0));
    return refuse(fmt::format("{} is of type {} and shape [{}]; it must be a single element of type {}",
                              operandName, nameOf(*type), fmt::join(shape(index), ", "), nameOf(*wanted)));
  }
  if (rank(index) <= rank(0))
    return operand;
  return makeAs<graph::ReshapeOp>({}, elementType(0), operand);
}

Result<Tensor> NodeReader::constant(size_t index, std::string_view operandName) const {
  if (!has(index))
    return refuse(fmt::format("{} is missing", operandName));
  if (auto constantOp = constantOf(input(index)))
    return tensorOf(constantOp.getValue());
  return unsupportedHere(fmt::format("{} must be a constant known at compile time", operandName));
}

Result<Ints> NodeReader::constantInts(size_t index, std::string_view operandName) const {
  TILERIG_TRY(const Tensor tensor, constant(index, operandName));
  if (tensor.dtype() == DType::i64)
    return Ints(tensor.as<int64_t>().begin(), tensor.as<int64_t>().end());
  if (tensor.dtype() == DType::i32)
    return Ints(tensor.as<int32_t>().begin(), tensor.as<int32_t>().end());
  return refuse(fmt::format("{} must be of type int64, not {}", operandName, nameOf(tensor.dtype())));
}

const onnx::AttributeProto *NodeReader::attribute(std::string_view name) const {
  for (const onnx::AttributeProto &attributeProto : node.attribute())
    if (attributeProto.name() == name)
      return &attributeProto;
  return nullptr;
}
const onnx::AttributeProto *NodeReader::typedAttribute(std::string_view name,
                                                       onnx::AttributeProto::AttributeType type,
                                                       std::string_view kind) const {
  const auto *attributeProto = attribute(name);
  if (!attributeProto || attributeProto->type() == type)
    return attributeProto;
  if (!misreadAttribute)
    misreadAttribute = refuse(fmt::format("attribute '{}' is not {}", name, kind));
  return nullptr;
}
int64_t NodeReader::integer(std::string_view name, int64_t otherwise) const {
  const auto *attributeProto = typedAttribute(name, onnx::AttributeProto::INT, "an integer");
  return attributeProto ? attributeProto->i() : otherwise;
}
float NodeReader::real(std::string_view name, float otherwise) const {
  const auto *attributeProto = typedAttribute(name, onnx::AttributeProto::FLOAT, "a float");
  return attributeProto ? attributeProto->f() : otherwise;
}
std::string NodeReader::text(std::string_view name, std::string otherwise) const {
  const auto *attributeProto = typedAttribute(name, onnx::AttributeProto::STRING, "a string");
  return attributeProto ? attributeProto->s() : otherwise;
}
std::optional<Ints> NodeReader::integers(std::string_view name) const {
  const auto *attributeProto = typedAttribute(name, onnx::AttributeProto::INTS, "a list of integers");
  if (!attributeProto)
    return {};
  return Ints(attributeProto->ints().begin(), attributeProto->ints().end());
}
std::optional<llvm::SmallVector<float>> NodeReader::reals(std::string_view name) const {
  const auto *attributeProto = typedAttribute(name, onnx::AttributeProto::FLOATS, "a list of floats");
  if (!attributeProto)
    return {};
  return llvm::SmallVector<float>(attributeProto->floats().begin(), attributeProto->floats().end());
}
Result<int64_t> NodeReader::neededInteger(std::string_view name) const {
  if (!attribute(name))
    return refuse(fmt::format("attribute '{}' is missing", name));
  return integer(name, 0);
}

Result<std::optional<Ints>> NodeReader::integersOrInput(std::string_view name, size_t index) const {
  if (!has(index))
    return integers(name);
  TILERIG_TRY(Ints values, constantInts(index, name));
  return std::optional(std::move(values));
}

Result<int64_t> NodeReader::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    return refuse(fmt::format("axis {} is out of range: the tensor has {} axes", axis, rank));
  return axis < 0 ? axis + rank : axis;
}

mlir::Type NodeReader::typeOf(DType type) const { return elementTypeOf(*builder.getContext(), type); }

mlir::Value NodeReader::constantValue(const Tensor &tensor) const {
  return graph::ConstantOp::create(
      builder, location,
      attributeOf(*builder.getContext(), tensor, node.output_size() ? node.output(0) : node.name()));
}

Complaints::Complaints(mlir::MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        said += said.empty() ? "" : "; ";
        said += diagnostic.str();
      }) {}

Result<Values> NodeReader::finish(mlir::OperationState &state, const Complaints &complaints) const {
  // Computed sizes may be arbitrarily large; a tensor whose size in bytes overflows is refused.
  for (const mlir::Type type : state.types) {
    const auto tensor = llvm::cast<mlir::RankedTensorType>(type);
    const auto element = dtypeOfElement(tensor.getElementType());
    const auto bytes =
        sizeBytesOf(element.value_or(DType::f32), Shape(tensor.getShape().begin(), tensor.getShape().end()));
    if (!bytes)
      return refuse(bytes.error().what);
    if (*bytes > mostTensorBytes)
      return refuse(fmt::format("the result has {} bytes, but no machine has more than {} bytes of DDR",
                                *bytes, mostTensorBytes));
  }
  mlir::Operation *operation = builder.create(state);
  if (llvm::failed(mlir::verify(operation))) {
    operation->erase();
    return refuse(complaints.text());
  }
  // Folds small results at once, so that shape computations become constants.
  const auto isSmall = [](mlir::Type type) {
    return llvm::cast<mlir::RankedTensorType>(type).getNumElements() <= mostFolded;
  };
  const bool isFolded = llvm::all_of(operation->getOperandTypes(), isSmall) &&
                        llvm::all_of(operation->getResultTypes(), isSmall);
  const std::optional<Tensor> value = isFolded ? evaluate(operation) : std::nullopt;
  if (!value)
    return Values(operation->getResults());
  operation->erase();
  return Values{constantValue(*value)};
}

} // namespace tilerig::compiler
