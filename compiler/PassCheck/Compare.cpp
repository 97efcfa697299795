#include "compiler/PassCheck/Compare.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Types.h"
#include "compiler/PassCheck/RoundingBound.h"
#include "compiler/PassCheck/Segment.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

using Pairs = std::vector<std::pair<const NamedValue *, const NamedValue *>>;

// The tensors that both functions compute, by different expressions: the value before and after.
Pairs changedValues(const Expressions &before, const Expressions &after) {
  std::map<std::string, std::vector<const NamedValue *>> byName;
  for (const NamedValue &value : before.namedValues())
    byName[value.name].push_back(&value);
  Pairs pairs;
  for (const NamedValue &value : after.namedValues()) {
    const auto entry = byName.find(value.name);
    if (entry == byName.end())
      continue;
    const auto isSame = [&](const NamedValue *other) {
      return other->expression == value.expression && other->order == value.order;
    };
    if (llvm::none_of(entry->second, isSame))
      pairs.emplace_back(entry->second.front(), &value);
  }
  return pairs;
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  const double difference = std::abs(a - b);
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

std::optional<std::vector<double>> numbersIn(const Tensor &tensor) {
  if (auto reals = doublesIn(tensor))
    return reals;
  return dispatch(tensor.dtype(), [&]<class T>() -> std::optional<std::vector<double>> {
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> integers = tensor.as<T>();
      return std::vector<double>(integers.begin(), integers.end());
    } else {
      return {};
    }
  });
}

// The largest difference between two tensors; infinity if their types or shapes differ.
double largestDifference(const Tensor &a, const Tensor &b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape())
    return std::numeric_limits<double>::infinity();
  const auto left = numbersIn(a), right = numbersIn(b);
  if (!left)
    return identical(a, b) ? 0 : std::numeric_limits<double>::infinity();
  double largest = 0;
  for (size_t i = 0; i < left->size(); ++i)
    largest = std::max(largest, distance((*left)[i], (*right)[i]));
  return largest;
}

} // namespace

namespace {

// --- Constants ---

// Sum of a hash of each element: the same for constants that have the same elements in any order.
uint64_t elementsHash(const onnx::TensorProto &constant, size_t elementBytes) {
  const llvm::StringRef bytes(constant.raw_data());
  uint64_t sum = bytes.size();
  for (size_t at = 0; at < bytes.size(); at += elementBytes)
    sum += static_cast<size_t>(llvm::hash_value(bytes.substr(at, elementBytes)));
  return sum;
}

// Hashes of the float constants of a model, by name.
using ConstantHashes = std::map<std::string, uint64_t>;

ConstantHashes hashesOf(const onnx::GraphProto &graph) {
  ConstantHashes hashes;
  for (const onnx::TensorProto &constant : graph.initializer())
    if (const auto type = dtypeOfOnnx(constant.data_type()); type && unitRoundoff(*type) > 0)
      hashes[constant.name()] = elementsHash(constant, sizeBytes(*type));
  return hashes;
}

// Bounds of the errors of those constants that the other model does not have.
ErrorBounds errorsOfConstants(const ConstantHashes &constants, const ConstantHashes &others,
                              llvm::function_ref<double(const std::string &name)> errorOf) {
  std::set<uint64_t> shared;
  for (const auto &[name, hash] : others)
    shared.insert(hash);
  ErrorBounds errors;
  for (const auto &[name, hash] : constants)
    if (!shared.contains(hash))
      errors[name] = errorOf(name);
  return errors;
}

bool isScalar(const Magnitude &constant) {
  return llvm::all_of(constant.shape, [](int64_t size) { return size == 1; });
}
// Whether a number has few digits, as 2 or 0.75: it is then no rounded one.
bool isShort(double number) {
  int exponent = 0;
  const double digits = std::ldexp(std::frexp(number, &exponent), 12);
  return digits == std::trunc(digits);
}

// A constant that the pass computed in a few operations and rounded to its type.
double errorOfNew(const Magnitude &constant) {
  return isScalar(constant) && isShort(constant.most) ? 0 : 8 * unitRoundoff(constant.type) * constant.most;
}
// A number that the pass replaced by the real number of which it is the rounding to float, as the square root
// of two in GELU.
double errorOfRemoved(const Magnitude &constant) {
  return isScalar(constant) && !isShort(constant.most)
             ? std::max(unitRoundoff(DType::f32), unitRoundoff(constant.type)) * constant.most
             : 0;
}

} // namespace

// The part of a function that computes some values, as a model.
struct MeaningComparer::Part {
  ExportedModel model;
  ConstantHashes constants;
  TensorMap inputs;
};

// The values as the model has computed them.
struct MeaningComparer::Computed {
  std::vector<Tensor> tensors;
  Magnitudes magnitudes;

  // Bounds of the errors of the tensors.
  std::vector<double> errors(const Part &part, ErrorBounds constants) const {
    const ErrorBounds bounds = boundErrors(part.model.proto.graph(), magnitudes, std::move(constants));
    std::vector<double> list;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const auto bound = bounds.find(Segment::resultName(i));
      list.push_back(bound == bounds.end() ? 0 : bound->second);
    }
    return list;
  }
};

Result<Tensor> MeaningComparer::operandOf(const graph::TensorOrigin &origin, mlir::Type type) const {
  return known.get(origin, llvm::cast<mlir::RankedTensorType>(type).getElementType(),
                   arithmetic == ModelRunner::Arithmetic::doubles);
}

Result<MeaningComparer::Part> MeaningComparer::partOf(const Expressions &expressions,
                                                      llvm::ArrayRef<mlir::Value> values) const {
  Segment segment = segmentOf(values, [&](mlir::OpOperand &operand) { return expressions.endsAt(operand); });
  Part part;
  TILERIG_TRY(part.model, exported(*segment.module));
  part.constants = hashesOf(part.model.proto.graph());
  for (const auto [i, operand] : llvm::enumerate(segment.operands)) {
    const graph::TensorOrigin *const origin = expressions.knownTensor(operand);
    if (!origin)
      return unsupported("the pass check", "an input of the module is no input of the original model");
    TILERIG_TRY(Tensor tensor, operandOf(*origin, operand.getType()));
    TILERIG_CHECK_OK(part.inputs.add(Segment::operandName(i), std::move(tensor)));
  }
  return part;
}

Result<MeaningComparer::Computed> MeaningComparer::compute(const Part &part, size_t values) const {
  Computed computed;
  const auto note = [&](const std::string &name, const Tensor &tensor) {
    computed.magnitudes[name] = Magnitude::of(tensor);
  };
  TILERIG_TRY(const TensorMap outputs, runner.run(part.model.proto, part.inputs, arithmetic, note));
  for (size_t i = 0; i < values; ++i) {
    TILERIG_TRY(const Tensor *const tensor, outputs.get(Segment::resultName(i)));
    computed.tensors.push_back(*tensor);
  }
  return computed;
}

Expressions MeaningComparer::expressionsOf(mlir::func::FuncOp function, mlir::func::FuncOp other) const {
  const std::set<std::string> names = tensorNames(other);
  return Expressions(
      function, [&](llvm::StringRef name) { return known.contains(name) && names.contains(name.str()); });
}

std::set<std::string> MeaningComparer::changedTensors(mlir::func::FuncOp before,
                                                      mlir::func::FuncOp after) const {
  const Expressions expressionsBefore = expressionsOf(before, after),
                    expressionsAfter = expressionsOf(after, before);
  std::set<std::string> names;
  for (const auto &[valueBefore, valueAfter] : changedValues(expressionsBefore, expressionsAfter))
    names.insert(valueAfter->name);
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
  TILERIG_TRY(const Part part, partOf(expressions, unknown));
  TILERIG_TRY(Computed computed, compute(part, unknown.size()));
  for (const auto [place, tensor] : llvm::zip_equal(places, computed.tensors))
    tensors[place] = std::move(tensor);
  return tensors;
}

Result<Comparison> MeaningComparer::compare(mlir::func::FuncOp before, mlir::func::FuncOp after) const {
  const Expressions expressionsBefore = expressionsOf(before, after),
                    expressionsAfter = expressionsOf(after, before);
  const Pairs pairs = changedValues(expressionsBefore, expressionsAfter);
  Comparison comparison;
  comparison.compared = pairs.size();
  if (pairs.empty())
    return comparison;
  llvm::SmallVector<mlir::Value> valuesBefore, valuesAfter;
  for (const auto &[valueBefore, valueAfter] : pairs) {
    valuesBefore.push_back(valueBefore->value);
    valuesAfter.push_back(valueAfter->value);
  }
  TILERIG_TRY(const Part partBefore, partOf(expressionsBefore, valuesBefore));
  TILERIG_TRY(const Part partAfter, partOf(expressionsAfter, valuesAfter));
  TILERIG_TRY(const Computed expected, compute(partBefore, pairs.size()));
  TILERIG_TRY(const Computed actual, compute(partAfter, pairs.size()));
  const bool isExact = arithmetic == ModelRunner::Arithmetic::device;
  std::vector<double> errorsBefore(pairs.size()), errorsAfter(pairs.size());
  if (!isExact) {
    errorsBefore =
        expected.errors(partBefore, errorsOfConstants(partBefore.constants, partAfter.constants,
                                                      [&](const std::string &name) {
                                                        return errorOfRemoved(expected.magnitudes.at(name));
                                                      }));
    errorsAfter = actual.errors(
        partAfter, errorsOfConstants(partAfter.constants, partBefore.constants, [&](const std::string &name) {
          return errorOfNew(actual.magnitudes.at(name));
        }));
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto &[valueBefore, valueAfter] = pairs[i];
    Tensor tensorBefore = seenTensor(expected.tensors[i], *valueBefore);
    Tensor tensorAfter = seenTensor(actual.tensors[i], *valueAfter);
    // A pass may leave it to another layer to quantise a tensor: then its reals are compared.
    if (tensorBefore.dtype() != tensorAfter.dtype()) {
      tensorBefore = realsOf(tensorBefore, layer::elementOf(valueBefore->value));
      tensorAfter = realsOf(tensorAfter, layer::elementOf(valueAfter->value));
    }
    const double largest = largestDifference(tensorBefore, tensorAfter);
    const double bound = errorsBefore[i] + errorsAfter[i];
    if (largest > 0 && std::isinf(bound))
      comparison.undecided = valueAfter->name;
    if (largest > bound && !comparison.first)
      comparison.first = {valueAfter->name,      largest,           bound,
                          valueBefore->value,    valueAfter->value, std::move(tensorBefore),
                          std::move(tensorAfter)};
  }
  return comparison;
}

} // namespace tilerig::compiler
