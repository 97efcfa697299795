#include "isa/Instructions/CheckFinish.h"

#include "isa/Instructions/CheckOperands.h"
#include "isa/Instructions/CheckValues.h"

namespace tilerig::rules {
namespace {

bool computesInFloat(Arithmetic arithmetic) {
  using enum Arithmetic;
  return arithmetic == real || arithmetic == toInteger || arithmetic == podScaled || arithmetic == podFloat;
}

Status checkFunction(const FieldPath &at, const Finish &finish, Arithmetic arithmetic) {
  const FieldPath field{&at, "function"};
  if (arithmetic == Arithmetic::integer) {
    if (!isIntegerFunction(finish.function))
      return refuse(field, finish.function,
                    "expected identity, relu, abs, neg, sign or not, as all operands are i32");
  } else if (!computesInFloat(arithmetic)) {
    TILERIG_CHECK_OK(expectEqual(field, finish.function, UnaryFunction::identity,
                                 "the only function for a result that is not computed in fp32"));
  }
  const unsigned parameters = numParameters(finish.function);
  const FieldPath alpha{&at, "alpha"}, beta{&at, "beta"};
  constexpr std::string_view unused = "the activation function of `finish` does not use this parameter";
  TILERIG_CHECK_OK(parameters >= 1 ? expectFinite(alpha, finish.alpha)
                                   : expectZero(alpha, finish.alpha, unused));
  return parameters >= 2 ? expectFinite(beta, finish.beta) : expectZero(beta, finish.beta, unused);
}

Status checkUnquantised(const FieldPath &at, const Finish &finish, Arithmetic arithmetic) {
  constexpr std::string_view why = "the output is not quantised";
  if (arithmetic != Arithmetic::toInteger)
    TILERIG_CHECK_OK(expectEqual({&at, "rounding"}, finish.rounding, RoundingMode::halfEven,
                                 "the only mode for an output that is not quantised"));
  TILERIG_CHECK_OK(expectZero({&at, "wrap"}, finish.wrap, why));
  TILERIG_CHECK_OK(expectZero({&at, "clamp_low"}, finish.clampLow, why));
  TILERIG_CHECK_OK(expectZero({&at, "clamp_high"}, finish.clampHigh, why));
  return expectAllZero({&at, "output"}, finish.output, why);
}

// The bounds in `finish` must be values of the output type; if the result wraps (keeps its low eight bits),
// they may be any 9-bit values.
Status checkQuantised(const FieldPath &at, const Finish &finish, ElementType output) {
  if (output == ElementType::i9)
    TILERIG_CHECK_OK(
        expectZero({&at, "wrap"}, finish.wrap, "an output of type i9 holds every value within the bounds"));
  const ElementType range = finish.wrap ? ElementType::i9 : output;
  TILERIG_CHECK_OK(expectInType({&at, "clamp_low"}, finish.clampLow, range));
  TILERIG_CHECK_OK(expectInType({&at, "clamp_high"}, finish.clampHigh, range));
  if (finish.clampHigh < finish.clampLow)
    return refuse({&at, "clamp_high"}, finish.clampHigh,
                  fmt::format("expected at least {}, the value of clamp_low", finish.clampLow));
  return checkAffine({&at, "output"}, finish.output, output);
}

Status checkKept(const FieldPath &at, const Finish &finish, ElementType type, const Affine &kept) {
  constexpr std::string_view why =
      "the only value that is allowed if the instruction keeps integers unchanged";
  const FieldPath output{&at, "output"};
  TILERIG_CHECK_OK(expectEqual({&at, "rounding"}, finish.rounding, RoundingMode::halfEven, why));
  TILERIG_CHECK_OK(expectEqual({&at, "wrap"}, finish.wrap, false, why));
  TILERIG_CHECK_OK(expectEqual<int>({&at, "clamp_low"}, finish.clampLow, lowestOf(type), why));
  TILERIG_CHECK_OK(expectEqual<int>({&at, "clamp_high"}, finish.clampHigh, highestOf(type), why));
  TILERIG_CHECK_OK(expectEqual({&output, "scale"}, finish.output.scale, kept.scale,
                               "the scale of the input, because the instruction keeps integers unchanged"));
  return expectEqual({&output, "zero_point"}, finish.output.zeroPoint, kept.zeroPoint,
                     "the zero point of the input, because the instruction keeps integers unchanged");
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
  return invalidInput(fieldName(field),
                      fmt::format("the instruction makes integer sums of {} terms", summands),
                      fmt::format("expected at most {} terms", maxSummands));
}

Status checkElementBits(const FieldPath &field, uint32_t bits, ElementType type) {
  if (type == ElementType::i9) {
    const auto value = static_cast<int16_t>(bits);
    if (bits > UINT16_MAX || value < lowestOf(type) || value > highestOf(type))
      return refuse(field, bits, "expected the 16 bits of an i9, an integer from -256 to 255");
  } else if (bits & ~lowBits(8 * sizeBytes(type))) {
    return refuse(field, bits,
                  fmt::format("expected the {} bits of {}, at most {}", 8 * sizeBytes(type), valueText(type),
                              lowBits(8 * sizeBytes(type))));
  }
  return success();
}

} // namespace tilerig::rules
