// Fuzzer of the compiler: damaged ONNX models are imported, simplified and lowered to layers, as far as each
// step succeeds. A refusal must name the file or one of its nodes; an accepted model must pass the verifier.
// Seeds are small networks, one for each pattern that passes look for, and ONNX's own test cases.
#include "compiler/Graph/Import/Import.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Pipelines/Pipelines.h"
#include "tests/fuzz/Cases.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/support/OnnxModel.h"

#include <mlir/IR/Verifier.h>
#include <mlir/Pass/PassManager.h>

using namespace tilerig;
using namespace tilerig::compiler;
using test::OnnxModel;

static constexpr const char *path = "fuzz.onnx";

// ---- compiling ----

// Runs a pipeline of passes. Each error diagnostic must name a node or an output of the model.
static bool runs(mlir::ModuleOp module, void (*build)(mlir::OpPassManager &)) {
  bool isHeard = false;
  const mlir::ScopedDiagnosticHandler listener(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
      return;
    isHeard = true;
    const std::string message = diagnostic.str();
    require(!message.empty() &&
            (!graph::nodeName(diagnostic.getLocation()).empty() || message.starts_with("output '")));
  });
  mlir::PassManager manager(module.getContext());
  build(manager);
  if (mlir::failed(manager.run(module))) {
    require(isHeard);
    return false;
  }
  return true;
}

static Status compile(std::span<const std::byte> bytes) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TILERIG_TRY(const OnnxFile file, OnnxFile::parse(bytes, path, ""));
  TILERIG_TRY(const auto module, importModel(context, file, {}));
  require(mlir::succeeded(mlir::verify(*module)));
  if (runs(*module, [](auto &passes) { (void)addPhase(passes, PipelinePhase::graph, {}); }))
    runs(*module, [](auto &passes) { (void)addPhase(passes, PipelinePhase::layers, {}); });
  return success();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (const auto status = compile(std::as_bytes(std::span(data, size))); !status) {
    // Every refusal must be classified as a fault of the model (exit code 3), never as an internal error.
    require(exitCodeOf(status.error().kind) == ExitCode::input);
    require(status.error().message().starts_with(path) && !status.error().what.empty());
  }
  return 0;
}

// ---- seeds ----

static void add(SeedSink &sink, const OnnxModel &model) {
  const std::string bytes = model.bytes();
  require(static_cast<bool>(compile(std::as_bytes(std::span(bytes)))));
  sink.add(bytes);
}

static Tensor ramp(Shape shape) {
  Tensor tensor(DType::f32, std::move(shape));
  for (int i = 0; float &element : tensor.mutableAs<float>())
    element = static_cast<float>(i++ % 7 - 3);
  return tensor;
}

// Seed in the style of an image network: convolution, normalisation, padding, activation functions, an
// addend, a pool and a matrix product.
static void addPicture(SeedSink &sink) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4, 6, 6});
  model.initialiser("w", ramp({4, 4, 3, 3}));
  model.initialiser("pads", Tensor::of<int64_t>({8}, {0, 0, 1, 1, 0, 0, 1, 1}));
  for (const char *name : {"scale", "shift", "mean"})
    model.initialiser(name, ramp({4}));
  model.initialiser("variance", Tensor::of<float>({4}, {1, 2, 3, 4}));
  model.initialiser("dense", ramp({4, 5}));
  model.node("Pad", {"x", "pads"}, {"padded"});
  model.node("Conv", {"padded", "w"}, {"c"});
  model.node("BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, {"n"});
  model.node("Sigmoid", {"n"}, {"s"});
  model.node("Mul", {"n", "s"}, {"silu"});
  model.node("Add", {"silu", "x"}, {"sum"});
  model.node("Relu", {"sum"}, {"r"});
  test::setInts(model.node("MaxPool", {"r"}, {"p"}), "kernel_shape", {2, 2});
  test::setInts(model.node("ConvTranspose", {"p", "w"}, {"t"}), "strides", {2, 2});
  model.node("GlobalAveragePool", {"t"}, {"g"});
  model.node("Flatten", {"g"}, {"f"});
  model.node("Gemm", {"f", "dense"}, {"y"});
  model.output("y");
  add(sink, model);
}

// Seed in the style of a transformer: attention over two heads, a layer normalisation and a transpose.
static void addSentence(SeedSink &sink) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 3, 8});
  model.initialiser("split", Tensor::of<int64_t>({4}, {1, 3, 2, 4}));
  model.initialiser("joined", Tensor::of<int64_t>({3}, {1, 3, 8}));
  model.initialiser("half", Tensor::scalar(0.5F));
  model.initialiser("w", ramp({8, 8}));
  for (const char *name : {"gain", "shift"})
    model.initialiser(name, ramp({8}));
  model.node("LayerNormalization", {"x", "gain", "shift"}, {"n"});
  for (const std::string side : {"q", "k", "v"}) {
    model.node("MatMul", {"n", "w"}, {side});
    model.node("Reshape", {side, "split"}, {side + "s"});
    test::setInts(model.node("Transpose", {side + "s"}, {side + "t"}), "perm",
                  side == "k" ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 2, 1, 3});
  }
  model.node("MatMul", {"qt", "kt"}, {"scores"});
  model.node("Mul", {"scores", "half"}, {"scaled"});
  test::setInt(model.node("Softmax", {"scaled"}, {"shares"}), "axis", -1);
  model.node("MatMul", {"shares", "vt"}, {"mixed"});
  test::setInts(model.node("Transpose", {"mixed"}, {"back"}), "perm", {0, 2, 1, 3});
  model.node("Reshape", {"back", "joined"}, {"whole"});
  model.node("Add", {"whole", "x"}, {"y"});
  model.output("y");
  add(sink, model);
}

// Seed with quantisation: quantised tensors around a convolution, a concatenation and an addition.
static void addQuantised(SeedSink &sink) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 2, 4, 4});
  model.initialiser("s", Tensor::scalar(0.1F));
  model.initialiser("z", Tensor::scalar<uint8_t>(3));
  model.initialiser("w", Tensor(DType::i8, {2, 2, 1, 1}));
  model.initialiser("ws", Tensor::of<float>({2}, {0.1F, 0.2F}));
  model.initialiser("wz", Tensor(DType::i8, {2}));
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.node("DequantizeLinear", {"q", "s", "z"}, {"d"});
  test::setInt(model.node("DequantizeLinear", {"w", "ws", "wz"}, {"dw"}), "axis", 0);
  model.node("Conv", {"d", "dw"}, {"c"});
  model.node("QuantizeLinear", {"c", "s", "z"}, {"cq"});
  model.node("DequantizeLinear", {"cq", "s", "z"}, {"cd"});
  model.node("Add", {"cd", "d"}, {"sum"});
  test::setInt(model.node("Concat", {"sum", "d"}, {"joined"}), "axis", 1);
  model.node("QuantizeLinear", {"joined", "s", "z"}, {"y"});
  model.node("QLinearConv", {"q", "s", "z", "w", "ws", "wz", "s", "z"}, {"l"});
  model.output("y");
  model.output("l");
  add(sink, model);
}

// Seed with control flow: an If whose condition is constant, and a Loop of known trip count.
static void addBranches(SeedSink &sink) {
  OnnxModel model;
  model.input("x", DType::f32, {2});
  model.initialiser("yes", Tensor::scalar(true));
  model.initialiser("trips", Tensor::scalar<int64_t>(3));
  auto &branch = model.node("If", {"yes"}, {"taken"});
  for (const char *name : {"then_branch", "else_branch"}) {
    test::OnnxGraph body(test::addGraph(branch, name));
    body.node(name[0] == 't' ? "Relu" : "Neg", {"x"}, {"inside"});
    body.output("inside");
  }
  auto &loop = model.node("Loop", {"trips", "yes", "taken"}, {"y", "all"});
  test::OnnxGraph body(test::addGraph(loop, "body"));
  body.input("i", DType::i64, {});
  body.input("go", DType::boolean, {});
  body.input("before", DType::f32, {2});
  body.node("Identity", {"go"}, {"go_on"});
  body.node("Add", {"before", "x"}, {"after"});
  body.node("Identity", {"after"}, {"piece"});
  body.output("go_on");
  body.output("after");
  body.output("piece");
  model.output("y");
  model.output("all");
  add(sink, model);
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  addPicture(sink);
  addSentence(sink);
  addQuantised(sink);
  addBranches(sink);
  // ONNX's own test cases are seeds, too, except those that the compiler refuses.
  const auto cases = fuzz::onnxCases();
  for (const std::string &model : cases)
    if (compile(std::as_bytes(std::span(model))))
      sink.add(model);
  require(sink.seeds.size() > cases.size() / 2);
}
