// Prepares an observation: finds which tasks complete the tensors to capture or replace, and where these
// tensors are stored.
#pragma once

#include "emulator/Fast/Observers.h"
#include "emulator/Observe/CapturePoints.h"
#include "emulator/Observe/Observation.h"
#include "emulator/Observe/Replace.h"

namespace tilerig::emulator {

// An observation (captures and replacements of tensors), prepared for a program and its memories.
struct Observers {
  // Captures and changes (replacements), by stage.
  std::vector<StageObservers> stages;
  CapturePoints capturePoints;
  // Tensors with the given replacement values, kept alive because the copies of the replacements read from
  // them.
  std::vector<Replacement> replacements;

  // `tasks` lists the tasks of each stage. Returns an error for tensors that the program does not have.
  static Result<Observers> of(const Program &program, const std::vector<StageTasks> &tasks,
                              const Observation &observation, Memories &memories);
};

// Adds the captures of an observation to `observers`; Observers::of calls it first.
Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers);
// Adds the replacements of an observation to `observers`. With captureComputed, also adds captures of the
// computed values that are replaced.
Status addReplacements(const Program &program, const std::vector<StageTasks> &tasks,
                       const Observation &observation, Memories &memories, Observers &observers);

// Returns the tensor of that name, or an error that suggests similar names. The error begins with `purpose`,
// for example "capture of".
Result<const proto::Tensor *> findTensor(const Program &program, const std::string &name,
                                         const std::string &purpose);

} // namespace tilerig::emulator
