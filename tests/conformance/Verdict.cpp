#include "tests/conformance/Verdict.h"

#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/conformance/Compare.h"

#include <fmt/core.h>

namespace tilerig::conformance {

using namespace reference;

namespace {

Status checkSet(const Interpreter &interpreter, const DataSet &set) {
  const Graph &graph = interpreter.model().graph;
  if (set.inputs.size() < graph.inputs.size() || set.outputs.size() != graph.outputs.size())
    return invalidInput("test data", fmt::format("has {} inputs and {} outputs, but the model has {} and {}",
                                                 set.inputs.size(), set.outputs.size(), graph.inputs.size(),
                                                 graph.outputs.size()));
  NamedTensors inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Value &value = graph.values[graph.inputs[i]];
    inputs[value.name] = value.declared ? asMeant(set.inputs[i], value.declared->type) : set.inputs[i];
  }
  TILERIG_TRY(NamedTensors results, interpreter.run(inputs));
  for (size_t i = 0; i < set.outputs.size(); ++i) {
    const std::string &name = graph.values[graph.outputs[i]].name;
    TILERIG_CHECK_OK(compare(name, results.at(name), set.outputs[i]));
  }
  return success();
}

Status check(const Case &testCase, Threads &threads) {
  TILERIG_TRY(Model model, loadModel((testCase.folder / "model.onnx").string()));
  TILERIG_TRY(Interpreter interpreter, Interpreter::create(std::move(model), {}, threads));
  TILERIG_TRY(std::vector<DataSet> sets, dataSetsOf(testCase));
  for (const DataSet &set : sets)
    TILERIG_CHECK_OK(checkSet(interpreter, set));
  return success();
}

} // namespace

Verdict judge(const Case &testCase, Threads &threads) {
  auto scope = scopeOf(testCase);
  if (!scope)
    return {Outcome::failed, scope.error().message(), {}};
  if (!scope->leftOut.empty())
    return {Outcome::leftOut, std::string(scope->leftOut), std::move(scope->operators)};
  Status status = check(testCase, threads);
  if (!status)
    return {Outcome::failed, status.error().message(), std::move(scope->operators)};
  return {Outcome::passed, "", std::move(scope->operators)};
}

} // namespace tilerig::conformance
