// Rules of the PE instructions on images: pool, flatten and resize.

#include "isa/Instructions/CheckFinish.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"
#include "isa/Instructions/CheckWindow.h"

namespace tilerig::rules {
namespace {

using namespace types;

// Operands of instructions with images as input and output: batch, rows, columns, channels.
template <class T>
constexpr Operand<T> imageOperands[] = {
    {.name = "input",
     .stream = part<&T::input>,
     .sizes = {Extent::one, Extent::N, Extent::H, Extent::W, Extent::C},
     .affineName = "input_affine",
     .affine = part<&T::inputAffine>},
    {.name = "output",
     .stream = part<&T::output>,
     .use = Use::write,
     .sizes = {Extent::one, Extent::N, Extent::OH, Extent::OW, Extent::C}},
};

template <class T>
Status checkFinishOf(const T &it, const Setting &) {
  return checkFinish(topLevel("finish"), it.finish, arithmeticOf(it), it.output.type, it.inputAffine);
}

// --- Pool ---

constexpr TypeRow maxRows[] = {{{i8, i8}, Arithmetic::keep},
                               {{u8, u8}, Arithmetic::keep},
                               {{i9, i9}, Arithmetic::keep},
                               {{floats, real}, Arithmetic::real}};
constexpr TypeRow averageRows[] = {{{quantised, quantised}, Arithmetic::integerSum},
                                   {{floats, real}, Arithmetic::real}};
constexpr TypeTable<Pool> poolTypes[] = {
    {"the function is max", [](const Pool &it) { return it.function == PoolFunction::max; }, maxRows},
    {"the function is another", nullptr, averageRows},
};

Status checkOuterPadding(const Pool &it, const Setting &) {
  if (it.function == PoolFunction::averageWithPadding)
    return success();
  constexpr std::string_view why = "the function does not count padding";
  TILERIG_CHECK_OK(expectZero(topLevel("pad_bottom"), it.padBottom, why));
  return expectZero(topLevel("pad_right"), it.padRight, why);
}
Status checkPoolReach(const Pool &it, const Setting &) {
  TILERIG_CHECK_OK(checkReach(rowsOf(it.window, it.input, it.output, it.kernelH)));
  return checkReach(columnsOf(it.window, it.input, it.output, it.kernelW));
}
Status checkPoolTaps(const Pool &it, const Setting &) {
  TILERIG_CHECK_OK(checkTaps(rowsOf(it.window, it.input, it.output, it.kernelH)));
  return checkTaps(columnsOf(it.window, it.input, it.output, it.kernelW));
}
Status checkPoolSummands(const Pool &it, const Setting &) {
  return checkSummands(topLevel("kernel_h"), uint64_t{it.kernelH} * it.kernelW, arithmeticOf(it));
}
constexpr Rule<Pool> poolRules[] = {
    {"`pad_bottom` and `pad_right` are 0 unless the function is average_with_padding", checkOuterPadding},
    {windowRule, checkPoolReach},
    {"every window has a tap inside the input", checkPoolTaps},
    {summandsRule, checkPoolSummands},
    {finishRule, checkFinishOf<Pool>},
};

// --- Flatten ---

constexpr Operand<Flatten> flattenOperands[] = {
    {.name = "input",
     .stream = part<&Flatten::input>,
     .sizes = {Extent::one, Extent::one, Extent::H, Extent::W, Extent::C}},
    {.name = "output",
     .stream = part<&Flatten::output>,
     .use = Use::write,
     .sizes = {Extent::OH, Extent::OW, Extent::KH, Extent::KW, Extent::C}},
};
constexpr TypeTable<Flatten> flattenTypes[] = {{.rows = sameTypeRows}};

Status checkFlattenReach(const Flatten &it, const Setting &) {
  TILERIG_CHECK_OK(checkReach(rowsOf(it.window, it.input, it.output, it.output.dims[2].size, 0)));
  return checkReach(columnsOf(it.window, it.input, it.output, it.output.dims[3].size, 1));
}
constexpr Rule<Flatten> flattenRules[] = {
    {elementBitsRule,
     [](const Flatten &it, const Setting &) {
       return checkElementBits(topLevel("pad_value"), it.padValue, it.output.type);
     }},
    {windowRule, checkFlattenReach},
};

// --- Resize ---

// Only the mode `nearest` can keep integers unchanged; it does so if input and output have the same type.
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
    {"the mode is nearest", [](const Resize &it) { return it.mode == ResizeMode::nearest; }, nearestRows},
    {"the mode is another", nullptr, interpolatedRows},
};

Status checkCubic(const Resize &it, const Setting &) {
  const FieldPath field = topLevel("cubic_coefficient");
  return it.mode == ResizeMode::cubic ? expectFinite(field, it.cubicCoefficient)
                                      : expectZero(field, it.cubicCoefficient, "the mode is not cubic");
}
Status checkPositions(const Resize &it, const Setting &) {
  TILERIG_CHECK_OK(checkResize(topLevel("rows"), it.rows, it.output.dims[2].size, it.input.dims[2].size));
  return checkResize(topLevel("columns"), it.columns, it.output.dims[3].size, it.input.dims[3].size);
}
constexpr Rule<Resize> resizeRules[] = {
    {"`cubic_coefficient` is finite, and 0 unless the mode is cubic", checkCubic},
    {"no index i lies more than 65535 rows or columns outside the input; no p reaches 2^63", checkPositions},
    {finishRule, checkFinishOf<Resize>},
};

} // namespace

RuleBook<Pool> rulesOf(Of<Pool>) { return {imageOperands<Pool>, poolTypes, poolRules}; }
RuleBook<Flatten> rulesOf(Of<Flatten>) { return {flattenOperands, flattenTypes, flattenRules}; }
RuleBook<Resize> rulesOf(Of<Resize>) { return {imageOperands<Resize>, resizeTypes, resizeRules}; }

} // namespace tilerig::rules
