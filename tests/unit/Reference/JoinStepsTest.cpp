// Tests of operator fusion in the interpreter: which element-wise nodes are joined with the operator before
// them, and that joining changes no bit of the results.
#include "reference/Run/JoinSteps.h"

#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/OnnxModel.h"
#include "tests/unit/Reference/Elements.h"

namespace tilerig::reference {
namespace {

using test::OnnxModel;

Model load(const OnnxModel &model) {
  std::string bytes = model.bytes();
  auto loaded = parseModel(std::as_bytes(std::span(bytes)), "m.onnx", "");
  EXPECT_TRUE(loaded) << loaded.error().message();
  return std::move(*loaded);
}

// A model with a convolution followed by a chain of nodes.
struct ConvChain {
  OnnxModel model;
  Draw draw;
  int64_t channels;
  std::string end = "y0";

  ConvChain(unsigned seed, Shape x, Shape w, int64_t group, Ints pads) : draw(seed), channels(w[0]) {
    model.input("x", DType::f32, x);
    model.initialiser("w", draw.normals<float>(w));
    model.initialiser("b", draw.normals<float>({channels}));
    auto &conv = model.node("Conv", {"x", "w", "b"}, {end});
    test::setInt(conv, "group", group);
    test::setInts(conv, "pads", pads);
  }
  void follow(const std::string &op, std::vector<Tensor> constants) {
    test::Names inputs = {end};
    for (Tensor &constant : constants) {
      inputs.push_back(end + "." + std::to_string(inputs.size()));
      model.initialiser(inputs.back(), constant);
    }
    end += "'";
    model.node(op, inputs, {end});
  }
  void normalise() {
    Tensor variance = draw.normals<float>({channels});
    for (float &x : variance.mutableAs<float>())
      x = x * x + 0.1f;
    follow("BatchNormalization", {draw.normals<float>({channels}), draw.normals<float>({channels}),
                                  draw.normals<float>({channels}), variance});
  }
  void clip() { follow("Clip", {Tensor::of<float>({}, {-0.5f}), Tensor::of<float>({}, {0.75f})}); }

  size_t numJoined() {
    Threads threads(1);
    Model loaded = load(model);
    auto plan = makePlan(loaded.graph, Precision::fp32);
    EXPECT_TRUE(plan);
    joinSteps(*plan, threads);
    return static_cast<size_t>(std::ranges::count_if(plan->steps, &Step::joined));
  }
};

// Runs the convolution and the nodes after it. If values are captured, every node must give its own result,
// so no nodes are joined.
Tensor outputOf(ConvChain &chain, const Tensor &x, bool capture, unsigned numThreads) {
  Threads threads(numThreads);
  RunOptions options;
  if (capture)
    options.capture = [](const std::string &, const Tensor &) { return success(); };
  auto interpreter = Interpreter::create(load(chain.model), std::move(options), threads);
  EXPECT_TRUE(interpreter) << interpreter.error().message();
  auto outputs = interpreter->run({{"x", x}});
  EXPECT_TRUE(outputs) << outputs.error().message();
  return outputs->begin()->second;
}

TEST(JoinSteps, BitsAreThoseOfTheNodesOneByOne) {
  Draw draw(1);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int64_t group = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 8 : 2, kernel = draw.from(0, 1) ? 3 : 1;
    const int64_t in = 8 * draw.from(1, 5), out = seed % 3 == 1 ? in : 2 * draw.from(1, 40);
    const Shape x = {draw.from(1, 2), in, draw.from(kernel, 30), draw.from(kernel, 30)};
    const int64_t groups = seed % 3 == 1 ? in : group, pad = kernel / 2;
    ConvChain chain(seed, x, {out, in / groups, kernel, kernel}, groups, {pad, pad, 0, pad});
    size_t wanted = 0;
    if (draw.from(0, 3))
      chain.normalise(), ++wanted;
    if (draw.from(0, 1))
      chain.follow("Relu", {}), ++wanted;
    if (draw.from(0, 1))
      chain.clip(), ++wanted;
    chain.model.output(chain.end);
    EXPECT_EQ(chain.numJoined(), wanted);
    const Tensor input = draw.normals<float>(x), expected = outputOf(chain, input, true, 1);
    for (unsigned threads : {1u, 2u, 3u})
      EXPECT_TRUE(identical(outputOf(chain, input, false, threads), expected)) << seed;
  }
}

TEST(JoinSteps, ValuesWithOtherReadersAreKept) {
  const Shape x = {1, 4, 5, 5}, w = {6, 4, 1, 1};
  const auto chain = [&] { return std::make_unique<ConvChain>(1, x, w, 1, Ints(4)); };
  auto isOutput = chain();
  isOutput->model.output(isOutput->end);
  isOutput->normalise();
  isOutput->model.output(isOutput->end);
  EXPECT_EQ(isOutput->numJoined(), 0);

  auto readTwice = chain();
  readTwice->model.node("Neg", {readTwice->end}, {"neg"});
  readTwice->model.output("neg");
  readTwice->follow("Relu", {});
  readTwice->model.output(readTwice->end);
  EXPECT_EQ(readTwice->numJoined(), 0);

  auto inBetween = chain();
  inBetween->normalise();
  inBetween->model.output(inBetween->end);
  inBetween->follow("Relu", {});
  inBetween->model.output(inBetween->end);
  EXPECT_EQ(inBetween->numJoined(), 1);
}

TEST(JoinSteps, WhatIsNotConstantOrDoesNotFitStaysANode) {
  const Shape x = {1, 4, 5, 5}, w = {6, 4, 1, 1};
  ConvChain bound(1, x, w, 1, Ints(4));
  bound.model.input("high", DType::f32, {});
  bound.model.node("Clip", {bound.end, "", "high"}, {"y"});
  bound.model.output("y");
  EXPECT_EQ(bound.numJoined(), 0);

  // A normalisation with five statistics for six channels is invalid. It is not joined with the convolution,
  // and its own kernel refuses it.
  ConvChain wrong(1, x, w, 1, Ints(4));
  wrong.channels = 5;
  wrong.normalise();
  wrong.model.output(wrong.end);
  EXPECT_EQ(wrong.numJoined(), 0);
  Threads threads(1);
  auto interpreter = Interpreter::create(load(wrong.model), {}, threads);
  ASSERT_TRUE(interpreter);
  auto refused = interpreter->run({{"x", Tensor(DType::f32, x)}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("BatchNormalization"), std::string::npos);

  // An initialiser that is also a model input may be replaced at run time, so a node that reads it is not
  // joined.
  ConvChain replaced(1, x, w, 1, Ints(4));
  replaced.model.input("low", DType::f32, {});
  replaced.model.initialiser("low", Tensor::of<float>({}, {0}));
  replaced.model.node("Clip", {replaced.end, "low"}, {"y"});
  replaced.model.output("y");
  EXPECT_EQ(replaced.numJoined(), 0);
}

} // namespace
} // namespace tilerig::reference
