#include "tests/support/Twins.h"

namespace tilerig {

using enum ElementType;
using samples::make;

namespace {

// Twins (pairs of a legal instruction and one that breaks a single rule) for the finish, the conversion to
// the output type, of an instruction that computes in fp32 and has a quantised output.
template <class T>
void addQuantisedFinish(Twins &twins, const T &legal) {
  twins
      .add(
          legal, [](T &instruction) { instruction.finish.clampLow = -129; }, "finish.clamp_low", "-128..127")
      .add(
          legal, [](T &instruction) { instruction.finish.clampHigh = 128; }, "finish.clamp_high", "-128..127")
      .add(
          legal, [](T &instruction) { instruction.finish.clampLow = 4, instruction.finish.clampHigh = 3; },
          "finish.clamp_high", "the value of clamp_low")
      .add(
          legal, [](T &instruction) { instruction.finish.output.scale = 0; }, "finish.output.scale",
          "above 0")
      .add(
          legal, [](T &instruction) { instruction.finish.output.scale = -1; }, "finish.output.scale",
          "above 0")
      .add(
          legal, [](T &instruction) { instruction.finish.output.scale = infinity; }, "finish.output.scale",
          "finite")
      .add(
          legal, [](T &instruction) { instruction.finish.output.scale = nan; }, "finish.output.scale",
          "finite")
      .add(
          legal, [](T &instruction) { instruction.finish.output.zeroPoint = 128; },
          "finish.output.zero_point", "-128..127");
}

void addFinish(Twins &twins) {
  addQuantisedFinish(twins, make<Binary>());
  addQuantisedFinish(twins, make<Select>());
  addQuantisedFinish(twins, make<Reduce>());

  // The clamp bounds of a result that wraps around may lie outside its type, but must fit in nine bits.
  Binary wrapping = make<Binary>();
  wrapping.finish.wrap = true;
  wrapping.finish.clampLow = -256, wrapping.finish.clampHigh = 255;
  twins
      .add(
          wrapping, [](Binary &binary) { binary.finish.wrap = false; }, "finish.clamp_low", "-128..127")
      .add(
          wrapping, [](Binary &binary) { binary.finish.clampHigh = 256; }, "finish.clamp_high", "-256..255")
      .add(
          wrapping,
          [](Binary &binary) {
            binary.output = samples::stream(i9, {1, 2, 3, 4, 5});
          },
          "finish.wrap", "i9 holds");

  // A float output has no quantisation.
  const Activate toFloat = make<Activate>();
  twins
      .add(
          toFloat, [](Activate &activate) { activate.finish.rounding = RoundingMode::down; },
          "finish.rounding", "expected half_even")
      .add(
          toFloat, [](Activate &activate) { activate.finish.wrap = true; }, "finish.wrap", "expected 0")
      .add(
          toFloat, [](Activate &activate) { activate.finish.clampLow = -1; }, "finish.clamp_low",
          "expected 0")
      .add(
          toFloat, [](Activate &activate) { activate.finish.clampHigh = 1; }, "finish.clamp_high",
          "expected 0")
      .add(
          toFloat, [](Activate &activate) { activate.finish.output.scale = 1; }, "finish.output.scale",
          "expected 0")
      .add(
          toFloat, [](Activate &activate) { activate.finish.output.scale = -0.0f; }, "finish.output.scale",
          "is -0")
      .add(
          toFloat, [](Activate &activate) { activate.finish.output.zeroPoint = 1; },
          "finish.output.zero_point", "expected 0");

  // The parameters of an activation function must be finite, and parameters that it does not use must be 0.
  Activate clipping = make<Activate>(), leaky = make<Activate>();
  clipping.finish.function = UnaryFunction::clip;
  clipping.finish.alpha = -1, clipping.finish.beta = 6;
  leaky.finish.function = UnaryFunction::leakyRelu;
  leaky.finish.alpha = 0.01f;
  twins
      .add(
          toFloat, [](Activate &activate) { activate.finish.alpha = 1; }, "finish.alpha",
          "does not use this parameter")
      .add(
          leaky, [](Activate &activate) { activate.finish.beta = 1; }, "finish.beta",
          "does not use this parameter")
      .add(
          leaky, [](Activate &activate) { activate.finish.alpha = nan; }, "finish.alpha", "finite")
      .add(
          clipping, [](Activate &activate) { activate.finish.beta = infinity; }, "finish.beta", "finite")
      .add(
          clipping, [](Activate &activate) { activate.finish.function = UnaryFunction::relu; },
          "finish.alpha", "does not use this parameter")
      .add(
          toFloat, [](Activate &activate) { activate.finish.function = UnaryFunction(63); },
          "finish.function", "is 63");

  // An output of type i32 is either rounded from fp32 or computed in integers throughout. If it is computed
  // in integers, the function must be defined for integers.
  Activate toInteger = make<Activate>(), integer = make<Activate>();
  toInteger.output = samples::stream(i32, {1, 2, 3, 4, 5});
  toInteger.finish = {.function = UnaryFunction::exp, .rounding = RoundingMode::towardZero};
  integer.input = integer.output = toInteger.output;
  integer.inputAffine = {};
  twins
      .add(
          toInteger, [](Activate &activate) { activate.finish.wrap = true; }, "finish.wrap", "expected 0")
      .add(
          toInteger, [](Activate &activate) { activate.finish.clampHigh = 1; }, "finish.clamp_high",
          "expected 0")
      .add(
          integer, [](Activate &activate) { activate.finish.function = UnaryFunction::exp; },
          "finish.function", "identity, relu")
      .add(
          integer, [](Activate &activate) { activate.finish.rounding = RoundingMode::down; },
          "finish.rounding", "expected half_even");

  Softmax softmax = make<Softmax>();
  softmax.finish.function = UnaryFunction::log;
  twins.add(
      softmax, [](Softmax &instruction) { instruction.finish.beta = -0.0f; }, "finish.beta", "is -0");
}

// Twins (pairs of a legal instruction and one that breaks a single rule) for instructions that leave integers
// unchanged, and for integer sums.
void addIntegerFinish(Twins &twins) {
  const Pool kept = make<Pool>();
  twins
      .add(
          kept, [](Pool &pool) { pool.finish.function = UnaryFunction::relu; }, "finish.function", "identity")
      .add(
          kept, [](Pool &pool) { pool.finish.rounding = RoundingMode::down; }, "finish.rounding",
          "keeps integers unchanged")
      .add(
          kept, [](Pool &pool) { pool.finish.wrap = true; }, "finish.wrap", "keeps integers unchanged")
      .add(
          kept, [](Pool &pool) { pool.finish.clampLow = 0; }, "finish.clamp_low",
          "-128, the only value that is allowed if the instruction keeps integers")
      .add(
          kept, [](Pool &pool) { pool.finish.clampHigh = 6; }, "finish.clamp_high",
          "127, the only value that is allowed if the instruction keeps integers")
      .add(
          kept, [](Pool &pool) { pool.finish.output.scale = 0.25f; }, "finish.output.scale",
          "0.5, the scale of the input, because the instruction keeps")
      .add(
          kept, [](Pool &pool) { pool.finish.output.zeroPoint = 0; }, "finish.output.zero_point",
          "3, the zero point of the input, because the instruction keeps");
  Reduce sum = make<Reduce>();
  sum.finish.output.scale = 7; // a sum, unlike a maximum, may have another scale than its input
  twins
      .add(
          sum, [](Reduce &reduce) { reduce.function = ReduceFunction::max; }, "finish.output.scale",
          "the scale of the input")
      .add(
          sum, [](Reduce &reduce) { reduce.finish.function = UnaryFunction::sqrt; }, "finish.function",
          "identity");
  Resize nearest = make<Resize>();
  nearest.mode = ResizeMode::nearest;
  nearest.input = samples::stream(u8, {1, 2, 6, 9, 5});
  nearest.output = samples::stream(u8, {1, 2, 12, 6, 5});
  nearest.inputAffine = samples::affine();
  nearest.finish = samples::finish(u8);
  twins.add(
      nearest, [](Resize &resize) { resize.finish.clampHigh = 200; }, "finish.clamp_high",
      "keeps integers unchanged");
}

// Twins (pairs of a legal instruction and one that breaks a single rule) for the scales and zero points of
// operands, of quantised and of other types.
void addAffine(Twins &twins) {
  twins
      .add(
          make<Binary>(), [](Binary &binary) { binary.aAffine.scale = 0; }, "a_affine.scale", "above 0")
      .add(
          make<Binary>(), [](Binary &binary) { binary.bAffine.scale = nan; }, "b_affine.scale", "finite")
      .add(
          make<Select>(), [](Select &select) { select.aAffine.zeroPoint = -129; }, "a_affine.zero_point",
          "-128..127")
      .add(
          make<Select>(), [](Select &select) { select.bAffine.scale = -1; }, "b_affine.scale", "above 0")
      .add(
          make<Pool>(), [](Pool &pool) { pool.inputAffine.zeroPoint = 128; }, "input_affine.zero_point",
          "-128..127")
      .add(
          make<Softmax>(), [](Softmax &instruction) { instruction.inputAffine.scale = infinity; },
          "input_affine.scale", "finite")
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.inputAffine = {}; }, "input_affine.scale", "above 0")
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.inputAffine.scale = 1; },
          "input_affine.scale", "expected 0")
      .add(
          make<Resize>(), [](Resize &resize) { resize.inputAffine.zeroPoint = 1; }, "input_affine.zero_point",
          "expected 0")
      .add(
          samples::convWithAddend(), [](Conv &conv) { conv.epilogue.addendAffine.scale = 0; },
          "epilogue.addend_affine.scale", "above 0")
      .add(
          make<Conv>(), [](Conv &conv) { conv.epilogue.addendAffine.scale = 1; },
          "epilogue.addend_affine.scale", "expected 0");
}

} // namespace

void addFinishTwins(Twins &twins) {
  addFinish(twins);
  addIntegerFinish(twins);
  addAffine(twins);
}

} // namespace tilerig
