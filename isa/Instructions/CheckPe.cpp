// Checks the rules of elementwise instructions, reductions and normalisations.

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
Status checkFinishOf(const T &instruction, const Setting &) {
  Affine kept;
  if constexpr (requires { instruction.inputAffine; })
    kept = instruction.inputAffine;
  return checkFinish(topLevel("finish"), instruction.finish, arithmeticOf(instruction),
                     instruction.output.type, kept);
}
template <class T>
constexpr Rule<T> finishes = {finishRule, checkFinishOf<T>};

// --- Binary ---

template <class T>
constexpr Operand<T> operandA = {
    .name = "a", .stream = part<&T::a>, .affineName = "a_affine", .affine = part<&T::aAffine>};
template <class T>
constexpr Operand<T> operandB = {
    .name = "b", .stream = part<&T::b>, .affineName = "b_affine", .affine = part<&T::bAffine>};

constexpr TypeRow integerPair = {{i32, i32, i32}, Arithmetic::integer},
                  realPair = {{any, any, real}, Arithmetic::real};

constexpr Operand<Binary> binaryOperands[] = {operandA<Binary>, operandB<Binary>, plainOutput<Binary>};
constexpr TypeRow binaryRows[] = {integerPair, realPair}, powRows[] = {realPair};
constexpr TypeTable<Binary> binaryTypes[] = {
    {"the function of two operands is pow",
     [](const Binary &binary) { return binary.function == BinaryFunction::pow; }, powRows},
    {"the function of two operands is not pow", nullptr, binaryRows},
};
constexpr Rule<Binary> binaryRules[] = {finishes<Binary>};

constexpr Operand<Select> selectOperands[] = {{.name = "condition", .stream = part<&Select::condition>},
                                              operandA<Select>,
                                              operandB<Select>,
                                              plainOutput<Select>};
constexpr TypeRow selectRows[] = {{{u8, i32, i32, i32}, Arithmetic::integer},
                                  {{u8, any, any, real}, Arithmetic::real}};
constexpr TypeTable<Select> selectTypes[] = {{.rows = selectRows}};
constexpr Rule<Select> selectRules[] = {finishes<Select>};

// --- Unary ---

constexpr Operand<Activate> activateOperands[] = {input<Activate>, plainOutput<Activate>};
constexpr TypeRow activateRows[] = {
    {{i32, i32}, Arithmetic::integer}, {{real, i32}, Arithmetic::toInteger}, {{any, real}, Arithmetic::real}};
constexpr TypeTable<Activate> activateTypes[] = {{.rows = activateRows}};
constexpr Rule<Activate> activateRules[] = {finishes<Activate>};

Status checkLookupTable(const Lookup &lookup, const Setting &setting) {
  const FieldPath table = topLevel("table");
  if (!lookup.table.present)
    return refuse({&table, "present"}, false, "expected 1, as a lookup needs a table");
  TILERIG_CHECK_OK(
      expectZero({&table, "broadcast"}, lookup.table.broadcast, "a lookup table cannot be broadcast"));
  const uint64_t entries = lookup.input.type == ElementType::i9 ? 512 : 256;
  return checkVector(table, lookup.table, entries, sizeBytes(lookup.output.type), setting);
}
constexpr Operand<Lookup> lookupOperands[] = {plainInput<Lookup>, plainOutput<Lookup>};
constexpr TypeRow lookupRows[] = {{{quantised, any}, Arithmetic::lookup}};
constexpr TypeTable<Lookup> lookupTypes[] = {{.rows = lookupRows}};
constexpr Rule<Lookup> lookupRules[] = {
    {"`table` is present and not broadcast, aligned to an element of the output type, and inside the own OCM",
     checkLookupTable},
};

// --- Rows ---

constexpr Operand<Reduce> reduceOperands[] = {
    input<Reduce>,
    {.name = "output",
     .stream = part<&Reduce::output>,
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
    {"the reduction function is sum",
     [](const Reduce &reduce) { return reduce.function == ReduceFunction::sum; }, sumRows},
    {"the reduction function is mean",
     [](const Reduce &reduce) { return reduce.function == ReduceFunction::mean; }, meanRows},
    {"the reduction function is max or min", givesExtreme, extremeRows},
    {"the reduction function is arg_max or arg_min", givesIndex, indexRows},
    {"the reduction function is product, sum_squares or sum_abs", nullptr, otherRows},
};

Status checkReducedSizes(const Reduce &reduce, const Setting &) {
  const FieldPath at = topLevel("output");
  for (int d = 0; d < 5; ++d) {
    const bool reduced = reduce.axes >> d & 1;
    const FieldPath dim{&at, "dims", d};
    TILERIG_CHECK_OK(expectEqual({&dim, "size"}, reduce.output.dims[d].size,
                                 reduced ? 1 : reduce.input.dims[d].size,
                                 reduced ? "the output's size in a dimension that is reduced"
                                         : "the input's size in this dimension, which is not reduced"));
  }
  return success();
}
Status checkSingleAxis(const Reduce &reduce, const Setting &) {
  return !givesIndex(reduce) || std::has_single_bit(reduce.axes)
             ? success()
             : Status(invalidInput(fieldName(topLevel("axes")), "contains several dimensions",
                                   "expected a single dimension, as the function returns an index"));
}
Status checkLastIndex(const Reduce &reduce, const Setting &) {
  return givesIndex(reduce) ? success()
                            : expectZero(topLevel("last_index"), reduce.lastIndex,
                                         "the reduction function does not return an index");
}
Status checkReduceSummands(const Reduce &reduce, const Setting &) {
  uint64_t summands = 1; // The product cannot overflow, because it is at most the number of input elements.
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

constexpr Operand<Softmax> softmaxOperands[] = {input<Softmax>, plainOutput<Softmax>};
constexpr TypeTable<Softmax> softmaxTypes[] = {{.rows = realRows}};
constexpr Rule<Softmax> softmaxRules[] = {finishes<Softmax>};

Status checkEpsilon(const Normalize &normalize, const Setting &) {
  return std::isfinite(normalize.epsilon) && normalize.epsilon >= 0
             ? success()
             : refuse(topLevel("epsilon"), normalize.epsilon, "expected a finite number, at least 0");
}
constexpr Operand<Normalize> normalizeOperands[] = {
    input<Normalize>,
    {.name = "gain", .stream = part<&Normalize::gain>, .optional = true},
    {.name = "shift", .stream = part<&Normalize::shift>, .optional = true},
    plainOutput<Normalize>,
};
constexpr TypeRow normalizeRows[] = {{{real, floats, floats, real}, Arithmetic::real}};
constexpr TypeTable<Normalize> normalizeTypes[] = {{.rows = normalizeRows}};
constexpr Rule<Normalize> normalizeRules[] = {
    {"`epsilon` is finite and at least 0", checkEpsilon},
    finishes<Normalize>,
};

constexpr RuleBook<Binary> bookOf(Of<Binary>) { return {binaryOperands, binaryTypes, binaryRules}; }
constexpr RuleBook<Select> bookOf(Of<Select>) { return {selectOperands, selectTypes, selectRules}; }
constexpr RuleBook<Activate> bookOf(Of<Activate>) { return {activateOperands, activateTypes, activateRules}; }
constexpr RuleBook<Lookup> bookOf(Of<Lookup>) { return {lookupOperands, lookupTypes, lookupRules}; }
constexpr RuleBook<Reduce> bookOf(Of<Reduce>) { return {reduceOperands, reduceTypes, reduceRules}; }
constexpr RuleBook<Softmax> bookOf(Of<Softmax>) { return {softmaxOperands, softmaxTypes, softmaxRules}; }
constexpr RuleBook<Normalize> bookOf(Of<Normalize>) {
  return {normalizeOperands, normalizeTypes, normalizeRules};
}

constexpr auto elementwiseBooks =
    collectBooks(InstructionsOf<Family::elementwise>(), [](auto of) { return bookOf(of); });
constexpr auto reductionBooks =
    collectBooks(InstructionsOf<Family::reduction>(), [](auto of) { return bookOf(of); });
constexpr auto normalisationBooks =
    collectBooks(InstructionsOf<Family::normalisation>(), [](auto of) { return bookOf(of); });

} // namespace

const RuleBooks<InstructionsOf<Family::elementwise>> &booksOf(In<Family::elementwise>) {
  return elementwiseBooks;
}
const RuleBooks<InstructionsOf<Family::reduction>> &booksOf(In<Family::reduction>) { return reductionBooks; }
const RuleBooks<InstructionsOf<Family::normalisation>> &booksOf(In<Family::normalisation>) {
  return normalisationBooks;
}

} // namespace tilerig::rules
