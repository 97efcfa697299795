#include "compiler/Graph/Folding/Families.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

#include <cmath>
#include <limits>
#include <llvm/ADT/TypeSwitch.h>
#include <numeric>

namespace tilerig::compiler {

namespace {

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

template <class T>
bool isNaN(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(x);
  else
    return false;
}

// Whether the sign of x is set; that of -0.0 is.
template <class T>
bool isNegative(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::signbit(x);
  else
    return x < 0;
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
        return value([](T x, T y) { return isNaN(x) || y > x || (x == y && isNegative(x)) ? x : y; });
      })
      .Case([&](graph::MaxOp) -> Found {
        return value([](T x, T y) { return isNaN(x) || y < x || (x == y && isNegative(y)) ? x : y; });
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

// Folds unary functions whose results IEEE 754 defines to the last bit, such as Floor and Sqrt. Returns nullopt for
// all others, such as Exp, whose last bit depends on the implementation.
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
          .Case([&](graph::RoundOp) -> Found {
            if constexpr (std::is_floating_point_v<T>)
              return value([](T x) { return std::nearbyint(x); });
            return {};
          })
          .Case([&](graph::AbsOp) { return value([](T x) { return x < 0 ? negated(x) : x; }); })
          .Case([&](graph::SignOp) { return value([](T x) { return static_cast<T>((x > 0) - (x < 0)); }); })
          .Case([&](graph::ReluOp) { return value([](T x) { return x < 0 ? T(0) : x; }); })
          .Case([&](graph::SqrtOp) -> Found {
            if constexpr (std::is_floating_point_v<T>)
              return value([](T x) { return std::sqrt(x); });
            return {};
          })
          .Case([&](graph::ReciprocalOp) -> Found {
            if constexpr (std::is_floating_point_v<T>)
              return value([](T x) { return 1 / x; });
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

// Folds reductions over all axes or over the innermost ones. In most models, they multiply the sizes in a shape to
// get a number of elements, or compare sizes. Sums and products of floats depend on their order, and are not folded.
template <class T, class F>
Tensor reducedRows(const Tensor &from, const Shape &shape, F f) {
  Tensor result(from.dtype(), shape);
  const size_t rows = result.elementCount(), row = rows == 0 ? 0 : from.elementCount() / rows;
  for (size_t i = 0; i < rows; ++i) {
    const auto elements = from.as<T>().subspan(i * row, row);
    result.mutableAs<T>()[i] = f(elements);
  }
  return result;
}

template <class T>
std::optional<Tensor> reduction(mlir::Operation *operation, const Tensor &from, const Shape &shape) {
  using Elements = std::span<const T>;
  const auto value = [&](auto f) { return std::optional(reducedRows<T>(from, shape, f)); };
  const bool isComparison = llvm::isa<graph::ReduceMinOp, graph::ReduceMaxOp>(operation);
  if (isComparison ? from.elementCount() == 0 || std::ranges::any_of(from.as<T>(), isNaN<T>)
                   : std::is_floating_point_v<T>)
    return {};
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Tensor>>(operation)
      .Case([&](graph::ReduceSumOp) {
        return value([](Elements row) {
          return std::accumulate(row.begin(), row.end(), T(0),
                                 [](T x, T y) { return wrapping(x, y, std::plus{}); });
        });
      })
      .Case([&](graph::ReduceProdOp) {
        return value([](Elements row) {
          return std::accumulate(row.begin(), row.end(), T(1),
                                 [](T x, T y) { return wrapping(x, y, std::multiplies{}); });
        });
      })
      .Case([&](graph::ReduceMinOp) { return value([](Elements row) { return std::ranges::min(row); }); })
      .Case([&](graph::ReduceMaxOp) { return value([](Elements row) { return std::ranges::max(row); }); })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

template <class Op>
std::optional<Tensor> reduced(Op operation, const Tensor &from) {
  const auto axes = operation.getAxes();
  const size_t first = from.rank() - axes.size();
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != static_cast<int64_t>(first + i))
      return {};
  return dispatch(from.dtype(), [&]<class T>() -> std::optional<Tensor> {
    if constexpr (isNumber<T>)
      return reduction<T>(operation, from, shapeOfResult(operation));
    else
      return {};
  });
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

} // namespace

std::optional<Tensor> evaluateArithmetic(mlir::Operation *operation, const Operands &operands) {
  using Found = std::optional<Tensor>;
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case<graph::AddOp, graph::SubOp, graph::MulOp, graph::DivOp, graph::ModOp, graph::MinOp, graph::MaxOp,
            graph::EqualOp, graph::LessOp, graph::LessOrEqualOp, graph::GreaterOp, graph::GreaterOrEqualOp,
            graph::AndOp, graph::OrOp, graph::XorOp>([&](auto) { return binary(operation, operands); })
      .Case<graph::NegOp, graph::FloorOp, graph::CeilOp, graph::RoundOp, graph::AbsOp, graph::SignOp,
            graph::ReluOp, graph::SqrtOp, graph::ReciprocalOp, graph::NotOp>(
          [&](auto) { return unary(operation, operands[0]); })
      .Case<graph::ReduceProdOp, graph::ReduceSumOp, graph::ReduceMinOp, graph::ReduceMaxOp>(
          [&](auto op) { return reduced(op, operands[0]); })
      .Case([&](graph::CastOp op) { return cast(op, operands[0]); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
