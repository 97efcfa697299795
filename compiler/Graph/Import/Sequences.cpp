#include "compiler/Graph/Import/Sequences.h"

#include "compiler/Graph/IR/Graph.h"

#include <fmt/core.h>
#include <map>
#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

namespace {

using Sequence = mlir::UnrealizedConversionCastOp;

class SequenceNode {
public:
  SequenceNode(const NodeReader &node, mlir::OpBuilder &builder) : node(node), builder(builder) {}

  ImportedValues empty() const { return made({}); }
  ImportedValues constructed() const { return made(node.inputs()); }

  ImportedValues inserted() const {
    TILERIG_TRY(Values tensors, sequence());
    TILERIG_CHECK_OK(checkTensor(1));
    TILERIG_TRY(const size_t at, position(2, tensors.size(), tensors.size() + 1));
    tensors.insert(tensors.begin() + static_cast<ptrdiff_t>(at), node.input(1));
    return made(tensors);
  }

  ImportedValues erased() const {
    TILERIG_TRY(Values tensors, sequence());
    TILERIG_TRY(const size_t at, position(1, tensors.size() - 1, tensors.size()));
    tensors.erase(tensors.begin() + static_cast<ptrdiff_t>(at));
    return made(tensors);
  }

  ImportedValues element() const {
    TILERIG_TRY(const Values tensors, sequence());
    if (!node.has(1))
      return node.refuse("input 1 is missing");
    TILERIG_TRY(const size_t at, position(1, 0, tensors.size()));
    return Values{tensors[at]};
  }

  ImportedValues length() const {
    TILERIG_TRY(const Values tensors, sequence());
    return Values{node.constantValue(Tensor::scalar(static_cast<int64_t>(tensors.size())))};
  }

  ImportedValues joined() const {
    TILERIG_TRY(Values tensors, sequence());
    if (tensors.empty())
      return node.refuse("the sequence has no tensors to concatenate");
    const bool isNew = node.integer("new_axis", 0) != 0;
    const auto type = graph::tensorType(tensors.front());
    TILERIG_TRY(const int64_t wanted, node.neededInteger("axis"));
    TILERIG_TRY(const int64_t axis, node.axis(wanted, type.getRank() + (isNew ? 1 : 0)));
    for (mlir::Value &tensor : tensors)
      if (isNew) {
        Ints shape(graph::shapeOf(tensor));
        shape.insert(shape.begin() + axis, 1);
        TILERIG_TRY(tensor, node.makeAs<graph::ReshapeOp>(shape, type.getElementType(), tensor));
      }
    TILERIG_TRY(const mlir::Value result,
                node.make<graph::ConcatOp>(mlir::ValueRange(tensors), static_cast<uint64_t>(axis)));
    return Values{result};
  }

  ImportedValues split() const {
    TILERIG_CHECK_OK(node.needs(1, 2));
    TILERIG_CHECK_OK(checkTensor(0));
    TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", 0), node.rank(0)));
    TILERIG_TRY(const Ints lengths, partLengths(node.shape(0)[axis]));
    const bool keepsAxis = node.has(1) || node.integer("keepdims", 1) != 0;
    Values parts;
    int64_t start = 0;
    for (const int64_t length : lengths) {
      Ints starts(node.rank(0), 0), ends(node.shape(0)), steps(node.rank(0), 1), shape(node.shape(0));
      starts[axis] = start;
      ends[axis] = start += length;
      TILERIG_TRY(mlir::Value part, node.make<graph::SliceOp>(node.input(0), starts, ends, steps));
      if (!keepsAxis) {
        shape.erase(shape.begin() + axis);
        TILERIG_TRY(part, node.makeAs<graph::ReshapeOp>(shape, node.elementType(0), part));
      }
      parts.push_back(part);
    }
    return made(parts);
  }

private:
  ImportedValues made(llvm::ArrayRef<mlir::Value> tensors) const {
    for (const mlir::Value tensor : tensors)
      if (!tensor || !isStatic(tensor))
        return node.unsupportedHere("an element of the sequence is no tensor of a known shape");
    return Values{Sequence::create(builder, node.place(), builder.getNoneType(), mlir::ValueRange(tensors))
                      .getResult(0)};
  }

  Result<Values> sequence() const {
    if (!node.has(0) || !isSequence(node.input(0)))
      return node.refuse("input 0 is not a sequence");
    return Values(node.input(0).getDefiningOp<Sequence>().getInputs());
  }

  Status checkTensor(size_t index) const {
    return node.has(index) && isStatic(node.input(index))
               ? success()
               : Status(node.unsupportedHere(fmt::format("input {} is no tensor of a known shape", index)));
  }

  // The position that an operand states, which may be negative; `otherwise` if the node does not have the operand. There are
  // `count` positions.
  Result<size_t> position(size_t operand, size_t otherwise, size_t count) const {
    int64_t stated = static_cast<int64_t>(otherwise), at = stated;
    // A negative position counts from the end of the sequence, also where a tensor is inserted.
    const size_t length = node.proto().op_type() == "SequenceInsert" ? count - 1 : count;
    if (node.has(operand)) {
      TILERIG_TRY(const Ints values, node.constantInts(operand, "the position"));
      if (values.size() != 1)
        return node.refuse(fmt::format("the position has {} elements, expected 1", values.size()));
      stated = values[0];
      at = stated < 0 ? stated + static_cast<int64_t>(length) : stated;
    }
    if (at < 0 || at >= static_cast<int64_t>(count))
      return node.refuse(fmt::format("position {} is outside a sequence of {} tensors", stated, length));
    return static_cast<size_t>(at);
  }

  // The lengths of the parts into which an axis of this size is split.
  Result<Ints> partLengths(int64_t size) const {
    if (!node.has(1))
      return Ints(static_cast<size_t>(size), 1);
    TILERIG_TRY(Ints lengths, node.constantInts(1, "the lengths of the parts"));
    if (node.rank(1) == 0) {
      const int64_t each = lengths[0];
      if (each < 1)
        return node.refuse(fmt::format("the parts would have the length {}", each));
      lengths.clear();
      for (int64_t start = 0; start < size; start += each)
        lengths.push_back(std::min(each, size - start));
    }
    int64_t sum = 0;
    for (const int64_t length : lengths) {
      if (length < 0)
        return node.refuse(fmt::format("a part would have the length {}", length));
      sum += length;
    }
    return sum == size ? Result<Ints>(std::move(lengths))
                       : node.refuse(fmt::format("the parts have {} elements along the axis, which has {}",
                                                 sum, size));
  }

  const NodeReader &node;
  mlir::OpBuilder &builder;
};

const std::map<std::string, ImportedValues (SequenceNode::*)() const> &operators() {
  static const std::map<std::string, ImportedValues (SequenceNode::*)() const> all = {
      {"ConcatFromSequence", &SequenceNode::joined},     {"SequenceAt", &SequenceNode::element},
      {"SequenceConstruct", &SequenceNode::constructed}, {"SequenceEmpty", &SequenceNode::empty},
      {"SequenceErase", &SequenceNode::erased},          {"SequenceInsert", &SequenceNode::inserted},
      {"SequenceLength", &SequenceNode::length},         {"SplitToSequence", &SequenceNode::split}};
  return all;
}

} // namespace

bool isSequence(mlir::Value value) { return value && value.getDefiningOp<Sequence>(); }

bool isSequenceOperator(const std::string &type) { return operators().contains(type); }

ImportedValues importSequenceOperator(const NodeReader &node, mlir::OpBuilder &builder) {
  return (SequenceNode(node, builder).*operators().at(node.proto().op_type()))();
}

Status checkIsTensor(const NodeReader &node, mlir::Value value) {
  return isSequence(value) ? Status(node.refuse("a value is a sequence of tensors, expected a tensor"))
                           : success();
}

void removeSequences(mlir::Block &block) {
  for (mlir::Operation &operation : llvm::make_early_inc_range(llvm::reverse(block)))
    if (llvm::isa<Sequence>(operation) && operation.use_empty())
      operation.erase();
}

} // namespace tilerig::compiler
