// Operators on sequences of tensors. Negative positions count from the end of the sequence.
#include "reference/Ops/Concatenate.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/StridedCopy.h"

#include <fmt/core.h>
#include <limits>

namespace tilerig::reference {

namespace {

// The position that input `index` states, from 0 on. A sequence of `length` tensors has these positions; where a
// tensor is inserted (`isInsertion`), also the one behind the last tensor. `otherwise` is the position if the node
// does not have the input.
Result<size_t> position(const OpContext &context, size_t index, size_t length, bool isInsertion,
                        int64_t otherwise) {
  int64_t stated = otherwise;
  if (context.has(index)) {
    TILERIG_TRY(const std::vector<int64_t> elements, context.integers(index));
    if (elements.size() != 1)
      return context.invalid(fmt::format("the position has {} elements, expected 1", elements.size()));
    stated = elements[0];
  }
  const auto size = static_cast<int64_t>(length);
  if (stated < -size || stated >= size + (isInsertion ? 1 : 0))
    return context.invalid(fmt::format("position {} is outside a sequence of {} tensors", stated, length));
  return static_cast<size_t>(stated < 0 ? stated + size : stated);
}

Status checkType(const OpContext &context, const Tensor &tensor, DType type) {
  if (tensor.dtype() == type)
    return success();
  return context.invalid(fmt::format("a tensor of type {} cannot be in a sequence of type {}",
                                     nameOf(tensor.dtype()), nameOf(type)));
}

Status empty(OpContext &context) {
  constexpr int64_t float32 = 1;
  TILERIG_TRY(const int64_t number, context.intAttribute("dtype", float32));
  const bool fits = number >= 0 && number <= std::numeric_limits<int>::max();
  const std::optional<DType> type = fits ? dtypeOfOnnx(static_cast<int>(number)) : std::nullopt;
  if (!type)
    return context.notSupported(fmt::format("element type {} is not supported", number));
  context.outputs[0] = Sequence(*type);
  return success();
}

Status construct(OpContext &context) {
  Sequence result(context.input(0).dtype(), context.numInputs());
  for (size_t i = 0; i < context.numInputs(); ++i) {
    if (!context.has(i))
      return context.invalid(fmt::format("input {} is missing", i));
    TILERIG_CHECK_OK(checkType(context, context.input(i), result.type()));
    result.add(context.take(i));
  }
  context.outputs[0] = std::move(result);
  return success();
}

Status insert(OpContext &context) {
  const Sequence &sequence = context.sequence(0);
  const std::vector<Tensor> &tensors = sequence.tensors();
  TILERIG_CHECK_OK(checkType(context, context.input(1), sequence.type()));
  TILERIG_TRY(const size_t place,
              position(context, 2, tensors.size(), true, static_cast<int64_t>(tensors.size())));
  Sequence result(sequence.type(), tensors.size() + 1);
  for (size_t i = 0; i <= tensors.size(); ++i) {
    if (i == place)
      result.add(context.input(1));
    if (i < tensors.size())
      result.add(tensors[i]);
  }
  context.outputs[0] = std::move(result);
  return success();
}

Status erase(OpContext &context) {
  const Sequence &sequence = context.sequence(0);
  const std::vector<Tensor> &tensors = sequence.tensors();
  TILERIG_TRY(const size_t place, position(context, 1, tensors.size(), false, -1));
  Sequence result(sequence.type(), tensors.size() - 1);
  for (size_t i = 0; i < tensors.size(); ++i)
    if (i != place)
      result.add(tensors[i]);
  context.outputs[0] = std::move(result);
  return success();
}

Status at(OpContext &context) {
  const std::vector<Tensor> &tensors = context.sequence(0).tensors();
  TILERIG_TRY(const size_t place, position(context, 1, tensors.size(), false, 0));
  context.outputs[0] = tensors[place];
  return success();
}

Status length(OpContext &context) {
  context.outputs[0] = Tensor::scalar(static_cast<int64_t>(context.sequence(0).tensors().size()));
  return success();
}

// How SplitToSequence divides an axis: into parts of stated lengths, or into parts of one length, of which the last
// may be shorter.
class Parts {
public:
  static Result<Parts> of(const OpContext &context, int64_t size) {
    Parts parts(size);
    if (!context.has(1))
      return parts;
    TILERIG_TRY(std::vector<int64_t> numbers, context.integers(1));
    if (context.input(1).rank() == 0) {
      parts.each = numbers[0];
      if (parts.each < 1)
        return context.invalid(fmt::format("the parts would have the length {}", parts.each));
      return parts;
    }
    if (context.input(1).rank() != 1)
      return context.invalid("split must be a number or a list of numbers");
    int64_t rest = size;
    for (const int64_t length : numbers) {
      if (length < 0 || length > rest)
        return context.invalid(fmt::format("a part of length {} does not fit into the axis", length));
      rest -= length;
    }
    if (rest > 0)
      return context.invalid(fmt::format("the parts leave {} elements of the axis", rest));
    parts.stated = std::move(numbers);
    return parts;
  }

  size_t count() const {
    return stated ? stated->size() : static_cast<size_t>(size / each + (size % each != 0));
  }
  int64_t length(size_t part) const {
    return stated ? (*stated)[part] : std::min(each, size - static_cast<int64_t>(part) * each);
  }

private:
  explicit Parts(int64_t size) : size(size) {}

  int64_t size, each = 1;
  std::optional<std::vector<int64_t>> stated;
};

Status split(OpContext &context) {
  const Tensor &input = context.input(0);
  TILERIG_TRY(const int64_t rawAxis, context.intAttribute("axis", 0));
  TILERIG_TRY(const size_t axis, context.axis(rawAxis, input.rank()));
  TILERIG_TRY(const int64_t keepsDims, context.intAttribute("keepdims", 1));
  TILERIG_TRY(const Parts parts, Parts::of(context, input.shape()[axis]));
  // The attribute is ignored if the lengths of the parts are stated.
  const bool keepsAxis = keepsDims != 0 || context.has(1);
  Sequence result(input.dtype(), parts.count());
  StridedView view = viewOf(input);
  for (size_t i = 0; i < parts.count(); ++i) {
    view.shape[axis] = parts.length(i);
    TILERIG_TRY(Tensor part, stridedCopy(input, view, context.threads));
    view.offset += parts.length(i) * view.strides[axis];
    if (!keepsAxis) {
      Shape shape = part.shape();
      shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis));
      TILERIG_TRY(part, part.reshaped(shape));
    }
    result.add(std::move(part));
  }
  context.outputs[0] = std::move(result);
  return success();
}

Status concatenateSequence(OpContext &context) {
  std::vector<Tensor> tensors = context.sequence(0).tensors();
  if (tensors.empty())
    return context.invalid("the sequence has no tensors to concatenate");
  TILERIG_TRY(int64_t axis, context.intAttribute("axis"));
  TILERIG_TRY(const int64_t isNew, context.intAttribute("new_axis", 0));
  if (isNew) {
    TILERIG_TRY(const size_t place, context.axis(axis, tensors[0].rank() + 1));
    axis = static_cast<int64_t>(place);
    for (Tensor &tensor : tensors) {
      Shape shape = tensor.shape();
      shape.insert(shape.begin() + std::min(static_cast<ptrdiff_t>(place), std::ssize(shape)), 1);
      TILERIG_TRY(tensor, tensor.reshaped(shape));
    }
  }
  TILERIG_TRY(context.outputs[0], concatenate(context, tensors, axis, "tensor"));
  return success();
}

} // namespace

std::span<const OpEntry> sequenceOps() {
  const auto onTensors = [](std::string_view op, unsigned least, unsigned most, Kernel kernel) {
    return OpEntry{op, 11, least, most, kernel, HalfFloats::native};
  };
  const auto onSequence = [&](std::string_view op, unsigned least, unsigned most, Kernel kernel) {
    OpEntry entry = onTensors(op, least, most, kernel);
    entry.sequences = SequenceInputs::first;
    return entry;
  };
  static const OpEntry entries[] = {
      onSequence("ConcatFromSequence", 1, 1, concatenateSequence),
      onSequence("SequenceAt", 2, 2, at),
      onTensors("SequenceConstruct", 1, anyNumber, construct),
      onTensors("SequenceEmpty", 0, 0, empty),
      onSequence("SequenceErase", 1, 2, erase),
      onSequence("SequenceInsert", 2, 3, insert),
      onSequence("SequenceLength", 1, 1, length),
      onTensors("SplitToSequence", 1, 2, split),
  };
  return entries;
}

} // namespace tilerig::reference
