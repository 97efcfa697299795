#include "compiler/PassCheck/Compare.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Types.h"
#include "compiler/PassCheck/ComputedModel.h"
#include "compiler/PassCheck/Segment.h"
#include "compiler/PassCheck/TensorDifference.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tilerig::compiler {

namespace {

// Whether an MLIR value of type `type` can hold a tensor of type `tensor`: both are floats, or neither is. (A
// quantised type can hold the integers in which it is stored.)
bool canHold(mlir::Type type, DType tensor) {
  const mlir::Type element = llvm::cast<mlir::RankedTensorType>(type).getElementType();
  if (const auto quantised = layer::quantisedOf(element))
    return tensor == (quantised.isSigned() ? DType::i8 : DType::u8);
  return llvm::isa<mlir::FloatType>(element) == (unitRoundoff(tensor) > 0);
}

// Whether the shape of a value depends on data, so that it is known only at run time.
bool isOpen(mlir::Value value) {
  return !llvm::cast<mlir::RankedTensorType>(value.getType()).hasStaticShape();
}

} // namespace

// Operations of a function, exported as an ONNX model, and the tensors for the inputs of this model.
struct MeaningComparer::Part {
  ExportedModel model;
  TensorMap inputs;
};

// An ONNX model exported from operations of a function, and the results of running it.
struct MeaningComparer::Computed {
  Part part;
  std::vector<Tensor> tensors;
  ComputedModel model;
};

// A tensor that the functions before and after the pass compute by different expressions.
struct MeaningComparer::Pair {
  size_t index; // position of the tensor in the order of computation
  const NamedValue *before, *after;
};

std::vector<MeaningComparer::Pair> MeaningComparer::changedValues(const Expressions &before,
                                                                  const Expressions &after) {
  std::map<std::string, std::vector<const NamedValue *>> byName;
  for (const NamedValue &value : before.namedValues())
    byName[value.name].push_back(&value);
  std::vector<Pair> pairs;
  for (const NamedValue &value : after.namedValues()) {
    const auto entry = byName.find(value.name);
    if (entry == byName.end())
      continue;
    const auto isSame = [&](const NamedValue *other) {
      return other->expression == value.expression && other->order == value.order;
    };
    if (llvm::none_of(entry->second, isSame))
      pairs.push_back({pairs.size(), entry->second.front(), &value});
  }
  return pairs;
}

Result<Tensor> MeaningComparer::operandOf(const graph::TensorOrigin &origin, mlir::Type type) const {
  return known.get(origin, llvm::cast<mlir::RankedTensorType>(type).getElementType(),
                   arithmetic == ModelRunner::Arithmetic::doubles);
}

Result<MeaningComparer::Part> MeaningComparer::partOf(const Expressions &expressions,
                                                      llvm::ArrayRef<mlir::Value> values,
                                                      const Names &expanded) const {
  Segment segment =
      segmentOf(values, [&](mlir::OpOperand &operand) { return expressions.endsAt(operand, expanded); });
  Part part;
  TILERIG_TRY(part.model, exported(*segment.module));
  for (const auto [i, operand] : llvm::enumerate(segment.operands)) {
    const graph::TensorOrigin *const origin = expressions.knownTensor(operand);
    if (!origin)
      return unsupported("the pass check", "an input of the module is not an input of the original model");
    TILERIG_TRY(Tensor tensor, operandOf(*origin, operand.getType()));
    TILERIG_CHECK_OK(part.inputs.add(Segment::operandName(i), std::move(tensor)));
  }
  return part;
}

Result<MeaningComparer::Computed> MeaningComparer::compute(Part part, size_t values) const {
  ComputedModel model(part.model.proto, values);
  const auto note = [&](const std::string &name, const Tensor &tensor) { model.note(name, tensor); };
  TILERIG_TRY(const TensorMap outputs, runner.run(part.model.proto, part.inputs, arithmetic, note));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < values; ++i) {
    TILERIG_TRY(const Tensor *const tensor, outputs.get(Segment::resultName(i)));
    tensors.push_back(*tensor);
  }
  return Computed{std::move(part), std::move(tensors), std::move(model)};
}

Expressions MeaningComparer::expressionsOf(mlir::func::FuncOp function, mlir::func::FuncOp other) const {
  const std::set<std::string> names = tensorNames(other);
  return Expressions(function, [&](llvm::StringRef name, mlir::Type type) {
    return known.contains(name) && names.contains(name.str()) &&
           (arithmetic == ModelRunner::Arithmetic::device || canHold(type, known.typeOf(name)));
  });
}

std::set<std::string> MeaningComparer::changedTensors(mlir::func::FuncOp before,
                                                      mlir::func::FuncOp after) const {
  const Expressions expressionsBefore = expressionsOf(before, after),
                    expressionsAfter = expressionsOf(after, before);
  std::set<std::string> names;
  for (const Pair &pair : changedValues(expressionsBefore, expressionsAfter))
    names.insert(pair.after->name);
  return names;
}

Result<std::vector<Tensor>> MeaningComparer::valuesOf(mlir::func::FuncOp function,
                                                      llvm::ArrayRef<mlir::Value> values) const {
  const Expressions expressions = expressionsOf(function, function);
  std::vector<Tensor> tensors(values.size());
  llvm::SmallVector<mlir::Value> unknown;
  llvm::SmallVector<size_t> places;
  for (const auto [i, value] : llvm::enumerate(values))
    if (const graph::TensorOrigin *const origin = expressions.knownTensor(value)) {
      TILERIG_TRY(tensors[i], operandOf(*origin, value.getType()));
    } else {
      unknown.push_back(value);
      places.push_back(i);
    }
  if (unknown.empty())
    return tensors;
  TILERIG_TRY(Part part, partOf(expressions, unknown, {}));
  TILERIG_TRY(Computed computed, compute(std::move(part), unknown.size()));
  for (const auto [place, tensor] : llvm::zip_equal(places, computed.tensors))
    tensors[place] = std::move(tensor);
  return tensors;
}

// Two expressions that are compared end at tensors of the original model: one at the tensors `ends`, the
// other at `others`. Adds to `expanded` those tensors of `ends` that are computed from tensors of `others`,
// and all tensors of the original model between them.
static void addExpanded(const Expressions &expressions, const std::map<std::string, mlir::Value> &ends,
                        const std::map<std::string, mlir::Value> &others, std::set<std::string> &expanded) {
  for (const auto &[name, value] : ends)
    if (!others.contains(name))
      if (const auto between = expressions.tensorsBetween(others, value)) {
        expanded.insert(name);
        expanded.insert(between->begin(), between->end());
      }
}

// Returns the tensors of the original model that both expressions have to compute, although their elements
// are known. These are the tensors that one expression would read and the other one computes. If a pass
// rounded constants, the computed elements may differ a little from the known ones, so both expressions have
// to compute them.
static std::set<std::string> tensorsToExpand(const Expressions &before, mlir::Value valueBefore,
                                             const Expressions &after, mlir::Value valueAfter) {
  std::set<std::string> expanded;
  while (true) {
    const auto ends = before.ends(valueBefore, expanded), endsAfter = after.ends(valueAfter, expanded);
    const size_t count = expanded.size();
    addExpanded(before, ends, endsAfter, expanded);
    addExpanded(after, endsAfter, ends, expanded);
    if (expanded.size() == count)
      return expanded;
  }
}

Status MeaningComparer::compareValues(const Expressions &before, const Expressions &after,
                                      llvm::ArrayRef<Pair> pairs, const Names &expanded,
                                      Comparison &comparison) const {
  llvm::SmallVector<mlir::Value> valuesBefore, valuesAfter;
  for (const Pair &pair : pairs) {
    valuesBefore.push_back(pair.before->value);
    valuesAfter.push_back(pair.after->value);
  }
  TILERIG_TRY(Part partBefore, partOf(before, valuesBefore, expanded));
  TILERIG_TRY(Part partAfter, partOf(after, valuesAfter, expanded));
  TILERIG_TRY(const Computed expected, compute(std::move(partBefore), pairs.size()));
  const auto computed = compute(std::move(partAfter), pairs.size());
  if (!computed)
    return compareContradiction(before, after, pairs, expanded, computed.error(), comparison);
  const Computed &actual = *computed;
  for (const auto [i, pair] : llvm::enumerate(pairs)) {
    Tensor tensorBefore = seenTensor(expected.tensors[i], *pair.before);
    Tensor tensorAfter = seenTensor(actual.tensors[i], *pair.after);
    // If a tensor is quantised in only one of the functions, the reals that it represents are compared.
    if (tensorBefore.dtype() != tensorAfter.dtype()) {
      tensorBefore = realsOf(tensorBefore, layer::elementOf(pair.before->value));
      tensorAfter = realsOf(tensorAfter, layer::elementOf(pair.after->value));
    }
    if (isOpen(pair.before->value) && !isOpen(pair.after->value))
      tensorBefore = inReserved(tensorBefore, tensorAfter.shape());
    const TensorDifference difference = differenceOf(tensorBefore, tensorAfter);
    if (!difference.hasOtherForm && difference.isFinite && difference.largest == 0)
      continue;
    const auto [bound, unknownAt] = boundOf(expected.model, actual.model, i);
    const bool isOverflow = arithmetic == ModelRunner::Arithmetic::doubles && !difference.isFinite &&
                            !(expected.model.isFinite(i, false) && actual.model.isFinite(i, true));
    if (isOverflow)
      comparison.undecided = "tensor '" + pair.after->name +
                             "' is computed from infinite or NaN elements, and differs in such elements";
    else if (std::isinf(bound))
      comparison.undecided = "no bound of the rounding error of " + unknownAt + " is known, for tensor '" +
                             pair.after->name + "'";
    const bool isWrong =
        difference.hasOtherForm || (!difference.isFinite && !isOverflow) || difference.largest > bound;
    if (!isWrong || (comparison.first && comparison.firstIndex < pair.index))
      continue;
    const double largest = difference.hasOtherForm || (!difference.isFinite && !isOverflow)
                               ? std::numeric_limits<double>::infinity()
                               : difference.largest;
    comparison.firstIndex = pair.index;
    comparison.first = {pair.after->name,      largest,           bound,
                        pair.before->value,    pair.after->value, std::move(tensorBefore),
                        std::move(tensorAfter)};
  }
  return success();
}

Status MeaningComparer::compareContradiction(const Expressions &before, const Expressions &after,
                                             llvm::ArrayRef<Pair> pairs, const Names &expanded,
                                             const Error &error, Comparison &comparison) const {
  // After decide-precision, exported models may contain types that ONNX lacks, so an error of such a model
  // does not show that the pass is wrong.
  if (error.kind != ErrorKind::invalidInput || arithmetic == ModelRunner::Arithmetic::device)
    return error;
  if (pairs.size() > 1) {
    for (const Pair &pair : pairs)
      TILERIG_CHECK_OK(compareValues(before, after, pair, expanded, comparison));
    return success();
  }
  const Pair &pair = pairs.front();
  if (comparison.first && comparison.firstIndex < pair.index)
    return success();
  comparison.firstIndex = pair.index;
  comparison.first = {.tensor = pair.after->name,
                      .maxAbs = std::numeric_limits<double>::infinity(),
                      .before = pair.before->value,
                      .after = pair.after->value,
                      .contradiction = error.message()};
  return success();
}

std::pair<double, std::string> MeaningComparer::boundOf(const ComputedModel &before,
                                                        const ComputedModel &after, size_t result) const {
  if (arithmetic == ModelRunner::Arithmetic::device)
    return {0, ""};
  const StatedNumbers numbersBefore = before.numbersOf(result), numbersAfter = after.numbersOf(result);
  const auto [boundBefore, unknownBefore] =
      before.boundOf(result, numbersBefore.errorsBeside(numbersAfter, StatedNumbers::Numbers::replaced));
  const auto [boundAfter, unknownAfter] =
      after.boundOf(result, numbersAfter.errorsBeside(numbersBefore, StatedNumbers::Numbers::computed));
  return {boundBefore + boundAfter, unknownBefore.empty() ? unknownAfter : unknownBefore};
}

Result<Comparison> MeaningComparer::compare(mlir::func::FuncOp before, mlir::func::FuncOp after) const {
  const Expressions expressionsBefore = expressionsOf(before, after),
                    expressionsAfter = expressionsOf(after, before);
  const std::vector<Pair> pairs = changedValues(expressionsBefore, expressionsAfter);
  // The pairs of values to compare, grouped by the tensors of the original model that their expressions
  // compute although the elements are known. All pairs of a group are computed in one run of a model.
  std::map<Names, std::vector<Pair>> groups;
  for (const Pair &pair : pairs)
    groups[tensorsToExpand(expressionsBefore, pair.before->value, expressionsAfter, pair.after->value)]
        .push_back(pair);
  Comparison comparison;
  comparison.compared = pairs.size();
  for (const auto &[expanded, group] : groups)
    TILERIG_CHECK_OK(compareValues(expressionsBefore, expressionsAfter, group, expanded, comparison));
  return comparison;
}

} // namespace tilerig::compiler
