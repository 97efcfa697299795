// Random arithmetic of integers for random ONNX models. The size of an integer value is a bound of its magnitude.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

#include <cmath>

namespace tilerig::test {

namespace {

constexpr DType integerTypes[] = {DType::i8,  DType::u8,  DType::i16, DType::u16, DType::i32,
                                  DType::i32, DType::u32, DType::i64, DType::i64, DType::u64};

bool isUnsigned(DType type) {
  return type == DType::u8 || type == DType::u16 || type == DType::u32 || type == DType::u64;
}

// Programs store 64-bit integers in 32 bits, so those stay small. Others may overflow.
bool isWide(DType type) { return type == DType::i64 || type == DType::u64; }
constexpr double mostOfWide = 1e9;

// The largest magnitude that the elements can have: that of the type if sums or products may have overflowed.
double boundOf(const RandomValue &x) {
  const double range = std::exp2(static_cast<double>(8 * sizeBytes(x.type)));
  return 2 * x.size > range ? range : x.size;
}

RandomValue smallIntegers(RandomGraph &graph, const RandomValue &x) {
  const std::string modulus = graph.whole(x.type, {}, 97, 97);
  return graph.give(graph.node("Mod", {x.name, modulus}), x.shape, 97, x.type);
}

RandomValue drawInteger(RandomGraph &graph) {
  const DType type = graph.random.pick(integerTypes);
  auto x = graph.pickOfType(type);
  const bool mayBeLarge = !isWide(type) || graph.opset >= 10;
  if (!x || (x->size > 1e4 && !mayBeLarge) || graph.random.chance(20))
    x = integersOf(graph, type, graph.random.pick({3, 100}));
  return isWide(type) && x->size > 1e4 ? smallIntegers(graph, *x) : *x;
}

// An operand of a binary operator: a constant, or a value of the same shape.
std::string integerPartner(RandomGraph &graph, const RandomValue &x, int64_t low, int64_t high) {
  if (graph.random.chance(30))
    for (int attempt = 0; attempt < 4; ++attempt)
      if (const auto other = graph.pickOfType(x.type);
          other && other->shape == x.shape && other->size <= 100 && low <= 0)
        return other->name;
  return graph.whole(x.type, graph.broadcasting(x.shape),
                     isUnsigned(x.type) ? std::max<int64_t>(low, 0) : low, high);
}

void addUnaryInteger(RandomGraph &graph, const RandomValue &x) {
  const std::string op = isUnsigned(x.type) ? "Abs" : graph.random.pick({"Abs", "Neg", "Sign"});
  if (op == "Sign" && graph.opset < 9)
    return;
  graph.give(graph.node(op, {x.name}), x.shape, x.size, x.type);
}

void addBinaryInteger(RandomGraph &graph, const RandomValue &x) {
  Random &random = graph.random;
  const std::string op = random.pick({"Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Pow"});
  // Operator set 7 has arithmetic of integers of 32 and 64 bits.
  const bool isByte = x.type != DType::i32 && !isWide(x.type) && x.type != DType::u32;
  if (graph.opset < (isByte ? 14 : op == "Mod" ? 10 : op == "Max" || op == "Min" || op == "Pow" ? 13 : 7))
    return;
  if (op == "Sub" && x.type == DType::u64)
    return;
  if (op == "Pow") {
    if (x.size > 100 || (x.type != DType::i32 && x.type != DType::i64))
      return;
    const std::string exponent = graph.whole(x.type, {}, 0, 3);
    graph.give(graph.node(op, {x.name, exponent}), x.shape, x.size * x.size * x.size, x.type);
    return;
  }
  const bool divides = op == "Div" || op == "Mod";
  const std::string other = divides ? integerPartner(graph, x, 1, 9) : integerPartner(graph, x, -100, 100);
  const double size = op == "Mul"                  ? x.size * 100
                      : op == "Add" || op == "Sub" ? x.size + 100
                                                   : std::max(x.size, 100.0);
  if (isWide(x.type) && size > mostOfWide)
    return;
  onnx::NodeProto &node = graph.node(op, {x.name, other});
  if (op == "Mod" && random.chance(30))
    setInt(node, "fmod", 1);
  graph.give(node, x.shape, size, x.type);
}

void addBits(RandomGraph &graph, const RandomValue &x) {
  Random &random = graph.random;
  if (isUnsigned(x.type) && graph.opset >= 11 && random.chance(40)) {
    const std::string shift = graph.whole(x.type, graph.broadcasting(x.shape), 0, 3);
    onnx::NodeProto &node = graph.node("BitShift", {x.name, shift});
    setText(node, "direction", random.pick({"LEFT", "RIGHT"}));
    graph.give(node, x.shape, x.size * 8, x.type);
    return;
  }
  if (graph.opset < 18 || x.type == DType::u64)
    return;
  if (random.chance(25)) {
    graph.give(graph.node("BitwiseNot", {x.name}), x.shape, x.size + 1, x.type);
    return;
  }
  const std::string op = random.pick({"BitwiseAnd", "BitwiseOr", "BitwiseXor"}),
                    other = integerPartner(graph, x, -100, 100);
  graph.give(graph.node(op, {x.name, other}), x.shape, 2 * x.size + 128, x.type);
}

void addIntegerComparison(RandomGraph &graph, const RandomValue &x) {
  const std::string op = graph.random.pick({"Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"});
  if (graph.opset < (op.ends_with("OrEqual") ? 12 : 11))
    return;
  const std::string limit = integerPartner(graph, x, -20, 20);
  graph.give(graph.node(op, {x.name, limit}), x.shape, 1, DType::boolean);
}

void addIntegerChoice(RandomGraph &graph, const RandomValue &x) {
  const auto flag = graph.pickOfType(DType::boolean);
  if (!flag || flag->shape != x.shape || graph.opset < 9)
    return;
  const std::string other = integerPartner(graph, x, -20, 20);
  graph.give(graph.node("Where", {flag->name, x.name, other}), x.shape, std::max(x.size, 100.0), x.type);
}

void addIntegerSum(RandomGraph &graph, const RandomValue &x) {
  if (graph.opset < 11 || x.rank() == 0 || (x.type != DType::i32 && x.type != DType::i64))
    return;
  const auto axis = static_cast<int64_t>(graph.random.below(x.shape.size()));
  const double size = x.size * static_cast<double>(x.shape[static_cast<size_t>(axis)]);
  if (graph.random.chance(50)) {
    const std::string place = graph.integer(graph.written(axis, x.rank()));
    onnx::NodeProto &node = graph.node("CumSum", {x.name, place});
    setInt(node, "exclusive", graph.random.chance(50));
    setInt(node, "reverse", graph.random.chance(50));
    graph.give(node, x.shape, size, x.type);
    return;
  }
  const std::string op = graph.random.pick({"ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"});
  if (op == "ReduceProd" && size > 20)
    return;
  onnx::NodeProto &node = graph.node(op, {x.name});
  graph.setIntsOrInput(node, "axes", {axis}, op == "ReduceSum" ? 13 : 18);
  Shape shape = x.shape;
  shape[static_cast<size_t>(axis)] = 1;
  graph.give(node, shape, op == "ReduceProd" ? mostOfWide : size, x.type);
}

// A conversion to another type of integers that can hold all values.
void addIntegerCast(RandomGraph &graph, const RandomValue &x) {
  const RandomValue whole = boundOf(x) > 100 && graph.opset >= 10 ? smallIntegers(graph, x) : x;
  if (boundOf(whole) > 120)
    return;
  DType type = graph.random.pick(integerTypes);
  if (isUnsigned(type) && !isUnsigned(x.type))
    type = DType::i32;
  castTo(graph, whole, type);
}

} // namespace

void addIntegers(RandomGraph &graph) {
  const RandomValue x = drawInteger(graph);
  switch (graph.random.below(10)) {
  case 0:
    return addUnaryInteger(graph, x);
  case 1:
  case 2:
  case 3:
    return addBinaryInteger(graph, x);
  case 4:
    return addBits(graph, x);
  case 5:
    return addIntegerComparison(graph, x);
  case 6:
    return addIntegerChoice(graph, x);
  case 7:
    return addIntegerSum(graph, x);
  case 8:
    return addIntegerCast(graph, x);
  default: {
    RandomValue real = castTo(graph, x, DType::f32);
    graph.binary("Mul", real, graph.number(1 / std::max(1.0, boundOf(x))), 0.5);
  }
  }
}

} // namespace tilerig::test
