// Captures in programs that are proved free of races: schedules each capture at the moment at which its
// tensor is complete.
#include "emulator/Observe/Observers.h"

namespace tilerig::emulator {

namespace {

// Adds the captures of tensors to a stage. A piece of a tensor that is never complete as a whole is captured
// in parts.
void addCaptures(const Program &program, uint32_t stage, const StageTasks &tasks,
                 const std::vector<CapturePoint> &capturePoints, Memories &memories,
                 std::vector<Capture> &captures) {
  std::vector<TensorPiece> watched;
  for (const CapturePoint &capturePoint : capturePoints)
    watched.push_back(capturePoint.piece);
  std::vector<Completion> completions(watched.size());
  if (std::holds_alternative<DeviceStage>(program.stages[stage].work))
    completions = findCompletions(program, stage, tasks, watched);
  std::vector<CapturePoint> parts;
  for (size_t i = 0; i < completions.size(); ++i)
    if (std::vector<CapturePoint> halves;
        completions[i].isTorn && !(halves = capturePoints[i].halves(memories)).empty())
      parts.insert(parts.end(), halves.begin(), halves.end());
    else
      captures.push_back({std::move(completions[i]), watched[i].memory, std::move(watched[i].regions),
                          capturePoints[i].copy});
  if (!parts.empty())
    addCaptures(program, stage, tasks, parts, memories, captures);
}

} // namespace

Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers) {
  TILERIG_TRY(observers.capturePoints, CapturePoints::of(program, observation, memories));
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    addCaptures(program, stage, tasks[stage], observers.capturePoints.stages[stage], memories,
                observers.stages[stage].captures);
  return success();
}

} // namespace tilerig::emulator
