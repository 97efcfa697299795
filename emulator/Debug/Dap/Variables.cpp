#include "emulator/Debug/Dap/Variables.h"

#include "emulator/Debug/Console/TensorText.h"
#include "emulator/Debug/Console/Views.h"
#include "emulator/Memory/Stored.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

Json variable(const std::string &name, const std::string &value, int reference = 0) {
  return {{"name", name}, {"value", value}, {"variablesReference", reference}};
}

} // namespace

void Variables::clear() {
  groups.clear();
  read.clear();
}

int Variables::add(Group group) {
  groups.push_back(std::move(group));
  return static_cast<int>(groups.size());
}

Json Variables::scopesOf(ThreadId thread, std::optional<uint32_t> layer) {
  const auto scope = [&](const char *name, Group group, bool isExpensive) {
    return Json{{"name", name}, {"variablesReference", add(std::move(group))}, {"expensive", isExpensive}};
  };
  Json scopes = Json::array();
  if (layer) {
    scopes.push_back(scope("Tensors of the layer", {.kind = Kind::layerTensors, .layer = *layer}, false));
  } else {
    scopes.push_back(scope("Engine", {.kind = Kind::engine, .thread = thread}, false));
    scopes.push_back(scope("Semaphores of the tile", {.kind = Kind::semaphores, .thread = thread}, false));
  }
  scopes.push_back(scope("All tensors", {.kind = Kind::allTensors}, true));
  return scopes;
}

Result<Json> Variables::variablesOf(int reference, uint64_t start, uint64_t count) {
  if (reference < 1 || static_cast<size_t>(reference) > groups.size())
    return usageError(fmt::format("variablesReference {}", reference),
                      "there is no such reference since the run has moved");
  const Group group = groups[static_cast<size_t>(reference) - 1];
  switch (group.kind) {
  case Kind::engine:
    return engine(group.thread);
  case Kind::semaphores:
    return semaphores(tileOfThread(group.thread));
  case Kind::layerTensors:
    return tensors(group.layer);
  case Kind::allTensors:
    return tensors({});
  case Kind::tensor:
    return elements(group, start, count);
  }
  return Json::array();
}

std::string Variables::tensorNamed(int reference, const std::string &name) const {
  if (reference >= 1 && static_cast<size_t>(reference) <= groups.size())
    if (const Group &group = groups[static_cast<size_t>(reference) - 1]; group.kind == Kind::tensor)
      return group.tensor;
  const auto &all = debugger.program().metadata.tensors();
  return std::ranges::count(all, name, &proto::Tensor::name) > 0 ? name : "";
}

Json Variables::engine(ThreadId thread) const {
  Json variables = Json::array();
  variables.push_back(variable("cycle", std::to_string(debugger.cycle())));
  if (!debugger.engineStates())
    return variables;
  const ThreadState state = debugger.engineStates()->threadAt(thread, debugger.stateCycle());
  variables.push_back(
      variable("state", std::string(EnumNames<Activity>::values[static_cast<size_t>(state.activity)])));
  if (state.activity != Activity::done) {
    variables.push_back(variable("instruction", std::to_string(state.instruction)));
    variables.push_back(variable("begin", std::to_string(state.time.begin)));
    variables.push_back(variable("end", std::to_string(state.time.end)));
  }
  if (const std::string need = waitText(debugger, state); !need.empty())
    variables.push_back(variable("waits for", need));
  variables.push_back(variable("queue", fmt::format("{}", fmt::join(state.queue, " "))));
  return variables;
}

Json Variables::semaphores(uint32_t tile) const {
  Json variables = Json::array();
  if (debugger.engineStates())
    for (const SemaphoreState &state : debugger.engineStates()->semaphoresAt(debugger.stateCycle()))
      if (state.tile == tile)
        variables.push_back(variable(std::to_string(state.semaphore),
                                     state.waitedFor
                                         ? fmt::format("{} (waited for: {})", state.value, state.waitedFor)
                                         : std::to_string(state.value)));
  return variables;
}

Json Variables::tensors(std::optional<uint32_t> layer) {
  Json variables = Json::array();
  for (const proto::Tensor &tensor : debugger.program().metadata.tensors()) {
    if (tensor.pieces().empty() || (layer && tensor.layer() != *layer))
      continue;
    const Shape shape(tensor.shape().begin(), tensor.shape().end());
    Json entry = variable(tensor.name(), fmt::format("{} {}", tensor.dtype(), showShape(shape)),
                          add({.kind = Kind::tensor, .tensor = tensor.name(), .position = {}}));
    if (!shape.empty())
      entry["indexedVariables"] = shape.front();
    entry["memoryReference"] = describe(Location{
        tensor.pieces(0).ddr() ? ddrMemory : ocmOf(tensor.pieces(0).tile()), tensor.pieces(0).address()});
    variables.push_back(std::move(entry));
  }
  return variables;
}

Result<const Tensor *> Variables::tensor(const std::string &name) {
  auto at = read.find(name);
  if (at == read.end()) {
    TILERIG_TRY(Tensor tensor, debugger.tensor(name));
    at = read.emplace(name, std::move(tensor)).first;
  }
  return &at->second;
}

Result<Json> Variables::elements(const Group &group, uint64_t start, uint64_t count) {
  TILERIG_TRY(const Tensor *whole, tensor(group.tensor));
  Json variables = Json::array();
  const size_t axis = group.position.size();
  if (axis >= whole->rank()) {
    variables.push_back(variable("value", elementText(*whole, 0)));
    return variables;
  }
  const auto size = static_cast<uint64_t>(whole->shape()[axis]);
  const std::vector<int64_t> strides = whole->strides();
  constexpr uint64_t most = 1000;
  const uint64_t first = std::min(start, size);
  const uint64_t end = first + std::min({size - first, count == 0 ? most : count, most});
  for (uint64_t i = first; i < end; ++i) {
    std::vector<int64_t> position = group.position;
    position.push_back(static_cast<int64_t>(i));
    if (axis + 1 < whole->rank()) {
      const Shape rest(whole->shape().begin() + static_cast<std::ptrdiff_t>(axis) + 1, whole->shape().end());
      Json entry = variable(fmt::format("[{}]", i), showShape(rest),
                            add({.kind = Kind::tensor, .tensor = group.tensor, .position = position}));
      entry["indexedVariables"] = rest.front();
      variables.push_back(std::move(entry));
      continue;
    }
    int64_t index = 0;
    for (size_t d = 0; d < position.size(); ++d)
      index += position[d] * strides[d];
    variables.push_back(variable(fmt::format("[{}]", i), elementText(*whole, index)));
  }
  return variables;
}

} // namespace tilerig::emulator
