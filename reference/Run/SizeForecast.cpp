#include "reference/Run/SizeForecast.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>

namespace tilerig::reference {

namespace {

using Known = std::optional<Shape>;

uint64_t elementsOf(const Shape &shape) {
  uint64_t count = 1;
  for (const int64_t size : shape)
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(size), &count))
      return std::ranges::count(shape, 0) ? 0 : UINT64_MAX;
  return count;
}

// The shape that a and b broadcast to; none if they cannot be broadcast. In this case the operator reports
// the error when it runs.
Known broadcast(const Shape &a, const Shape &b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1,
                  right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      return {};
    result[result.size() - 1 - i] = left == 1 ? right : left;
  }
  return result;
}

const std::set<std::string, std::less<>> keepers = {
    "Identity",  "Relu", "Sigmoid", "Tanh",    "Neg",         "Abs",      "Exp",        "Log",       "Sqrt",
    "Floor",     "Ceil", "Round",   "Sign",    "Not",         "Erf",      "Softmax",    "Cast",      "Clip",
    "LeakyRelu", "Elu",  "Gelu",    "Dropout", "HardSigmoid", "Softplus", "LogSoftmax", "Reciprocal"};
const std::set<std::string, std::less<>> broadcasters = {
    "Add",         "Sub",  "Mul", "Div", "Pow",   "Sum",     "Min",  "Max",
    "Mean",        "And",  "Or",  "Xor", "Equal", "Greater", "Less", "GreaterOrEqual",
    "LessOrEqual", "Where"};

class Forecast {
public:
  Forecast(const Plan &plan, ForecastShapes &shapes) : plan(plan), shapes(shapes) {}

  // The shape of the node's first output; none if the operator has no rule for shapes, or if the shape of an
  // operand is unknown.
  Known shapeOf(const Node &node) const {
    if (!node.domain.empty())
      return {};
    if (keepers.contains(node.op))
      return operand(node, 0);
    if (broadcasters.contains(node.op))
      return broadcastOf(node);
    if (node.op == "Concat")
      return concatenationOf(node);
    if (node.op == "ConstantOfShape")
      return numbers(node, 0);
    if (node.op == "Expand")
      return expansionOf(node);
    if (node.op == "Tile")
      return tilingOf(node);
    return node.op == "MatMul" ? productOf(node) : Known();
  }

private:
  Known operand(const Node &node, size_t index) const {
    const bool isThere = index < node.inputs.size() && node.inputs[index] != absent;
    return isThere ? shapes[static_cast<size_t>(node.inputs[index])] : Known();
  }

  // The elements of an input as a shape; none unless the input is a constant int64 vector without negative
  // elements.
  Known numbers(const Node &node, size_t index) const {
    if (index >= node.inputs.size() || node.inputs[index] == absent)
      return {};
    const std::optional<Tensor> &tensor = plan.constants[static_cast<size_t>(node.inputs[index])];
    if (!tensor || tensor->dtype() != DType::i64 || tensor->rank() != 1 || !operand(node, index))
      return {};
    const auto elements = tensor->as<int64_t>();
    if (std::ranges::any_of(elements, [](int64_t size) { return size < 0; }))
      return {};
    return Shape(elements.begin(), elements.end());
  }

  Known broadcastOf(const Node &node) const {
    Known result = Shape();
    for (size_t i = 0; i < node.inputs.size() && result; ++i) {
      const Known next = operand(node, i);
      result = next ? broadcast(*result, *next) : Known();
    }
    return result;
  }

  Known concatenationOf(const Node &node) const {
    const auto attribute = node.attributes.find("axis");
    const auto *axis =
        attribute == node.attributes.end() ? nullptr : std::get_if<int64_t>(&attribute->second);
    Known result = operand(node, 0);
    if (!axis || !result)
      return {};
    const auto rank = static_cast<int64_t>(result->size());
    const int64_t along = *axis < 0 ? *axis + rank : *axis;
    if (along < 0 || along >= rank)
      return {};
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const Known next = operand(node, i);
      int64_t &size = (*result)[static_cast<size_t>(along)];
      if (!next || next->size() != result->size() ||
          __builtin_add_overflow(size, (*next)[static_cast<size_t>(along)], &size))
        return {};
    }
    return result;
  }

  Known expansionOf(const Node &node) const {
    const Known input = operand(node, 0), wanted = numbers(node, 1);
    return input && wanted ? broadcast(*input, *wanted) : Known();
  }

  Known tilingOf(const Node &node) const {
    Known result = operand(node, 0);
    const Known repeats = numbers(node, 1);
    if (!result || !repeats || repeats->size() != result->size())
      return {};
    for (size_t i = 0; i < repeats->size(); ++i)
      if (__builtin_mul_overflow((*result)[i], (*repeats)[i], &(*result)[i]))
        return {};
    return result;
  }

  Known productOf(const Node &node) const {
    const Known a = operand(node, 0), b = operand(node, 1);
    if (!a || !b || a->size() < 2 || b->size() < 2)
      return {};
    Known result = broadcast(Shape(a->begin(), a->end() - 2), Shape(b->begin(), b->end() - 2));
    if (result)
      result->insert(result->end(), {(*a)[a->size() - 2], b->back()});
    return result;
  }

  const Plan &plan;
  const ForecastShapes &shapes;
};

} // namespace

ForecastShapes declaredShapes(const Plan &plan) {
  const Graph &graph = *plan.graph;
  ForecastShapes shapes(graph.values.size());
  for (size_t id = 0; id < shapes.size(); ++id)
    if (plan.constants[id])
      shapes[id] = plan.constants[id]->shape();
  // For these initialisers the caller may pass a tensor of another shape, so the shape is unknown.
  for (const ValueId id : graph.overridable)
    shapes[static_cast<size_t>(id)].reset();
  for (const ValueId id : graph.inputs) {
    const auto &declared = graph.values[static_cast<size_t>(id)].declared;
    if (!declared || !declared->shape ||
        !std::ranges::all_of(*declared->shape, [](const auto &size) { return size.has_value(); }))
      continue;
    Shape shape;
    for (const std::optional<int64_t> &size : *declared->shape)
      shape.push_back(*size);
    shapes[static_cast<size_t>(id)] = std::move(shape);
  }
  return shapes;
}

Status forecastSizes(const Plan &plan, ForecastShapes shapes, uint64_t limitBytes) {
  const Forecast forecast(plan, shapes);
  for (const Step &step : plan.steps) {
    const ValueId result = step.node->outputs.front();
    if (step.folded || result == absent)
      continue;
    const Known shape = forecast.shapeOf(*step.node);
    if (shape && elementsOf(*shape) > limitBytes)
      return invalidInput(placeOf(*step.node),
                          fmt::format("a result of shape {} exceeds the memory limit of {} bytes",
                                      showShape(*shape), limitBytes),
                          "raise the memory limit, or use smaller tensors");
    shapes[static_cast<size_t>(result)] = shape;
  }
  return success();
}

} // namespace tilerig::reference
