// Fuzzer of the reference interpreter: damaged ONNX models are loaded and, if they load, run with small
// limits on memory and nodes. Seeds are our own models, one for each operator whose result can grow, and
// ONNX's own test cases where they are installed.
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/fuzz/Cases.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/support/OnnxModel.h"

#include <algorithm>

using namespace tilerig;
using namespace tilerig::reference;
using test::OnnxGraph;
using test::OnnxModel;

static constexpr uint64_t memoryLimit = 256 << 10, nodeLimit = 2000;

// ---- running ----

// An input of the declared type with small numbers of both signs. Unknown dimensions become 2.
static Result<Tensor> inputFor(const Value &value) {
  DeclaredType type = value.declared.value_or(DeclaredType{DType::f32, DeclaredShape{}});
  Shape shape;
  for (const auto &dim : type.shape.value_or(DeclaredShape{2}))
    shape.push_back(dim.value_or(2));
  TILERIG_TRY(Tensor tensor, Tensor::make(type.type, shape));
  dispatch(type.type, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
      for (size_t i = 0; T & element : tensor.mutableAs<T>())
        element = static_cast<T>(static_cast<int>(i++ % 5) - 1);
  });
  return tensor;
}

static Status load(std::span<const std::byte> bytes) {
  static Threads threads(1);
  TILERIG_TRY(Model model, parseModel(bytes, "fuzz", ""));
  NamedTensors inputs;
  {
    MemoryScope scope(std::make_shared<MemoryBudget>(memoryLimit));
    for (ValueId id : model.graph.inputs) {
      const Value &value = model.graph.values[static_cast<size_t>(id)];
      TILERIG_TRY(inputs[value.name], inputFor(value));
    }
  }
  RunOptions options;
  options.memoryLimit = memoryLimit;
  options.nodeLimit = nodeLimit;
  TILERIG_TRY(Interpreter interpreter, Interpreter::create(std::move(model), options, threads));
  TILERIG_TRY(NamedTensors first, interpreter.run(inputs));
  TILERIG_TRY(NamedTensors second, interpreter.run(inputs));
  require(std::ranges::equal(first, second, [](const auto &left, const auto &right) {
    return left.first == right.first && identical(left.second, right.second);
  }));
  return success();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (auto status = load(std::as_bytes(std::span(data, size))); !status) {
    // Every failure must be reported with a message and never as an internal error: the fault is the model's.
    require(status.error().kind != ErrorKind::internal && !status.error().message().empty());
  }
  return 0;
}

// ---- seeds ----

static bool runs(const std::string &bytes) {
  return static_cast<bool>(load(std::as_bytes(std::span(bytes))));
}

// Adds one of our own models as a seed; it must load and run.
static void add(SeedSink &sink, const OnnxModel &model) {
  require(runs(model.bytes()));
  sink.add(model.bytes());
}

// Seed of operators whose output size comes from a number in the model, so that a hundred bytes can ask for a
// huge tensor.
static void addGrowing(SeedSink &sink) {
  OnnxModel model;
  model.input("x", DType::f32, {2, 3});
  model.initialiser("shape", Tensor::of<int64_t>({2}, {2, 3}));
  model.initialiser("pads", Tensor::of<int64_t>({4}, {1, 0, 1, 0}));
  for (const char *name : {"start", "limit", "delta"})
    model.initialiser(name, Tensor::scalar<int64_t>(name[0] == 'l' ? 9 : 1));
  model.node("ConstantOfShape", {"shape"}, {"filled"});
  model.node("Expand", {"x", "shape"}, {"expanded"});
  model.node("Tile", {"x", "shape"}, {"tiled"});
  model.node("Pad", {"x", "pads"}, {"padded"});
  model.node("Range", {"start", "limit", "delta"}, {"range"});
  model.node("OneHot", {"range", "limit", "shape"}, {"hot"});
  model.node("Reshape", {"expanded", "shape"}, {"reshaped"});
  for (const char *name : {"filled", "expanded", "tiled", "padded", "hot"})
    model.output(name);
  add(sink, model);
}

static void addConvolution(SeedSink &sink) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 2, 6, 6});
  model.initialiser("w", Tensor(DType::f32, {4, 2, 3, 3}));
  auto &conv = model.node("Conv", {"x", "w"}, {"y"});
  test::setInts(conv, "pads", {1, 1, 1, 1});
  test::setInts(conv, "strides", {1, 2});
  test::setInts(conv, "dilations", {1, 1});
  test::setInt(conv, "group", 1);
  auto &back = model.node("ConvTranspose", {"y", "w"}, {"z"});
  test::setInts(back, "strides", {2, 2});
  test::setInts(back, "output_padding", {1, 1});
  auto &product = model.node("Einsum", {"z", "z"}, {"e"});
  test::setText(product, "equation", "nchw,nchw->nc");
  model.output("e");
  add(sink, model);
}

// Seed with a Loop or a Scan whose body carries a state and emits one slice per iteration.
static void addIteration(SeedSink &sink, bool isScan) {
  OnnxModel model;
  model.input("state", DType::f32, {2});
  model.input("sequence", DType::f32, {3, 2});
  model.initialiser("trips", Tensor::scalar<int64_t>(3));
  model.initialiser("going", Tensor::scalar(true));
  auto &node = isScan ? model.node("Scan", {"state", "sequence"}, {"last", "all"})
                      : model.node("Loop", {"trips", "going", "state"}, {"last", "all"});
  if (isScan)
    test::setInt(node, "num_scan_inputs", 1);
  OnnxGraph body(test::addGraph(node, "body"));
  if (isScan) {
    body.input("before", DType::f32, {2});
    body.input("piece", DType::f32, {2});
  } else {
    body.input("i", DType::i64, {});
    body.input("go", DType::boolean, {});
    body.input("before", DType::f32, {2});
    body.node("Identity", {"go"}, {"go_on"});
    body.output("go_on");
  }
  body.node("Add", {"before", isScan ? "piece" : "state"}, {"after"});
  body.node("Concat", {"after", "after"}, {"twice"});
  test::setInt(*body.graph.mutable_node(body.graph.node_size() - 1), "axis", 0);
  body.output("after");
  body.output("twice");
  model.output("last");
  model.output("all");
  add(sink, model);
}

static void addFunction(SeedSink &sink) {
  OnnxModel model;
  model.input("x", DType::f32, {2});
  auto *import = model.proto().add_opset_import();
  import->set_domain("own");
  import->set_version(1);
  onnx::FunctionProto &function = *model.proto().add_functions();
  function.set_name("Twice");
  function.set_domain("own");
  function.add_input("a");
  function.add_output("b");
  onnx::NodeProto &inside = *function.add_node();
  inside.set_op_type("Add");
  inside.add_input("a");
  inside.add_input("a");
  inside.add_output("b");
  for (const char *names : {"xy", "yz"})
    model.node("Twice", {std::string(1, names[0])}, {std::string(1, names[1])}).set_domain("own");
  model.output("z");
  add(sink, model);
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  addGrowing(sink);
  addConvolution(sink);
  addIteration(sink, false);
  addIteration(sink, true);
  addFunction(sink);
  // ONNX's own test cases are seeds, too, except those that are refused for their size or their operators.
  const auto cases = fuzz::onnxCases();
  for (const std::string &model : cases)
    if (runs(model))
      sink.add(model);
  require(sink.seeds.size() > cases.size() / 2);
}
