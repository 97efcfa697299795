#include "verify/Dumps/PartOfModel.h"

#include <algorithm>
#include <set>

namespace tilerig::verify {

// Whether every value that a node reads is there when the node runs, which a change of the nodes may have spoilt.
static bool isOrdered(const reference::Graph &graph) {
  std::set<reference::ValueId> known(graph.inputs.begin(), graph.inputs.end());
  for (const auto &[id, tensor] : graph.initialisers)
    known.insert(id);
  const auto isThere = [&](reference::ValueId id) { return id == reference::absent || known.contains(id); };
  for (const reference::Node &node : graph.nodes) {
    if (!std::ranges::all_of(node.inputs, isThere))
      return false;
    known.insert(node.outputs.begin(), node.outputs.end());
  }
  return std::ranges::all_of(graph.outputs, isThere);
}

std::vector<std::string> PartOfModel::reads() const {
  std::vector<std::string> names;
  for (const reference::ValueId id : model.graph.inputs)
    names.push_back(nameOf(id));
  return names;
}

std::optional<Tensor> PartOfModel::compute(const TensorMap &known, reference::Threads &threads,
                                           uint64_t mostBytes, const Visit &visit) const {
  if (!isOrdered(model.graph))
    return std::nullopt;
  reference::NamedTensors inputs;
  for (const std::string &name : reads())
    if (const Tensor *tensor = known.find(name))
      inputs.emplace(name, *tensor);
    else
      return std::nullopt;
  reference::RunOptions options;
  options.memoryLimit = mostBytes;
  if (visit)
    options.capture = [&](const std::string &name, const Tensor &tensor) {
      visit(name, tensor);
      return success();
    };
  const auto interpreter = reference::Interpreter::create(model, std::move(options), threads);
  if (!interpreter)
    return std::nullopt;
  auto outputs = interpreter->run(inputs);
  if (!outputs || outputs->size() != 1)
    return std::nullopt;
  return std::move(outputs->begin()->second);
}

} // namespace tilerig::verify
