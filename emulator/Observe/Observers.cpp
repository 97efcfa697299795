#include "emulator/Observe/Observers.h"

#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

Result<Observers> Observers::of(const Program &program, const std::vector<StageTasks> &tasks,
                                const Observation &observation, Memories &memories) {
  Observers observers;
  observers.stages.resize(program.stages.size());
  TILERIG_CHECK_OK(addCaptures(program, tasks, observation, memories, observers));
  TILERIG_CHECK_OK(addReplacements(program, tasks, observation, memories, observers));
  return observers;
}

Result<const proto::Tensor *> findTensor(const Program &program, const std::string &name,
                                         const std::string &purpose) {
  const auto &tensors = program.metadata.tensors();
  const auto match = std::ranges::find(tensors, name, &proto::Tensor::name);
  if (match != tensors.end())
    return &*match;
  std::vector<std::string_view> names;
  for (const proto::Tensor &tensor : tensors)
    names.push_back(tensor.name());
  constexpr size_t mostListed = 12;
  const std::string_view nearest = nearestName(name, names);
  return invalidInput(fmt::format("{} '{}'", purpose, name), "the program has no tensor of this name",
                      nearest.empty() && names.size() > mostListed
                          ? fmt::format("tilerig inspect lists the program's {} tensors", names.size())
                          : suggestion(name, names));
}

} // namespace tilerig::emulator
