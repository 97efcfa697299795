// Random branches and loops for random ONNX models. The graphs inside are random, too, and read values around them.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

namespace tilerig::test {

namespace {

constexpr int64_t mostStateElements = 600;

// A graph inside of a node, with a few random nodes.
struct Body {
  OnnxGraph proto;
  RandomGraph graph;

  Body(RandomGraph &outer, onnx::NodeProto &node, const std::string &name)
      : proto(addGraph(node, name)), graph(proto, outer, node.output(0) + "_" + name + "_") {}

  void fill() { addSome(graph, static_cast<int>(graph.random.between(1, 4))); }
  // Computes a result of this shape, whose elements are small.
  RandomValue result(const Shape &shape) {
    const RandomValue x = fitted(graph, shape);
    return graph.unary(graph.random.pick({"Tanh", "Sin", "Softsign"}), x, 0.5);
  }
};

RandomValue smallValue(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  return x.elements() <= mostStateElements ? x : fitted(graph, {2, 5});
}

// A condition that is known only at run time.
RandomValue condition(RandomGraph &graph) {
  if (graph.random.chance(30) && graph.depth == 0)
    return graph.input({}, DType::boolean);
  if (graph.random.chance(30) && graph.depth == 0) {
    const RandomValue number = graph.input({}, DType::i64);
    const std::string zero = graph.integer(0);
    return graph.keep(graph.node(graph.random.pick({"Equal", "Greater"}), {number.name, zero}), {},
                      DType::boolean);
  }
  const RandomValue x = graph.pick();
  onnx::NodeProto &sum = graph.node("ReduceMean", {x.name});
  setInt(sum, "keepdims", 0);
  const RandomValue mean = graph.keep(sum, {}, DType::f32);
  const std::string limit = graph.floats({}, -0.5, 0.5);
  return graph.keep(graph.node("Greater", {mean.name, limit}), {}, DType::boolean);
}

void addIf(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue like = smallValue(graph), flag = condition(graph);
  const bool hasTwo = random.chance(30), isOpen = graph.depth == 0 && graph.opset >= 11 && like.rank() == 2 &&
                                                  like.shape[0] > 1 && random.chance(30);
  onnx::NodeProto &node = graph.node("If", {flag.name}, hasTwo ? 2 : 1);
  for (const char *name : {"then_branch", "else_branch"}) {
    Body body(graph, node, name);
    body.fill();
    Shape shape = like.shape;
    if (isOpen)
      shape[0] = random.between(1, shape[0]);
    RandomValue result = body.result(shape);
    if (isOpen && random.chance(50))
      result.shape[0] = -1;
    body.graph.result(result);
    if (hasTwo)
      body.graph.result(body.result({3}));
  }
  if (isOpen)
    graph.giveOpen(node, {-1, like.shape[1]}, 0.5, node.output(0));
  else
    graph.give(node, like.shape, 0.5);
  if (hasTwo)
    graph.give(node, {3}, 0.5, DType::f32, 1);
}

// The number of steps of a loop that is known only at run time: zero or one more than a constant.
std::string unknownTrips(RandomGraph &graph) {
  std::string count;
  if (graph.depth == 0) {
    count = graph.input({}, DType::i64).name;
  } else {
    const RandomValue flag = condition(graph);
    onnx::NodeProto &node = graph.node("Cast", {flag.name});
    setInt(node, "to", onnxNumber(DType::i64));
    count = graph.keep(node, {}, DType::i64).name;
  }
  const std::string more = graph.integer(graph.random.between(0, 3));
  return graph.keep(graph.node("Add", {count, more}), {}, DType::i64).name;
}

void addLoop(RandomGraph &graph) {
  Random &random = graph.random;
  const bool isKnown = random.chance(55), hasCondition = random.chance(30), hasTwo = random.chance(40),
             collects = isKnown && !hasCondition && random.chance(60);
  const int64_t trips = random.between(1, 4);
  const std::string count = isKnown ? graph.integer(trips) : unknownTrips(graph);
  std::string first;
  if (hasCondition)
    first = random.chance(50) ? graph.constant(Tensor::of<bool>({}, {true})) : condition(graph).name;
  const RandomValue x = smallValue(graph);
  Names inputs = {count, first, x.name};
  RandomValue other;
  if (hasTwo)
    other = smallValue(graph), inputs.push_back(other.name);
  onnx::NodeProto &node = graph.node("Loop", inputs, 1 + hasTwo + collects);
  Body body(graph, node, "body");
  body.graph.input({}, DType::i64);
  const RandomValue goesOn = body.graph.input({}, DType::boolean);
  body.graph.input(x.shape);
  if (hasTwo)
    body.graph.input(other.shape);
  body.fill();
  const RandomValue state = body.result(x.shape);
  std::string next;
  if (hasCondition && random.chance(60))
    next = condition(body.graph).name;
  else
    next = goesOn.name;
  body.graph.result(body.graph.keep(body.graph.node("Identity", {next}), {}, DType::boolean));
  body.graph.result(state);
  if (hasTwo)
    body.graph.result(body.result(other.shape));
  RandomValue row;
  if (collects)
    row = body.result(smallValue(body.graph).shape), body.graph.result(row);
  graph.give(node, x.shape, std::max(x.size, 0.5));
  if (hasTwo)
    graph.give(node, other.shape, std::max(other.size, 0.5), DType::f32, 1);
  if (collects) {
    row.shape.insert(row.shape.begin(), trips);
    graph.give(node, row.shape, 0.5, DType::f32, 1 + hasTwo);
  }
}

void addScan(RandomGraph &graph) {
  if (graph.opset < 9)
    return;
  Random &random = graph.random;
  const RandomValue state = smallValue(graph);
  const int64_t steps = random.between(1, 5), width = random.between(1, 6);
  const bool isAcross = random.chance(30);
  const RandomValue x = fitted(graph, isAcross ? Shape{width, steps} : Shape{steps, width});
  onnx::NodeProto &node = graph.node("Scan", {state.name, x.name}, 2);
  setInt(node, "num_scan_inputs", 1);
  if (isAcross)
    setInts(node, "scan_input_axes", {1});
  if (random.chance(30))
    setInts(node, "scan_input_directions", {1});
  const bool isReversed = random.chance(30), isTurned = random.chance(30);
  if (isReversed)
    setInts(node, "scan_output_directions", {1});
  if (isTurned)
    setInts(node, "scan_output_axes", {1});
  Body body(graph, node, "body");
  body.graph.input(state.shape);
  body.graph.input({width});
  body.fill();
  const RandomValue next = body.result(state.shape), row = body.result({width});
  body.graph.result(next);
  body.graph.result(row);
  graph.give(node, state.shape, 0.5);
  graph.give(node, isTurned ? Shape{width, steps} : Shape{steps, width}, 0.5, DType::f32, 1);
}

} // namespace

void addControlFlow(RandomGraph &graph) {
  if (graph.depth >= 2)
    return;
  constexpr void (*all[])(RandomGraph &) = {addIf, addLoop, addScan};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
