// Checks the rules of the instructions of the POD (matrix engine): matmul and conv, which share all rules
// about the epilogue.

#include "isa/Instructions/CheckFinish.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"
#include "isa/Instructions/CheckWindow.h"

namespace tilerig::rules {
namespace {

using namespace types;

// The columns of the type table of matmul and conv: first operand, second operand, output, accumulate_from,
// addend.
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

// Properties of matmul and conv that the rules for their epilogues use.
ElementType secondTypeOf(const Matmul &matmul) { return matmul.b.type; }
ElementType secondTypeOf(const Conv &conv) { return conv.weights.type; }
template <class T>
uint64_t numOutputsOf(const T &instruction) {
  return instruction.output.dims[4].size;
}

constexpr FieldPath epilogue = topLevel("epilogue");

template <class T>
Status checkBias(const T &instruction, const Setting &setting) {
  return checkVector({&epilogue, "bias"}, instruction.epilogue.bias, numOutputsOf(instruction), 4, setting);
}

template <class T>
Status checkSingleStart(const T &instruction, const Setting &) {
  if (!instruction.epilogue.accumulateFrom.present())
    return success();
  return expectAllZero({&epilogue, "bias"}, instruction.epilogue.bias, "accumulate_from is present");
}

template <class T>
Status checkScale(const T &instruction, const Setting &setting) {
  const FieldPath scale{&epilogue, "scale"};
  const Arithmetic arithmetic = arithmeticOf(instruction);
  if (arithmetic == Arithmetic::podInteger || arithmetic == Arithmetic::podFloat)
    return expectAllZero(scale, instruction.epilogue.scale,
                         "no i32 accumulators are converted to another type");
  if (!instruction.epilogue.scale.present)
    return refuse({&scale, "present"}, false, "expected 1, as the i32 accumulators become another type");
  return checkVector(scale, instruction.epilogue.scale, numOutputsOf(instruction), 4, setting);
}

template <class T>
Status checkZeroPoint(std::string_view name, int16_t zeroPoint, ElementType operand) {
  const FieldPath field{&epilogue, name};
  return isQuantised(operand) ? expectInType(field, zeroPoint, operand)
                              : expectZero(field, zeroPoint, "the operand is not quantised");
}
template <class T>
Status checkZeroPoints(const T &instruction, const Setting &) {
  TILERIG_CHECK_OK(checkZeroPoint<T>("input_zero_point", instruction.epilogue.inputZeroPoint,
                                     instruction.multipliedType()));
  return checkZeroPoint<T>("weight_zero_point", instruction.epilogue.weightZeroPoint,
                           secondTypeOf(instruction));
}

// Whether the accumulator is requantised to middle_type before the addend is added.
template <class T>
bool hasMiddle(const T &instruction) {
  return instruction.epilogue.addend.present() && arithmeticOf(instruction) == Arithmetic::podQuantised;
}
template <class T>
Status checkMiddle(const T &instruction, const Setting &) {
  const FieldPath type{&epilogue, "middle_type"}, middle{&epilogue, "middle"};
  if (!hasMiddle(instruction)) {
    constexpr std::string_view why = "no addend is added to a quantised result";
    TILERIG_CHECK_OK(expectEqual(type, instruction.epilogue.middleType, ElementType::i8,
                                 "the only type if no addend is added to a quantised result"));
    return expectAllZero(middle, instruction.epilogue.middle, why);
  }
  if (!podInteger.contains(instruction.epilogue.middleType))
    return refuse(type, instruction.epilogue.middleType, "expected " + typeSetText(podInteger));
  return checkAffine(middle, instruction.epilogue.middle, instruction.epilogue.middleType);
}

template <class T>
Status checkFunctionFirst(const T &instruction, const Setting &) {
  const bool acts =
      instruction.epilogue.table.present || instruction.epilogue.finish.function != UnaryFunction::identity;
  if (instruction.epilogue.addend.present() && acts)
    return success();
  return expectZero({&epilogue, "function_first"}, instruction.epilogue.functionFirst,
                    "there is no addend that a function or table could precede");
}

template <class T>
Status checkTable(const T &instruction, const Setting &setting) {
  const FieldPath at{&epilogue, "table"};
  const Vector &table = instruction.epilogue.table;
  if (arithmeticOf(instruction) != Arithmetic::podQuantised)
    return expectAllZero(at, table, "the result is not quantised");
  const ElementType index =
      instruction.epilogue.functionFirst ? instruction.epilogue.middleType : instruction.output.type;
  if (index == ElementType::i9)
    return expectAllZero(at, table, "the index into the table would be an i9; only i8 and u8 are allowed");
  TILERIG_CHECK_OK(expectZero({&at, "broadcast"}, table.broadcast, "a lookup table cannot be broadcast"));
  return checkVector(at, table, 256, 1, setting);
}

template <class T>
Status checkEpilogueFinish(const T &instruction, const Setting &) {
  return checkFinish({&epilogue, "finish"}, instruction.epilogue.finish, arithmeticOf(instruction),
                     instruction.output.type);
}

template <class T>
constexpr auto epilogueRules = std::to_array<Rule<T>>({
    {"`bias` holds elements of 4 bytes, one for each output unless it is broadcast, inside the own OCM",
     checkBias<T>},
    {"`bias` is absent where `accumulate_from` is present, because each of them gives the starting values of "
     "the accumulators",
     checkSingleStart<T>},
    {"`scale` holds fp32, one for each output unless it is broadcast; it is required where i32 accumulators "
     "become another type and absent elsewhere",
     checkScale<T>},
    {"`input_zero_point` and `weight_zero_point` are within the type of their operand; 0 for floats",
     checkZeroPoints<T>},
    {"`middle_type` is i8 or u8 and `middle` is its scale and zero point where an addend is added to a "
     "quantised result; all zero elsewhere",
     checkMiddle<T>},
    {"`function_first` is 0 unless there is an addend, and a function or table", checkFunctionFirst<T>},
    {"`table` is absent unless the result is quantised. The type of its index, and of its 256 entries, is "
     "middle_type where `function_first` is 1, else the output type; it must be i8 or u8. The entries are "
     "sorted by index, the lowest first, and lie inside the own OCM",
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
    {.name = "output", .stream = part<&Matmul::output>, .sizes = matmulOutput},
    accumulateFrom<Matmul>(matmulOutput),
    addend<Matmul>(matmulOutput),
};

Status checkGroups(const Conv &conv, const Setting &) {
  const uint32_t outputs = conv.output.dims[4].size;
  return outputs % conv.groups == 0 ? success()
                                    : refuse(topLevel("groups"), conv.groups,
                                             fmt::format("expected a divisor of the {} outputs", outputs));
}

Status checkChannels(const Conv &conv, const Setting &) {
  const uint64_t channels = conv.input.dims[4].size, perGroup = conv.weights.dims[4].size;
  if (channels == perGroup * conv.groups)
    return success();
  const FieldPath input = topLevel("input"), dim{&input, "dims", 4};
  return refuse({&dim, "size"}, channels,
                fmt::format("expected {}, the {} channels of the weights in each of {} groups",
                            perGroup * conv.groups, perGroup, conv.groups));
}

Status checkWindows(const Conv &conv, const Setting &) {
  TILERIG_CHECK_OK(checkReach(rowsOf(conv.window, conv.input, conv.output, conv.weights.dims[2].size)));
  return checkReach(columnsOf(conv.window, conv.input, conv.output, conv.weights.dims[3].size));
}

constexpr Extents convOutput = {Extent::one, Extent::N, Extent::OH, Extent::OW, Extent::O};
constexpr Operand<Conv> convOperands[] = {
    {.name = "input",
     .stream = part<&Conv::input>,
     .sizes = {Extent::one, Extent::N, Extent::H, Extent::W, Extent::groupsC}},
    {.name = "weights",
     .stream = part<&Conv::weights>,
     .sizes = {Extent::one, Extent::O, Extent::KH, Extent::KW, Extent::C}},
    {.name = "output", .stream = part<&Conv::output>, .sizes = convOutput},
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

constexpr RuleBook<Matmul> bookOf(Of<Matmul>) {
  return {matmulOperands, podTypes<Matmul>, epilogueRules<Matmul>};
}
constexpr RuleBook<Conv> bookOf(Of<Conv>) { return {convOperands, podTypes<Conv>, convRules}; }

constexpr auto productBooks =
    collectBooks(InstructionsOf<Family::product>(), [](auto of) { return bookOf(of); });

} // namespace

const RuleBooks<InstructionsOf<Family::product>> &booksOf(In<Family::product>) { return productBooks; }

} // namespace tilerig::rules
