#include "tests/conformance/Scope.h"

#include <algorithm>
#include <fstream>
#include <onnx/onnx_pb.h>

namespace tilerig::conformance {

namespace {

constexpr std::string_view training = "training", random = "random", strings = "strings",
                           sequences = "sequences as inputs or outputs", optionals = "optional values",
                           contradiction = "its data contradict its model";

struct NamedCase {
  std::string_view name, reason;
};
// Cases that are left out because of their test data. They are listed by name, since the rules below look
// only at the model of a case.
constexpr NamedCase namedCases[] = {
    // These cases contradict themselves: the model declares the input `like` as 3 × 4, but the test data has
    // a single element.
    {"test_castlike_BFLOAT16_to_FLOAT", contradiction},
    {"test_castlike_BFLOAT16_to_FLOAT_expanded", contradiction},
    {"test_castlike_FLOAT_to_BFLOAT16", contradiction},
    {"test_castlike_FLOAT_to_BFLOAT16_expanded", contradiction},
    // Dropout in training mode: the expected outputs depend on numpy's random number generator.
    {"test_training_dropout", random},
    {"test_training_dropout_default", random},
    {"test_training_dropout_default_mask", random},
    {"test_training_dropout_mask", random},
};

std::string_view reasonOfOperator(const onnx::NodeProto &node) {
  static const std::set<std::string_view> randomOps = {
      "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
  static const std::set<std::string_view> stringOps = {"RegexFullMatch", "StringConcat", "StringNormalizer",
                                                       "StringSplit"};
  const std::string &op = node.op_type();
  if (node.domain() == "ai.onnx.preview.training" || node.domain() == "ai.onnx.training")
    return training;
  if (randomOps.contains(op))
    return random;
  if (stringOps.contains(op))
    return strings;
  return op.starts_with("Optional") ? optionals : std::string_view();
}

std::string_view reasonOfType(const onnx::TypeProto &type) {
  if (type.has_tensor_type() && type.tensor_type().elem_type() == onnx::TensorProto::STRING)
    return strings;
  return type.has_optional_type() ? optionals : std::string_view();
}

bool areTensors(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> &values) {
  return std::ranges::none_of(values, [](const auto &value) { return value.type().has_sequence_type(); });
}

// Collects the operators of the graph and of nested graphs. If anything in them puts the test case out of
// scope, stores the first such reason.
void readGraph(const onnx::GraphProto &graph, Scope &scope) {
  auto note = [&](std::string_view reason) {
    if (scope.leftOut.empty())
      scope.leftOut = reason;
  };
  for (const auto *values : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto &value : *values)
      note(reasonOfType(value.type()));
  for (const onnx::NodeProto &node : graph.node()) {
    scope.operators.insert(node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type());
    note(reasonOfOperator(node));
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        readGraph(attribute.g(), scope);
  }
}

} // namespace

Result<Scope> scopeOf(const Case &testCase) {
  auto path = testCase.folder / "model.onnx";
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return invalidInput(path.string(), "cannot be read");
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&file))
    return invalidInput(path.string(), "the file is not an ONNX model");
  Scope scope;
  auto named = std::find_if(std::begin(namedCases), std::end(namedCases),
                            [&](const NamedCase &known) { return known.name == testCase.name; });
  if (named != std::end(namedCases))
    scope.leftOut = named->reason;
  readGraph(model.graph(), scope);
  if (scope.leftOut.empty() && !(areTensors(model.graph().input()) && areTensors(model.graph().output())))
    scope.leftOut = sequences;
  return scope;
}

} // namespace tilerig::conformance
