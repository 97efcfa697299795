// Checks the rules of pooling and resampling instructions.

#include "isa/Instructions/CheckFinish.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"
#include "isa/Instructions/CheckWindow.h"

namespace tilerig::rules {
namespace {

using namespace types;

// Operands of the instructions whose input and output are images, with the sizes of their dimensions: 1,
// batch, rows, columns, channels.
template <class T>
constexpr Operand<T> imageOperands[] = {
    {.name = "input",
     .stream = part<&T::input>,
     .sizes = {Extent::one, Extent::N, Extent::H, Extent::W, Extent::C},
     .affineName = "input_affine",
     .affine = part<&T::inputAffine>},
    {.name = "output",
     .stream = part<&T::output>,
     .sizes = {Extent::one, Extent::N, Extent::OH, Extent::OW, Extent::C}},
};

template <class T>
Status checkFinishOf(const T &instruction, const Setting &) {
  return checkFinish(topLevel("finish"), instruction.finish, arithmeticOf(instruction),
                     instruction.output.type, instruction.inputAffine);
}

// --- Pool ---

constexpr TypeRow maxRows[] = {{{i8, i8}, Arithmetic::keep},
                               {{u8, u8}, Arithmetic::keep},
                               {{i9, i9}, Arithmetic::keep},
                               {{floats, real}, Arithmetic::real}};
constexpr TypeRow averageRows[] = {{{quantised, quantised}, Arithmetic::integerSum},
                                   {{floats, real}, Arithmetic::real}};
constexpr TypeTable<Pool> poolTypes[] = {
    {"the pooling function is max", [](const Pool &pool) { return pool.function == PoolFunction::max; },
     maxRows},
    {"the pooling function is not max", nullptr, averageRows},
};

Status checkOuterPadding(const Pool &pool, const Setting &) {
  if (pool.function == PoolFunction::averageWithPadding)
    return success();
  constexpr std::string_view why = "the pooling function does not count padding";
  TILERIG_CHECK_OK(expectZero(topLevel("pad_bottom"), pool.padBottom, why));
  return expectZero(topLevel("pad_right"), pool.padRight, why);
}
Status checkPoolReach(const Pool &pool, const Setting &) {
  TILERIG_CHECK_OK(checkReach(rowsOf(pool.window, pool.input, pool.output, pool.kernelH)));
  return checkReach(columnsOf(pool.window, pool.input, pool.output, pool.kernelW));
}
Status checkPoolTaps(const Pool &pool, const Setting &) {
  TILERIG_CHECK_OK(checkTaps(rowsOf(pool.window, pool.input, pool.output, pool.kernelH)));
  return checkTaps(columnsOf(pool.window, pool.input, pool.output, pool.kernelW));
}
Status checkPoolSummands(const Pool &pool, const Setting &) {
  return checkSummands(topLevel("kernel_h"), uint64_t{pool.kernelH} * pool.kernelW, arithmeticOf(pool));
}
constexpr Rule<Pool> poolRules[] = {
    {"`pad_bottom` and `pad_right` are 0 unless the function is average_with_padding", checkOuterPadding},
    {windowRule, checkPoolReach},
    {"every window has a tap inside the input", checkPoolTaps},
    {summandsRule, checkPoolSummands},
    {finishRule, checkFinishOf<Pool>},
};

// --- Resize ---

// A resize can keep quantised integers unchanged only in the mode `nearest`, and if input and output have the
// same type.
constexpr TypeRow nearestRows[] = {
    {{i8, i8}, Arithmetic::keep},
    {{u8, u8}, Arithmetic::keep},
    {{i9, i9}, Arithmetic::keep},
    {{i8, u8 | i9 | floats}, Arithmetic::real},
    {{u8, i8 | i9 | floats}, Arithmetic::real},
    {{i9, i8 | u8 | floats}, Arithmetic::real},
    {{floats, real}, Arithmetic::real},
};
constexpr TypeRow interpolatedRows[] = {{{real, real}, Arithmetic::real}};
constexpr TypeTable<Resize> resizeTypes[] = {
    {"the interpolation mode is nearest",
     [](const Resize &resize) { return resize.mode == ResizeMode::nearest; }, nearestRows},
    {"the interpolation mode is linear or cubic", nullptr, interpolatedRows},
};

Status checkCubic(const Resize &resize, const Setting &) {
  const FieldPath field = topLevel("cubic_coefficient");
  return resize.mode == ResizeMode::cubic
             ? expectFinite(field, resize.cubicCoefficient)
             : expectZero(field, resize.cubicCoefficient, "the interpolation mode is not cubic");
}
Status checkPositions(const Resize &resize, const Setting &) {
  TILERIG_CHECK_OK(
      checkResize(topLevel("rows"), resize.rows, resize.output.dims[2].size, resize.input.dims[2].size));
  return checkResize(topLevel("columns"), resize.columns, resize.output.dims[3].size,
                     resize.input.dims[3].size);
}
constexpr Rule<Resize> resizeRules[] = {
    {"`cubic_coefficient` is finite, and 0 unless the mode is cubic", checkCubic},
    {"no input index i lies more than 65535 rows or columns outside the input, and p = o * numerator + "
     "offset is below 2^63 for every output position o",
     checkPositions},
    {finishRule, checkFinishOf<Resize>},
};

constexpr RuleBook<Pool> bookOf(Of<Pool>) { return {imageOperands<Pool>, poolTypes, poolRules}; }
constexpr RuleBook<Resize> bookOf(Of<Resize>) { return {imageOperands<Resize>, resizeTypes, resizeRules}; }

constexpr auto poolingBooks =
    collectBooks(InstructionsOf<Family::pooling>(), [](auto of) { return bookOf(of); });
constexpr auto resamplingBooks =
    collectBooks(InstructionsOf<Family::resampling>(), [](auto of) { return bookOf(of); });

} // namespace

const RuleBooks<InstructionsOf<Family::pooling>> &booksOf(In<Family::pooling>) { return poolingBooks; }
const RuleBooks<InstructionsOf<Family::resampling>> &booksOf(In<Family::resampling>) {
  return resamplingBooks;
}

} // namespace tilerig::rules
