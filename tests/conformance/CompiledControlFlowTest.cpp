// Tests which models with branches and loops the compiler refuses.
#include "tests/conformance/CompiledRefusals.h"

namespace tilerig::test {
namespace {

// Adds an If on a condition of the run, whose branches are these operators on x.
void addBranches(OnnxModel &model, const char *whenTrue, const char *whenFalse) {
  model.input("x", DType::f32, {1, 4});
  model.input("condition", DType::boolean, {});
  onnx::NodeProto &node = model.node("If", {"condition"}, {"y"});
  for (const auto &[branch, type] : {std::pair{"then_branch", whenTrue}, {"else_branch", whenFalse}}) {
    OnnxGraph inner(addGraph(node, branch));
    inner.node(type, {"x"}, {branch});
    inner.output(branch);
  }
}

TEST(CompiledControlFlow, NeedsBranchesOfOneType) {
  OnnxModel types(17), ranks(17), sequences(17);
  addBranches(types, "Relu", "Shape");
  types.output("y");
  expectUnsupported(types, "the branches give tensors of different types or ranks");
  addBranches(ranks, "Relu", "Squeeze");
  ranks.output("y");
  expectUnsupported(ranks, "the branches give tensors of different types or ranks");
  addBranches(sequences, "SequenceConstruct", "SequenceConstruct");
  setInt(sequences.node("ConcatFromSequence", {"y"}, {"z"}), "axis", 0);
  sequences.output("z");
  expectUnsupported(sequences, "the branches give sequences");
}

// A loop with one step for each nonzero element of x; each step appends a row of x to the loop's variable.
void addGrowingLoop(OnnxModel &model, const Names &joined, int axis) {
  model.input("x", DType::f32, {4, 4});
  model.initialiser("axes", ints({0}));
  model.initialiser("one", Tensor::scalar<int64_t>(1));
  model.initialiser("none", Tensor(DType::f32, {0, 4}));
  model.node("NonZero", {"x"}, {"places"});
  model.node("Shape", {"places"}, {"sizes"});
  model.node("Gather", {"sizes", "one"}, {"trips"});
  onnx::NodeProto &node = model.node("Loop", {"trips", "", "none"}, {"y"});
  OnnxGraph body(addGraph(node, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.graph.add_input()->set_name("before");
  body.node("Gather", {"x", "one"}, {"row"});
  body.node("Unsqueeze", {"row", "axes"}, {"piece"});
  body.node("Identity", {"before"}, {"same"});
  setInt(body.node("Concat", joined, {"after"}), "axis", axis);
  body.output("condition");
  body.output("after");
  model.output("y");
}

TEST(CompiledGrowingLoops, AppendInEveryStep) {
  OnnxModel model(17);
  addGrowingLoop(model, {"same", "piece"}, 0);
  const auto error = compilerError(model.bytes());
  EXPECT_FALSE(error) << error->message();
}

// Refused: Concat reads the variable twice, or never, or joins along an axis of unknown length.
TEST(CompiledGrowingLoops, AppendToTheVariableOnce) {
  for (const auto &[joined, axis] :
       {std::pair{Names{"same", "before", "piece"}, 0}, {{"piece", "piece"}, 0}, {{"same", "piece"}, 1}}) {
    OnnxModel model(17);
    addGrowingLoop(model, joined, axis);
    EXPECT_TRUE(compilerError(model.bytes())) << joined.size() << " along axis " << axis;
  }
}

// The body cannot be imported, and its Softmax has changed since operator set 11, so it cannot be kept either.
TEST(CompiledControlFlow, NeedsOperatorsThatHaveNotChanged) {
  OnnxModel model(11);
  model.input("x", DType::f32, {4, 4});
  model.input("trips", DType::i64, {});
  onnx::NodeProto &node = model.node("Loop", {"trips", "", "x"}, {"y"});
  OnnxGraph inner(addGraph(node, "body"));
  inner.input("step", DType::i64, {});
  inner.input("condition", DType::boolean, {});
  inner.input("state", DType::f32, {4, 4});
  setInts(inner.node("Unsqueeze", {"step"}, {"list"}), "axes", {0});
  inner.node("Slice", {"state", "list", "list"}, {"part"});
  inner.node("Softmax", {"part"}, {"shares"});
  inner.node("Identity", {"condition"}, {"goes_on"});
  inner.node("Identity", {"state"}, {"next"});
  inner.output("goes_on");
  inner.output("next");
  model.output("y");
  const auto error = compilerError(model.bytes());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::unsupported);
  EXPECT_NE(error->message().find("Softmax, which is not ONNX's or has changed since operator set 11"),
            std::string::npos)
      << error->message();
}

} // namespace
} // namespace tilerig::test
