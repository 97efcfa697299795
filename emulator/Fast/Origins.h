// Copies that no bit can tell from what they are copies of.
//
// Weights come from the constants of the program, often to many tiles. A POD instruction whose weights are
// such a copy may read the constants themselves, packed once for all who use them; and a transfer that nobody
// needs any more, because all who would read what it writes read the constants, need not be carried out.
//
// What is known of values is carried along as the analyser does it (isa/Analyser/Values.h), through the tasks
// in their order. Inferences repeat, so the inference stages are gone through twice: what holds in both holds
// always, since the second begins as every later one does.
#pragma once

#include "emulator/Fast/Observers.h"

#include <optional>

namespace tilerig {

struct StageOrigins {
  // By task: where in DDR the weights of a POD instruction lie as constants.
  std::vector<std::optional<uint64_t>> weights;
  // By task: whether nobody needs what it writes.
  std::vector<bool> idle;
};

// By stage; host stages have none. `tasks` are those of tasksOfStage(), by stage, and so are `observers`:
// what is looked at is needed, and what is changed is no copy any more.
std::vector<StageOrigins> findOrigins(const Program &program, const std::vector<StageTasks> &tasks,
                                      const std::vector<StageObservers> &observers);

} // namespace tilerig
