// Captures: what is to be seen, at the moments at which a proved program has it.
#include "emulator/Observe/Observation.h"

#include <algorithm>
#include <iterator>

namespace tilerig {

namespace {

std::vector<Moment> momentsOf(const Program &program, uint32_t stage, const std::vector<StageTasks> &tasks,
                              const std::vector<Sight> &sights) {
  std::vector<Watched> watched;
  for (const Sight &sight : sights)
    watched.push_back(sight.piece);
  if (!std::holds_alternative<DeviceStage>(program.stages[stage].work))
    return std::vector<Moment>(watched.size());
  return findMoments(program, stage, tasks[stage], watched);
}

// Looks at each sight at its moment, and at halves of those that are there as a whole at none.
void addLooks(const Program &program, uint32_t stage, const std::vector<StageTasks> &tasks,
              std::vector<Sight> sights, Memories &memories, Observers &observers) {
  while (!sights.empty()) {
    std::vector<Moment> moments = momentsOf(program, stage, tasks, sights);
    std::vector<Sight> smaller;
    for (size_t i = 0; i < sights.size(); ++i) {
      std::vector<Sight> halves;
      if (!moments[i].isWhole)
        halves = observers.sights.halvesOf(sights[i], memories);
      if (halves.empty())
        observers.stages[stage].looks.push_back({std::move(moments[i]), sights[i].piece.memory,
                                                 std::move(sights[i].piece.regions),
                                                 std::move(sights[i].copy)});
      std::ranges::move(halves, std::back_inserter(smaller));
    }
    sights = std::move(smaller);
  }
}

} // namespace

Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers) {
  TRY(observers.sights, Sights::of(program, observation, memories));
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    addLooks(program, stage, tasks, observers.sights.stages[stage], memories, observers);
  return success();
}

} // namespace tilerig
