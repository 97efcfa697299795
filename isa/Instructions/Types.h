// The enumerations used in instruction fields: element types, memory spaces, engines and functions.
#pragma once

#include "isa/Instructions/Field.h"
#include "isa/Numerics/MathFunction.h"

#include <cstdint>

namespace tilerig {

// Types of elements in the memories of the machine.
enum class ElementType : uint8_t { i8, u8, i9, i32, fp16, bf16, fp32 };
template <>
struct EnumNames<ElementType> {
  static constexpr auto values =
      std::to_array<std::string_view>({"i8", "u8", "i9", "i32", "fp16", "bf16", "fp32"});
};
constexpr unsigned sizeBytes(ElementType type) {
  switch (type) {
  case ElementType::i8:
  case ElementType::u8:
    return 1;
  case ElementType::i9: // an i9 is stored in 16 bits
  case ElementType::fp16:
  case ElementType::bf16:
    return 2;
  case ElementType::i32:
  case ElementType::fp32:
    return 4;
  }
  return 0;
}
constexpr bool isFloat(ElementType type) {
  return type == ElementType::fp16 || type == ElementType::bf16 || type == ElementType::fp32;
}
// Whether elements of the type have a scale and a zero point.
constexpr bool isQuantised(ElementType type) {
  return type == ElementType::i8 || type == ElementType::u8 || type == ElementType::i9;
}

// The memory of a stream: the tile's own OCM (on-chip memory), DDR, or the OCM of another tile; `none` marks
// an absent operand.
enum class Space : uint8_t { none, ocm, ddr, remote };
template <>
struct EnumNames<Space> {
  static constexpr auto values = std::to_array<std::string_view>({"none", "ocm", "ddr", "remote"});
};

// The units of a tile that execute instructions in order, each from its own queue, and the sequencer, which
// fills the queues.
enum class Engine : uint8_t { sequencer, pod, pe, dmaIn, dmaOut };
template <>
struct EnumNames<Engine> {
  static constexpr auto values =
      std::to_array<std::string_view>({"sequencer", "pod", "pe", "dma_in", "dma_out"});
};
inline constexpr unsigned numEngines = 5;

// How two matrices are mapped onto the registers of the POD (matrix engine).
enum class Mapping : uint8_t { lamm, samm1, samm2 };
template <>
struct EnumNames<Mapping> {
  static constexpr auto values = std::to_array<std::string_view>({"lamm", "samm1", "samm2"});
};

// Functions of one float and up to two parameters (alpha, beta), defined in isa/Numerics.
using UnaryFunction = MathFunction;
template <>
struct EnumNames<UnaryFunction> {
  static constexpr auto values = mathFunctionNames;
};

enum class BinaryFunction : uint8_t {
  add,
  sub,
  mul,
  div,
  min,
  max,
  pow,
  mod,
  fmod,
  prelu,
  equal,
  less,
  lessEqual,
  greater,
  greaterEqual,
  logicalAnd,
  logicalOr,
  logicalXor
};
template <>
struct EnumNames<BinaryFunction> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"add", "sub", "mul", "div", "min", "max", "pow", "mod", "fmod", "prelu", "equal", "less", "less_equal",
       "greater", "greater_equal", "and", "or", "xor"});
};
static_assert(static_cast<size_t>(BinaryFunction::logicalXor) + 1 ==
              EnumNames<BinaryFunction>::values.size());

enum class PoolFunction : uint8_t { max, average, averageWithPadding, sum };
template <>
struct EnumNames<PoolFunction> {
  static constexpr auto values =
      std::to_array<std::string_view>({"max", "average", "average_with_padding", "sum"});
};

enum class ReduceFunction : uint8_t { sum, mean, max, min, product, sumSquares, sumAbs, argMax, argMin };
template <>
struct EnumNames<ReduceFunction> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"sum", "mean", "max", "min", "product", "sum_squares", "sum_abs", "arg_max", "arg_min"});
};

enum class ResizeMode : uint8_t { nearest, linear, cubic };
template <>
struct EnumNames<ResizeMode> {
  static constexpr auto values = std::to_array<std::string_view>({"nearest", "linear", "cubic"});
};

enum class NormalizeMode : uint8_t { meanAndVariance, rootMeanSquare };
template <>
struct EnumNames<NormalizeMode> {
  static constexpr auto values = std::to_array<std::string_view>({"mean_variance", "rms"});
};

// How a real number is rounded to an integer.
enum class RoundingMode : uint8_t { halfEven, halfAway, towardZero, down };
template <>
struct EnumNames<RoundingMode> {
  static constexpr auto values =
      std::to_array<std::string_view>({"half_even", "half_away", "toward_zero", "down"});
};

enum class MarkerKind : uint8_t { layerBegin, layerEnd, breakpoint };
template <>
struct EnumNames<MarkerKind> {
  static constexpr auto values = std::to_array<std::string_view>({"layer_begin", "layer_end", "breakpoint"});
};

} // namespace tilerig
