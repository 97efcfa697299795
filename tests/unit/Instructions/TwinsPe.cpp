#include "tests/unit/Instructions/Twins.h"

namespace tilerig {

using enum ElementType;
using samples::make;

namespace {

void addRows(Twins &twins) {
  Lookup wide = make<Lookup>();
  wide.input = samples::stream(i9, {1, 2, 3, 4, 5});
  wide.output = samples::stream(fp32, {1, 2, 3, 4, 5});
  wide.table.base = 65536 - 512 * 4;
  twins
      .add(
          make<Lookup>(), [](Lookup &lookup) { lookup.table = {}; }, "table.present", "expected 1, as")
      .add(
          make<Lookup>(), [](Lookup &lookup) { lookup.table.broadcast = true; }, "table.broadcast",
          "a table cannot be broadcast")
      .add(
          make<Lookup>(), [](Lookup &lookup) { lookup.table.base = 65536 - 255; }, "table.base",
          "from which 256 bytes lie inside the OCM")
      .add(
          wide, [](Lookup &lookup) { lookup.table.base += 4; }, "table.base",
          "from which 2048 bytes lie inside the OCM")
      .add(
          wide, [](Lookup &lookup) { lookup.table.base -= 2; }, "table.base", "a multiple of 4");

  Reduce index = make<Reduce>();
  index.function = ReduceFunction::argMin;
  index.axes = 0b01000;
  index.lastIndex = true;
  index.output = samples::stream(i32, {1, 2, 3, 1, 5});
  index.finish = {};
  twins
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.axes = 0b01000; }, "output.dims[1].size",
          "2, the size of the input")
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.axes = 0b01110; }, "output.dims[2].size",
          "1, as the dimension is reduced")
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.axes = 0; }, "axes", "expected 1..31")
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.lastIndex = true; }, "last_index",
          "does not return an index")
      .add(
          index, [](Reduce &reduce) { reduce.axes = 0b01001; }, "axes", "contains several dimensions")
      .add(
          index, [](Reduce &reduce) { reduce.finish.rounding = RoundingMode::down; }, "finish.rounding",
          "expected half_even")
      .add(
          index, [](Reduce &reduce) { reduce.finish.function = UnaryFunction::neg; }, "finish.function",
          "identity");

  twins
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.epsilon = nan; }, "epsilon", "finite")
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.epsilon = -1e-9f; }, "epsilon",
          "at least 0")
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.innerDims = 6; }, "inner_dims",
          "expected 1..5")
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.finish.wrap = true; }, "finish.wrap",
          "expected 0")
      .add(
          make<Fill>(), [](Fill &fill) { fill.value = 0x180; }, "value", "the 8 bits of i8")
      .add(
          make<Flatten>(), [](Flatten &flatten) { flatten.padValue = 0x100; }, "pad_value",
          "the 8 bits of i8");
  // The value of an i9 must be sign-extended.
  Fill nine = make<Fill>();
  nine.output = samples::stream(i9, {1, 2, 3, 4, 5});
  nine.value = 0xFF00;
  twins
      .add(
          nine, [](Fill &fill) { fill.value = 0xFEFF; }, "value", "an i9, an integer from -256 to 255")
      .add(
          nine, [](Fill &fill) { fill.value = 0x0100; }, "value", "an i9, an integer from -256 to 255")
      .add(
          nine, [](Fill &fill) { fill.value = 0xFFFFFF00; }, "value", "16 bits");
}

void addImages(Twins &twins) {
  Pool padded = make<Pool>();
  padded.function = PoolFunction::averageWithPadding;
  padded.padBottom = 1, padded.padRight = 2;
  twins
      .add(
          padded, [](Pool &pool) { pool.function = PoolFunction::average; }, "pad_bottom", "expected 0")
      .add(
          padded, [](Pool &pool) { pool.padBottom = 0, pool.function = PoolFunction::max; }, "pad_right",
          "expected 0")
      .add(
          make<Pool>(), [](Pool &pool) { pool.kernelH = 0; }, "kernel_h", "expected 1..65535");
  // Windows of 3 x 2 over an input of 6 x 7: with padding of 3, the first row of windows has no tap inside
  // the input, and so on.
  twins
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.padTop = 3; }, "window.pad_top",
          "window 0 has no tap inside the input")
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.padLeft = 2; }, "window.pad_left",
          "window 0 has no tap inside the input")
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.padTop = 0, pool.window.strideH = 3; },
          "output.dims[2].size", "starts at index 6, beyond the input, which has size 6")
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.strideW = 2; }, "output.dims[3].size",
          "starts at index 10")
      // Taps at -1 and 7, outside the 7 columns of the input on both sides.
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.padLeft = 1, pool.window.dilationW = 8; },
          "window.pad_left", "window 0 has no tap inside the input");
  Pool far = make<Pool>();
  far.output.dims[2].size = 2;
  far.window = {.strideH = 4, .dilationH = 32768};
  twins.add(
      far, [](Pool &pool) { pool.window.strideH = 5; }, "output.dims[2].size",
      "more than 65535 beyond the input, which has size 6");

  // A sum of 2^22 terms is legal; one more row of terms is not.
  Pool large = make<Pool>();
  large.function = PoolFunction::sum;
  large.kernelH = large.kernelW = 2048;
  large.output.dims[2] = large.output.dims[3] = {1, 0};
  large.window = {};
  Reduce repeated = make<Reduce>();
  repeated.input.dims = {{{1, 0}, {2048, 0}, {1, 0}, {2048, 0}, {1, 0}}};
  repeated.output.dims.fill({1, 0});
  twins
      .add(
          large, [](Pool &pool) { pool.kernelH = 2049; }, "kernel_h", "at most 4194304")
      .add(
          repeated, [](Reduce &reduce) { reduce.input.dims[3].size = 2049; }, "axes",
          "makes integer sums of 4196352 terms");

  Flatten flat = make<Flatten>();
  flat.window.dilationH = 32768, flat.window.padTop = 0, flat.window.strideH = 2;
  twins.add(
      flat, [](Flatten &flatten) { flatten.window.strideH = 3; }, "output.dims[0].size",
      "more than 65535 beyond the input, which has size 6");
  flat = make<Flatten>();
  flat.window.dilationW = 65535, flat.window.padLeft = 0;
  twins.add(
      flat, [](Flatten &flatten) { flatten.window.strideW = 2; }, "output.dims[1].size",
      "more than 65535 beyond the input, which has size 7");

  Resize cubic = make<Resize>();
  cubic.mode = ResizeMode::cubic;
  cubic.cubicCoefficient = -0.75f;
  twins
      .add(
          cubic, [](Resize &resize) { resize.mode = ResizeMode::linear; }, "cubic_coefficient", "expected 0")
      .add(
          cubic, [](Resize &resize) { resize.cubicCoefficient = nan; }, "cubic_coefficient", "finite")
      .add(
          make<Resize>(), [](Resize &resize) { resize.rows.denominator = 0; }, "rows.denominator",
          "expected 1..");
  // A resize with 6 input rows and 12 output rows may read input indices from -65535 to 65535 + 6 - 1, that
  // is, up to 65535 rows outside the input; one further is not legal.
  Resize wide = make<Resize>();
  wide.rows = {.numerator = 0, .denominator = 3, .offset = -65535 * 3};
  wide.columns = {.numerator = (65535 + 8) / 5, .denominator = 1};
  twins
      .add(
          wide, [](Resize &resize) { resize.rows.offset -= 1; }, "rows.offset",
          "the first output reads at index -65536")
      .add(
          wide, [](Resize &resize) { resize.rows.offset = (65535 + 6) * 3; }, "rows.offset",
          "the first output reads at index 65541")
      .add(
          wide, [](Resize &resize) { resize.columns.offset = 4 + 5; }, "columns.numerator",
          "more than 65535 outside the input, which has size 9")
      .add(
          wide, [](Resize &resize) { resize.rows = {.numerator = UINT32_MAX, .denominator = 1}; },
          "rows.numerator", "outside")
      .add(
          wide, [](Resize &resize) { resize.finish.rounding = RoundingMode::down; }, "finish.rounding",
          "expected half_even");
}

} // namespace

void addPeTwins(Twins &twins) {
  addRows(twins);
  addImages(twins);
}

} // namespace tilerig
