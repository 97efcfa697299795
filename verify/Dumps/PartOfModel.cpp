#include "verify/Dumps/PartOfModel.h"

namespace tilerig::verify {

std::vector<std::string> PartOfModel::reads() const {
  std::vector<std::string> names;
  for (const reference::ValueId id : model.graph.inputs)
    names.push_back(nameOf(id));
  return names;
}

std::optional<Tensor> PartOfModel::compute(const TensorMap &known, reference::Threads &threads, const Visit &visit) const {
  reference::NamedTensors inputs;
  for (const std::string &name : reads())
    if (const Tensor *tensor = known.find(name))
      inputs.emplace(name, *tensor);
    else
      return std::nullopt;
  reference::RunOptions options;
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
