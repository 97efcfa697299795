// Tests which models with sequences of tensors the compiler refuses.
#include "tests/conformance/CompiledRefusals.h"

namespace tilerig::test {
namespace {

TEST(CompiledSequences, AreNoOutputs) {
  for (const bool isDeclared : {false, true}) {
    OnnxModel model(17);
    model.input("x", DType::f32, {1, 4});
    model.node("SequenceConstruct", {"x", "x"}, {"y"});
    model.output("y");
    if (isDeclared)
      model.graph.mutable_output(0)->mutable_type()->mutable_sequence_type();
    expectSameReason(model, "output 'y' is a sequence, but inputs and outputs of a model must be tensors");
  }
}

TEST(CompiledSequences, AreNoInputs) {
  OnnxModel model(17);
  model.graph.add_input()->set_name("x");
  model.graph.mutable_input(0)->mutable_type()->mutable_sequence_type();
  setInt(model.node("ConcatFromSequence", {"x"}, {"y"}), "axis", 0);
  model.output("y");
  expectSameReason(model, "input 'x' is a sequence, but inputs and outputs of a model must be tensors");
}

TEST(CompiledSequences, AreReadByOperatorsOnSequencesOnly) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  onnx::NodeProto &node = model.node("Relu", {"s"}, {"y"});
  model.output("y");
  expectSameReason(model, "node 'make_y' (Relu): input 0 is a sequence of tensors, expected a tensor");
  node.set_op_type("Optional");
  expectUnsupported(model, "node 'make_y' (Optional): the operator cannot read a sequence");
}

// Adds a Loop whose body returns a tensor or a sequence, which the loop collects.
void addCollectingLoop(OnnxModel &model, const std::string &trips, const std::string &condition,
                       const std::string &collected) {
  model.input("x", DType::f32, {1, 4});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  model.initialiser("two", Tensor::scalar<int64_t>(2));
  model.node("Size", {"x"}, {"count"});
  onnx::NodeProto &node = model.node("Loop", {trips, condition}, {"y"});
  OnnxGraph body(addGraph(node, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.node("Identity", {"condition"}, {"again"});
  body.node("SequenceErase", {"s"}, {"less"});
  body.output("again");
  body.output(collected);
  model.output("y");
}

TEST(CompiledSequences, DoNotControlLoops) {
  OnnxModel trips(17), condition(17);
  addCollectingLoop(trips, "s", "", "step");
  expectSameReason(trips, "node 'make_y' (Loop): input 0 is a sequence of tensors, expected a tensor");
  addCollectingLoop(condition, "two", "s", "step");
  expectSameReason(condition, "node 'make_y' (Loop): input 1 is a sequence of tensors, expected a tensor");
}

TEST(CompiledSequences, AreNotStacked) {
  OnnxModel model(17);
  addCollectingLoop(model, "two", "", "less");
  expectSameReason(model, "node 'make_y' (Loop): a value is a sequence of tensors, expected a tensor");
}

// Loops of more steps than are unrolled are kept as a whole.
TEST(CompiledSequences, AreNotStackedByKeptLoops) {
  OnnxModel model(17);
  model.initialiser("many", Tensor::scalar<int64_t>(5000));
  addCollectingLoop(model, "many", "", "less");
  expectSameReason(model, "node 'make_y' (Loop): a value is a sequence of tensors, expected a tensor");
}

TEST(CompiledSequences, AreNoStatesOfAScan) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  onnx::NodeProto &scan = model.node("Scan", {"x", "x"}, {"y"});
  setInt(scan, "num_scan_inputs", 1);
  OnnxGraph body(addGraph(scan, "body"));
  body.graph.add_input()->set_name("state");
  body.input("row", DType::f32, {4});
  body.node("SequenceConstruct", {"state"}, {"next"});
  body.output("next");
  model.output("y");
  expectSameReason(model, "node 'make_y' (Scan): a value is a sequence of tensors, expected a tensor");
}

// A body of which the shapes depend on data is kept as it is.
TEST(CompiledSequences, AreNotReadByKeptBodies) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.input("trips", DType::i64, {});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  onnx::NodeProto &loop = model.node("Loop", {"trips", "", "x"}, {"y"});
  OnnxGraph body(addGraph(loop, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.input("state", DType::f32, {1, 4});
  body.node("SequenceAt", {"s", "step"}, {"next"});
  body.output("condition");
  body.output("next");
  model.output("y");
  expectUnsupported(model, "a subgraph reads a sequence from the graph around it");
}

TEST(CompiledSequences, AreCarriedByUnrolledLoopsOnly) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.input("trips", DType::i64, {});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  onnx::NodeProto &node = model.node("Loop", {"trips", "", "s"}, {"t"});
  OnnxGraph body(addGraph(node, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.graph.add_input()->set_name("list");
  body.node("SequenceInsert", {"list", "x"}, {"longer"});
  body.output("condition");
  body.output("longer");
  setInt(model.node("ConcatFromSequence", {"t"}, {"y"}), "axis", 0);
  model.output("y");
  expectUnsupported(
      model, "the loop carries a sequence, but its number of steps is known only at run time or too large");
}

TEST(CompiledSequences, NeedKnownPositions) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.input("position", DType::i64, {});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  model.node("SequenceAt", {"s", "position"}, {"y"});
  model.output("y");
  expectUnsupported(model, "the position must be a constant known at compile time");
}

TEST(CompiledSequences, HaveOnlyThePositionsOfTheirTensors) {
  for (const int64_t position : {-3, 2, 3})
    for (const char *type : {"SequenceAt", "SequenceErase", "SequenceInsert"}) {
      const bool isInsertion = type == std::string("SequenceInsert"),
                 isReading = type == std::string("SequenceAt");
      if (position == 2 && isInsertion)
        continue; // the position behind the last tensor
      OnnxModel model(17);
      model.input("x", DType::f32, {1, 4});
      model.initialiser("position", Tensor::scalar<int64_t>(position));
      model.node("SequenceConstruct", {"x", "x"}, {"s"});
      model.node(type, isInsertion ? Names{"s", "x", "position"} : Names{"s", "position"}, {"t"});
      model.node(isReading ? "Relu" : "SequenceLength", {"t"}, {"y"});
      model.output("y");
      expectSameReason(model, "position " + std::to_string(position) + " is outside a sequence of 2 tensors");
    }
}

TEST(CompiledSequences, OfNoTensorsAreNotJoined) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.node("SequenceEmpty", {}, {"s"});
  setInt(model.node("ConcatFromSequence", {"s"}, {"y"}), "axis", 0);
  model.output("y");
  expectSameReason(model, "the sequence has no tensors to concatenate");
}

TEST(CompiledSequences, AreWhatTheirOperatorsRead) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.node("SequenceLength", {"x"}, {"y"});
  model.output("y");
  expectSameReason(model, "node 'make_y' (SequenceLength): input 0 is not a sequence");
}

} // namespace
} // namespace tilerig::test
