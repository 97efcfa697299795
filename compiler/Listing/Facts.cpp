#include "compiler/Listing/Facts.h"

#include "compiler/Dialect/Graph/Shapes.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;
using Numbers = std::vector<int64_t>;
using Sizes = llvm::ArrayRef<int64_t>;

template <class Kind>
std::string camel(Kind kind) {
  return llvm::convertToCamelFromSnakeCase(nameOfKind(kind), /*capitalizeFirst=*/true);
}

CardFact list(const char *name, Sizes values, const char *legend = "") {
  return {name, legend, values.vec()};
}
CardFact word(const char *name, std::string value) { return {name, "", std::move(value)}; }

bool areOnes(Sizes values) {
  return llvm::all_of(values, [](int64_t x) { return x == 1; });
}

void addWindows(Sizes pads, Sizes strides, Sizes dilations, std::vector<CardFact> &facts) {
  facts.push_back(list("Padding", pads, "[top, left, bottom, right]"));
  facts.push_back(list("Stride", strides, "[h, w]"));
  if (!areOnes(dilations))
    facts.push_back(list("Dilation", dilations, "[h, w]"));
}

// Adds the fact how a product's sum is quantised before the addend is added.
template <class Product>
void addMiddle(Product op, std::vector<CardFact> &facts) {
  if (op.getMiddle())
    if (const auto middle = scalingOf(*op.getMiddle()))
      facts.push_back(word("Middle", describe(*middle)));
}

std::vector<CardFact> factsOfConv(ConvOp op) {
  std::vector<CardFact> facts;
  addWindows(op.getPads(), op.getStrides(), op.getDilations(), facts);
  if (op.getGroups() != 1)
    facts.push_back(list("Groups", static_cast<int64_t>(op.getGroups())));
  addMiddle(op, facts);
  return facts;
}

std::vector<CardFact> factsOfMatMul(MatMulOp op) {
  std::vector<CardFact> facts;
  addMiddle(op, facts);
  return facts;
}

std::vector<CardFact> factsOfPool(PoolOp op) {
  std::vector<CardFact> facts = {list("Kernel", op.getKernel(), "[h, w]")};
  addWindows(op.getPads(), op.getStrides(), op.getDilations(), facts);
  return facts;
}

std::vector<CardFact> factsOfResize(ResizeOp op) {
  const char *legend = "[numerator, denominator, offset]";
  std::vector<CardFact> facts = {word("Mode", nameOfKind(op.getKind().getValue()).str()),
                                 list("Rows", op.getRows(), legend),
                                 list("Columns", op.getColumns(), legend)};
  if (op.getKind().getValue() == ResizeMode::cubic)
    facts.push_back({"Coefficient", "", op.getCubicCoefficient().convertToDouble()});
  return facts;
}

std::vector<CardFact> factsOfHost(HostOp op) {
  std::vector<CardFact> facts;
  for (const mlir::NamedAttribute parameter : op.getParameters()) {
    std::string text;
    llvm::raw_string_ostream(text) << parameter.getValue();
    facts.push_back(word("Parameter", fmt::format("{} = {}", parameter.getName().str(), text)));
  }
  return facts;
}

} // namespace

std::string kindOf(mlir::Operation *layer) {
  return llvm::TypeSwitch<mlir::Operation *, std::string>(layer)
      .Case([](ActivateOp op) { return op.getFunction() ? "Activation" : "Convert"; })
      .Case([](BinaryOp op) { return camel(op.getKind().getValue()); })
      .Case([](ConcatOp) { return "Concat"; })
      .Case([](ConvOp) { return "Conv"; })
      .Case([](DilateOp) { return "Dilate"; })
      .Case([](ExpandOp) { return "Expand"; })
      .Case([](GatherOp) { return "Gather"; })
      .Case([](HostOp op) { return op.getKernel().str(); })
      .Case([](MatMulOp) { return "MatMul"; })
      .Case([](NormalizeOp op) {
        return op.getKind().getValue() == NormalizeMode::rootMeanSquare ? "RmsNorm" : "Norm";
      })
      .Case([](PadOp) { return "Pad"; })
      .Case([](PoolOp op) { return camel(op.getKind().getValue()) + "Pool"; })
      .Case([](ReduceOp op) { return "Reduce" + camel(op.getKind().getValue()); })
      .Case([](ReshapeOp) { return "Reshape"; })
      .Case([](ResizeOp) { return "Resize"; })
      .Case([](SelectOp) { return "Select"; })
      .Case([](SliceOp) { return "Slice"; })
      .Case([](SoftmaxOp op) { return op.getLogarithm() ? "LogSoftmax" : "Softmax"; })
      .Case([](TransposeOp) { return "Transpose"; })
      .Default([](mlir::Operation *op) { return op->getName().stripDialect().str(); });
}

std::vector<CardFact> factsOf(mlir::Operation *layer) {
  using Facts = std::vector<CardFact>;
  return llvm::TypeSwitch<mlir::Operation *, Facts>(layer)
      .Case([](ConcatOp op) -> Facts { return {list("Axis", static_cast<int64_t>(op.getAxis()))}; })
      .Case([](ConvOp op) { return factsOfConv(op); })
      .Case([](DilateOp op) -> Facts { return {list("Step", op.getSteps(), "[h, w]")}; })
      .Case([](GatherOp op) -> Facts { return {list("Axis", static_cast<int64_t>(op.getAxis()))}; })
      .Case([](HostOp op) { return factsOfHost(op); })
      .Case([](MatMulOp op) { return factsOfMatMul(op); })
      .Case([](NormalizeOp op) -> Facts {
        return {list("Axes", op.getAxes()), {"Epsilon", "", op.getEpsilon().convertToDouble()}};
      })
      .Case([](PadOp op) -> Facts {
        return {list("Padding", op.getPads(), "[before…, after…]"),
                {"Value", "", op.getValue().convertToDouble()}};
      })
      .Case([](PoolOp op) { return factsOfPool(op); })
      .Case([](ReduceOp op) -> Facts { return {list("Axes", op.getAxes())}; })
      .Case([](ResizeOp op) { return factsOfResize(op); })
      .Case([](SliceOp op) -> Facts {
        return {list("Start", op.getStarts()), list("Step", op.getSteps())};
      })
      .Case([](SoftmaxOp op) -> Facts { return {list("Axis", static_cast<int64_t>(op.getAxis()))}; })
      .Case([](TransposeOp op) -> Facts { return {list("Order", op.getPerm())}; })
      .Default([](mlir::Operation *) { return Facts(); });
}

std::string activationOf(mlir::Operation *layer) {
  if (!llvm::is_contained(layer->getName().getAttributeNames(), "function"))
    return "";
  const auto function = layer->getAttrOfType<FunctionAttr>("function");
  if (!function)
    return "none";
  std::string text = nameOfKind(function.getKind()).str();
  const float parameters[] = {function.getAlpha().convertToFloat(), function.getBeta().convertToFloat()};
  for (unsigned i = 0; i < numParameters(function.getKind()); ++i)
    text += fmt::format("{}{}", i == 0 ? "(" : ", ", parameters[i]);
  return numParameters(function.getKind()) > 0 ? text + ")" : text;
}

} // namespace tilerig::compiler
