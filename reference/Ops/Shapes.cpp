// Operators on shapes: reshaping, shapes as values, and tensors made from a shape alone. They do no
// arithmetic.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>

namespace tilerig::reference {

namespace {

Status giveReshaped(OpContext &context, Shape shape) {
  auto reshaped = context.input(0).reshaped(std::move(shape));
  if (!reshaped)
    return context.invalid(reshaped.error().what);
  context.outputs[0] = *std::move(reshaped);
  return success();
}

// The operator Reshape: in the new shape, 0 keeps the dimension of the input (unless allowzero), and a single
// -1 is replaced by the dimension that fits the number of elements.
Status reshape(OpContext &context) {
  const Tensor &input = context.input(0);
  std::vector<int64_t> shape;
  if (context.opset() >= 5) {
    if (!context.has(1))
      return context.invalid("input shape is missing");
    TILERIG_TRY(shape, context.integers(1));
  } else {
    TILERIG_TRY(shape, context.intsAttribute("shape"));
  }
  TILERIG_TRY(int64_t allowZero, context.intAttribute("allowzero", 0));
  int64_t known = 1;
  auto open = shape.end();
  for (auto dim = shape.begin(); dim != shape.end(); ++dim) {
    size_t d = static_cast<size_t>(dim - shape.begin());
    if (*dim == 0 && !allowZero) {
      if (d >= input.rank())
        return context.invalid(fmt::format("shape [{}] copies dimension {}, but the input has rank {}",
                                           fmt::join(shape, ", "), d, input.rank()));
      *dim = input.shape()[d];
    }
    if (*dim == -1 && open == shape.end())
      open = dim;
    else if (*dim < 0 || __builtin_mul_overflow(known, *dim, &known))
      return context.invalid(fmt::format("shape [{}] is not valid", fmt::join(shape, ", ")));
  }
  if (open != shape.end()) {
    auto count = static_cast<int64_t>(input.elementCount());
    if (known == 0 || count % known)
      return context.invalid(
          fmt::format("{} elements cannot be reshaped to [{}]", count, fmt::join(shape, ", ")));
    *open = count / known;
  }
  return giveReshaped(context, std::move(shape));
}

Status flatten(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  TILERIG_TRY(int64_t axis, context.intAttribute("axis", 1));
  auto rank = static_cast<int64_t>(shape.size());
  if (axis < -rank || axis > rank)
    return context.invalid(fmt::format("axis {} is out of range for a tensor of rank {}", axis, rank));
  auto split = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  return giveReshaped(context,
                      {product(std::span(shape).first(split)), product(std::span(shape).subspan(split))});
}

// The axes of squeeze and unsqueeze: an attribute before opset 13, an input since.
Result<std::optional<std::vector<int64_t>>> axesArgument(OpContext &context) {
  if (context.opset() >= 13) {
    if (!context.has(1))
      return std::optional<std::vector<int64_t>>();
    TILERIG_TRY(std::vector<int64_t> axes, context.integers(1));
    return std::optional(std::move(axes));
  }
  if (!context.hasAttribute("axes"))
    return std::optional<std::vector<int64_t>>();
  TILERIG_TRY(std::vector<int64_t> axes, context.intsAttribute("axes"));
  return std::optional(std::move(axes));
}

Status squeeze(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  TILERIG_TRY(auto axes, axesArgument(context));
  std::vector<bool> dropped(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    dropped[d] = !axes && shape[d] == 1;
  if (axes)
    for (int64_t raw : *axes) {
      TILERIG_TRY(size_t axis, context.axis(raw, shape.size()));
      if (shape[axis] != 1)
        return context.invalid(fmt::format(
            "axis {} of input shape {} cannot be removed, because its size is not 1", raw, showShape(shape)));
      dropped[axis] = true;
    }
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!dropped[d])
      result.push_back(shape[d]);
  return giveReshaped(context, std::move(result));
}

Status unsqueeze(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  TILERIG_TRY(auto axes, axesArgument(context));
  if (!axes)
    return context.invalid("axes is missing");
  size_t rank = shape.size() + axes->size();
  std::vector<bool> added(rank);
  for (int64_t raw : *axes) {
    TILERIG_TRY(size_t axis, context.axis(raw, rank));
    if (added[axis])
      return context.invalid(fmt::format("axis {} is given twice", raw));
    added[axis] = true;
  }
  Shape result;
  auto next = shape.begin();
  for (size_t d = 0; d < rank; ++d)
    result.push_back(added[d] ? 1 : *next++);
  return giveReshaped(context, std::move(result));
}

Status identity(OpContext &context) {
  context.outputs[0] = context.takeValue(0);
  return success();
}

// Whether all bytes of a tensor are zero: used for Dropout's ratio, which is a double when the reference
// computes in fp64.
bool isZero(const Tensor &tensor) {
  return std::ranges::all_of(tensor.bytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

// A tensor whose elements are all 1, or true if it is boolean.
Result<Tensor> ones(OpContext &context, DType type, const Shape &shape) {
  TILERIG_TRY(Tensor result, Tensor::makeUninitialised(isHalf(type) ? DType::f32 : type, shape));
  TILERIG_CHECK_OK(dispatch(result.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T>) {
      auto all = result.mutableAs<T>();
      std::fill(all.begin(), all.end(), T(1));
      return success();
    } else {
      return context.notSupported(fmt::format("a mask of type {} is not supported", nameOf(type)));
    }
  }));
  return narrow(std::move(result), type);
}

// In inference, Dropout is the identity; the mask, if requested, keeps every element. Before opset 10, the
// mask has the input's type. In training mode, the operator is random and not supported.
Status dropout(OpContext &context) {
  const bool trains = context.has(2) && context.input(2).dtype() == DType::boolean &&
                      context.input(2).elementCount() == 1 && context.input(2).as<bool>()[0];
  if (trains && !(context.has(1) && isZero(context.input(1))))
    return context.notSupported("dropout in training mode is random and not supported",
                                "export the model for inference");
  if (context.wants(1)) {
    const Tensor &input = context.input(0);
    TILERIG_TRY(context.outputs[1],
                ones(context, context.opset() < 10 ? input.dtype() : DType::boolean, input.shape()));
  }
  return identity(context);
}

// Dropout before opset 7: the attribute is_test distinguishes inference from training; its default means
// training, which is not supported.
Status dropoutByAttribute(OpContext &context) {
  TILERIG_TRY(int64_t isTest, context.intAttribute("is_test", 0));
  if (!isTest)
    return context.notSupported("dropout in training mode is random and not supported",
                                "export the model for inference");
  return dropout(context);
}

Tensor tensorOf(const std::vector<int64_t> &elements) {
  Tensor tensor(DType::i64, {static_cast<int64_t>(elements.size())});
  std::copy(elements.begin(), elements.end(), tensor.mutableAs<int64_t>().begin());
  return tensor;
}

Status shapeOf(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  auto rank = static_cast<int64_t>(shape.size());
  TILERIG_TRY(int64_t start, context.intAttribute("start", 0));
  TILERIG_TRY(int64_t end, context.intAttribute("end", rank));
  auto place = [&](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank); };
  start = place(start);
  end = std::max(start, place(end));
  context.outputs[0] = tensorOf({shape.begin() + start, shape.begin() + end});
  return success();
}

Status sizeOf(OpContext &context) {
  context.outputs[0] = Tensor::scalar(static_cast<int64_t>(context.input(0).elementCount()));
  return success();
}

// The operator Constant: its value is in one of several attributes.
Status constant(OpContext &context) {
  if (context.hasAttribute("value_int")) {
    TILERIG_TRY(int64_t value, context.intAttribute("value_int"));
    context.outputs[0] = Tensor::scalar(value);
  } else if (context.hasAttribute("value_float")) {
    TILERIG_TRY(float value, context.floatAttribute("value_float"));
    context.outputs[0] = Tensor::scalar(value);
  } else if (context.hasAttribute("value_ints")) {
    TILERIG_TRY(std::vector<int64_t> values, context.intsAttribute("value_ints"));
    context.outputs[0] = tensorOf(values);
  } else if (context.hasAttribute("value_floats")) {
    TILERIG_TRY(std::vector<float> values, context.floatsAttribute("value_floats"));
    Tensor tensor(DType::f32, {static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.mutableAs<float>().begin());
    context.outputs[0] = std::move(tensor);
  } else if (context.hasAttribute("value")) {
    TILERIG_TRY(context.outputs[0], context.tensorAttribute("value"));
  } else {
    return context.notSupported("only constants that are tensors, integers or floats are supported");
  }
  return success();
}

Result<Tensor> filled(const Tensor &element, Shape shape) {
  TILERIG_TRY(Tensor result, Tensor::makeUninitialised(element.dtype(), std::move(shape)));
  dispatch(element.dtype(), [&]<class T>() {
    auto all = result.mutableAs<T>();
    std::fill(all.begin(), all.end(), element.as<T>()[0]);
  });
  return result;
}

Status constantOfShape(OpContext &context) {
  TILERIG_TRY(std::vector<int64_t> shape, context.integers(0));
  Tensor element = Tensor::of<float>({1}, {0.0f});
  if (context.hasAttribute("value")) {
    TILERIG_TRY(element, context.tensorAttribute("value"));
  }
  if (element.elementCount() != 1)
    return context.invalid("attribute value must be a single element");
  auto result = filled(element, std::move(shape));
  if (!result)
    return context.invalid(result.error().what);
  context.outputs[0] = *std::move(result);
  return success();
}

Status range(OpContext &context) {
  for (size_t i = 0; i < 3; ++i)
    if (context.input(i).elementCount() != 1 || context.input(i).dtype() != context.input(0).dtype())
      return context.invalid("start, limit and delta must be scalars of one type");
  return dispatch(context.input(0).dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      T start = context.input(0).as<T>()[0], limit = context.input(1).as<T>()[0],
        delta = context.input(2).as<T>()[0];
      double count =
          std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
      if (!(count < 1e12))
        return context.invalid("the range from start to limit by delta is too long or does not end");
      auto output = Tensor::make(dtypeOf<T>, {static_cast<int64_t>(std::max(count, 0.0))});
      if (!output)
        return context.invalid(output.error().what);
      auto to = output->template mutableAs<T>();
      for (size_t i = 0; i < to.size(); ++i)
        // Element i of Range is start + i * delta, which fits in T. The product may overflow, but the sum,
        // computed modulo 2^64, is right.
        if constexpr (std::is_integral_v<T>)
          to[i] = static_cast<T>(static_cast<uint64_t>(start) + i * static_cast<uint64_t>(delta));
        else
          to[i] = start + static_cast<T>(i) * delta;
      context.outputs[0] = *std::move(output);
      return success();
    } else {
      return context.invalid("start, limit and delta must be numbers");
    }
  });
}

// Reads an attribute that gives the element type of the result.
Result<DType> typeAttribute(OpContext &context, std::string_view name, DType fallback) {
  TILERIG_TRY(int64_t number, context.intAttribute(name, onnxNumber(fallback)));
  auto type = dtypeOfOnnx(number);
  if (!type)
    return context.notSupported(fmt::format("{} is element type {}, which is not supported", name, number));
  return *type;
}

Status eyeLike(OpContext &context) {
  const Tensor &input = context.input(0);
  if (input.rank() != 2)
    return context.invalid(fmt::format("the input has rank {}, expected 2", input.rank()));
  TILERIG_TRY(DType type, typeAttribute(context, "dtype", input.dtype()));
  TILERIG_TRY(int64_t k, context.intAttribute("k", 0));
  TILERIG_TRY(Tensor output, Tensor::make(type, input.shape()));
  int64_t rows = input.shape()[0], columns = input.shape()[1];
  return dispatch(type, [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T>) {
      auto to = output.mutableAs<T>();
      for (int64_t row = 0; row < rows; ++row)
        if (k > -rows && k < columns && row + k >= 0 && row + k < columns)
          to[row * columns + row + k] = T(1);
      context.outputs[0] = std::move(output);
      return success();
    } else {
      return context.notSupported("an identity matrix of the requested type is not supported");
    }
  });
}

// The operator Trilu: keeps the upper or lower triangle of the innermost two dimensions; all other elements
// become zero.
Status trilu(OpContext &context) {
  TILERIG_TRY(int64_t upper, context.intAttribute("upper", 1));
  int64_t k = 0;
  if (context.has(1)) {
    TILERIG_TRY(std::vector<int64_t> values, context.integers(1));
    if (values.size() != 1)
      return context.invalid("input k must be a scalar");
    k = values[0];
  }
  Tensor tensor = context.take(0);
  if (tensor.rank() < 2)
    return context.invalid("the input must have at least rank 2");
  int64_t rows = tensor.shape()[tensor.rank() - 2], columns = tensor.shape().back();
  k = std::clamp(k, -rows - 1, columns + 1);
  size_t element = sizeBytes(tensor.dtype());
  auto bytes = tensor.mutableBytes();
  for (size_t at = 0; at * element < bytes.size(); ++at) {
    int64_t column = static_cast<int64_t>(at) % columns, row = static_cast<int64_t>(at) / columns % rows;
    bool kept = upper ? column - row >= k : column - row <= k;
    if (!kept)
      std::fill_n(bytes.begin() + at * element, element, std::byte{0});
  }
  context.outputs[0] = std::move(tensor);
  return success();
}

} // namespace

std::span<const OpEntry> shapeOps() {
  static constexpr OpEntry entries[] = {
      {"Reshape", 1, 1, 1, reshape, HalfFloats::native},
      {"Reshape", 5, 2, 2, reshape, HalfFloats::native},
      {"Flatten", 1, 1, 1, flatten, HalfFloats::native},
      {"Squeeze", 1, 1, 1, squeeze, HalfFloats::native},
      {"Squeeze", 13, 1, 2, squeeze, HalfFloats::native},
      {"Unsqueeze", 1, 1, 1, unsqueeze, HalfFloats::native},
      {"Unsqueeze", 13, 2, 2, unsqueeze, HalfFloats::native},
      {.op = "Identity",
       .since = 1,
       .leastInputs = 1,
       .mostInputs = 1,
       .kernel = identity,
       .halves = HalfFloats::native,
       .sequences = SequenceInputs::any},
      {"Dropout", 1, 1, 1, dropoutByAttribute, HalfFloats::native},
      {"Dropout", 7, 1, 1, dropout, HalfFloats::native},
      {"Dropout", 12, 1, 3, dropout, HalfFloats::native},
      {"Shape", 1, 1, 1, shapeOf, HalfFloats::native},
      {"Size", 1, 1, 1, sizeOf, HalfFloats::native},
      {"Constant", 1, 0, 0, constant, HalfFloats::native},
      {"ConstantOfShape", 9, 1, 1, constantOfShape, HalfFloats::native},
      {"Range", 11, 3, 3, range},
      {"EyeLike", 9, 1, 1, eyeLike, HalfFloats::native},
      {"Trilu", 14, 1, 2, trilu, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
