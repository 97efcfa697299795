#include "compiler/PassCheck/RoundingBound.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/PassCheck/BoundedNode.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

const BoundRules &rules() {
  static const BoundRules table = [] {
    BoundRules entries;
    addElementwiseRules(entries);
    addSumRules(entries);
    addMovementRules(entries);
    return entries;
  }();
  return table;
}

double boundOf(const BoundedNode &node) {
  const auto rule = rules().find(node.proto.op_type());
  if (!node.proto.domain().empty() || rule == rules().end())
    return unknownBound;
  const double bound = rule->second(node);
  return std::isnan(bound) ? unknownBound : bound;
}

// Largest absolute error of rounding a number to a subnormal number of the type.
double tinyError(DType type) {
  switch (type) {
  case DType::f32:
    return 0x1p-150;
  case DType::f16:
    return 0x1p-25;
  case DType::bf16:
    return 0x1p-134;
  default:
    return 0;
  }
}

template <class T>
void note(std::span<const T> elements, Magnitude &magnitude) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  magnitude.lowest = infinite;
  magnitude.highest = -infinite;
  for (const T element : elements) {
    const auto value = static_cast<double>(element);
    if (!std::isfinite(value)) {
      magnitude.isFinite = false;
      continue;
    }
    magnitude.most = std::max(magnitude.most, std::abs(value));
    magnitude.least = std::min(magnitude.least, std::abs(value));
    magnitude.lowest = std::min(magnitude.lowest, value);
    magnitude.highest = std::max(magnitude.highest, value);
  }
}

} // namespace

double unitRoundoff(DType type) {
  switch (type) {
  case DType::f64:
    return 0x1p-53;
  case DType::f32:
    return 0x1p-24;
  case DType::f16:
    return 0x1p-11;
  case DType::bf16:
    return 0x1p-8;
  default:
    return 0;
  }
}

Magnitude Magnitude::of(const Tensor &tensor) {
  Magnitude magnitude{tensor.dtype(), tensor.shape()};
  dispatch(tensor.dtype(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>)
      note(tensor.as<T>(), magnitude);
    else if (const auto halves = doublesIn(tensor))
      note(std::span<const double>(*halves), magnitude);
  });
  return magnitude;
}

BoundedErrors boundErrors(const Nodes &nodes, const Magnitudes &magnitudes, const NumberErrors &numbers) {
  BoundedErrors bounds{numbers.constants, {}};
  const auto magnitudeOf = [&](const std::string &name) {
    const auto entry = magnitudes.find(name);
    return entry == magnitudes.end() ? Magnitude{DType::i64, {}} : entry->second;
  };
  for (const onnx::NodeProto *proto : nodes) {
    BoundedNode node{*proto, numbers.attributes, {}, {}, 0, 0};
    std::string unknownAt = proto->op_type();
    for (const std::string &operand : proto->input()) {
      const auto error = bounds.errors.find(operand);
      node.operands.push_back({magnitudeOf(operand), error == bounds.errors.end() ? 0 : error->second});
      if (const auto earlier = bounds.unknownAt.find(operand); earlier != bounds.unknownAt.end())
        unknownAt = earlier->second;
    }
    for (const std::string &result : proto->output()) {
      node.result = magnitudeOf(result);
      node.u = unitRoundoff(node.result.type);
      node.tiny = tinyError(node.result.type);
      bounds.errors[result] = boundOf(node);
      if (std::isinf(bounds.errors[result]))
        bounds.unknownAt[result] = unknownAt;
    }
  }
  return bounds;
}

Nodes nodesOf(const onnx::GraphProto &graph) {
  Nodes nodes;
  for (const onnx::NodeProto &node : graph.node())
    nodes.push_back(&node);
  return nodes;
}

} // namespace tilerig::compiler
