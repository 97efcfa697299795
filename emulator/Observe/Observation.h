// Options for observing a run: which tensors to capture, and which to replace by given values. The program is
// not changed for this: outputs and cycles stay the same, except for the effect of replaced values on the
// outputs.
//
// A tensor is captured when, according to the program, it is complete. It is captured whole, from all tiles,
// in the model's order of dimensions, with elements as they are stored. To request a tensor that the program
// does not keep whole is an error; `captureAll` leaves out such tensors.
#pragma once

#include "emulator/Fast/Observers.h"
#include "emulator/Observe/Replace.h"
#include "emulator/Observe/Sights.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig::emulator {

struct Observation {
  bool captureAll = false;
  std::vector<std::string> capture = {}; // names of tensors to capture
  // Tensors, by name, whose values replace those that the program computes, in the model's type or in the
  // stored type. The values are put into all pieces of a tensor as soon as the pieces are complete.
  TensorMap replace = {};
  // For tensors that are replaced, captures show the values that the program computed. A single run thus
  // shows for all layers what each makes of given inputs. Where tensors share bytes, the capture of the later
  // tensor shows the replacement of the earlier one.
  bool captureComputed = false;
};

// An observation prepared for a program and its memories.
struct Observers {
  std::vector<StageObservers> stages; // captures and changes, by stage
  Sights sights;
  std::vector<Replacement> replacements; // hold the values that the changes copy

  // `tasks` lists the tasks of each stage. Returns an error for tensors that the program does not have.
  static Result<Observers> of(const Program &program, const std::vector<StageTasks> &tasks,
                              const Observation &observation, Memories &memories);
};

// First part of Observers::of: adds the captures.
Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers);
// Second part of Observers::of: adds the replacements and, with captureComputed, the captures of the computed
// values that are replaced.
Status addReplacements(const Program &program, const std::vector<StageTasks> &tasks,
                       const Observation &observation, Memories &memories, Observers &observers);

// Returns the tensor of that name, or an error that suggests similar names; `purpose`, for example "capture
// of", is the beginning of the message.
Result<const proto::Tensor *> findTensor(const Program &program, const std::string &name,
                                         const std::string &purpose);

} // namespace tilerig::emulator
