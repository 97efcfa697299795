// Rules of the elementwise and row-wise PE instructions.

#include "isa/Instructions/CheckFinish.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"

#include <bit>

namespace tilerig::rules {
namespace {

using namespace types;

template <class T>
constexpr Operand<T> input = {.name = "input",
                              .stream = part<&T::input>,
                              .affineName = "input_affine",
                              .affine = part<&T::inputAffine>};
template <class T>
constexpr Operand<T> plainInput = {.name = "input", .stream = part<&T::input>};
template <class T>
constexpr Operand<T> output = {.name = "output", .stream = part<&T::output>, .use = Use::write};

template <class T>
Status checkFinishOf(const T &instruction, const Setting &) {
  Affine kept;
  if constexpr (requires { instruction.inputAffine; })
    kept = instruction.inputAffine;
  return checkFinish(topLevel("finish"), instruction.finish, arithmeticOf(instruction),
                     instruction.output.type, kept);
}
template <class T>
constexpr Rule<T> finishes = {finishRule, checkFinishOf<T>};

// --- Two operands ---

template <class T>
constexpr Operand<T> operandA = {
    .name = "a", .stream = part<&T::a>, .affineName = "a_affine", .affine = part<&T::aAffine>};
template <class T>
constexpr Operand<T> operandB = {
    .name = "b", .stream = part<&T::b>, .affineName = "b_affine", .affine = part<&T::bAffine>};

constexpr TypeRow integerPair = {{i32, i32, i32}, Arithmetic::integer},
                  realPair = {{any, any, real}, Arithmetic::real};

constexpr Operand<Binary> binaryOperands[] = {operandA<Binary>, operandB<Binary>, output<Binary>};
constexpr TypeRow binaryRows[] = {integerPair, realPair}, powRows[] = {realPair};
constexpr TypeTable<Binary> binaryTypes[] = {
    {"the function is pow", [](const Binary &binary) { return binary.function == BinaryFunction::pow; },
     powRows},
    {"the function is another", nullptr, binaryRows},
};
constexpr Rule<Binary> binaryRules[] = {finishes<Binary>};

constexpr Operand<Select> selectOperands[] = {{.name = "condition", .stream = part<&Select::condition>},
                                              operandA<Select>,
                                              operandB<Select>,
                                              output<Select>};
constexpr TypeRow selectRows[] = {{{u8, i32, i32, i32}, Arithmetic::integer},
                                  {{u8, any, any, real}, Arithmetic::real}};
constexpr TypeTable<Select> selectTypes[] = {{.rows = selectRows}};
constexpr Rule<Select> selectRules[] = {finishes<Select>};

// --- One operand ---

constexpr Operand<Activate> activateOperands[] = {input<Activate>, output<Activate>};
constexpr TypeRow activateRows[] = {
    {{i32, i32}, Arithmetic::integer}, {{real, i32}, Arithmetic::toInteger}, {{any, real}, Arithmetic::real}};
constexpr TypeTable<Activate> activateTypes[] = {{.rows = activateRows}};
constexpr Rule<Activate> activateRules[] = {finishes<Activate>};

Status checkLookupTable(const Lookup &lookup, const Setting &setting) {
  const FieldPath table = topLevel("table");
  if (!lookup.table.present)
    return refuse({&table, "present"}, false, "1, as a lookup needs a table");
  TILERIG_CHECK_OK(expectZero({&table, "broadcast"}, lookup.table.broadcast, "a table cannot be broadcast"));
  const uint64_t entries = lookup.input.type == ElementType::i9 ? 512 : 256;
  return checkVector(table, lookup.table, entries, sizeBytes(lookup.output.type), setting);
}
constexpr Operand<Lookup> lookupOperands[] = {plainInput<Lookup>, output<Lookup>};
constexpr TypeRow lookupRows[] = {{{quantised, any}, Arithmetic::lookup}};
constexpr TypeTable<Lookup> lookupTypes[] = {{.rows = lookupRows}};
constexpr Rule<Lookup> lookupRules[] = {
    {"`table` is present and whole, aligned to an element of the output type, and inside the own OCM",
     checkLookupTable},
};

constexpr Operand<Copy> copyOperands[] = {plainInput<Copy>, output<Copy>};
constexpr TypeTable<Copy> copyTypes[] = {{.rows = sameTypeRows}};

constexpr Operand<Fill> fillOperands[] = {output<Fill>};
constexpr TypeRow fillRows[] = {{{any}, Arithmetic::move}};
constexpr TypeTable<Fill> fillTypes[] = {{.rows = fillRows}};
constexpr Rule<Fill> fillRules[] = {
    {elementBitsRule,
     [](const Fill &fill, const Setting &) {
       return checkElementBits(topLevel("value"), fill.value, fill.output.type);
     }},
};

// --- Rows ---

constexpr Operand<Reduce> reduceOperands[] = {
    input<Reduce>,
    {.name = "output",
     .stream = part<&Reduce::output>,
     .use = Use::write,
     .sizes = {Extent::any, Extent::any, Extent::any, Extent::any, Extent::any}},
};
constexpr TypeRow sumRows[] = {{{quantised, quantised}, Arithmetic::integerSum},
                               {{i32, i32}, Arithmetic::integer},
                               {{i32 | floats, real}, Arithmetic::real}};
constexpr TypeRow meanRows[] = {{{quantised, quantised}, Arithmetic::integerSum},
                                {{i32 | floats, real}, Arithmetic::real}};
constexpr TypeRow extremeRows[] = {{{i8, i8}, Arithmetic::keep},
                                   {{u8, u8}, Arithmetic::keep},
                                   {{i9, i9}, Arithmetic::keep},
                                   {{i32, i32}, Arithmetic::integer},
                                   {{i32 | floats, real}, Arithmetic::real}};
constexpr TypeRow otherRows[] = {{{i32, i32}, Arithmetic::integer}, {{any, real}, Arithmetic::real}};
constexpr TypeRow indexRows[] = {{{any, i32}, Arithmetic::index}};

bool givesIndex(const Reduce &reduce) {
  return reduce.function == ReduceFunction::argMax || reduce.function == ReduceFunction::argMin;
}
bool givesExtreme(const Reduce &reduce) {
  return reduce.function == ReduceFunction::max || reduce.function == ReduceFunction::min;
}
constexpr TypeTable<Reduce> reduceTypes[] = {
    {"the function is sum", [](const Reduce &reduce) { return reduce.function == ReduceFunction::sum; },
     sumRows},
    {"the function is mean", [](const Reduce &reduce) { return reduce.function == ReduceFunction::mean; },
     meanRows},
    {"the function is max or min", givesExtreme, extremeRows},
    {"the function is arg_max or arg_min", givesIndex, indexRows},
    {"the function is another", nullptr, otherRows},
};

Status checkReducedSizes(const Reduce &reduce, const Setting &) {
  const FieldPath at = topLevel("output");
  for (int d = 0; d < 5; ++d) {
    const bool reduced = reduce.axes >> d & 1;
    const FieldPath dim{&at, "dims", d};
    TILERIG_CHECK_OK(expectEqual({&dim, "size"}, reduce.output.dims[d].size,
                                 reduced ? 1 : reduce.input.dims[d].size,
                                 reduced ? "as the dimension is reduced" : "the size of the input"));
  }
  return success();
}
Status checkSingleAxis(const Reduce &reduce, const Setting &) {
  return !givesIndex(reduce) || std::has_single_bit(reduce.axes)
             ? success()
             : Status(invalidInput(fieldName(topLevel("axes")), "contains several dimensions",
                                   "expected a single one, as the function returns an index"));
}
Status checkLastIndex(const Reduce &reduce, const Setting &) {
  return givesIndex(reduce)
             ? success()
             : expectZero(topLevel("last_index"), reduce.lastIndex, "the function does not return an index");
}
Status checkReduceSummands(const Reduce &reduce, const Setting &) {
  uint64_t summands = 1; // does not overflow: at most the number of input elements
  for (int d = 0; d < 5; ++d)
    summands *= reduce.axes >> d & 1 ? reduce.input.dims[d].size : 1;
  return checkSummands(topLevel("axes"), summands, arithmeticOf(reduce));
}
constexpr Rule<Reduce> reduceRules[] = {
    {"the output has size 1 in the dimensions of `axes` and the input's size in the others",
     checkReducedSizes},
    {"arg_max and arg_min have a single dimension in `axes`", checkSingleAxis},
    {"`last_index` is 0 unless the function is arg_max or arg_min", checkLastIndex},
    {summandsRule, checkReduceSummands},
    finishes<Reduce>,
};

constexpr TypeRow realRows[] = {{{real, real}, Arithmetic::real}};

constexpr Operand<Softmax> softmaxOperands[] = {input<Softmax>, output<Softmax>};
constexpr TypeTable<Softmax> softmaxTypes[] = {{.rows = realRows}};
constexpr Rule<Softmax> softmaxRules[] = {finishes<Softmax>};

Status checkEpsilon(const Normalize &normalize, const Setting &) {
  return std::isfinite(normalize.epsilon) && normalize.epsilon >= 0
             ? success()
             : refuse(topLevel("epsilon"), normalize.epsilon, "a finite number, at least 0");
}
constexpr Operand<Normalize> normalizeOperands[] = {
    input<Normalize>,
    {.name = "gain", .stream = part<&Normalize::gain>, .optional = true},
    {.name = "shift", .stream = part<&Normalize::shift>, .optional = true},
    output<Normalize>,
};
constexpr TypeRow normalizeRows[] = {{{real, floats, floats, real}, Arithmetic::real}};
constexpr TypeTable<Normalize> normalizeTypes[] = {{.rows = normalizeRows}};
constexpr Rule<Normalize> normalizeRules[] = {
    {"`epsilon` is finite and at least 0", checkEpsilon},
    finishes<Normalize>,
};

} // namespace

RuleBook<Binary> rulesOf(Of<Binary>) { return {binaryOperands, binaryTypes, binaryRules}; }
RuleBook<Select> rulesOf(Of<Select>) { return {selectOperands, selectTypes, selectRules}; }
RuleBook<Activate> rulesOf(Of<Activate>) { return {activateOperands, activateTypes, activateRules}; }
RuleBook<Lookup> rulesOf(Of<Lookup>) { return {lookupOperands, lookupTypes, lookupRules}; }
RuleBook<Copy> rulesOf(Of<Copy>) { return {copyOperands, copyTypes, {}}; }
RuleBook<Fill> rulesOf(Of<Fill>) { return {fillOperands, fillTypes, fillRules}; }
RuleBook<Reduce> rulesOf(Of<Reduce>) { return {reduceOperands, reduceTypes, reduceRules}; }
RuleBook<Softmax> rulesOf(Of<Softmax>) { return {softmaxOperands, softmaxTypes, softmaxRules}; }
RuleBook<Normalize> rulesOf(Of<Normalize>) { return {normalizeOperands, normalizeTypes, normalizeRules}; }

} // namespace tilerig::rules
