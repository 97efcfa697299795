// Operators on small tensors of integers that are made of sizes.
#include "compiler/Graph/Import/Opaque.h"
#include "compiler/Graph/Import/OpenShapes.h"

#include <llvm/ADT/StringSwitch.h>

namespace tilerig::compiler {

namespace {

using FoundSizes = std::optional<Sizes>;

FoundSizes shapeElements(const NodeReader &node, OpenTensors &open) {
  const Sizes shape = open.shape(node.input(0));
  const auto rank = static_cast<int64_t>(shape.size());
  const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t start = place(node.integer("start", 0)), end = place(node.integer("end", rank));
  return start < end ? Sizes(shape.begin() + start, shape.begin() + end) : Sizes();
}

FoundSizes gathered(const NodeReader &node, OpenTensors &open) {
  if (!node.has(1))
    return {};
  const FoundSizes from = open.elements(node.input(0)), indices = open.elements(node.input(1));
  if (!from || !indices || node.rank(0) != 1)
    return {};
  Sizes all;
  for (const Size &each : *indices) {
    const auto index = each.constant();
    const auto count = static_cast<int64_t>(from->size());
    if (!index || *index < -count || *index >= count)
      return {};
    all.push_back((*from)[static_cast<size_t>(*index < 0 ? *index + count : *index)]);
  }
  return all;
}

FoundSizes concatenated(const NodeReader &node, OpenTensors &open) {
  Sizes all;
  for (const mlir::Value operand : node.inputs()) {
    const FoundSizes each =
        operand && graph::shapeOf(operand).size() == 1 ? open.anyElements(operand) : FoundSizes();
    if (!each)
      return {};
    all.append(*each);
  }
  return all;
}

FoundSizes sliced(const NodeReader &node, OpenTensors &open) {
  const FoundSizes from = open.elements(node.input(0));
  const auto starts = node.constantInts(1, "starts"), ends = node.constantInts(2, "ends");
  if (!from || node.rank(0) != 1 || !starts || !ends || starts->size() != 1 || ends->size() != 1)
    return {};
  int64_t step = 1;
  if (node.has(4)) {
    const auto steps = node.constantInts(4, "steps");
    if (!steps || steps->size() != 1)
      return {};
    step = steps->front();
  }
  const auto count = static_cast<int64_t>(from->size());
  const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count); };
  if (step != 1)
    return {};
  const int64_t start = place(starts->front()), end = place(ends->front());
  return start < end ? Sizes(from->begin() + start, from->begin() + end) : Sizes();
}

FoundSizes reduced(const NodeReader &node, OpenTensors &open) {
  const FoundSizes from = open.elements(node.input(0));
  if (!from || from->empty() || node.rank(0) > 1)
    return {};
  Size result = from->front();
  const std::string &type = node.proto().op_type();
  for (const Size &each : llvm::drop_begin(*from))
    result = type == "ReduceProd"  ? result * each
             : type == "ReduceSum" ? result + each
             : type == "ReduceMin" ? open.combined(Symbol::Kind::least, result, each)
                                   : open.combined(Symbol::Kind::greatest, result, each);
  return Sizes{result};
}

Size combination(const std::string &type, const Size &a, const Size &b, OpenTensors &open) {
  return llvm::StringSwitch<std::function<Size()>>(type)
      .Case("Add", [&] { return a + b; })
      .Case("Sub", [&] { return a - b; })
      .Case("Mul", [&] { return a * b; })
      .Case("Div", [&] { return open.combined(Symbol::Kind::quotient, a, b); })
      .Case("Mod", [&] { return open.combined(Symbol::Kind::remainder, a, b); })
      .Case("Min", [&] { return open.combined(Symbol::Kind::least, a, b); })
      .Default([&] { return open.combined(Symbol::Kind::greatest, a, b); })();
}

FoundSizes combined(const NodeReader &node, OpenTensors &open) {
  Sizes result;
  for (const auto [i, operand] : llvm::enumerate(node.inputs())) {
    const FoundSizes each = operand ? open.elements(operand) : FoundSizes();
    if (!each || each->empty())
      return {};
    if (i == 0) {
      result = *each;
      continue;
    }
    const size_t count = std::max(result.size(), each->size());
    if ((result.size() != 1 && result.size() != count) || (each->size() != 1 && each->size() != count))
      return {};
    const Sizes before = result;
    result.clear();
    for (size_t k = 0; k < count; ++k)
      result.push_back(combination(node.proto().op_type(), before[before.size() == 1 ? 0 : k],
                                   (*each)[each->size() == 1 ? 0 : k], open));
  }
  return result;
}

FoundSizes selected(const NodeReader &node, OpenTensors &open) {
  if (!node.has(1) || !node.has(2))
    return {};
  const auto condition = node.constant(0, "the condition");
  const FoundSizes a = open.elements(node.input(1)), b = open.elements(node.input(2));
  if (!condition || !a || !b || a->size() != b->size() || condition->elementCount() != a->size())
    return {};
  Sizes all;
  for (size_t i = 0; i < a->size(); ++i)
    all.push_back(condition->as<bool>()[i] ? (*a)[i] : (*b)[i]);
  return all;
}

// Comparisons of two sizes, by the bounds of their difference; nullopt if both results are possible.
using Comparison = std::optional<bool> (*)(Bounds difference);

std::optional<bool> isLess(Bounds difference) {
  return difference.most < 0     ? std::optional(true)
         : difference.least >= 0 ? std::optional(false)
                                 : std::nullopt;
}
std::optional<bool> isLessOrEqual(Bounds difference) { return isLess(difference + Bounds{-1, -1}); }
std::optional<bool> isEqual(Bounds difference) {
  return difference.least == 0 && difference.most == 0 ? std::optional(true)
         : difference.least > 0 || difference.most < 0 ? std::optional(false)
                                                       : std::nullopt;
}
std::optional<bool> negated(std::optional<bool> answer) { return answer ? std::optional(!*answer) : answer; }
std::optional<bool> isGreater(Bounds difference) { return negated(isLessOrEqual(difference)); }
std::optional<bool> isGreaterOrEqual(Bounds difference) { return negated(isLess(difference)); }

} // namespace

std::optional<Sizes> openElementsOf(const NodeReader &node, OpenTensors &open) {
  const std::string &type = node.proto().op_type();
  if (!domainOf(node).empty() || !node.has(0))
    return {};
  if (type == "Shape")
    return shapeElements(node, open);
  if (type == "Size")
    return Sizes{product(open.shape(node.input(0)))};
  if (llvm::any_of(node.inputs(), [&](mlir::Value value) { return value && open.openShape(value); }) ||
      !node.elementType(0).isInteger())
    return {};
  return llvm::StringSwitch<std::function<FoundSizes()>>(type)
      .Case("Gather", [&] { return gathered(node, open); })
      .Case("Concat", [&] { return concatenated(node, open); })
      .Case("Slice", [&] { return node.opset() >= 10 ? sliced(node, open) : FoundSizes(); })
      .Cases({"ReduceProd", "ReduceSum", "ReduceMin", "ReduceMax"}, [&] { return reduced(node, open); })
      .Cases({"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max"}, [&] { return combined(node, open); })
      .Case("Where", [&] { return selected(node, open); })
      .Cases({"Squeeze", "Unsqueeze", "Reshape", "Flatten", "Identity"},
             [&] { return open.elements(node.input(0)); })
      .Case("Cast",
            [&] {
              const auto to = dtypeOfOnnx(node.integer("to", 0));
              return to == DType::i64 || to == DType::i32 ? open.elements(node.input(0)) : FoundSizes();
            })
      .Default([] { return FoundSizes(); })();
}

std::optional<llvm::SmallVector<bool>> decided(const NodeReader &node, OpenTensors &open) {
  const auto comparison = llvm::StringSwitch<Comparison>(node.proto().op_type())
                              .Case("Equal", isEqual)
                              .Case("Less", isLess)
                              .Case("LessOrEqual", isLessOrEqual)
                              .Case("Greater", isGreater)
                              .Case("GreaterOrEqual", isGreaterOrEqual)
                              .Default(nullptr);
  if (!comparison || node.inputs().size() != 2 || !node.has(0) || !node.has(1))
    return {};
  const FoundSizes a = open.elements(node.input(0)), b = open.elements(node.input(1));
  if (!a || !b || a->empty() || b->empty())
    return {};
  const size_t count = std::max(a->size(), b->size());
  if ((a->size() != 1 && a->size() != count) || (b->size() != 1 && b->size() != count))
    return {};
  llvm::SmallVector<bool> answers;
  for (size_t i = 0; i < count; ++i) {
    const auto answer = comparison(open.bounds((*a)[a->size() == 1 ? 0 : i] - (*b)[b->size() == 1 ? 0 : i]));
    if (!answer)
      return {};
    answers.push_back(*answer);
  }
  return answers;
}

} // namespace tilerig::compiler
