#include "emulator/Framework/ReferenceFramework.h"

#include "reference/Model/Load.h"

#include <fmt/core.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

namespace tilerig {

namespace {

constexpr const char *place = "a part of the model that the framework runs";
constexpr int mostNesting = 100; // limit on how deep protobuf messages may be nested in the text of a model

// Keeps the first error of protobuf's text parser, which would otherwise print all errors.
class FirstError final : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string &message) override {
    if (text.empty())
      text = fmt::format("{}:{}: {}", line + 1, column + 1, message);
  }
  std::string text;
};

} // namespace

Result<const reference::Interpreter *> ReferenceFramework::interpreterOf(const std::string &model) {
  if (const auto known = interpreters.find(model); known != interpreters.end())
    return &known->second;
  onnx::ModelProto proto;
  google::protobuf::TextFormat::Parser parser;
  FirstError error;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(mostNesting);
  if (!parser.ParseFromString(model, &proto))
    return invalidInput(place, "the text is not an ONNX model in protobuf's text form: " + error.text,
                        "compile the model again with this version of tilerig");
  const std::string bytes = proto.SerializeAsString();
  TILERIG_TRY(reference::Model parsed, reference::parseModel(std::as_bytes(std::span(bytes)), place, ""));
  if (!pool)
    pool = std::make_unique<reference::Threads>(threads);
  reference::RunOptions options = limits;
  options.arithmetic = reference::Arithmetic::machine;
  TILERIG_TRY(reference::Interpreter interpreter,
              reference::Interpreter::create(std::move(parsed), std::move(options), *pool));
  return &interpreters.emplace(model, std::move(interpreter)).first->second;
}

Result<std::vector<Tensor>> ReferenceFramework::run(const std::string &model,
                                                    const std::vector<const Tensor *> &inputs) {
  TILERIG_TRY(const reference::Interpreter *const interpreter, interpreterOf(model));
  const reference::Graph &graph = interpreter->model().graph;
  if (graph.inputs.size() != inputs.size())
    return invalidInput(place, fmt::format("the model has {} inputs, but the host stage that runs it has {}",
                                           graph.inputs.size(), inputs.size()));
  const auto nameOf = [&](reference::ValueId id) { return graph.values[static_cast<size_t>(id)].name; };
  reference::NamedTensors named;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i])
      return invalidInput(
          place,
          fmt::format("the model needs its input {}, which the host stage that runs it leaves out", i));
    named.emplace(nameOf(graph.inputs[i]), *inputs[i]);
  }
  TILERIG_TRY(reference::NamedTensors results, interpreter->run(named));
  std::vector<Tensor> outputs;
  for (const reference::ValueId output : graph.outputs)
    outputs.push_back(std::move(results.at(nameOf(output))));
  return outputs;
}

} // namespace tilerig
