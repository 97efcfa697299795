#include "isa/Program/HostSignature.h"

#include "isa/Base/Tensor/Tensor.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <map>
#include <memory>

namespace tilerig {

namespace {

using enum HostType;
using Rule = HostOperandRule;

// RNN, GRU and LSTM. Letters in shapes are sizes that must agree: d directions, i input features, h hidden
// size, g hidden size times the number of gates. The dimensions of time steps and batch have no letters,
// because the `layout` attribute swaps them.
constexpr Rule recurrentInputs[] = {{float32, "..i"}, {float32, "dgi"}, {float32, "dgh"}, {float32, "d."},
                                    {int32, "."},     {float32, "..h"}, {float32, "..h"}, {float32, "d."}};
constexpr Rule recurrentOutputs[] = {{float32, "...h"}, {float32, "..h"}, {float32, "..h"}};
// GRU and RNN lack the cell state and the peepholes, which are the last operands of LSTM.
constexpr std::span gatedInputs = std::span(recurrentInputs).first(6);
constexpr std::span gatedOutputs = std::span(recurrentOutputs).first(2);

constexpr Rule gatherElementsInputs[] = {{any, "*"}, {HostType::index, "~"}};
constexpr Rule gatherElementsOutputs[] = {{asFirst, "~"}};
constexpr Rule gatherNDInputs[] = {{any, "*"}, {HostType::index, "*"}};
constexpr Rule gatherNDOutputs[] = {{asFirst, "*"}};
constexpr Rule gridInputs[] = {{float32, "*"}, {float32, "~"}};
constexpr Rule gridOutputs[] = {{float32, "~"}};
constexpr Rule maxRoiInputs[] = {{float32, "...."}, {float32, "r5"}};
constexpr Rule roiOutputs[] = {{float32, "r..."}};
// NonMaxSuppression. Letters in shapes are sizes that must agree: b batches, n boxes, c classes.
constexpr Rule suppressionInputs[] = {
    {float32, "bn4"}, {float32, "bcn"}, {int64, "*"}, {float32, "*"}, {float32, "*"}};
constexpr Rule suppressionOutputs[] = {{int64, ".3"}};
constexpr Rule nonZeroInputs[] = {{any, "*"}};
constexpr Rule nonZeroOutputs[] = {{int64, ".."}};
constexpr Rule reverseInputs[] = {{any, "*"}, {HostType::index, "."}};
constexpr Rule roiAlignInputs[] = {{float32, "...."}, {float32, "r4"}, {int64, "r"}};
constexpr Rule sameOutput[] = {{asFirst, "="}};
// Operators on elements, which are broadcast; the types that they accept are checked by the kernel.
constexpr Rule pairInputs[] = {{any, "*"}, {asFirst, "*"}};
constexpr Rule powerInputs[] = {{any, "*"}, {any, "*"}};
constexpr Rule whereInputs[] = {{any, "*"}, {any, "*"}, {any, "*"}};
constexpr Rule wideOutput[] = {{asFirst, "*"}};
constexpr Rule castOutput[] = {{any, "="}};
constexpr Rule anyOutput[] = {{any, "*"}};
// Concat of at most eight tensors.
constexpr Rule concatInputs[] = {{any, "*"},     {asFirst, "~"}, {asFirst, "~"}, {asFirst, "~"},
                                 {asFirst, "~"}, {asFirst, "~"}, {asFirst, "~"}, {asFirst, "~"}};
// Reshape, Slice and Transpose, which only move elements. Values that ONNX passes as inputs are attributes
// here: "shape" (of the result), "perm", "starts" and "steps".
constexpr Rule movedInputs[] = {{any, "*"}};
constexpr Rule reshapedOutputs[] = {{asFirst, "*"}};
constexpr Rule movedOutputs[] = {{asFirst, "~"}};
constexpr Rule scatterElementsInputs[] = {{any, "*"}, {HostType::index, "~"}, {asFirst, "~"}};
constexpr Rule scatterNDInputs[] = {{any, "*"}, {HostType::index, "*"}, {asFirst, "*"}};
constexpr Rule topKInputs[] = {{number, "*"}, {int64, "*"}};
constexpr Rule topKOutputs[] = {{asFirst, "~"}, {int64, "~"}};

constexpr std::array signatures = {
    HostSignature{"Abs", 1, movedInputs, sameOutput, true},
    HostSignature{"Add", 2, pairInputs, wideOutput, true},
    HostSignature{"BitShift", 2, pairInputs, wideOutput, true},
    HostSignature{"BitwiseAnd", 2, pairInputs, wideOutput, true},
    HostSignature{"BitwiseNot", 1, movedInputs, sameOutput, true},
    HostSignature{"BitwiseOr", 2, pairInputs, wideOutput, true},
    HostSignature{"BitwiseXor", 2, pairInputs, wideOutput, true},
    HostSignature{"Cast", 1, movedInputs, castOutput, true},
    HostSignature{"Concat", 1, concatInputs, movedOutputs, true},
    HostSignature{"Div", 2, pairInputs, wideOutput, true},
    HostSignature{"Equal", 2, pairInputs, anyOutput, true},
    HostSignature{"Expand", 1, movedInputs, wideOutput, true},
    HostSignature{"GRU", 3, gatedInputs, gatedOutputs},
    HostSignature{"GatherElements", 2, gatherElementsInputs, gatherElementsOutputs},
    HostSignature{"GatherND", 2, gatherNDInputs, gatherNDOutputs},
    HostSignature{"Greater", 2, pairInputs, anyOutput, true},
    HostSignature{"GreaterOrEqual", 2, pairInputs, anyOutput, true},
    HostSignature{"GridSample", 2, gridInputs, gridOutputs},
    HostSignature{"LSTM", 3, recurrentInputs, recurrentOutputs},
    HostSignature{"Less", 2, pairInputs, anyOutput, true},
    HostSignature{"LessOrEqual", 2, pairInputs, anyOutput, true},
    HostSignature{"Max", 2, pairInputs, wideOutput, true},
    HostSignature{"MaxRoiPool", 2, maxRoiInputs, roiOutputs},
    HostSignature{"Min", 2, pairInputs, wideOutput, true},
    HostSignature{"Mod", 2, pairInputs, wideOutput, true},
    HostSignature{"Mul", 2, pairInputs, wideOutput, true},
    HostSignature{"Neg", 1, movedInputs, sameOutput, true},
    HostSignature{"NonMaxSuppression", 2, suppressionInputs, suppressionOutputs},
    HostSignature{"NonZero", 1, nonZeroInputs, nonZeroOutputs},
    HostSignature{"Pow", 2, powerInputs, wideOutput, true},
    HostSignature{"RNN", 3, gatedInputs, gatedOutputs},
    HostSignature{"Reshape", 1, movedInputs, reshapedOutputs, true},
    HostSignature{"ReverseSequence", 2, reverseInputs, sameOutput},
    HostSignature{"RoiAlign", 3, roiAlignInputs, roiOutputs},
    HostSignature{"ScatterElements", 3, scatterElementsInputs, sameOutput},
    HostSignature{"ScatterND", 3, scatterNDInputs, sameOutput},
    HostSignature{"Sign", 1, movedInputs, sameOutput, true},
    HostSignature{"Slice", 1, movedInputs, movedOutputs, true},
    HostSignature{"Sub", 2, pairInputs, wideOutput, true},
    HostSignature{"TopK", 1, topKInputs, topKOutputs},
    HostSignature{"Transpose", 1, movedInputs, movedOutputs, true},
    HostSignature{"Where", 3, whereInputs, anyOutput, true},
};

bool isOrdered(DType type) {
  switch (type) {
  case DType::f16:
  case DType::bf16:
  case DType::boolean:
  case DType::c64:
  case DType::c128:
    return false;
  default:
    return true;
  }
}

// Checks the operands of one host operator, one after the other, against the rules of its signature.
class OperandCheck {
public:
  OperandCheck(std::string_view kernel, const HostOperand &first) : kernel(kernel), first(first) {}

  Status check(const HostOperand &operand, const Rule &rule) {
    if (operand.type)
      TILERIG_CHECK_OK(checkType(*operand.type, rule.type));
    return checkShape(operand.shape, rule.shape);
  }

private:
  Status checkType(DType type, HostType wanted) const {
    switch (wanted) {
    case any:
      return success();
    case number:
      return isOrdered(type) ? success() : wrongType(type, "an integer type, float32 or float64");
    case asFirst:
      return first.type ? oneOf(type, {*first.type}) : success();
    case float32:
      return oneOf(type, {DType::f32});
    case int32:
      return oneOf(type, {DType::i32});
    case int64:
      return oneOf(type, {DType::i64});
    case HostType::index:
      return oneOf(type, {DType::i32, DType::i64});
    }
    return success();
  }

  Status oneOf(DType type, std::initializer_list<DType> allowed) const {
    if (std::ranges::find(allowed, type) != allowed.end())
      return success();
    std::string names;
    for (const DType allowedType : allowed)
      names += fmt::format("{}{}", names.empty() ? "" : " or ", nameOf(allowedType));
    return wrongType(type, names);
  }

  Status wrongType(DType type, std::string_view wanted) const {
    return invalidInput(
        "", fmt::format("the tensor has type {}, but {} needs {} here", nameOf(type), kernel, wanted));
  }

  Status checkShape(const Shape &shape, std::string_view rule) {
    if (rule == "*")
      return success();
    if (rule == "=")
      return std::ranges::equal(shape, first.shape,
                                [](int64_t a, int64_t b) { return a == b || a < 0 || b < 0; })
                 ? success()
                 : invalidInput("",
                                fmt::format("the tensor has shape {}, but the first input of {} has shape {}",
                                            showShape(shape), kernel, showShape(first.shape)));
    const size_t rank = rule == "~" ? first.shape.size() : rule.size();
    if (shape.size() != rank)
      return invalidInput(
          "", fmt::format("the tensor has rank {}, but {} needs rank {} here", shape.size(), kernel, rank));
    for (size_t d = 0; rule != "~" && d < rank; ++d)
      TILERIG_CHECK_OK(checkSize(shape[d], rule[d], d));
    return success();
  }

  Status checkSize(int64_t size, char rule, size_t dimension) {
    if (rule == '.' || size < 0)
      return success();
    const int64_t wanted = rule >= '0' && rule <= '9' ? rule - '0' : sizes.emplace(rule, size).first->second;
    if (size == wanted)
      return success();
    return invalidInput("", fmt::format("the tensor has size {} in dimension {}, but {} needs size {} there",
                                        size, dimension, kernel, wanted));
  }

  std::string_view kernel;
  const HostOperand &first;
  // The size for which each letter in the shapes of the signature stands.
  std::map<char, int64_t> sizes;
};

Status at(std::string_view list, size_t index, Status status) {
  if (status)
    return status;
  Error error = std::move(status).error();
  error.place = fmt::format("{}[{}]", list, index);
  return error;
}

} // namespace

std::span<const HostSignature> hostSignatures() { return signatures; }

const HostSignature *findHostSignature(std::string_view name) {
  const auto row = std::ranges::find(signatures, name, &HostSignature::name);
  return row == signatures.end() ? nullptr : &*row;
}

Status checkHostCounts(const HostSignature &signature, std::span<const bool> inputsPresent, size_t outputs) {
  for (size_t i = 0; i < signature.leastInputs; ++i)
    if (i >= inputsPresent.size() || !inputsPresent[i])
      return invalidInput("inputs",
                          fmt::format("{} needs its first {} inputs", signature.name, signature.leastInputs));
  if (inputsPresent.size() > signature.inputs.size())
    return invalidInput("inputs", fmt::format("there are {} inputs, but {} takes at most {}",
                                              inputsPresent.size(), signature.name, signature.inputs.size()));
  if (outputs == 0)
    return invalidInput("outputs", fmt::format("{} needs its first output", signature.name));
  if (outputs > signature.outputs.size())
    return invalidInput("outputs", fmt::format("there are {} outputs, but {} has at most {}", outputs,
                                               signature.name, signature.outputs.size()));
  return success();
}

Status checkHostOperands(const HostSignature &signature, std::span<const std::optional<HostOperand>> inputs,
                         std::span<const HostOperand> outputs) {
  const auto present = std::make_unique<bool[]>(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    present[i] = inputs[i].has_value();
  TILERIG_CHECK_OK(checkHostCounts(signature, {present.get(), inputs.size()}, outputs.size()));
  OperandCheck operands(signature.name, *inputs[0]);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i])
      TILERIG_CHECK_OK(at("inputs", i, operands.check(*inputs[i], signature.inputs[i])));
  for (size_t i = 0; i < outputs.size(); ++i)
    TILERIG_CHECK_OK(at("outputs", i, operands.check(outputs[i], signature.outputs[i])));
  return success();
}

} // namespace tilerig
