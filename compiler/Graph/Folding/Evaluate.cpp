#include "compiler/Graph/Folding/Evaluate.h"

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "isa/Base/Tensor/TakenElements.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using Operands = std::vector<Tensor>;
using Sizes = llvm::ArrayRef<int64_t>;

Shape shapeOfResult(mlir::Operation *operation) {
  const auto shape = graph::shapeOf(operation->getResult(0));
  return Shape(shape.begin(), shape.end());
}

// The strides, in elements, with which an operand is read if it is broadcast to `shape`: 0 along broadcast
// axes.
std::vector<int64_t> broadcastStrides(const Tensor &tensor, const Shape &shape) {
  std::vector<int64_t> strides(shape.size(), 0);
  const std::vector<int64_t> own = tensor.strides();
  const size_t before = shape.size() - tensor.rank();
  for (size_t i = 0; i < tensor.rank(); ++i)
    strides[before + i] = tensor.shape()[i] == 1 ? 0 : own[i];
  return strides;
}

Tensor broadcastTo(const Tensor &tensor, const Shape &shape) {
  return tensor.shape() == shape ? tensor : takenByStrides(tensor, shape, 0, broadcastStrides(tensor, shape));
}

// --- Folding of arithmetic operations ---

template <class T>
constexpr bool isNumber = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                          (std::is_integral_v<T> && !std::is_same_v<T, bool>);

// The negative of x. It is not computed as 0 - x, which would give 0 instead of -0 for x = 0.
template <class T>
T negated(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(-static_cast<uint64_t>(x));
  else
    return -x;
}

// Integer arithmetic that wraps on overflow, as ONNX specifies.
template <class T, class F>
T wrapping(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  else
    return static_cast<T>(f(a, b));
}

// Remainder of a division. An integer remainder has the sign of the divisor or, if `ofDividend` is set, the
// sign of the dividend, as in C++. A float remainder always has the sign of the dividend.
template <class T>
T remainder(T x, T y, bool ofDividend) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(x, y);
  } else {
    const T rest = static_cast<T>(x % y);
    return !ofDividend && rest != 0 && (rest < 0) != (y < 0) ? static_cast<T>(rest + y) : rest;
  }
}

template <class R, class T, class F>
Tensor mapped(const Tensor &a, const Tensor &b, const Shape &shape, F f) {
  Tensor result(dtypeOf<R>, shape);
  const Tensor left = broadcastTo(a, shape), right = broadcastTo(b, shape);
  std::ranges::transform(left.as<T>(), right.as<T>(), result.mutableAs<R>().begin(), f);
  return result;
}

// Whether a tensor of divisors contains 0 or -1. Integer division by 0 faults, and division of the lowest
// integer by -1 overflows. So such a division is not folded at compile time, but left to the runtime.
template <class T>
bool failsAsDivisor(const Tensor &tensor) {
  if constexpr (std::is_integral_v<T>)
    return std::ranges::any_of(tensor.as<T>(), [](T y) { return y == 0 || y == static_cast<T>(-1); });
  else
    return false;
}

template <class T>
std::optional<Tensor> arithmetic(mlir::Operation *operation, const Tensor &a, const Tensor &b,
                                 const Shape &shape) {
  const auto value = [&](auto f) { return std::optional(mapped<T, T>(a, b, shape, f)); };
  const auto truth = [&](auto f) { return std::optional(mapped<bool, T>(a, b, shape, f)); };
  using Found = std::optional<Tensor>;
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](graph::AddOp) { return value([](T x, T y) { return wrapping(x, y, std::plus{}); }); })
      .Case([&](graph::SubOp) { return value([](T x, T y) { return wrapping(x, y, std::minus{}); }); })
      .Case([&](graph::MulOp) { return value([](T x, T y) { return wrapping(x, y, std::multiplies{}); }); })
      .Case([&](graph::DivOp) -> Found {
        return failsAsDivisor<T>(b) ? Found() : value([](T x, T y) { return static_cast<T>(x / y); });
      })
      .Case([&](graph::ModOp op) -> Found {
        return failsAsDivisor<T>(b) ? Found()
                                    : value([&](T x, T y) { return remainder(x, y, op.getFmod()); });
      })
      .Case([&](graph::EqualOp) { return truth([](T x, T y) { return x == y; }); })
      .Case([&](graph::LessOp) { return truth([](T x, T y) { return x < y; }); })
      .Case([&](graph::LessOrEqualOp) { return truth([](T x, T y) { return x <= y; }); })
      .Case([&](graph::GreaterOp) { return truth([](T x, T y) { return x > y; }); })
      .Case([&](graph::GreaterOrEqualOp) { return truth([](T x, T y) { return x >= y; }); })
      .Case([&](graph::MinOp) -> Found {
        if constexpr (std::is_integral_v<T>)
          return value([](T x, T y) { return std::min(x, y); });
        return {};
      })
      .Case([&](graph::MaxOp) -> Found {
        if constexpr (std::is_integral_v<T>)
          return value([](T x, T y) { return std::max(x, y); });
        return {};
      })
      .Default([](mlir::Operation *) { return Found(); });
}

std::optional<Tensor> ofTruths(mlir::Operation *operation, const Tensor &a, const Tensor &b,
                               const Shape &shape) {
  const auto truth = [&](auto f) { return std::optional(mapped<bool, bool>(a, b, shape, f)); };
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Tensor>>(operation)
      .Case([&](graph::AndOp) { return truth([](bool x, bool y) { return x && y; }); })
      .Case([&](graph::OrOp) { return truth([](bool x, bool y) { return x || y; }); })
      .Case([&](graph::XorOp) { return truth([](bool x, bool y) { return x != y; }); })
      .Case([&](graph::EqualOp) { return truth([](bool x, bool y) { return x == y; }); })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

std::optional<Tensor> binary(mlir::Operation *operation, const Operands &operands) {
  const Tensor &a = operands[0], &b = operands[1];
  if (a.dtype() != b.dtype())
    return {};
  if (a.dtype() == DType::boolean)
    return ofTruths(operation, a, b, shapeOfResult(operation));
  return dispatch(a.dtype(), [&]<class T>() -> std::optional<Tensor> {
    if constexpr (isNumber<T>)
      return arithmetic<T>(operation, a, b, shapeOfResult(operation));
    else
      return {};
  });
}

// Folds unary functions whose results need no rounding, such as Neg and Floor. Returns nullopt for all
// others, such as Exp, whose last bit depends on the implementation.
std::optional<Tensor> unary(mlir::Operation *operation, const Tensor &from) {
  using Found = std::optional<Tensor>;
  return dispatch(from.dtype(), [&]<class T>() -> Found {
    if constexpr (isNumber<T>) {
      const auto value = [&](auto f) {
        Tensor result(from.dtype(), from.shape());
        std::ranges::transform(from.as<T>(), result.mutableAs<T>().begin(), f);
        return Found(result);
      };
      return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
          .Case([&](graph::NegOp) { return value([](T x) { return negated(x); }); })
          .Case([&](graph::FloorOp) -> Found {
            if constexpr (std::is_floating_point_v<T>)
              return value([](T x) { return std::floor(x); });
            return {};
          })
          .Case([&](graph::CeilOp) -> Found {
            if constexpr (std::is_floating_point_v<T>)
              return value([](T x) { return std::ceil(x); });
            return {};
          })
          .Default([](mlir::Operation *) { return Found(); });
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!llvm::isa<graph::NotOp>(operation))
        return {};
      Tensor result(from.dtype(), from.shape());
      std::ranges::transform(from.as<bool>(), result.mutableAs<bool>().begin(), std::logical_not{});
      return result;
    } else {
      return {};
    }
  });
}

// Folds integer reductions over all axes or over the innermost ones. In most models, such reductions multiply
// the sizes in a shape to get a number of elements.
template <class T, class Op>
std::optional<Tensor> reducedRows(Op operation, const Tensor &from) {
  const auto axes = operation.getAxes();
  const size_t first = from.rank() - axes.size();
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != static_cast<int64_t>(first + i))
      return {};
  Tensor result(from.dtype(), shapeOfResult(operation));
  const size_t rows = result.elementCount(), row = rows == 0 ? 0 : from.elementCount() / rows;
  for (size_t i = 0; i < rows; ++i) {
    T sum = llvm::isa<graph::ReduceProdOp>(operation) ? 1 : 0;
    for (T x : from.as<T>().subspan(i * row, row))
      sum = llvm::isa<graph::ReduceProdOp>(operation) ? wrapping(sum, x, std::multiplies{})
                                                      : wrapping(sum, x, std::plus{});
    result.mutableAs<T>()[i] = sum;
  }
  return result;
}
template <class Op>
std::optional<Tensor> reduced(Op operation, const Tensor &from) {
  if (from.dtype() == DType::i64)
    return reducedRows<int64_t>(operation, from);
  return from.dtype() == DType::i32 ? reducedRows<int32_t>(operation, from) : std::nullopt;
}

template <class T>
constexpr bool isHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
float widened(Float16 x) { return toFloat(Fp16{x.bits}); }
float widened(BFloat16 x) { return toFloat(Bf16{x.bits}); }

// Rounds a real number towards zero to an integer; empty if the integer is outside the type's range, where
// ONNX leaves the result undefined.
template <class To>
std::optional<To> truncated(double x) {
  const double whole = std::trunc(x), least = static_cast<double>(std::numeric_limits<To>::min()),
               beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
  if (!(least <= whole && whole < beyond))
    return std::nullopt;
  return static_cast<To>(whole);
}

template <class From, class To>
std::optional<To> castElement(From x) {
  if constexpr (isHalf<From>)
    return castElement<float, To>(widened(x));
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>)
    return truncated<To>(x);
  else
    return static_cast<To>(x);
}

std::optional<Tensor> cast(graph::CastOp operation, const Tensor &from) {
  const auto type = dtypeOfElement(graph::tensorType(operation.getOutput()).getElementType());
  return dispatch(from.dtype(), [&]<class From>() -> std::optional<Tensor> {
    return dispatch(*type, [&]<class To>() -> std::optional<Tensor> {
      constexpr bool isKnown = isNumber<From> || isHalf<From> || std::is_same_v<From, bool>;
      if constexpr (isKnown && (isNumber<To> || std::is_same_v<To, bool>)) {
        Tensor result(*type, from.shape());
        auto to = result.mutableAs<To>().begin();
        for (const From x : from.as<From>())
          if (const std::optional<To> element = castElement<From, To>(x))
            *to++ = *element;
          else
            return {};
        return result;
      } else {
        return {};
      }
    });
  });
}

// --- Folding of operations that only move elements ---

std::optional<Tensor> where(mlir::Operation *operation, const Operands &operands) {
  const Shape shape = shapeOfResult(operation);
  const Tensor condition = broadcastTo(operands[0], shape), a = broadcastTo(operands[1], shape),
               b = broadcastTo(operands[2], shape);
  Tensor result = b;
  const size_t bytes = sizeBytes(a.dtype());
  std::byte *to = result.mutableBytes().data();
  for (size_t i = 0; i < condition.elementCount(); ++i)
    if (condition.as<bool>()[i])
      std::memcpy(to + i * bytes, a.bytes().data() + i * bytes, bytes);
  return result;
}

std::optional<Tensor> concat(graph::ConcatOp operation, const Operands &operands) {
  Tensor result(operands[0].dtype(), shapeOfResult(operation));
  const size_t axis = operation.getAxis();
  int64_t outer = 1;
  for (size_t i = 0; i < axis; ++i)
    outer *= result.shape()[i];
  if (outer == 0)
    return result;
  std::byte *to = result.mutableBytes().data();
  for (int64_t i = 0; i < outer; ++i)
    for (const auto &operand : operands) {
      const size_t bytes = operand.sizeBytes() / static_cast<size_t>(outer);
      std::memcpy(to, operand.bytes().data() + static_cast<size_t>(i) * bytes, bytes);
      to += bytes;
    }
  return result;
}

std::optional<Tensor> slice(graph::SliceOp operation, const Tensor &from) {
  std::vector<int64_t> strides = from.strides();
  int64_t base = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    base += operation.getStarts()[i] * strides[i];
    strides[i] *= operation.getSteps()[i];
  }
  return takenByStrides(from, shapeOfResult(operation), base, strides);
}

std::optional<Tensor> gather(graph::GatherOp operation, const Tensor &from, const Tensor &indices) {
  const size_t axis = operation.getAxis();
  const int64_t size = from.shape()[axis];
  std::vector<int64_t> wanted;
  if (indices.dtype() == DType::i64)
    wanted.assign(indices.as<int64_t>().begin(), indices.as<int64_t>().end());
  else if (indices.dtype() != DType::i32)
    return {};
  else
    wanted.assign(indices.as<int32_t>().begin(), indices.as<int32_t>().end());
  for (int64_t &index : wanted) {
    if (index < -size || index >= size)
      return {}; // a Gather with an index out of range is not folded, but left to the runtime
    index += index < 0 ? size : 0;
  }
  const int64_t inner = from.strides()[axis];
  int64_t outer = 1;
  for (size_t i = 0; i < axis; ++i)
    outer *= from.shape()[i];
  Tensor result(from.dtype(), shapeOfResult(operation));
  const size_t bytes = static_cast<size_t>(inner) * sizeBytes(from.dtype());
  std::byte *to = result.mutableBytes().data();
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t index : wanted) {
      std::memcpy(to, from.bytes().data() + static_cast<size_t>(i * size + index) * bytes, bytes);
      to += bytes;
    }
  return result;
}

std::optional<Tensor> resultOf(mlir::Operation *operation, const Operands &operands) {
  using Found = std::optional<Tensor>;
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case<graph::AddOp, graph::SubOp, graph::MulOp, graph::DivOp, graph::ModOp, graph::MinOp, graph::MaxOp,
            graph::EqualOp, graph::LessOp, graph::LessOrEqualOp, graph::GreaterOp, graph::GreaterOrEqualOp,
            graph::AndOp, graph::OrOp, graph::XorOp>([&](auto) { return binary(operation, operands); })
      .Case<graph::NegOp, graph::FloorOp, graph::CeilOp, graph::NotOp>(
          [&](auto) { return unary(operation, operands[0]); })
      .Case<graph::ReduceProdOp, graph::ReduceSumOp>([&](auto op) { return reduced(op, operands[0]); })
      .Case([&](graph::CastOp op) { return cast(op, operands[0]); })
      .Case([&](graph::WhereOp) { return where(operation, operands); })
      .Case([&](graph::ConcatOp op) { return concat(op, operands); })
      .Case([&](graph::SliceOp op) { return slice(op, operands[0]); })
      .Case([&](graph::TransposeOp op) { return Found(tilerig::transposed(operands[0], op.getPerm())); })
      .Case([&](graph::GatherOp op) { return gather(op, operands[0], operands[1]); })
      .Case([&](graph::ReshapeOp) { return Found(*operands[0].reshaped(shapeOfResult(operation))); })
      .Case([&](graph::ExpandOp) { return Found(broadcastTo(operands[0], shapeOfResult(operation))); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace

std::optional<Tensor> evaluate(mlir::Operation *operation) {
  if (operation->getNumResults() != 1 || operation->getNumOperands() == 0)
    return {};
  Operands operands;
  for (const mlir::Value operand : operation->getOperands()) {
    auto constant = operand.getDefiningOp<graph::ConstantOp>();
    if (!constant)
      return {};
    operands.push_back(tensorOf(constant.getValue()));
  }
  return resultOf(operation, operands);
}

} // namespace tilerig::compiler
