// Options for observing a run: which tensors to capture, and which to replace by given values. The program is
// not changed for this: outputs and cycles stay the same, except for the effect of replaced values on the
// outputs.
//
// A tensor is captured when, according to the program, it is complete: whole, from all tiles, in the model's
// order of dimensions, with elements as they are stored. A requested tensor that the program does not keep
// whole is an error; `captureAll` takes those that it keeps.
#pragma once

#include "emulator/Fast/Observers.h"
#include "emulator/Observe/Replace.h"
#include "emulator/Observe/Sights.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig::emulator {

struct Observation {
  bool captureAll = false;
  std::vector<std::string> capture = {}; // names of tensors to capture
  // Values that replace those the program computes, in the model's type or in the stored type. They are put
  // into all pieces as soon as these are complete.
  TensorMap replace = {};
  // For tensors that are replaced, captures show what the program computed. A single run thus shows for all
  // layers what each makes of given inputs. Where tensors share bytes, the capture of the later one shows the
  // replacement of the earlier one.
  bool captureComputed = false;
};

// An observation prepared for a program and its memories.
struct Observers {
  std::vector<StageObservers> stages; // captures and changes, by stage
  Sights sights;
  std::vector<Replacement> replacements; // hold the values that the changes copy

  // `tasks` is by stage. Returns an error for tensors that the program does not have.
  static Result<Observers> of(const Program &program, const std::vector<StageTasks> &tasks,
                              const Observation &observation, Memories &memories);
};

// The two parts of Observers::of: captures, and replacements.
Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers);
// Must be called second: it completes the captures of tensors that it replaces.
Status addReplacements(const Program &program, const std::vector<StageTasks> &tasks,
                       const Observation &observation, Memories &memories, Observers &observers);

// The tensor of that name; otherwise an error that suggests similar names.
Result<const proto::Tensor *> findTensor(const Program &program, const std::string &name,
                                         const std::string &purpose);

} // namespace tilerig::emulator
