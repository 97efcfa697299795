// Captures in proved programs: schedules each capture at the moment at which its tensor is complete.
#include "emulator/Observe/Observers.h"

namespace tilerig::emulator {

namespace {

// Adds captures to a stage. A piece that is never complete as a whole is captured in parts.
void addLooks(const Program &program, uint32_t stage, const StageTasks &tasks,
              const std::vector<Sight> &sights, Memories &memories, std::vector<Look> &looks) {
  std::vector<Watched> watched;
  for (const Sight &sight : sights)
    watched.push_back(sight.piece);
  std::vector<Moment> moments(watched.size());
  if (std::holds_alternative<DeviceStage>(program.stages[stage].work))
    moments = findMoments(program, stage, tasks, watched);
  std::vector<Sight> parts;
  for (size_t i = 0; i < moments.size(); ++i)
    if (std::vector<Sight> halves; moments[i].isTorn && !(halves = sights[i].halves(memories)).empty())
      parts.insert(parts.end(), halves.begin(), halves.end());
    else
      looks.push_back(
          {std::move(moments[i]), watched[i].memory, std::move(watched[i].regions), sights[i].copy});
  if (!parts.empty())
    addLooks(program, stage, tasks, parts, memories, looks);
}

} // namespace

Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers) {
  TILERIG_TRY(observers.sights, Sights::of(program, observation, memories));
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    addLooks(program, stage, tasks[stage], observers.sights.stages[stage], memories,
             observers.stages[stage].looks);
  return success();
}

} // namespace tilerig::emulator
