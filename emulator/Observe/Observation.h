// What somebody wants to see of a run, and to put in place of what it computes. The program is not changed
// for it: outputs and cycles are what they would be (but for what replaced values make of the outputs).
//
// A tensor is seen when the program says that it is there: whole, from all tiles, in the order of the model's
// dimensions, its elements as they are stored. Those that are asked for are refused if the program does not
// keep them; of all, those that it keeps.
#pragma once

#include "emulator/Fast/Observers.h"
#include "emulator/Observe/Replace.h"
#include "emulator/Observe/Sights.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

struct Observation {
  bool captureAll = false;
  std::vector<std::string> capture = {}; // names of tensors
  // Values in place of those that the program computes, in the model's type or in the stored one. They stand
  // in all pieces from the moment on at which these are complete.
  TensorMap replace = {};
  // Of tensors that are replaced, captures have what the program computed: what a layer makes of given inputs
  // is seen of all layers in one run. Where tensors share their bytes, the later one shows the earlier one's
  // replacement.
  bool captureComputed = false;
};

// An observation prepared for a program and its memories.
struct Observers {
  std::vector<StageObservers> stages; // by stage
  Sights sights;
  std::vector<Replacement> replacements; // what the changes copy from

  // `tasks` by stage. Refuses what the program does not have, in words.
  static Result<Observers> of(const Program &program, const std::vector<StageTasks> &tasks,
                              const Observation &observation, Memories &memories);
};

// The two halves of it.
Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers);
// Comes second: it fills in captures of what it replaces.
Status addReplacements(const Program &program, const std::vector<StageTasks> &tasks,
                       const Observation &observation, Memories &memories, Observers &observers);

// The tensor of that name, or an error that names the like.
Result<const proto::Tensor *> findTensor(const Program &program, const std::string &name,
                                         const std::string &purpose);

} // namespace tilerig
