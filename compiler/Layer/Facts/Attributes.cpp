#include "compiler/Layer/Facts/Attributes.h"

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/LayerKind.h"

#include <fmt/core.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace layer;
using Numbers = std::vector<int64_t>;
using Sizes = llvm::ArrayRef<int64_t>;

CardAttribute list(const char *name, Sizes values, const char *legend = "") {
  return {name, legend, values.vec()};
}
CardAttribute word(const char *name, std::string value) { return {name, "", std::move(value)}; }

bool areOnes(Sizes values) {
  return llvm::all_of(values, [](int64_t x) { return x == 1; });
}

void addWindows(Sizes pads, Sizes strides, Sizes dilations, std::vector<CardAttribute> &attributes) {
  attributes.push_back(list("Padding", pads, "[top, left, bottom, right]"));
  attributes.push_back(list("Stride", strides, "[h, w]"));
  if (!areOnes(dilations))
    attributes.push_back(list("Dilation", dilations, "[h, w]"));
}

// Adds the attribute that states the type to which a layer's sum is quantised before the addend is added.
template <class Product>
void addMiddle(Product op, std::vector<CardAttribute> &attributes) {
  if (op.getMiddle())
    if (const auto middle = scalingOf(*op.getMiddle()))
      attributes.push_back(word("Middle", describe(*middle)));
}

std::vector<CardAttribute> attributesOfConv(ConvOp op) {
  std::vector<CardAttribute> attributes;
  addWindows(op.getPads(), op.getStrides(), op.getDilations(), attributes);
  if (op.getGroups() != 1)
    attributes.push_back(list("Groups", static_cast<int64_t>(op.getGroups())));
  addMiddle(op, attributes);
  return attributes;
}

std::vector<CardAttribute> attributesOfMatMul(MatMulOp op) {
  std::vector<CardAttribute> attributes;
  addMiddle(op, attributes);
  return attributes;
}

std::vector<CardAttribute> attributesOfPool(PoolOp op) {
  std::vector<CardAttribute> attributes = {list("Kernel", op.getKernel(), "[h, w]")};
  addWindows(op.getPads(), op.getStrides(), op.getDilations(), attributes);
  return attributes;
}

std::vector<CardAttribute> attributesOfResize(ResizeOp op) {
  const char *legend = "[numerator, denominator, offset]";
  std::vector<CardAttribute> attributes = {word("Mode", nameOfKind(op.getKind().getValue()).str()),
                                           list("Rows", op.getRows(), legend),
                                           list("Columns", op.getColumns(), legend)};
  if (op.getKind().getValue() == ResizeMode::cubic)
    attributes.push_back({"Coefficient", "", op.getCubicCoefficient().convertToDouble()});
  return attributes;
}

std::vector<CardAttribute> attributesOfHost(HostOp op) {
  std::vector<CardAttribute> attributes;
  for (const mlir::NamedAttribute parameter : op.getParameters()) {
    if (parameter.getName() == "model") // this parameter is the text of a whole ONNX model
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << parameter.getValue();
    attributes.push_back(word("Parameter", fmt::format("{} = {}", parameter.getName().str(), text)));
  }
  return attributes;
}

} // namespace

std::vector<CardAttribute> attributesOf(mlir::Operation *layer) {
  using Attributes = std::vector<CardAttribute>;
  return llvm::TypeSwitch<mlir::Operation *, Attributes>(layer)
      .Case([](ConcatOp op) -> Attributes { return {list("Axis", static_cast<int64_t>(op.getAxis()))}; })
      .Case([](ConvOp op) { return attributesOfConv(op); })
      .Case([](DilateOp op) -> Attributes { return {list("Step", op.getSteps(), "[h, w]")}; })
      .Case([](GatherOp op) -> Attributes { return {list("Axis", static_cast<int64_t>(op.getAxis()))}; })
      .Case([](HostOp op) { return attributesOfHost(op); })
      .Case([](MatMulOp op) { return attributesOfMatMul(op); })
      .Case([](NormalizeOp op) -> Attributes {
        return {list("Axes", op.getAxes()), {"Epsilon", "", op.getEpsilon().convertToDouble()}};
      })
      .Case([](PadOp op) -> Attributes {
        return {list("Padding", op.getPads(), "[before…, after…]"),
                {"Value", "", op.getValue().convertToDouble()}};
      })
      .Case([](PoolOp op) { return attributesOfPool(op); })
      .Case([](ReduceOp op) -> Attributes { return {list("Axes", op.getAxes())}; })
      .Case([](ResizeOp op) { return attributesOfResize(op); })
      .Case([](SliceOp op) -> Attributes {
        return {list("Start", op.getStarts()), list("Step", op.getSteps())};
      })
      .Case([](SoftmaxOp op) -> Attributes { return {list("Axis", static_cast<int64_t>(op.getAxis()))}; })
      .Case([](TransposeOp op) -> Attributes { return {list("Order", op.getPerm())}; })
      .Default([](mlir::Operation *) { return Attributes(); });
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
