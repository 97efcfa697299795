// Captures: what is to be seen, at the moments at which a proved program has it.
#include "emulator/Observe/Observation.h"

namespace tilerig {

Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers) {
  TRY(observers.sights, Sights::of(program, observation, memories));
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
    std::vector<Watched> watched;
    for (const Sight &sight : observers.sights.stages[stage])
      watched.push_back(sight.piece);
    std::vector<Moment> moments(watched.size());
    if (std::holds_alternative<DeviceStage>(program.stages[stage].work))
      moments = findMoments(program, stage, tasks[stage], watched);
    for (size_t i = 0; i < moments.size(); ++i)
      observers.stages[stage].looks.push_back({std::move(moments[i]), watched[i].memory,
                                               std::move(watched[i].regions),
                                               observers.sights.stages[stage][i].copy});
  }
  return success();
}

} // namespace tilerig
