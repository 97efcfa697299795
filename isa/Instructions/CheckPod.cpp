// Rules of POD instructions: matmul and conv, which share all rules about the epilogue.

#include "isa/Instructions/CheckFinish.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"
#include "isa/Instructions/CheckWindow.h"

namespace tilerig::rules {
namespace {

using namespace types;

// Columns: first operand, second operand, output, accumulate_from, addend.
constexpr TypeRow podRows[] = {
    {{podInteger, podInteger, i32, i32, none}, Arithmetic::podInteger},
    {{podInteger, podInteger, quantised, i32, podInteger}, Arithmetic::podQuantised},
    {{podInteger, podInteger, floats, i32, floats}, Arithmetic::podScaled},
    {{fp16, fp16, floats, fp32, floats}, Arithmetic::podFloat},
    {{bf16, bf16, floats, fp32, floats}, Arithmetic::podFloat},
    {{fp32, fp32, floats, fp32, floats}, Arithmetic::podFloat},
};
template <class T>
constexpr TypeTable<T> podTypes[] = {{.rows = podRows}};

template <class T>
constexpr Operand<T> accumulateFrom(const Extents &sizes) {
  return {.name = "epilogue.accumulate_from",
          .stream = part<&T::epilogue, &Epilogue::accumulateFrom>,
          .sizes = sizes,
          .optional = true};
}
template <class T>
constexpr Operand<T> addend(const Extents &sizes) {
  return {.name = "epilogue.addend",
          .stream = part<&T::epilogue, &Epilogue::addend>,
          .sizes = sizes,
          .optional = true,
          .affineName = "epilogue.addend_affine",
          .affine = part<&T::epilogue, &Epilogue::addendAffine>};
}

// Properties of the instruction that the rules of the epilogue use.
ElementType firstTypeOf(const Matmul &it) { return it.a.type; }
ElementType firstTypeOf(const Conv &it) { return it.input.type; }
ElementType secondTypeOf(const Matmul &it) { return it.b.type; }
ElementType secondTypeOf(const Conv &it) { return it.weights.type; }
template <class T>
uint64_t numOutputsOf(const T &it) {
  return it.output.dims[4].size;
}

constexpr FieldPath epilogue = topLevel("epilogue");

template <class T>
Status checkBias(const T &it, const Setting &setting) {
  return checkVector({&epilogue, "bias"}, it.epilogue.bias, numOutputsOf(it), 4, setting);
}

template <class T>
Status checkSingleStart(const T &it, const Setting &) {
  if (!it.epilogue.accumulateFrom.present())
    return success();
  return expectAllZero({&epilogue, "bias"}, it.epilogue.bias, "accumulate_from is present");
}

template <class T>
Status checkScale(const T &it, const Setting &setting) {
  const FieldPath scale{&epilogue, "scale"};
  const Arithmetic arithmetic = arithmeticOf(it);
  if (arithmetic == Arithmetic::podInteger || arithmetic == Arithmetic::podFloat)
    return expectAllZero(scale, it.epilogue.scale, "there is no i32 accumulator that becomes another type");
  if (!it.epilogue.scale.present)
    return refuse({&scale, "present"}, false, "true: i32 accumulators become another type");
  return checkVector(scale, it.epilogue.scale, numOutputsOf(it), 4, setting);
}

template <class T>
Status checkZeroPoint(std::string_view name, int16_t zeroPoint, ElementType operand) {
  const FieldPath field{&epilogue, name};
  return isQuantised(operand) ? expectInType(field, zeroPoint, operand)
                              : expectZero(field, zeroPoint, "the operand is not quantised");
}
template <class T>
Status checkZeroPoints(const T &it, const Setting &) {
  TILERIG_CHECK_OK(checkZeroPoint<T>("input_zero_point", it.epilogue.inputZeroPoint, firstTypeOf(it)));
  return checkZeroPoint<T>("weight_zero_point", it.epilogue.weightZeroPoint, secondTypeOf(it));
}

// Whether the accumulator is requantised to middle_type before the addend is added.
template <class T>
bool hasMiddle(const T &it) {
  return it.epilogue.addend.present() && arithmeticOf(it) == Arithmetic::podQuantised;
}
template <class T>
Status checkMiddle(const T &it, const Setting &) {
  const FieldPath type{&epilogue, "middle_type"}, middle{&epilogue, "middle"};
  if (!hasMiddle(it)) {
    constexpr std::string_view why = "no addend is added to a quantised result";
    TILERIG_CHECK_OK(expectZero(type, it.epilogue.middleType, why));
    return expectAllZero(middle, it.epilogue.middle, why);
  }
  if (!podInteger.contains(it.epilogue.middleType))
    return refuse(type, it.epilogue.middleType, typeSetText(podInteger));
  return checkAffine(middle, it.epilogue.middle, it.epilogue.middleType);
}

template <class T>
Status checkFunctionFirst(const T &it, const Setting &) {
  const bool acts = it.epilogue.table.present || it.epilogue.finish.function != UnaryFunction::identity;
  if (it.epilogue.addend.present() && acts)
    return success();
  return expectZero({&epilogue, "function_first"}, it.epilogue.functionFirst,
                    "there is no addend that a function or table could precede");
}

template <class T>
Status checkTable(const T &it, const Setting &setting) {
  const FieldPath at{&epilogue, "table"};
  const Vector &table = it.epilogue.table;
  if (arithmeticOf(it) != Arithmetic::podQuantised)
    return expectAllZero(at, table, "the result is not quantised");
  const ElementType index = it.epilogue.functionFirst ? it.epilogue.middleType : it.output.type;
  if (index == ElementType::i9)
    return expectAllZero(at, table, "the type of its index is i9");
  TILERIG_CHECK_OK(expectZero({&at, "broadcast"}, table.broadcast, "a table cannot be broadcast"));
  return checkVector(at, table, 256, 1, setting);
}

template <class T>
Status checkEpilogueFinish(const T &it, const Setting &) {
  return checkFinish({&epilogue, "finish"}, it.epilogue.finish, arithmeticOf(it), it.output.type);
}

template <class T>
constexpr auto epilogueRules = std::to_array<Rule<T>>({
    {"`bias` holds elements of 4 bytes, one for each output unless it is broadcast, inside the own OCM",
     checkBias<T>},
    {"`bias` is absent where `accumulate_from` is present", checkSingleStart<T>},
    {"`scale` holds fp32, one for each output unless it is broadcast; it is required where i32 accumulators "
     "become another type and absent elsewhere",
     checkScale<T>},
    {"`input_zero_point` and `weight_zero_point` are within the type of their operand; 0 for floats",
     checkZeroPoints<T>},
    {"`middle_type` is i8 or u8 and `middle` is its scale and zero point where an addend is added to a "
     "quantised result; all zero elsewhere",
     checkMiddle<T>},
    {"`function_first` is 0 unless there is an addend, and a function or table", checkFunctionFirst<T>},
    {"`table` is absent unless the result is quantised. It is indexed by an i8 or u8: middle_type where "
     "`function_first` is 1, else the output type; its 256 entries of that type, that of the lowest index "
     "first, lie inside the own OCM",
     checkTable<T>},
    {finishRule, checkEpilogueFinish<T>},
});

constexpr Extents matmulOutput = {Extent::x, Extent::y, Extent::z, Extent::m, Extent::n};
constexpr Operand<Matmul> matmulOperands[] = {
    {.name = "a",
     .stream = part<&Matmul::a>,
     .sizes = {Extent::x, Extent::y, Extent::z, Extent::m, Extent::k}},
    {.name = "b",
     .stream = part<&Matmul::b>,
     .sizes = {Extent::x, Extent::y, Extent::z, Extent::n, Extent::k}},
    {.name = "output", .stream = part<&Matmul::output>, .use = Use::write, .sizes = matmulOutput},
    accumulateFrom<Matmul>(matmulOutput),
    addend<Matmul>(matmulOutput),
};

Status checkGroups(const Conv &it, const Setting &) {
  const uint32_t outputs = it.output.dims[4].size;
  return outputs % it.groups == 0
             ? success()
             : refuse(topLevel("groups"), it.groups, fmt::format("a divisor of the {} outputs", outputs));
}

Status checkChannels(const Conv &it, const Setting &) {
  const uint64_t channels = it.input.dims[4].size, perGroup = it.weights.dims[4].size;
  if (channels == perGroup * it.groups)
    return success();
  const FieldPath input = topLevel("input"), dim{&input, "dims", 4};
  return refuse({&dim, "size"}, channels,
                fmt::format("{}, {} groups of the {} channels of the weights", perGroup * it.groups,
                            it.groups, perGroup));
}

Status checkWindows(const Conv &it, const Setting &) {
  TILERIG_CHECK_OK(checkReach(rowsOf(it.window, it.input, it.output, it.weights.dims[2].size)));
  return checkReach(columnsOf(it.window, it.input, it.output, it.weights.dims[3].size));
}

constexpr Extents convOutput = {Extent::one, Extent::N, Extent::OH, Extent::OW, Extent::O};
constexpr Operand<Conv> convOperands[] = {
    {.name = "input",
     .stream = part<&Conv::input>,
     .sizes = {Extent::one, Extent::N, Extent::H, Extent::W, Extent::groupsC}},
    {.name = "weights",
     .stream = part<&Conv::weights>,
     .sizes = {Extent::one, Extent::O, Extent::KH, Extent::KW, Extent::C}},
    {.name = "output", .stream = part<&Conv::output>, .use = Use::write, .sizes = convOutput},
    accumulateFrom<Conv>(convOutput),
    addend<Conv>(convOutput),
};

constexpr auto convRules = [] {
  constexpr Rule<Conv> geometry[] = {
      {"`groups` divides the outputs", checkGroups},
      {"the input has `groups` times the channels of the weights", checkChannels},
      {windowRule, checkWindows},
  };
  std::array<Rule<Conv>, std::size(geometry) + epilogueRules<Conv>.size()> rules{};
  std::ranges::copy(epilogueRules<Conv>, std::ranges::copy(geometry, rules.begin()).out);
  return rules;
}();

} // namespace

RuleBook<Matmul> rulesOf(Of<Matmul>) { return {matmulOperands, podTypes<Matmul>, epilogueRules<Matmul>}; }
RuleBook<Conv> rulesOf(Of<Conv>) { return {convOperands, podTypes<Conv>, convRules}; }

} // namespace tilerig::rules
