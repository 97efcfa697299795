// Random elementwise operators for random ONNX models.
#include "tests/support/RandomModel/Families.h"

#include <cmath>

namespace tilerig::test {

namespace {

// What an operator requires of its operand, besides magnitudes around one: nothing; values between -1 and 1;
// positive values; or values away from the points where the operator jumps.
enum class Wants { anything, bounded, positive, offStep };

struct Unary {
  const char *op;
  int since;
  Wants wants = Wants::anything;
  double size = 0; // magnitude of the operator's result; 0: as large as the operand
};

constexpr Unary unaries[] = {
    {"Abs", 6},
    {"Neg", 6},
    {"Relu", 6},
    {"Sigmoid", 6, Wants::anything, 0.5},
    {"Tanh", 6, Wants::anything, 0.5},
    {"Softplus", 1, Wants::anything, 1},
    {"Softsign", 1, Wants::anything, 0.5},
    {"Sin", 7, Wants::anything, 0.5},
    {"Cos", 7, Wants::anything, 0.5},
    {"Atan", 7, Wants::anything, 0.5},
    {"Erf", 9, Wants::anything, 0.5},
    {"Asinh", 9, Wants::anything, 1},
    {"HardSwish", 14},
    {"Mish", 18},
    {"Gelu", 20},
    {"Exp", 6, Wants::bounded, 1},
    {"Tan", 7, Wants::bounded, 0.5},
    {"Sinh", 9, Wants::bounded, 0.5},
    {"Cosh", 9, Wants::bounded, 1},
    {"Sqrt", 6, Wants::positive, 1},
    {"Log", 6, Wants::positive, 1},
    {"Reciprocal", 6, Wants::positive, 1},
    {"Ceil", 6, Wants::offStep, 1},
    {"Floor", 6, Wants::offStep, 1},
    {"Round", 11, Wants::offStep, 1},
    {"Sign", 9, Wants::offStep, 1},
};

RandomValue prepared(RandomGraph &graph, const RandomValue &x, Wants wants) {
  switch (wants) {
  case Wants::bounded:
    return graph.bounded(x);
  case Wants::positive:
    return graph.positive(x);
  case Wants::offStep:
    return graph.offStep(x);
  case Wants::anything:
    return x;
  }
  return x;
}

struct Parametric {
  const char *op;
  int since;
  std::vector<const char *> parameters;
};

const Parametric parametrics[] = {
    {"Elu", 6, {"alpha"}},           {"LeakyRelu", 6, {"alpha"}}, {"HardSigmoid", 6, {"alpha", "beta"}},
    {"Selu", 6, {"alpha", "gamma"}}, {"Celu", 12, {"alpha"}},     {"ThresholdedRelu", 10, {"alpha"}},
    {"Shrink", 9, {"lambd"}},
};

// A constant that broadcasts with x to the shape of x.
std::string partner(RandomGraph &graph, const RandomValue &x, double low, double high) {
  const Shape shape = graph.broadcasting(x.shape);
  return graph.floats(shape, low, high);
}

} // namespace

void addUnary(RandomGraph &graph) {
  const Unary which = graph.random.pick(unaries);
  if (graph.opset < which.since)
    return;
  const RandomValue x = graph.pick(), operand = prepared(graph, x, which.wants);
  graph.unary(which.op, operand, which.size != 0 ? which.size : operand.size);
}

// Adds an activation function with attributes, each of which is left at its default or set at random.
void addParametric(RandomGraph &graph) {
  const Parametric which = graph.random.pick(parametrics);
  if (graph.opset < which.since)
    return;
  // The operand stays away from thresholds, because some of these functions are discontinuous there.
  const RandomValue x = graph.pick(), operand = graph.offStep(x);
  onnx::NodeProto &node = graph.node(which.op, {operand.name});
  for (const char *parameter : which.parameters)
    if (graph.random.chance(60))
      setFloat(node, parameter, graph.random.pick({0.2f, 0.5f, 0.7f, 1.0f, 1.0f / 6}));
  graph.give(node, operand.shape, operand.size);
}

// Adds an operator with a value and a constant, in either order; the result has the shape of the value.
void addBinary(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pick();
  const std::string op =
      random.pick({"Add", "Add", "Mul", "Mul", "Sub", "Div", "Pow", "Min", "Max", "PRelu"});
  if (op == "Pow") {
    const RandomValue base = graph.positive(x);
    graph.binary("Pow", base, graph.number(random.pick({0.5, 2.0, 3.0, -1.0, 1.5})), base.size * base.size);
  } else if (op == "Div" && random.chance(40)) {
    const RandomValue divisor = graph.positive(x);
    const std::string constant = partner(graph, divisor, -1, 1);
    graph.give(graph.node("Div", {constant, divisor.name}), x.shape, 0.5);
  } else if (op == "Sub" && random.chance(40)) {
    const std::string constant = partner(graph, x, -1, 1);
    graph.give(graph.node("Sub", {constant, x.name}), x.shape, x.size + 0.5);
  } else {
    const bool isFactor = op == "Mul" || op == "Div";
    const std::string constant = partner(graph, x, isFactor ? 0.5 : -1, isFactor ? 2 : 1);
    graph.binary(op, x, constant, isFactor ? x.size : x.size + 0.5);
  }
}

// Adds an operator that joins two branches of the graph.
void addJoin(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue a = graph.pick();
  RandomValue b = graph.pickOfShape(a.shape);
  const std::string op = random.pick({"Add", "Add", "Add", "Mul", "Sub", "Div", "Min", "Max", "Sum"});
  if (op == "Div")
    b = graph.positive(b);
  Names inputs = {a.name, b.name};
  if (op == "Min" || op == "Max" || op == "Sum")
    while (random.chance(40))
      inputs.push_back(graph.pickOfShape(graph.broadcasting(a.shape)).name);
  graph.give(graph.node(op, inputs), a.shape,
             op == "Mul"   ? a.size * b.size
             : op == "Div" ? a.size
                           : std::hypot(a.size, b.size) + 0.5);
}

// The bounds of Clip are attributes before operator set 11, scalar inputs since.
void addClip(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  const bool hasLow = graph.random.chance(75), hasHigh = graph.random.chance(75);
  const float low = graph.random.pick({0.0f, -1.0f, -0.3f}), high = graph.random.pick({6.0f, 1.0f, 0.7f});
  if (graph.opset >= 11) {
    Names inputs = {x.name, hasLow ? graph.number(static_cast<double>(low)) : ""};
    if (hasHigh)
      inputs.push_back(graph.number(static_cast<double>(high)));
    graph.give(graph.node("Clip", inputs), x.shape, std::min(x.size, 1.0));
    return;
  }
  onnx::NodeProto &node = graph.node("Clip", {x.name});
  if (hasLow)
    setFloat(node, "min", low);
  if (hasHigh)
    setFloat(node, "max", high);
  graph.give(node, x.shape, std::min(x.size, 1.0));
}

void addComparison(RandomGraph &graph) {
  Random &random = graph.random;
  if (const auto flag = graph.pickBool(); flag && random.chance(50)) {
    const std::string op = random.pick({"Not", "And", "Or", "Xor"});
    Names inputs = {flag->name};
    if (op != "Not") {
      Tensor other(DType::boolean, graph.broadcasting(flag->shape));
      for (bool &element : other.mutableAs<bool>())
        element = random.chance(50);
      inputs.push_back(graph.constant(other));
    }
    graph.give(graph.node(op, inputs), flag->shape, 1, DType::boolean);
    return;
  }
  const std::string op = random.pick({"Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"});
  if (graph.opset < (op.ends_with("OrEqual") ? 12 : 11))
    return;
  const RandomValue x = graph.pick();
  const std::string limit = partner(graph, x, -1, 1);
  graph.give(graph.node(op, {x.name, limit}), x.shape, 1, DType::boolean);
}

void addChoice(RandomGraph &graph) {
  const auto flag = graph.pickBool();
  if (!flag || graph.opset < 9)
    return;
  const RandomValue a = graph.pickOfShape(flag->shape);
  const Shape otherShape = graph.broadcasting(flag->shape);
  const RandomValue b = graph.pickOfShape(otherShape);
  if (graph.random.chance(70))
    graph.give(graph.node("Where", {flag->name, a.name, b.name}), flag->shape, a.size + b.size);
  else
    graph.give(graph.node("Where", {flag->name, b.name, a.name}), flag->shape, a.size + b.size);
}

// Adds an operator that changes no value, of the kinds that exporters leave behind.
void addNoise(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pick();
  const std::string kind = random.pick(
      {"Identity", "Dropout", "Cast", "there and back", "Reshape", "Transpose", "Add", "Mul", "Concat"});
  if (kind == "Identity") {
    graph.unary("Identity", x, x.size);
  } else if (kind == "Dropout") {
    Names inputs = {x.name};
    if (graph.opset >= 12 && random.chance(50))
      inputs.push_back(graph.number(0.25));
    onnx::NodeProto &node = graph.node("Dropout", inputs);
    if (graph.opset < 12)
      setFloat(node, "ratio", 0.25f);
    graph.give(node, x.shape, x.size);
  } else if (kind == "Cast" || kind == "there and back") {
    std::string from = x.name;
    if (kind != "Cast") {
      onnx::NodeProto &wide = graph.node("Cast", {from});
      setInt(wide, "to", onnxNumber(DType::f64));
      from = graph.keep(wide, x.shape, DType::f64).name;
    }
    onnx::NodeProto &node = graph.node("Cast", {from});
    setInt(node, "to", onnxNumber(DType::f32));
    graph.give(node, x.shape, x.size);
  } else if (kind == "Reshape") {
    graph.reshaped(x, x.shape);
  } else if (kind == "Transpose") {
    std::vector<int64_t> perm;
    for (int64_t i = 0; i < x.rank(); ++i)
      perm.push_back(i);
    graph.transposed(x, perm);
  } else if (kind == "Concat") {
    if (x.rank() == 0)
      return;
    onnx::NodeProto &node = graph.node("Concat", {x.name});
    setInt(node, "axis", 0);
    graph.give(node, x.shape, x.size);
  } else {
    graph.binary(kind, x, graph.filled(graph.broadcasting(x.shape), kind == "Mul" ? 1 : 0), x.size);
  }
}

} // namespace tilerig::test
