// Tests of the interpreter around the operators: constant folding, capturing, and limits on nodes and memory.
#include "reference/Run/Interpreter.h"

#include "reference/Model/Load.h"
#include "tests/support/OnnxModel.h"

#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::OnnxGraph;
using test::OnnxModel;

Result<Interpreter> interpreterOf(const OnnxModel &model, Threads &threads, RunOptions options = {}) {
  std::string bytes = model.bytes();
  TILERIG_TRY(Model loaded, parseModel(std::as_bytes(std::span(bytes)), "m.onnx", ""));
  return Interpreter::create(std::move(loaded), std::move(options), threads);
}

// Adds the nodes that compute y = x + (a * b) and z = a * b. The product a * b can be folded.
void addFoldable(OnnxModel &model) {
  model.input("x", DType::f32, {2});
  model.initialiser("a", Tensor::of<float>({2}, {2, 3}));
  test::setTensor(model.node("Constant", {}, {"b"}), "value", Tensor::of<float>({2}, {5, 7}));
  model.node("Mul", {"a", "b"}, {"ab"});
  model.node("Neg", {"ab"}, {"unread"});
  model.node("Add", {"x", "ab"}, {"y"});
  model.output("y");
}

TEST(Interpreter, ComputesConstantsOnceAndCapturesThemAtEveryRun) {
  OnnxModel model;
  addFoldable(model);
  Threads threads(1);
  std::vector<std::string> captured;
  RunOptions options;
  options.capture = [&](const std::string &name, const Tensor &) {
    captured.push_back(name);
    return success();
  };
  // The limit of one node per run suffices only because the constant nodes have been executed before.
  auto interpreter = interpreterOf(model, threads, options);
  ASSERT_TRUE(interpreter) << interpreter.error().message();
  EXPECT_TRUE(captured.empty());
  for (float start : {1.0f, 10.0f}) {
    captured.clear();
    auto outputs = interpreter->run({{"x", Tensor::of<float>({2}, {start, start})}});
    ASSERT_TRUE(outputs) << outputs.error().message();
    EXPECT_TRUE(identical(outputs->at("y"), Tensor::of<float>({2}, {start + 10, start + 21})));
    EXPECT_EQ(captured, (std::vector<std::string>{"b", "ab", "unread", "y"}));
  }
}

TEST(Interpreter, ARunExecutesOnlyWhatDependsOnInputs) {
  OnnxModel model;
  addFoldable(model);
  Threads threads(1);
  RunOptions options;
  options.nodeLimit = 3; // the smallest limit with which the nodes that compute constants can run
  auto interpreter = interpreterOf(model, threads, options);
  ASSERT_TRUE(interpreter) << interpreter.error().message();
  EXPECT_TRUE(interpreter->run({{"x", Tensor(DType::f32, {2})}}));

  // If all nodes depend on the input, a chain of four nodes exceeds the limit of three executed nodes.
  OnnxModel chain;
  chain.input("x", DType::f32, {2});
  for (int i = 0; i < 4; ++i)
    chain.node("Neg", {i ? "v" + std::to_string(i - 1) : "x"}, {"v" + std::to_string(i)});
  chain.output("v3");
  auto longer = interpreterOf(chain, threads, options);
  ASSERT_TRUE(longer);
  auto refused = longer->run({{"x", Tensor(DType::f32, {2})}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("node 'make_v3' (Neg): the run has executed 3 nodes"),
            std::string::npos)
      << refused.error().message();
}

TEST(Interpreter, AConstantThatFailsFailsTheRunThatNeedsIt) {
  OnnxModel model;
  model.initialiser("a", Tensor(DType::f32, {2}));
  model.initialiser("b", Tensor(DType::f32, {3}));
  model.node("Add", {"a", "b"}, {"y"});
  model.output("y");
  Threads threads(1);
  auto interpreter = interpreterOf(model, threads);
  ASSERT_TRUE(interpreter);
  auto outputs = interpreter->run({});
  ASSERT_FALSE(outputs);
  EXPECT_NE(outputs.error().message().find("m.onnx: node 'make_y' (Add)"), std::string::npos);
}

TEST(Interpreter, InitialisersThatAreInputsMayBeReplaced) {
  OnnxModel model;
  model.input("x", DType::f32, {1});
  model.input("w", DType::f32, {1});
  model.initialiser("w", Tensor::of<float>({1}, {2}));
  model.node("Neg", {"w"}, {"minus"});
  model.node("Mul", {"x", "minus"}, {"y"});
  model.output("y");
  Threads threads(1);
  auto interpreter = interpreterOf(model, threads);
  ASSERT_TRUE(interpreter) << interpreter.error().message();
  Tensor x = Tensor::of<float>({1}, {3});
  for (int round = 0; round < 2; ++round) {
    auto own = interpreter->run({{"x", x}});
    ASSERT_TRUE(own) << own.error().message();
    EXPECT_EQ(own->at("y").as<float>()[0], -6);
    auto replaced = interpreter->run({{"x", x}, {"w", Tensor::of<float>({1}, {5})}});
    ASSERT_TRUE(replaced);
    EXPECT_EQ(replaced->at("y").as<float>()[0], -15);
  }
  EXPECT_FALSE(interpreter->run({{"x", x}, {"w", Tensor(DType::f32, {2})}}));
  EXPECT_FALSE(interpreter->run({{"x", x}, {"w", Tensor(DType::f64, {1})}}));
  EXPECT_FALSE(interpreter->run({{"w", x}}));
}

TEST(Interpreter, AnErrorOfTheCaptureEndsTheRun) {
  OnnxModel model;
  addFoldable(model);
  Threads threads(1);
  RunOptions options;
  options.capture = [](const std::string &name, const Tensor &) -> Status {
    return name == "y" ? Status(invalidInput("disk", "full")) : success();
  };
  auto interpreter = interpreterOf(model, threads, options);
  ASSERT_TRUE(interpreter);
  auto outputs = interpreter->run({{"x", Tensor(DType::f32, {2})}});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().what, "full");
}

// Adds a Loop of `trips` iterations that adds 1 to a loop-carried number.
void addLoop(OnnxModel &model, int64_t trips) {
  model.initialiser("trips", Tensor::scalar(trips));
  model.initialiser("going", Tensor::scalar(true));
  model.input("start", DType::f32, {});
  auto &node = model.node("Loop", {"trips", "going", "start"}, {"end"});
  OnnxGraph body(test::addGraph(node, "body"));
  body.input("i", DType::i64, {});
  body.input("go", DType::boolean, {});
  body.input("before", DType::f32, {});
  body.initialiser("one", Tensor::scalar(1.0f));
  body.node("Add", {"before", "one"}, {"after"});
  body.node("Identity", {"go"}, {"go_on"});
  body.output("go_on");
  body.output("after");
  model.output("end");
}

TEST(Interpreter, EndlessLoopsEnd) {
  OnnxModel model, endless;
  addLoop(model, 1000);
  addLoop(endless, INT64_MAX);
  Threads threads(1);
  RunOptions options;
  options.nodeLimit = 3001; // executed nodes: one for the loop, and three for each iteration
  auto interpreter = interpreterOf(model, threads, options);
  ASSERT_TRUE(interpreter);
  auto outputs = interpreter->run({{"start", Tensor::scalar(0.5f)}});
  ASSERT_TRUE(outputs) << outputs.error().message();
  EXPECT_EQ(outputs->at("end").as<float>()[0], 1000.5f);
  for (uint64_t limit : {uint64_t{3000}, uint64_t{100000}}) {
    options.nodeLimit = limit;
    auto refused = interpreterOf(limit == 3000 ? model : endless, threads, options)
                       ->run({{"start", Tensor::scalar(0.5f)}});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("node 'make_end' (Loop)"), std::string::npos);
    EXPECT_NE(refused.error().message().find("the largest number allowed"), std::string::npos);
  }
}

TEST(Interpreter, MemoryIsLimitedAndGivenBack) {
  OnnxModel model;
  model.input("shape", DType::i64, {2});
  model.node("ConstantOfShape", {"shape"}, {"zeros"});
  model.node("Neg", {"zeros"}, {"y"});
  model.output("y");
  Threads threads(1);
  RunOptions options;
  options.memoryLimit = 1 << 20;
  auto interpreter = interpreterOf(model, threads, options);
  ASSERT_TRUE(interpreter);
  // The test keeps only the result of the last run. If the interpreter kept memory after a run, so many runs
  // would exceed the limit.
  Result<NamedTensors> last = NamedTensors();
  for (int round = 0; round < 20; ++round) {
    last = interpreter->run({{"shape", Tensor::of<int64_t>({2}, {100, 1000})}});
    ASSERT_TRUE(last) << last.error().message();
    EXPECT_EQ(last->at("y").shape(), (Shape{100, 1000}));
  }
  for (int64_t size : {int64_t{1} << 10, int64_t{1} << 20, int64_t{1} << 30}) {
    auto refused = interpreter->run({{"shape", Tensor::of<int64_t>({2}, {size, 1024})}});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("m.onnx: node 'make_zeros' (ConstantOfShape)"),
              std::string::npos)
        << refused.error().message();
  }
}

// The result of a matrix product alone fits in the memory limit, but result and packed operands together
// exceed it. All memory counts, whichever thread allocates it.
TEST(Interpreter, ScratchMemoryIsLimitedToo) {
  OnnxModel model;
  for (const char *name : {"a", "b"})
    model.input(name, DType::f32, {512, 512});
  model.node("MatMul", {"a", "b"}, {"y"});
  model.output("y");
  Tensor matrix(DType::f32, {512, 512});
  for (unsigned count : {1u, 4u}) {
    Threads threads(count);
    RunOptions options;
    options.memoryLimit = 2 << 20;
    auto refused = interpreterOf(model, threads, options)->run({{"a", matrix}, {"b", matrix}});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find(
                  "node 'make_y' (MatMul): the operator needs more memory than is available"),
              std::string::npos)
        << refused.error().message();
    options.memoryLimit = 8 << 20;
    auto interpreter = interpreterOf(model, threads, options);
    for (int round = 0; round < 5; ++round)
      EXPECT_TRUE(interpreter->run({{"a", matrix}, {"b", matrix}}));
  }
}

// Worker threads of a loop charge their allocations to the budget of the thread that started the loop.
TEST(Interpreter, WorkersHaveTheBudgetOfTheLoop) {
  Threads threads(3);
  auto budget = std::make_shared<MemoryBudget>(1 << 20);
  std::atomic<int> others = 0;
  auto look = [&](int64_t, int64_t) { others += MemoryScope::current() != budget; };
  {
    MemoryScope scope(budget);
    threads.forEach(1000, 1, look);
  }
  EXPECT_EQ(others, 0);
  budget = nullptr;
  threads.forEach(1000, 1, look);
  EXPECT_EQ(others, 0);
}

TEST(Interpreter, PrecisionHoldsForInitialisersConstantsAndResults) {
  OnnxModel model;
  model.input("x", DType::f32, {1});
  model.initialiser("a", Tensor::of<float>({1}, {1.0f / 3}));
  model.node("Identity", {"a"}, {"constant"});
  model.node("Add", {"x", "constant"}, {"y"});
  model.output("y");
  Threads threads(1);
  Tensor zero(DType::f32, {1});
  auto run = [&](Precision precision) {
    RunOptions options;
    options.precision = precision;
    auto outputs = interpreterOf(model, threads, options)->run({{"x", zero}});
    EXPECT_TRUE(outputs);
    return outputs->at("y");
  };
  EXPECT_EQ(run(Precision::fp32).as<float>()[0], 1.0f / 3);
  EXPECT_EQ(run(Precision::fp64).as<double>()[0], static_cast<double>(1.0f / 3));
  EXPECT_EQ(run(Precision::fp16).as<float>()[0], 0x1.554p-2f); // fp16 rounds 1/3 to 11 bits
  EXPECT_EQ(run(Precision::bf16).as<float>()[0], 0x1.56p-2f);  // bf16 rounds 1/3 to 8 bits
}

// An exception in a loop body reaches the caller and leaves the thread pool usable.
TEST(Threads, PassOnWhatABodyThrows) {
  Threads threads(3);
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(threads.forEach(1000, 1,
                                 [](int64_t begin, int64_t) {
                                   if (begin % 3 == 0)
                                     throw std::bad_alloc();
                                 }),
                 std::bad_alloc);
    std::atomic<int64_t> sum = 0;
    threads.forEach(1000, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        sum += i;
    });
    EXPECT_EQ(sum, 499500);
  }
}

} // namespace
} // namespace tilerig::reference
