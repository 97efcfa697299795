#include "isa/Instructions/CheckFinish.h"

#include "isa/Instructions/CheckOperands.h"
#include "isa/Instructions/CheckValues.h"

namespace tilerig::rules {
namespace {

// The numerics library has its own list of the functions, because it does not know instructions; both lists
// must agree.
static_assert(EnumNames<UnaryFunction>::values == mathFunctionNames);

bool computesInFloat(Arithmetic arithmetic) {
  using enum Arithmetic;
  return arithmetic == real || arithmetic == toInteger || arithmetic == podScaled || arithmetic == podFloat;
}

Status checkFunction(const FieldPath &at, const Finish &it, Arithmetic arithmetic) {
  const FieldPath field{&at, "function"};
  if (arithmetic == Arithmetic::integer) {
    if (!isIntegerFunction(it.function))
      return refuse(field, it.function, "identity, relu, abs, neg, sign or not, as all operands are i32");
  } else if (!computesInFloat(arithmetic)) {
    TILERIG_CHECK_OK(
        expectEqual(field, it.function, UnaryFunction::identity, "as the result is not computed in fp32"));
  }
  const unsigned parameters = numParameters(it.function);
  const FieldPath alpha{&at, "alpha"}, beta{&at, "beta"};
  constexpr std::string_view unused = "the function has no such parameter";
  TILERIG_CHECK_OK(parameters >= 1 ? expectFinite(alpha, it.alpha) : expectZero(alpha, it.alpha, unused));
  return parameters >= 2 ? expectFinite(beta, it.beta) : expectZero(beta, it.beta, unused);
}

Status checkUnquantised(const FieldPath &at, const Finish &it, Arithmetic arithmetic) {
  constexpr std::string_view why = "the output is not quantised";
  if (arithmetic != Arithmetic::toInteger)
    TILERIG_CHECK_OK(expectZero({&at, "rounding"}, it.rounding, why));
  TILERIG_CHECK_OK(expectZero({&at, "wrap"}, it.wrap, why));
  TILERIG_CHECK_OK(expectZero({&at, "clamp_low"}, it.clampLow, why));
  TILERIG_CHECK_OK(expectZero({&at, "clamp_high"}, it.clampHigh, why));
  return expectAllZero({&at, "output"}, it.output, why);
}

// The bounds must be values of the output type; if the result wraps (keeps its low eight bits), they may be
// any 9-bit values.
Status checkQuantised(const FieldPath &at, const Finish &it, ElementType output) {
  if (output == ElementType::i9)
    TILERIG_CHECK_OK(expectZero({&at, "wrap"}, it.wrap, "an i9 holds every value within the bounds"));
  const ElementType range = it.wrap ? ElementType::i9 : output;
  TILERIG_CHECK_OK(expectInType({&at, "clamp_low"}, it.clampLow, range));
  TILERIG_CHECK_OK(expectInType({&at, "clamp_high"}, it.clampHigh, range));
  if (it.clampHigh < it.clampLow)
    return refuse({&at, "clamp_high"}, it.clampHigh, fmt::format("at least clamp_low, {}", it.clampLow));
  return checkAffine({&at, "output"}, it.output, output);
}

Status checkKept(const FieldPath &at, const Finish &it, ElementType type, const Affine &kept) {
  constexpr std::string_view why = "as the integers are kept unchanged";
  const FieldPath output{&at, "output"};
  TILERIG_CHECK_OK(expectEqual({&at, "rounding"}, it.rounding, RoundingMode::halfEven, why));
  TILERIG_CHECK_OK(expectEqual({&at, "wrap"}, it.wrap, false, why));
  TILERIG_CHECK_OK(expectEqual<int>({&at, "clamp_low"}, it.clampLow, lowestOf(type), why));
  TILERIG_CHECK_OK(expectEqual<int>({&at, "clamp_high"}, it.clampHigh, highestOf(type), why));
  TILERIG_CHECK_OK(expectEqual({&output, "scale"}, it.output.scale, kept.scale, "the value of the input"));
  return expectEqual({&output, "zero_point"}, it.output.zeroPoint, kept.zeroPoint, "the value of the input");
}

} // namespace

bool isIntegerFunction(UnaryFunction function) {
  using enum UnaryFunction;
  return function == identity || function == relu || function == abs || function == neg || function == sign ||
         function == logicalNot;
}

Status checkFinish(const FieldPath &at, const Finish &finish, Arithmetic arithmetic, ElementType output,
                   const Affine &kept) {
  TILERIG_CHECK_OK(checkFunction(at, finish, arithmetic));
  if (!isQuantised(output))
    return checkUnquantised(at, finish, arithmetic);
  if (arithmetic == Arithmetic::keep)
    return checkKept(at, finish, output, kept);
  return checkQuantised(at, finish, output);
}

Status checkSummands(const FieldPath &field, uint64_t summands, Arithmetic arithmetic) {
  if (arithmetic != Arithmetic::integerSum || summands <= maxSummands)
    return success();
  return refuse(field, summands, fmt::format("at most {} terms in an integer sum", maxSummands));
}

Status checkElementBits(const FieldPath &field, uint32_t bits, ElementType type) {
  if (type == ElementType::i9) {
    const auto value = static_cast<int16_t>(bits);
    if (bits > UINT16_MAX || value < lowestOf(type) || value > highestOf(type))
      return refuse(field, bits, "-256..255 in the 16 bits of an i9");
  } else if (bits & ~lowBits(8 * sizeBytes(type))) {
    return refuse(field, bits, fmt::format("the {} bits of {}", 8 * sizeBytes(type), valueText(type)));
  }
  return success();
}

} // namespace tilerig::rules
