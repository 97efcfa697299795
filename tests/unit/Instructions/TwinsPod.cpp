#include "tests/support/Twins.h"

namespace tilerig {

using enum ElementType;
using samples::make;

namespace {

// Twins (pairs of a legal instruction and one that breaks a single rule) for the epilogue, the steps from
// accumulator to stored result, which matmul and conv share.
template <class T>
void addEpilogue(Twins &twins, const T &quantised, const T &floating, ElementType second) {
  T toInteger = quantised, accumulating = quantised, adding = quantised;
  toInteger.output.type = i32;
  for (Dimension &dim : toInteger.output.dims)
    dim.stride *= 4;
  toInteger.epilogue.scale = {};
  toInteger.epilogue.finish = {};
  accumulating.epilogue.bias = {};
  accumulating.epilogue.accumulateFrom = toInteger.output;
  adding.epilogue.middleType = u8;
  adding.epilogue.middle = samples::affine();
  adding.epilogue.addend = quantised.output;
  adding.epilogue.addendAffine = samples::affine();
  T table = quantised, tableFirst = adding, floatAdding = floating;
  table.epilogue.table = tableFirst.epilogue.table = samples::vector(256);
  tableFirst.epilogue.functionFirst = true;
  floatAdding.epilogue.addend = floating.output;
  floatAdding.epilogue.finish.function = UnaryFunction::relu;
  floatAdding.epilogue.functionFirst = true;

  const auto add = [&](const T &legal, auto spoil, std::string field, std::string words) {
    twins.add(
        legal, [&](T &instruction) { spoil(instruction.epilogue); }, "epilogue." + field, std::move(words));
  };
  // Pairs of a legal and an illegal instruction for the rules on vectors of constants: bias, scale and
  // others.
  add(
      quantised,
      [](Epilogue &epilogue) {
        epilogue.bias = {true, false, 65};
      },
      "bias.base", "a multiple of 4");
  add(
      quantised,
      [](Epilogue &epilogue) {
        epilogue.bias = {true, false, 65536 - 4};
      },
      "bias.base", "bytes lie inside the OCM, which has 65536 bytes");
  add(
      quantised,
      [](Epilogue &epilogue) {
        epilogue.bias = {true, true, 65536};
      },
      "bias.base", "bytes lie inside the OCM, which has 65536 bytes");
  add(
      quantised,
      [](Epilogue &epilogue) {
        epilogue.bias = {false, true, 0};
      },
      "bias.broadcast", "absent");
  add(
      quantised,
      [](Epilogue &epilogue) {
        epilogue.bias = {false, false, 4};
      },
      "bias.base", "absent");
  add(
      accumulating, [](Epilogue &epilogue) { epilogue.bias.present = true; }, "bias.present",
      "accumulate_from is present");
  add(
      quantised, [](Epilogue &epilogue) { epilogue.scale = {}; }, "scale.present", "expected 1, as");
  add(
      quantised, [](Epilogue &epilogue) { epilogue.scale.base = 2; }, "scale.base", "a multiple of 4");
  add(
      toInteger, [](Epilogue &epilogue) { epilogue.scale.present = true; }, "scale.present", "expected 0");
  add(
      floating, [](Epilogue &epilogue) { epilogue.scale.present = true; }, "scale.present", "expected 0");
  add(
      table, [](Epilogue &epilogue) { epilogue.table.broadcast = true; }, "table.broadcast",
      "a lookup table cannot be broadcast");
  add(
      table, [](Epilogue &epilogue) { epilogue.table.base = 65536 - 255; }, "table.base",
      "bytes lie inside the OCM, which has 65536 bytes");
  add(
      toInteger, [](Epilogue &epilogue) { epilogue.table.present = true; }, "table.present", "not quantised");
  add(
      floating, [](Epilogue &epilogue) { epilogue.table.present = true; }, "table.present", "not quantised");
  // Pairs of a legal and an illegal instruction for the rules on the zero points of the operands.
  add(
      quantised, [](Epilogue &epilogue) { epilogue.inputZeroPoint = -129; }, "input_zero_point", "expected");
  add(
      quantised, [](Epilogue &epilogue) { epilogue.inputZeroPoint = -256; }, "input_zero_point", "expected");
  add(
      quantised, [&](Epilogue &epilogue) { epilogue.weightZeroPoint = second == i8 ? 128 : -1; },
      "weight_zero_point", "expected");
  add(
      floating, [](Epilogue &epilogue) { epilogue.inputZeroPoint = 1; }, "input_zero_point", "expected 0");
  add(
      floating, [](Epilogue &epilogue) { epilogue.weightZeroPoint = 1; }, "weight_zero_point", "expected 0");
  // Pairs of a legal and an illegal instruction for the rules on the addend, and on the intermediate value to
  // which it is added.
  add(
      adding, [](Epilogue &epilogue) { epilogue.middleType = i9; }, "middle_type", "expected i8 or u8");
  add(
      adding, [](Epilogue &epilogue) { epilogue.middle.scale = 0; }, "middle.scale", "above 0");
  add(
      adding, [](Epilogue &epilogue) { epilogue.middle.zeroPoint = -1; }, "middle.zero_point", "0..255");
  add(
      quantised, [](Epilogue &epilogue) { epilogue.middleType = u8; }, "middle_type", "no addend");
  add(
      quantised, [](Epilogue &epilogue) { epilogue.middle.scale = 1; }, "middle.scale", "no addend");
  add(
      floatAdding, [](Epilogue &epilogue) { epilogue.middle.scale = 1; }, "middle.scale", "expected 0");
  add(
      tableFirst, [](Epilogue &epilogue) { epilogue.table = {}; }, "function_first", "expected 0");
  add(
      floatAdding, [](Epilogue &epilogue) { epilogue.addend = {}; }, "function_first", "expected 0");
  add(
      floatAdding, [](Epilogue &epilogue) { epilogue.finish.function = UnaryFunction::identity; },
      "function_first", "expected 0");
  add(
      adding,
      [](Epilogue &epilogue) {
        epilogue.addend.type = fp16;
        epilogue.addendAffine = {};
        epilogue.addend.dims.fill({1, 0});
      },
      "addend.dims[1].size", "expected");
  // Pairs of a legal and an illegal instruction for the rules on the finish, the conversion of results to the
  // output type.
  add(
      quantised, [](Epilogue &epilogue) { epilogue.finish.function = UnaryFunction::relu; },
      "finish.function", "identity");
  add(
      quantised, [](Epilogue &epilogue) { epilogue.finish.clampHigh = 128; }, "finish.clamp_high",
      "-128..127");
  add(
      toInteger, [](Epilogue &epilogue) { epilogue.finish.function = UnaryFunction::relu; },
      "finish.function", "identity");
  add(
      toInteger, [](Epilogue &epilogue) { epilogue.finish.rounding = RoundingMode::down; }, "finish.rounding",
      "expected half_even");
  add(
      floating, [](Epilogue &epilogue) { epilogue.finish.output.scale = 1; }, "finish.output.scale",
      "expected 0");

  // A lookup table must not be indexed by a 9-bit integer (i9). If the table is applied before the addend is
  // added (function_first), it is indexed by the intermediate value; otherwise it is indexed by the value in
  // the output type, which is an i9 here.
  T wide = tableFirst;
  wide.output.type = i9;
  for (Dimension &dim : wide.output.dims)
    dim.stride *= 2;
  add(
      wide, [](Epilogue &epilogue) { epilogue.functionFirst = false; }, "table.present",
      "the index into the table would be an i9");
}

} // namespace

void addPodTwins(Twins &twins) {
  Conv quantised = make<Conv>(), floating = make<Conv>();
  floating.input.type = floating.weights.type = floating.output.type = fp16;
  for (Stream *stream : {&floating.input, &floating.weights, &floating.output})
    for (Dimension &dim : stream->dims)
      dim.stride *= 2;
  floating.epilogue = {};
  addEpilogue(twins, quantised, floating, i8);
  addEpilogue(twins, samples::integerMatmul(i8), make<Matmul>(), i8);

  const Conv conv = make<Conv>();
  twins
      .add(
          conv, [](Conv &instruction) { instruction.groups = 3; }, "groups", "a divisor of the 4 outputs")
      .add(
          conv, [](Conv &instruction) { instruction.groups = 4; }, "input.dims[4].size",
          "12, the 3 channels of the weights in each of 4 groups")
      .add(
          conv, [](Conv &instruction) { instruction.groups = 0; }, "groups", "expected 1..16777215")
      .add(
          conv, [](Conv &instruction) { instruction.window.strideH = 0; }, "window.stride_h",
          "expected 1..65535")
      .add(
          conv, [](Conv &instruction) { instruction.window.dilationW = 0; }, "window.dilation_w",
          "expected 1..65535")
      .add(
          samples::integerMatmul(i32), [](Matmul &instruction) { instruction.epilogue.finish.beta = 1; },
          "epilogue.finish.beta", "does not use this parameter")
      .add(
          make<Matmul>(), [](Matmul &instruction) { instruction.mapping = Mapping(3); }, "mapping",
          "lamm, samm1 or samm2");
  // The last tap may lie 65535 rows or columns beyond the input, not one more.
  Conv far = conv;
  far.output.dims[2].size = 2;
  far.window.padTop = 0;
  far.window.strideH = 65535, far.window.dilationH = 2;
  twins.add(
      far, [](Conv &instruction) { instruction.window.dilationH = 3; }, "output.dims[2].size",
      "more than 65535 positions beyond the input, which has size 6");
  far = conv;
  far.output.dims[3].size = 2;
  far.window.strideW = 65535, far.window.dilationW = 6;
  twins.add(
      far, [](Conv &instruction) { instruction.window.dilationW = 7; }, "output.dims[3].size",
      "more than 65535 positions beyond the input, which has size 7");
}

} // namespace tilerig
